//! Untagged enums of scalars: two types that a schema can say together.

use crate::model::{JsonType, Schema};
use crate::resolve::schema::union::{self, Union};

/// Schemas of an integer and a string, or of an integer and a float, as schemas of one type.
///
/// `None` if they are something else, or if one says what the other would have to keep to.
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

/// One schema for all, unless they need a branch each.
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

/// Bounds of numbers say nothing of strings, and a pattern says nothing of numbers, so that both stand in one schema.
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

/// The values of a string as a pattern: an enum would forbid every number.
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
