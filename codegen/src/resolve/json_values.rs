//! Conversion of JSON values of the attribute grammar into `serde_json` values.

use genclient_syntax::{Json, JsonValue, Number};
use serde_json::Value;

pub(super) fn to_json(value: &Json) -> Value {
    match &value.value {
        JsonValue::Null => Value::Null,
        JsonValue::Bool(value) => Value::Bool(*value),
        JsonValue::Number(value) => Value::Number(to_json_number(value)),
        JsonValue::String(value) => Value::String(value.clone()),
        JsonValue::Array(items) => Value::Array(items.iter().map(to_json).collect()),
        JsonValue::Object(members) => {
            let members = members.iter();
            Value::Object(
                members
                    .map(|(key, value)| (key.value.clone(), to_json(value)))
                    .collect(),
            )
        }
    }
}

pub(super) fn to_json_number(number: &Number) -> serde_json::Number {
    #[expect(
        clippy::expect_used,
        reason = "the grammar keeps the text of a JSON number, and refuses those beyond `f64`"
    )]
    number.as_str().parse().expect("a number is a JSON number")
}
