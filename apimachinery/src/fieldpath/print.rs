//! Formatting of JSON values in paths and in keys of `fieldsV1`.

use std::fmt::Write;

use crate::go;
use serde_json::Value;

use super::value::GoNumber;

/// Formats a value as in a path: `"x"`, `80`.
///
/// Source: structured-merge-diff, value/value.go, `ToString`.
pub(super) fn in_path(value: &Value) -> String {
    match value {
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(in_path).collect::<Vec<_>>().join(",")
        ),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| format!("{name}={}", in_path(value)))
            .collect(),
        Value::String(text) => go::quoted(text),
        Value::Null => "null".to_owned(),
        scalar => go::printed(scalar),
    }
}

/// Writes a value as JSON in the form that keys of `fieldsV1` have.
///
/// Source: json-iterator, `ConfigCompatibleWithStandardLibrary`, which writes exponents with two
/// digits and escapes the characters that HTML reserves.
pub(super) fn json(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => match GoNumber::of(number) {
            GoNumber::Int(integer) => write!(out, "{integer}").unwrap_or_default(),
            GoNumber::Float(float) => out.push_str(&json_float(float)),
        },
        Value::String(text) => json_text(text, true, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                comma(at, out);
                json(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (name, value)) in members.iter().enumerate() {
                comma(at, out);
                json_text(name, true, out);
                out.push(':');
                json(value, out);
            }
            out.push('}');
        }
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
    }
}

/// Writes a JSON string. With `html`, also escapes `<`, `>`, `&`, U+2028 and U+2029.
pub(super) fn json_text(text: &str, html: bool, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match (go::escape(character), character) {
            (Some(escape), _) => out.push_str(escape),
            (None, '\0'..' ') => hexadecimal(character, out),
            (None, '<' | '>' | '&' | '\u{2028}' | '\u{2029}') if html => {
                hexadecimal(character, out);
            }
            (None, character) => out.push(character),
        }
    }
    out.push('"');
}

fn hexadecimal(character: char, out: &mut String) {
    write!(out, "\\u{:04x}", u32::from(character)).unwrap_or_default();
}

fn json_float(float: f64) -> String {
    if float == 0.0 || (1e-6..1e21).contains(&float.abs()) {
        return float.to_string();
    }
    let text = format!("{float:e}");
    match text.split_once("e-") {
        Some((digits, exponent)) => format!("{digits}e-{exponent:0>2}"),
        None => text.replace('e', "e+"),
    }
}

pub(super) fn comma(at: usize, out: &mut String) {
    if at > 0 {
        out.push(',');
    }
}
