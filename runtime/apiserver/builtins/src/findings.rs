//! Findings of validation, and checks that the rules of several kinds share.

use genclient_apimachinery::field;
use genclient_apimachinery::go::{json, json_struct};
use serde_json::Value;

pub(crate) const IMMUTABLE: &str = "field is immutable";
pub(crate) const NOT_NEGATIVE: &str = "must be greater than or equal to 0";

pub(crate) fn unchanged(field: &str, new: &Value, old: &Value, out: &mut field::ErrorList) {
    if new != old {
        out.push(field::Error::invalid(field, new, IMMUTABLE));
    }
}

/// Checks that the numbers in `fields` of an object are not negative.
pub(crate) fn not_negative(
    object: &Value,
    fields: &[&str],
    path: &str,
    out: &mut field::ErrorList,
) {
    for field in fields {
        let value = &object[*field];
        if value.as_i64().is_some_and(|number| number < 0) {
            out.push(field::Error::invalid(
                format!("{path}.{field}"),
                value,
                NOT_NEGATIVE,
            ));
        }
    }
}

/// Checks that a string is one of the known values. `field` is its path.
pub(crate) fn supported(field: String, value: &Value, known: &[&str], out: &mut field::ErrorList) {
    let text = value.as_str().unwrap_or_default();
    if !known.contains(&text) {
        out.push(field::Error::not_supported(field, &text.into(), known));
    }
}

/// Formats an object as Go prints a struct whose fields have no JSON names: `{"Type":"a"}`.
pub(crate) fn go_struct(value: &Value, fields: &[&str]) -> String {
    if value.is_null() {
        return "null".to_owned();
    }
    json_struct(fields.iter().map(|field| {
        let (first, rest) = field.split_at(1);
        (
            *field,
            json(&value[format!("{}{rest}", first.to_lowercase())]),
        )
    }))
}
