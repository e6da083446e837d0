//! Go's formatting of values, as in responses of an API server, its parsing of numbers, times and
//! durations, and the messages of its JSON decoder.

mod calendar;
mod duration;
mod print;
mod syntax;
pub mod time;

use std::num::{IntErrorKind, ParseIntError};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

pub use self::duration::{duration, format_duration};
pub use self::print::{go_syntax, json_list, json_struct, printed, printed_number, type_name};
pub use self::syntax::json_error;

/// Returns the name of a value's type in errors of Go's `encoding/json`.
#[must_use]
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Formats JSON as Go's `encoding/json` does: characters special in HTML are escaped, and floats
/// without a fraction are written as integers.
pub fn json(value: &Value) -> String {
    let list = |items: Vec<String>| items.join(",");
    match value {
        Value::Number(number) if !number.is_i64() => {
            let float = number.as_f64().unwrap_or_default();
            match exponential(float) {
                _ if float == 0.0 || (1e-6..1e21).contains(&float.abs()) => float.to_string(),
                (digits, exponent) if exponent < 0 => format!("{digits}e{exponent}"),
                (digits, exponent) => format!("{digits}e+{exponent}"),
            }
        }
        Value::Array(items) => format!("[{}]", list(items.iter().map(json).collect())),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                format!("{}:{}", json(&Value::String(name.clone())), json(value))
            };
            format!("{{{}}}", list(members.iter().map(member).collect()))
        }
        value => escaped(&value.to_string()),
    }
}

/// Adds Go's escapes to JSON: characters special in HTML, and two line separators.
pub fn escaped(json: &str) -> String {
    let mut out = String::new();
    for character in json.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            character => out.push(character),
        }
    }
    out
}

/// Returns the escape of a character that `%q` and JSON share.
#[must_use]
pub fn escape(character: char) -> Option<&'static str> {
    match character {
        '"' => Some("\\\""),
        '\\' => Some("\\\\"),
        '\n' => Some("\\n"),
        '\r' => Some("\\r"),
        '\t' => Some("\\t"),
        _ => None,
    }
}

/// Formats a string as Go's `%q` does.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        if let Some(escape) = escape(character) {
            out.push_str(escape);
            continue;
        }
        match character {
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..' ' | '\u{7f}' => out.push_str(&format!("\\x{:02x}", u32::from(character))),
            character if is_printable(character) => out.push(character),
            '\u{10000}'.. => out.push_str(&format!("\\U{:08x}", u32::from(character))),
            character => out.push_str(&format!("\\u{:04x}", u32::from(character))),
        }
    }
    out.push('"');
    out
}

/// Returns whether Go considers the character printable (`unicode.IsPrint`).
#[must_use]
pub fn is_printable(character: char) -> bool {
    static CLASS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^[ \p{L}\p{M}\p{N}\p{P}\p{S}]$").ok());
    let text = character.encode_utf8(&mut [0; 4]).to_owned();
    match character {
        ' '..='~' => true,
        '\0'..='\u{7f}' => false,
        _ => CLASS.as_ref().is_none_or(|class| class.is_match(&text)),
    }
}

/// Parses an unsigned number in decimal, which has no sign (`strconv.ParseUint`).
///
/// # Errors
///
/// That of Go, if the text is no such number.
pub fn parse_uint(text: &str) -> Result<u64, String> {
    let invalid = |reason| format!("strconv.ParseUint: parsing {}: {reason}", quoted(text));
    // Rust accepts `+1`, Go does not.
    if text.starts_with('+') {
        return Err(invalid("invalid syntax"));
    }
    text.parse()
        .map_err(|error: ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => invalid("value out of range"),
            _ => invalid("invalid syntax"),
        })
}

/// Formats a number as Go's `%v` does for a `float64`: with an exponent below 10⁻⁴ and from
/// 10⁶ on.
pub fn float(number: f64) -> String {
    match exponential(number) {
        _ if number.is_nan() => "NaN".to_owned(),
        _ if number.is_infinite() => if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned(),
        _ if number == 0.0 || (1e-4..1e6).contains(&number.abs()) => number.to_string(),
        (digits, exponent) if exponent < 0 => format!("{digits}e-{:02}", -exponent),
        (digits, exponent) => format!("{digits}e+{exponent:02}"),
    }
}

/// Returns the digits and the decimal exponent of a number: `1.5` and 6 for 1,500,000.
fn exponential(number: f64) -> (String, i32) {
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or_default())
}
