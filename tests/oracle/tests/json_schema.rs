//! Translation of structural schemas into JSON Schema.

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// Returns a validator for a structural schema.
pub fn validator(schema: &Value) -> Validator {
    jsonschema::options()
        .should_validate_formats(true)
        .build(&of(schema))
        .expect("what the generator writes is a schema")
}

/// Returns the JSON Schema of a structural schema. It rejects fields that the API server would
/// prune.
pub fn of(schema: &Value) -> Value {
    let Value::Object(members) = schema else {
        return schema.clone();
    };
    let mut out = members.clone();
    for (keyword, value) in &mut out {
        match keyword.as_str() {
            "properties" => {
                for property in value.as_object_mut().into_iter().flatten() {
                    *property.1 = of(property.1);
                }
            }
            "items" | "additionalProperties" | "not" => *value = of(value),
            "allOf" | "anyOf" | "oneOf" => {
                value
                    .as_array_mut()
                    .into_iter()
                    .flatten()
                    .for_each(|branch| *branch = of(branch));
            }
            _ => {}
        }
    }
    close(&mut out);
    bound(&mut out);
    embed(&mut out);
    unquote(&mut out);
    if out.remove("nullable").is_some() {
        return json!({ "anyOf": [{ "type": "null" }, out] });
    }
    Value::Object(out)
}

/// Rejects unknown fields, unless the schema preserves them.
fn close(schema: &mut Map<String, Value>) {
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

/// Translates exclusive bounds, which are flags in draft 4, and the API server's checks of formats.
fn bound(schema: &mut Map<String, Value>) {
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
        Some("byte") => {
            schema.entry("pattern").or_insert(json!(BASE64));
            return;
        }
        _ => return,
    };
    schema.entry("minimum").or_insert(json!(range.0));
    schema.entry("maximum").or_insert(json!(range.1));
}

const BASE64: &str = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$";

/// Requires type and metadata of an embedded resource.
fn embed(schema: &mut Map<String, Value>) {
    if schema.get("x-kubernetes-embedded-resource") == Some(&json!(true)) {
        schema.insert(
            "required".to_owned(),
            json!(["apiVersion", "kind", "metadata"]),
        );
    }
}

/// Replaces `\Q.\E`, a quotation that RE2 supports and the validator does not.
fn unquote(schema: &mut Map<String, Value>) {
    if let Some(Value::String(pattern)) = schema.get_mut("pattern") {
        *pattern = unquoted(pattern);
    }
}

/// Returns the pattern without quotations.
pub fn unquoted(pattern: &str) -> String {
    let Some((before, rest)) = pattern.split_once(r"\Q") else {
        return pattern.to_owned();
    };
    let (quoted, after) = rest.split_once(r"\E").unwrap_or((rest, ""));
    format!(
        "{before}{}{}",
        regex_syntax::escape(quoted),
        unquoted(after)
    )
}
