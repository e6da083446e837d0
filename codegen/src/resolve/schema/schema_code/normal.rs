//! JSON schema as schemars writes it → a structural schema.

use serde_json::{Map, Value};

use crate::model::Schema;

/// The schema that JSON states; none if it refers to another one, or has what no CRD can have.
pub(super) fn schema(value: Value) -> Option<Schema> {
    serde_json::from_value(normal(value, SchemaPart::Value)?).ok()
}

/// What a schema is a part of.
#[derive(Clone, Copy, PartialEq)]
enum SchemaPart {
    /// It says what a value is.
    Value,
    /// It says more of a value, in `oneOf` and its like, where nothing has a type.
    Branch,
}

/// Keys that no CRD has are left out, as kube does.
fn normal(value: Value, part: SchemaPart) -> Option<Value> {
    let Value::Object(members) = value else {
        return Some(value);
    };
    let mut kept = Map::new();
    for (key, value) in members {
        let value = match (key.as_str(), value) {
            ("$ref", _) => return None,
            ("properties", Value::Object(properties)) => {
                let properties = properties.into_iter();
                let properties: Option<Map<_, _>> = properties
                    .map(|(name, schema)| Some((name, normal(schema, part)?)))
                    .collect();
                Value::Object(properties?)
            }
            ("items" | "additionalProperties", schema) => normal(schema, part)?,
            ("not", schema) => normal(schema, SchemaPart::Branch)?,
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                let branches = schemas.into_iter();
                let branches = branches.map(|branch| normal(branch, SchemaPart::Branch));
                branches.collect::<Option<_>>()?
            }
            ("const", value) => {
                kept.insert("enum".to_owned(), Value::Array(vec![value]));
                continue;
            }
            ("type", Value::Array(types)) => {
                let (nulls, mut types): (Vec<_>, Vec<_>) =
                    types.into_iter().partition(|name| name == "null");
                if !nulls.is_empty() {
                    kept.insert("nullable".to_owned(), true.into());
                }
                types.pop().filter(|_| types.is_empty())?
            }
            (_, value) => value,
        };
        let alone = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
        let known = serde_json::from_value::<Schema>(alone);
        let unknown = known.is_err_and(|error| error.to_string().starts_with("unknown field"));
        if !unknown && !value.is_null() {
            kept.insert(key, value);
        }
    }
    if kept.contains_key("properties") {
        close(&mut kept);
        if part == SchemaPart::Value {
            kept.entry("type").or_insert("object".into());
        }
    }
    bound(&mut kept);
    Some(Value::Object(kept))
}

/// Beside properties no CRD says that there are others, or that there are none.
fn close(schema: &mut Map<String, Value>) {
    match schema.get("additionalProperties") {
        Some(Value::Bool(true)) => {
            let key = "x-kubernetes-preserve-unknown-fields";
            schema.insert(key.to_owned(), true.into());
        }
        Some(Value::Bool(false)) => {}
        _ => return,
    }
    schema.remove("additionalProperties");
}

/// Formats of integers that the API server does not know, by one that it knows and bounds.
fn bound(schema: &mut Map<String, Value>) {
    let format = schema.get("format").and_then(Value::as_str);
    let (known, least, most) = match format {
        Some("int8") => ("int32", i8::MIN.into(), Some(i64::from(i8::MAX))),
        Some("int16") => ("int32", i16::MIN.into(), Some(i16::MAX.into())),
        Some("uint8") => ("int32", 0, Some(u8::MAX.into())),
        Some("uint16") => ("int32", 0, Some(u16::MAX.into())),
        Some("uint32") => ("int64", 0, Some(u32::MAX.into())),
        Some("uint64" | "uint") => ("int64", 0, None),
        Some("int") => ("int64", i64::MIN, None),
        _ => return,
    };
    schema.insert("format".to_owned(), known.into());
    if least > i64::MIN {
        schema.entry("minimum").or_insert(least.into());
    }
    if let Some(most) = most {
        schema.entry("maximum").or_insert(most.into());
    }
}
