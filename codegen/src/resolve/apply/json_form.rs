//! Types of fields by their schema, for Rust types that configurations do not have.

use super::config_path::name_of;
use super::site::ReadValue;
use crate::model::{ApplyValue, JsonType, Schema};

/// The note about a field that a function of the user writes.
pub(super) const CUSTOM: &str = "In its serialized form, since `with` serializes the field.";

/// The note about a type such as a tuple.
pub(super) const UNNAMEABLE: &str =
    "In its serialized form, since generated code cannot name its type.";

/// Returns the Rust type of the JSON that is written for a field, by the field's schema.
pub(super) fn json_form(schema: Option<&Schema>, note: &str) -> ReadValue {
    ReadValue {
        notes: vec![note.to_owned()],
        is_replaced: true,
        ..ReadValue::new(value_of_schema(schema))
    }
}

fn value_of_schema(schema: Option<&Schema>) -> ApplyValue {
    let any = || ApplyValue::Plain(name_of("genclient::serde_json::Value"));
    let Some(schema) = schema else { return any() };
    let plain = |name: &str| ApplyValue::Plain(name_of(name));
    match (schema.type_, schema.format.as_deref()) {
        (Some(JsonType::String), _) => ApplyValue::Text,
        (Some(JsonType::Boolean), _) => plain("bool"),
        (Some(JsonType::Integer), Some("int32")) => plain("i32"),
        (Some(JsonType::Integer), _) => plain("i64"),
        (Some(JsonType::Number), _) => plain("f64"),
        (Some(JsonType::Array), _) => ApplyValue::List {
            collection: name_of("Vec"),
            item: Box::new(value_of_schema(schema.items.as_deref())),
        },
        (Some(JsonType::Object), _) if schema.additional_properties.is_some() => ApplyValue::Map {
            collection: name_of("std::collections::BTreeMap"),
            key: Box::new(ApplyValue::Text),
            value: Box::new(value_of_schema(schema.additional_properties.as_deref())),
        },
        _ => any(),
    }
}
