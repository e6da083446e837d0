//! Type check of defaults, examples and enum values against the shape of the Rust type.

use super::SchemaAttrs;
use crate::table::Key;
use crate::{Json, JsonValue, Problems, Shape};

pub(super) fn check(attrs: &SchemaAttrs, shape: &Shape, problems: &mut Problems) {
    let listed = attrs
        .enumeration
        .iter()
        .flat_map(|values| &values.value)
        .map(|value| (Key::ENUM, value));
    let single = [
        (Key::DEFAULT, &attrs.default),
        (Key::EXAMPLE, &attrs.example),
    ];
    let single = single
        .into_iter()
        .filter_map(|(key, value)| value.as_ref().map(|value| (key, value)));
    for (key, value) in listed.chain(single) {
        if let Some((part, shape)) = misfit(value, shape) {
            let message = format!(
                "`{key}` has {}, and this is {}",
                describe(part),
                shape.describe()
            );
            problems.report(part.span, message, format!("write {}", sample(shape)));
        }
    }
}

impl Shape {
    /// Returns whether the value can belong to a type of this shape.
    pub fn admits(&self, value: &Json) -> bool {
        misfit(value, self).is_none()
    }
}

/// Returns the first part of the value that does not fit, with the shape that it should have.
/// `null` fits every shape, because it depends on the field around it.
fn misfit<'v>(json: &'v Json, shape: &'v Shape) -> Option<(&'v Json, &'v Shape)> {
    let fits = match (&json.value, shape) {
        (JsonValue::Array(items), Shape::List(item)) => {
            return items.iter().find_map(|json| misfit(json, item));
        }
        (JsonValue::Object(members), Shape::Map(value)) => {
            return members.iter().find_map(|(_, json)| misfit(json, value));
        }
        (JsonValue::Null, _) | (_, Shape::Unknown) => true,
        (JsonValue::Bool(_), Shape::Boolean) | (JsonValue::Number(_), Shape::Number) => true,
        (JsonValue::Number(number), Shape::Integer) => number.is_whole(),
        (JsonValue::String(_), Shape::String) => true,
        (JsonValue::Object(_), Shape::Struct) => true,
        // An untagged enum serializes as the content of its variants.
        (_, Shape::Enum) => true,
        _ => false,
    };
    (!fits).then_some((json, shape))
}

fn describe(json: &Json) -> &'static str {
    match json.value {
        JsonValue::Null => "null",
        JsonValue::Bool(_) => "a boolean",
        JsonValue::Number(_) => "a number",
        JsonValue::String(_) => "a string",
        JsonValue::Array(_) => "a list",
        JsonValue::Object(_) => "an object",
    }
}

fn sample(shape: &Shape) -> &'static str {
    match shape {
        Shape::Unknown => "a JSON value",
        Shape::Boolean => "`true` or `false`",
        Shape::Integer => "a whole number",
        Shape::Number => "a number",
        Shape::String => "a string",
        Shape::List(_) => "a list: `[..]`",
        Shape::Map(_) => "an object: `{ \"key\": .. }`",
        Shape::Struct | Shape::Enum => "an object: `{ \"name\": .. }`",
    }
}
