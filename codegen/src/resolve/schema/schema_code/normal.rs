//! JSON schema as schemars writes it → a structural schema.

use serde_json::{Map, Value};

use crate::known::sized;
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
    let integer = match schema.get("format").and_then(Value::as_str) {
        Some("int8") => "i8",
        Some("int16") => "i16",
        Some("int") => "isize",
        Some("uint8") => "u8",
        Some("uint16") => "u16",
        Some("uint32") => "u32",
        Some("uint64" | "uint") => "u64",
        _ => return,
    };
    let Some(known) = sized(integer) else { return };
    if let Some(format) = known.format {
        schema.insert("format".to_owned(), format.into());
    }
    for (key, bound) in [("minimum", known.minimum), ("maximum", known.maximum)] {
        if let Some(bound) = bound {
            schema.entry(key).or_insert(bound.into());
        }
    }
}
