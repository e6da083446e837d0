//! String function `format` in the locale `en_US` (cel-go/ext, formatting.go).

use genclient_apimachinery::go::quoted;

use crate::evaluate::value::{List, MapValue, Value};

pub(super) fn format<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Text(text), Value::List(list)] => match format_text(text, list) {
            Ok(text) => Value::text(text),
            Err(error) if error.ends_with(NIL_KEY) => Value::error(NIL_KEY),
            Err(error) => Value::error(error),
        },
        _ => Value::no_such_overload(),
    }
}

/// cel-go's error when it formats an object with a field that the schema does not declare.
const NIL_KEY: &str =
    "internal error: runtime error: invalid memory address or nil pointer dereference";

/// Replaces the clauses of a format string with formatted arguments.
fn format_text(format: &str, args: &List<'_>) -> Result<String, String> {
    let mut out = String::new();
    let (mut rest, mut place) = (format, 0);
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        let Some(arg) = args.get(place) else {
            return Err(format!("index {place} out of range"));
        };
        if rest.is_empty() {
            return Err("unexpected end of string".to_owned());
        }
        let (clause, after) = parse_clause(rest)
            .map_err(|error| format!("could not parse formatting clause: {error}"))?;
        let text = clause
            .apply(&arg)
            .map_err(|error| format!("error during formatting: {error}"))?;
        out.push_str(&text);
        rest = after;
        place += 1;
    }
    out.push_str(rest);
    Ok(out)
}

/// A formatting clause: the letter and the precision before it.
struct Clause {
    letter: char,
    precision: Option<usize>,
}

/// Parses a clause after `%`, and returns the rest of the text.
fn parse_clause(text: &str) -> Result<(Clause, &str), String> {
    let failed = |error: &str| format!("error while parsing precision: {error}");
    let (mut precision, mut rest) = (None, text);
    if let Some(digits) = text.strip_prefix('.') {
        rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.is_empty() {
            return Err(failed("could not find end of precision specifier"));
        }
        let digits = &digits[..digits.len() - rest.len()];
        let number = digits.parse().map_err(|_| {
            let reason = if digits.is_empty() {
                "invalid syntax"
            } else {
                "value out of range"
            };
            let digits = quoted(digits);
            failed(&format!(
                "error while converting precision to integer: strconv.Atoi: parsing {digits}: \
                 {reason}"
            ))
        })?;
        precision = Some(number);
    }
    // cel-go reads one byte, not one character.
    let letter = rest
        .as_bytes()
        .first()
        .map_or('\0', |byte| char::from(*byte));
    if !"sdfebxXo".contains(letter) {
        return Err(format!("unrecognized formatting clause \"{letter}\""));
    }
    Ok((Clause { letter, precision }, &rest[1..]))
}

impl Clause {
    /// Formats an argument.
    fn apply(&self, arg: &Value<'_>) -> Result<String, String> {
        let found = arg.type_name();
        match (self.letter, arg) {
            ('s', _) => format_value(arg),
            ('d', Value::Int(_) | Value::Uint(_)) => Ok(arg.printed()),
            ('d', _) => Err(format!(
                "decimal clause can only be used on integers, was given {found}"
            )),
            ('f', _) => match as_number(arg) {
                Some(number) => Ok(format_fixed(number, self.precision.unwrap_or(6))),
                None => Err(format!(
                    "fixed-point clause can only be used on doubles, was given {found}"
                )),
            },
            ('e', _) => match as_number(arg) {
                Some(number) => Ok(format_scientific(number, self.precision.unwrap_or(6))),
                None => Err(format!(
                    "scientific clause can only be used on doubles, was given {found}"
                )),
            },
            ('b', Value::Int(value)) => Ok(format_signed(*value, |value| format!("{value:b}"))),
            ('b', Value::Uint(value)) => Ok(format!("{value:b}")),
            ('b', Value::Bool(value)) => Ok(u8::from(*value).to_string()),
            ('b', _) => Err(format!(
                "only integers and bools can be formatted as binary, was given {found}"
            )),
            ('o', Value::Int(value)) => Ok(format_signed(*value, |value| format!("{value:o}"))),
            ('o', Value::Uint(value)) => Ok(format!("{value:o}")),
            ('o', _) => Err(format!(
                "octal clause can only be used on integers, was given {found}"
            )),
            (letter, _) => {
                let hex = format_hexadecimal(arg).ok_or_else(|| {
                    format!(
                        "only integers, byte buffers, and strings can be formatted as hex, was \
                         given {found}"
                    )
                })?;
                Ok(if letter == 'X' {
                    hex.to_ascii_uppercase()
                } else {
                    hex
                })
            }
        }
    }
}

fn format_signed(value: i64, format: fn(u64) -> String) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}", format(value.unsigned_abs()))
}

fn format_hexadecimal(arg: &Value<'_>) -> Option<String> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(match arg {
        Value::Int(value) => format_signed(*value, |value| format!("{value:x}")),
        Value::Uint(value) => format!("{value:x}"),
        Value::Text(text) => hex(text.as_bytes()),
        Value::Bytes(data) => hex(data),
        _ => return None,
    })
}

fn as_number(arg: &Value<'_>) -> Option<f64> {
    match arg {
        Value::Double(number) => Some(*number),
        Value::Text(text) => match &**text {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

fn format_special(number: f64) -> Option<&'static str> {
    match number {
        number if number.is_nan() => Some("NaN"),
        f64::INFINITY => Some("∞"),
        f64::NEG_INFINITY => Some("-∞"),
        _ => None,
    }
}

/// Formats a number with grouping: `1,234.500000`.
fn format_fixed(number: f64, precision: usize) -> String {
    if let Some(special) = format_special(number) {
        return special.to_owned();
    }
    // -0.0 is formatted without a sign.
    let number = if number == 0.0 { 0.0 } else { number };
    let text = format!("{number:.precision$}");
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", &*text),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, format!(".{fraction}")),
        None => (digits, String::new()),
    };
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{fraction}")
}

/// Formats a number in scientific notation: `1.234500×10⁰³`. As in cel-go, the precision of the
/// clause is the minimum `width` of the text and does not change the six decimals.
fn format_scientific(number: f64, width: usize) -> String {
    let text = match format_special(number) {
        Some(special) => special.to_owned(),
        None => {
            let number = if number == 0.0 { 0.0 } else { number };
            let text = format!("{number:.6e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let (sign, exponent) = match exponent.strip_prefix('-') {
                Some(exponent) => ("⁻", exponent),
                None => ("", exponent),
            };
            let raised = format!("{exponent:0>2}");
            let raised: String = raised.chars().map(superscript).collect();
            format!("{digits}×10{sign}{raised}")
        }
    };
    let length = text.chars().count();
    " ".repeat(width.min(10_000).saturating_sub(length)) + &text
}

fn superscript(digit: char) -> char {
    match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    }
}

/// Formats an argument of `%s`.
fn format_value(arg: &Value<'_>) -> Result<String, String> {
    match arg {
        Value::Null => Ok("null".to_owned()),
        Value::List(_) | Value::Map(_) => format_nested(arg),
        Value::Error(error) => Ok(error.to_string()),
        Value::Int(_)
        | Value::Uint(_)
        | Value::Double(_)
        | Value::Bool(_)
        | Value::Text(_)
        | Value::Timestamp(_)
        | Value::Bytes(_)
        | Value::Duration(_)
        | Value::Type(_) => match super::conversions::to_string(std::slice::from_ref(arg)) {
            Value::Text(text) => Ok(text.to_string()),
            other => Err(format!(
                "could not convert argument {} to string",
                quoted(&other.printed())
            )),
        },
        other => Err(format!(
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, \
             types, durations, and timestamps, was given {}",
            other.type_name()
        )),
    }
}

/// Formats a list, a map or a value inside one.
fn format_nested(value: &Value<'_>) -> Result<String, String> {
    match value {
        Value::List(list) => {
            let items: Result<Vec<_>, _> = list.iter().map(|item| format_nested(&item)).collect();
            Ok(format!("[{}]", items?.join(", ")))
        }
        Value::Map(map) => {
            let mut entries = Vec::new();
            for (key, value) in map.entries() {
                if matches!((map, &key), (MapValue::Typed(..), Value::Null)) {
                    return Err(NIL_KEY.to_owned());
                }
                if !matches!(
                    key,
                    Value::Text(_) | Value::Bool(_) | Value::Int(_) | Value::Uint(_)
                ) {
                    let found = key.type_name();
                    return Err(format!(
                        "no formatting function for map key of type {found}"
                    ));
                }
                entries.push((format_nested(&key)?, format_nested(&value)?));
            }
            entries.sort_by(|left, right| left.0.cmp(&right.0));
            let entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| format!("{key}:{value}"))
                .collect();
            Ok(format!("{{{}}}", entries.join(", ")))
        }
        Value::Text(text) => Ok(quoted(text)),
        Value::Bytes(_) => Ok(format!("b{}", quoted(&format_value(value)?))),
        Value::Double(number) if !number.is_finite() => {
            let text = match *number {
                f64::INFINITY => "+Inf",
                f64::NEG_INFINITY => "-Inf",
                _ => "NaN",
            };
            Ok(quoted(text))
        }
        Value::Double(number) => Ok(format!("{number:.6}")),
        Value::Timestamp(_) => Ok(format!("timestamp({})", quoted(&format_value(value)?))),
        Value::Duration(_) => Ok(format!("duration({})", quoted(&format_value(value)?))),
        Value::Int(_) | Value::Uint(_) | Value::Bool(_) | Value::Null | Value::Type(_) => {
            format_value(value)
        }
        other => Err(format!("no formatting function for {}", other.type_name())),
    }
}
