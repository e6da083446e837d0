//! Validation of the types and formats of values.

use genclient_apimachinery::strfmt;
use serde_json::Value;

use super::compare::is_json_integer;
use super::violation::ViolationKind;
use crate::{JsonType, Schema};

/// Returns a violation if the value has a wrong type.
pub(super) fn missed_type(schema: &Schema, value: &Value) -> Option<ViolationKind> {
    let types: Vec<&str> = match schema.type_ {
        _ if schema.int_or_string => vec!["integer", "string"],
        type_ => type_.into_iter().map(JsonType::as_str).collect(),
    };
    missed(&types, known_format(schema), schema.nullable, value)
}

/// Like [`missed_type`], for a default in a definition: ignores `x-kubernetes-int-or-string`, and
/// checks `format` whatever the type.
pub(super) fn missed_stated_type(schema: &Schema, value: &Value) -> Option<ViolationKind> {
    let known = schema.type_.map(JsonType::as_str);
    let types: Vec<&str> = known
        .into_iter()
        .chain(schema.unknown_type.as_deref())
        .collect();
    let format = schema.format.as_deref().filter(|format| !format.is_empty());
    if value.is_null() && (types.is_empty() || types == ["null"]) {
        return None;
    }
    missed(&types, format, schema.nullable, value)
}

fn missed(
    types: &[&str],
    format: Option<&str>,
    nullable: bool,
    value: &Value,
) -> Option<ViolationKind> {
    let found = json_type(value);
    let missed = |expected: &str, found| {
        let expected = expected.to_owned();
        Some(ViolationKind::Type { expected, found })
    };
    if value.is_null() {
        return if nullable {
            None
        } else {
            missed(&types.join(","), found)
        };
    }
    let admits = types.contains(&found)
        || found == "integer" && types.contains(&"number")
        || types.contains(&"integer") && is_whole(value);
    let has_text = value.is_string() || value.is_array();
    let of_format = match found {
        "integer" => "int64",
        "number" => "float64",
        _ => "",
    };
    let is_number = types
        .iter()
        .any(|type_| ["integer", "number"].contains(type_));
    match format {
        // The API server compares the format with that of the value, which is `int64` or `float64`
        // for a number and empty for other values.
        Some(format) if !has_text && !admits && of_format != format => missed(format, of_format),
        // With a format, the API server accepts any string or list unless the type is a number.
        Some(_) if has_text && !is_number => None,
        _ if admits => None,
        _ => missed(&types.join(","), found),
    }
}

/// Returns the format if the API server knows it, whatever the schema's type.
pub(super) fn stated_format(schema: &Schema) -> Option<&str> {
    let format = schema.format.as_deref()?;
    strfmt::KNOWN.contains(&format).then_some(format)
}

/// Returns the format if the API server knows it for the schema's type.
pub(super) fn known_format(schema: &Schema) -> Option<&str> {
    let format = schema.format.as_deref()?;
    let is_known = match schema.type_.filter(|_| !schema.int_or_string) {
        None | Some(JsonType::String) => {
            strfmt::KNOWN.contains(&format) && !strfmt::is_numeric(format)
        }
        Some(JsonType::Integer) => ["int32", "int64"].contains(&format),
        Some(JsonType::Number) => ["float", "double"].contains(&format),
        _ => false,
    };
    is_known.then_some(format)
}

fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns whether the value is a float such as `3.0`, which the API server accepts as an integer.
fn is_whole(value: &Value) -> bool {
    let number = value.as_f64().filter(|_| value.is_f64());
    number.is_some_and(is_json_integer)
}
