//! [`Cause`]: what is wrong with a field of an object, in the API server's words.

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Number, Value};

/// A reason why the API server refuses an object: `details.causes` of its answer
/// (k8s.io/apimachinery/pkg/util/validation/field, errors.go).
///
/// ```
/// use genclient_schema::Cause;
/// use serde_json::json;
///
/// let cause = Cause::invalid("spec.replicas", &json!(11), "must be at most 10");
/// assert_eq!(
///     cause.to_string(),
///     "spec.replicas: Invalid value: 11: must be at most 10"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The path of a field, or `<nil>`.
    pub field: String,
    /// `FieldValueInvalid` and the like.
    pub reason: &'static str,
    /// The sentence, which begins with the kind of mistake and the value.
    pub message: String,
}

impl Cause {
    /// The field has no value and needs one.
    pub fn required(field: impl Into<String>, detail: &str) -> Self {
        Self::new(field, "FieldValueRequired", "Required value", None, detail)
    }

    /// The value is malformed or out of bounds.
    pub fn invalid(field: impl Into<String>, value: &Value, detail: &str) -> Self {
        let value = printed(value);
        Self::new(
            field,
            "FieldValueInvalid",
            "Invalid value",
            Some(value),
            detail,
        )
    }

    /// The value, which is printed already, is malformed or out of bounds.
    pub(crate) fn invalid_text(field: impl Into<String>, printed: &str, detail: &str) -> Self {
        let (reason, mistake) = ("FieldValueInvalid", "Invalid value");
        Self::new(field, reason, mistake, Some(printed.to_owned()), detail)
    }

    /// The same for a value that has parts, which is not printed.
    pub fn invalid_part(field: impl Into<String>, detail: &str) -> Self {
        Self::new(field, "FieldValueInvalid", "Invalid value", None, detail)
    }

    /// The value is of another type than the schema's.
    pub fn type_invalid(field: impl Into<String>, value: &Value, detail: &str) -> Self {
        let value = printed(value);
        Self::new(
            field,
            "FieldValueTypeInvalid",
            "Invalid value",
            Some(value),
            detail,
        )
    }

    /// The value of an enumerated field is none of those supported.
    pub fn not_supported(field: impl Into<String>, value: &Value, supported: &[&str]) -> Self {
        let quoted: Vec<_> = supported.iter().map(|one| quoted(one)).collect();
        let detail = match &*quoted {
            [] => String::new(),
            quoted => format!("supported values: {}", quoted.join(", ")),
        };
        let value = printed(value);
        Self::new(
            field,
            "FieldValueNotSupported",
            "Unsupported value",
            Some(value),
            &detail,
        )
    }

    /// The value has to be unique and is not.
    pub fn duplicate(field: impl Into<String>, value: &Value) -> Self {
        let value = printed(value);
        Self::new(
            field,
            "FieldValueDuplicate",
            "Duplicate value",
            Some(value),
            "",
        )
    }

    /// The same for a value that has parts, which is not printed.
    pub fn duplicate_part(field: impl Into<String>) -> Self {
        Self::new(field, "FieldValueDuplicate", "Duplicate value", None, "")
    }

    /// The value names something that does not exist.
    pub fn not_found(field: impl Into<String>, value: &Value) -> Self {
        let value = printed(value);
        Self::new(field, "FieldValueNotFound", "Not found", Some(value), "")
    }

    /// The value is valid, but not permitted here or now.
    pub fn forbidden(field: impl Into<String>, detail: &str) -> Self {
        Self::new(field, "FieldValueForbidden", "Forbidden", None, detail)
    }

    /// The server could not find out whether the value is right.
    pub(crate) fn internal(field: impl Into<String>, detail: &str) -> Self {
        Self::new(field, "InternalError", "Internal error", None, detail)
    }

    /// The text is longer than `most` bytes.
    pub fn too_long(field: impl Into<String>, most: u64) -> Self {
        let bytes = if most == 1 { "byte" } else { "bytes" };
        let detail = format!("may not be more than {most} {bytes}");
        Self::new(field, "FieldValueTooLong", "Too long", None, &detail)
    }

    /// The list has more than `most` items.
    pub fn too_many(field: impl Into<String>, items: usize, most: u64) -> Self {
        let noun = if most == 1 { "item" } else { "items" };
        let detail = format!("must have at most {most} {noun}");
        let value = items.to_string();
        Self::new(field, "FieldValueTooMany", "Too many", Some(value), &detail)
    }

    fn new(
        field: impl Into<String>,
        reason: &'static str,
        mistake: &str,
        value: Option<String>,
        detail: &str,
    ) -> Self {
        let value = value.map(|value| format!(": {value}")).unwrap_or_default();
        let detail = match detail {
            "" => String::new(),
            detail => format!(": {detail}"),
        };
        Self {
            field: field.into(),
            reason,
            message: format!("{mistake}{value}{detail}"),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// A value as Go's `field.Error` prints it.
pub(crate) fn printed(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Number(number) => printed_number(number),
        value => json(value),
    }
}

pub(crate) fn printed_number(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if !number.is_i64() => self::float(float),
        _ => number.to_string(),
    }
}

/// JSON as Go's `encoding/json` writes it: what means something in HTML is escaped, and a float
/// without a fraction has none.
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

fn escaped(json: &str) -> String {
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

/// A string as Go's `%q` writes it.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
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

/// Go's `unicode.IsPrint`.
pub(crate) fn is_printable(character: char) -> bool {
    static CLASS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^[ \p{L}\p{M}\p{N}\p{P}\p{S}]$").ok());
    let text = character.encode_utf8(&mut [0; 4]).to_owned();
    match character {
        ' '..='~' => true,
        '\0'..='\u{7f}' => false,
        _ => CLASS.as_ref().is_none_or(|class| class.is_match(&text)),
    }
}

/// A number as Go's `%v` writes a `float64`: with an exponent below 10⁻⁴ and from 10⁶ on.
pub fn float(number: f64) -> String {
    match exponential(number) {
        _ if number.is_nan() => "NaN".to_owned(),
        _ if number.is_infinite() => if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned(),
        _ if number == 0.0 || (1e-4..1e6).contains(&number.abs()) => number.to_string(),
        (digits, exponent) if exponent < 0 => format!("{digits}e-{:02}", -exponent),
        (digits, exponent) => format!("{digits}e+{exponent:02}"),
    }
}

/// The digits and the exponent of a number: `1.5` and 6.
fn exponential(number: f64) -> (String, i32) {
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or_default())
}
