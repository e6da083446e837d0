//! What serde writes is admitted by the schema, and what the schema admits serde reads.

use std::fmt::Debug;

use jsonschema::Validator;
use oracle::each_shape;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tests::suite::Suite;

use crate::{generated, mutants};

/// How many values of each shape are tried.
const CASES: u32 = 48;

macro_rules! add {
    ($suite:ident, $($name:literal: $module:ident :: $shape:ident),* $(,)?) => {
        $($suite.plain(concat!("values::", $name), || check::<oracle::shapes::$module::$shape>($name));)*
    };
}

pub fn tests(suite: &mut Suite) {
    macro_rules! add_all {
        ($($shapes:tt)*) => { add!(suite, $($shapes)*) };
    }
    each_shape!(add_all);
}

fn check<T: Arbitrary + Serialize + DeserializeOwned + Debug>(name: &str) -> tests::suite::Outcome {
    let schema = &generated::shapes()[name];
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&as_json_schema(schema))
        .map_err(|error| error.to_string())?;
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&any::<T>(), |value| try_value::<T>(&value, &validator))
        .map_err(|error| error.to_string().into())
}

fn try_value<T: Serialize + DeserializeOwned>(
    value: &T,
    validator: &Validator,
) -> Result<(), TestCaseError> {
    let written = serde_json::to_value(value).expect("a shape is JSON");
    if let Some(error) = validator.iter_errors(&written).next() {
        return Err(TestCaseError::fail(format!(
            "{written} is written and not admitted: {error}"
        )));
    }
    for mutant in mutants::of(&written) {
        if validator.is_valid(&mutant)
            && let Err(error) = serde_json::from_value::<T>(mutant.clone())
        {
            return Err(TestCaseError::fail(format!(
                "{mutant} is admitted and not read: {error}"
            )));
        }
    }
    Ok(())
}

/// A structural schema as JSON schema has it, in which nothing may be that the API server would prune.
fn as_json_schema(schema: &Value) -> Value {
    let Value::Object(members) = schema else {
        return schema.clone();
    };
    let mut out = members.clone();
    for (keyword, value) in &mut out {
        match keyword.as_str() {
            "properties" => {
                for property in value.as_object_mut().into_iter().flatten() {
                    *property.1 = as_json_schema(property.1);
                }
            }
            "items" | "additionalProperties" | "not" => *value = as_json_schema(value),
            "allOf" | "anyOf" | "oneOf" => {
                value
                    .as_array_mut()
                    .into_iter()
                    .flatten()
                    .for_each(|branch| *branch = as_json_schema(branch));
            }
            _ => {}
        }
    }
    close(&mut out);
    bound(&mut out);
    if out.remove("nullable").is_some() {
        return json!({ "anyOf": [{ "type": "null" }, out] });
    }
    Value::Object(out)
}

/// Unknown fields are pruned unless the schema keeps them.
fn close(schema: &mut serde_json::Map<String, Value>) {
    let keeps = [
        "x-kubernetes-preserve-unknown-fields",
        "additionalProperties",
    ];
    if schema.get("type") == Some(&json!("object"))
        && !keeps.iter().any(|key| schema.contains_key(*key))
    {
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
}

/// Draft 4 has flags for bounds that are excluded, and the API server ranges for formats.
fn bound(schema: &mut serde_json::Map<String, Value>) {
    for (flag, bound) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        if schema.remove(flag) == Some(json!(true))
            && let Some(value) = schema.remove(bound)
        {
            schema.insert(flag.to_owned(), value);
        }
    }
    let range = match schema.get("format").and_then(Value::as_str) {
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Some("int64") => (i64::MIN, i64::MAX),
        _ => return,
    };
    schema.entry("minimum").or_insert(json!(range.0));
    schema.entry("maximum").or_insert(json!(range.1));
}
