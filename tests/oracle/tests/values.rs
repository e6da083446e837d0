//! Tests of shapes without a server: the schema admits what serde writes, and serde reads what the
//! schema admits.

use std::fmt::Debug;

use e2e::suite::Suite;
use jsonschema::Validator;
use oracle::each_shape;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{generated, json_schema, mutants};

/// Number of values that are tried for each shape.
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

fn check<T: Arbitrary + Serialize + DeserializeOwned + Debug>(name: &str) -> e2e::suite::Outcome {
    let schema = &generated::shapes()[name];
    let validator = json_schema::validator(schema);
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
            && !mutants::is_admitted_everywhere(&error)
        {
            return Err(TestCaseError::fail(format!(
                "{mutant} is admitted and not read: {error}"
            )));
        }
    }
    Ok(())
}
