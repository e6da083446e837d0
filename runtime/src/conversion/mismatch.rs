//! Validation of an object against its version's schema: types, presence, enums, bounds, lengths.
//!
//! Patterns and CEL rules are not checked. Round-trip tests generate objects without regard to
//! them, so a violation is no fault of the conversion.

use serde_json::Value;

#[derive(Debug, PartialEq)]
pub(super) struct Mismatch {
    /// Path of the value, such as `.spec.days`.
    pub(super) path: String,
    pub(super) value: Value,
    /// Schema keyword that the value violates.
    pub(super) keyword: &'static str,
    /// Value of that keyword in the schema.
    pub(super) declared: Value,
}

/// Returns the first value that violates the schema. A null violates it only in a required field
/// that is not nullable.
pub(super) fn find_mismatch(object: &Value, schema: &Value) -> Option<Mismatch> {
    find_value_mismatch(object, schema, String::new())
}

fn find_value_mismatch(value: &Value, schema: &Value, path: String) -> Option<Mismatch> {
    if value.is_null() {
        return None;
    }
    if let Some(keyword) = find_violated_keyword(value, schema) {
        return Some(Mismatch {
            path,
            value: value.clone(),
            keyword,
            declared: format_keyword_value(&schema[keyword]),
        });
    }
    match value {
        Value::Object(fields) => {
            let mut missing = schema["required"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .filter(|name| {
                    value[name].is_null() && schema["properties"][name]["nullable"] != true
                });
            if let Some(name) = missing.next() {
                return Some(Mismatch {
                    path: format!("{path}.{name}"),
                    value: Value::Null,
                    keyword: "required",
                    declared: schema["required"].clone(),
                });
            }
            fields.iter().find_map(|(name, field)| {
                let inner = match &schema["properties"][name] {
                    Value::Null => &schema["additionalProperties"],
                    property => property,
                };
                find_value_mismatch(field, inner, format!("{path}.{name}"))
            })
        }
        Value::Array(items) => items.iter().enumerate().find_map(|(at, item)| {
            find_value_mismatch(item, &schema["items"], format!("{path}[{at}]"))
        }),
        _ => None,
    }
}

/// Returns the value of a keyword for messages, with whole numbers as in the CRD: `maximum: 100`.
/// In the schema it is `100.0`, since k8s-openapi's type of bounds is `f64`.
fn format_keyword_value(declared: &Value) -> Value {
    match declared.as_f64() {
        Some(number) if number.fract() == 0.0 && number.abs() < 1e15 => (number as i64).into(),
        _ => declared.clone(),
    }
}

/// Returns the first keyword that the value itself violates. Its fields and items are not checked.
fn find_violated_keyword(value: &Value, schema: &Value) -> Option<&'static str> {
    let is_of_type = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("number") => value.is_number(),
        Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    };
    if !is_of_type {
        return Some("type");
    }
    let is_listed = schema["enum"]
        .as_array()
        .is_none_or(|values| values.contains(value));
    if !is_listed {
        return Some("enum");
    }
    let (least, most, measure) = match value {
        Value::Object(fields) => ("minProperties", "maxProperties", fields.len() as f64),
        Value::Array(items) => ("minItems", "maxItems", items.len() as f64),
        Value::String(text) => ("minLength", "maxLength", text.chars().count() as f64),
        Value::Number(number) => ("minimum", "maximum", number.as_f64()?),
        Value::Bool(_) | Value::Null => return None,
    };
    let bound = |keyword: &str| schema[keyword].as_f64();
    let is_excluded = |exclusive: &str, bound: f64| measure == bound && schema[exclusive] == true;
    if bound(least).is_some_and(|least| measure < least || is_excluded("exclusiveMinimum", least)) {
        return Some(least);
    }
    if bound(most).is_some_and(|most| measure > most || is_excluded("exclusiveMaximum", most)) {
        return Some(most);
    }
    None
}
