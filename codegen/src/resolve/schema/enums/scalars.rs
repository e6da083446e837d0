//! Untagged enums of scalars: pairs of types that one schema can express.

use crate::model::{JsonType, Schema};
use crate::resolve::schema::union::{self, Union};

/// Merges schemas of an integer and a string, or of an integer and a float.
///
/// `None` for other types, or if a constraint of one would apply to the other.
pub(super) fn mixed(parts: &[&Schema]) -> Option<Schema> {
    let of = |type_: JsonType| -> Vec<&Schema> {
        parts
            .iter()
            .copied()
            .filter(|schema| schema.type_ == Some(type_))
            .collect()
    };
    let (integers, strings, numbers) = (
        of(JsonType::Integer),
        of(JsonType::String),
        of(JsonType::Number),
    );
    if integers.is_empty() || integers.len() + strings.len() + numbers.len() != parts.len() {
        return None;
    }
    match (strings.is_empty(), numbers.is_empty()) {
        (false, true) => int_or_string(&together(&integers)?, &together(&strings)?),
        (true, false) => together(&numbers),
        _ => None,
    }
}

/// Merges schemas of one type, unless they need branches.
fn together(parts: &[&Schema]) -> Option<Schema> {
    let Union {
        structure,
        branches,
    } = union::merge(parts).ok()?;
    let free = branches.iter().any(|branch| *branch == Schema::default());
    let only_values = |branch: &Schema| {
        *branch
            == Schema {
                enum_: branch.enum_.clone(),
                ..Schema::default()
            }
    };
    (free || branches.iter().all(only_values)).then_some(structure)
}

/// Merges an integer and a string: bounds do not apply to strings and patterns not to numbers, so
/// one schema holds both.
fn int_or_string(integer: &Schema, string: &Schema) -> Option<Schema> {
    let plain = integer.enum_.is_empty() && string.format.is_none();
    let narrow = integer.format.as_deref() == Some("int32");
    let bound = |stated: &Option<_>, of_format: i32| {
        stated.clone().or_else(|| narrow.then(|| of_format.into()))
    };
    plain.then(|| Schema {
        int_or_string: true,
        any_of: vec![
            Schema::typed(JsonType::Integer),
            Schema::typed(JsonType::String),
        ],
        minimum: bound(&integer.minimum, i32::MIN),
        maximum: bound(&integer.maximum, i32::MAX),
        exclusive_minimum: integer.exclusive_minimum,
        exclusive_maximum: integer.exclusive_maximum,
        multiple_of: integer.multiple_of.clone(),
        min_length: string.min_length,
        max_length: string.max_length,
        pattern: string.pattern.clone().or_else(|| names(string)),
        ..Schema::default()
    })
}

/// Converts the enum values of a string into a pattern: an `enum` would forbid every number.
fn names(string: &Schema) -> Option<String> {
    let names: Vec<_> = string
        .enum_
        .iter()
        .filter_map(|value| value.as_str())
        .map(escaped)
        .collect();
    (!names.is_empty()).then(|| format!("^(?:{})$", names.join("|")))
}

fn escaped(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_punctuation() && !matches!(c, '-' | '_' | '/' | ':') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
