//! Conversion functions between types.

use std::rc::Rc;

use genclient_apimachinery::go;
use genclient_apimachinery::go::time::{self, Layout, MAX_SECONDS, MIN_SECONDS, Timestamp};

use super::binding::{Binding, Trait};
use crate::evaluate::value::Value;

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "bool" => Binding::Guarded(to_bool),
        "bytes" => Binding::Guarded(to_bytes),
        "double" => Binding::Guarded(to_double),
        "duration" => Binding::Guarded(to_duration),
        "dyn" => Binding::Singleton(Trait::Any, convert_to_itself),
        "int" => Binding::Guarded(to_int),
        "string" => Binding::Guarded(to_string),
        "timestamp" => Binding::Guarded(to_timestamp),
        "type" => Binding::Singleton(Trait::Any, to_type),
        "uint" => Binding::Guarded(to_uint),
        _ => return None,
    })
}

fn convert_to_itself<'a>(args: &[Value<'a>]) -> Value<'a> {
    args.first().cloned().unwrap_or(Value::Null)
}

fn conversion_error<'a>(args: &[Value<'a>], to: &str) -> Value<'a> {
    let from = args.first().map_or("", Value::type_name);
    Value::error(format!("type conversion error from '{from}' to '{to}'"))
}

fn to_bool<'a>(args: &[Value<'a>]) -> Value<'a> {
    let text = match args {
        [Value::Text(text)] => &**text,
        _ => return convert_to_itself(args),
    };
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Value::Bool(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Value::Bool(false),
        _ => conversion_error(args, "bool"),
    }
}

fn to_bytes<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Text(text)] => Value::Bytes(Rc::from(text.as_bytes())),
        _ => convert_to_itself(args),
    }
}

#[expect(clippy::cast_precision_loss, reason = "converted as Go does")]
fn to_double<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Int(value)] => Value::Double(*value as f64),
        [Value::Uint(value)] => Value::Double(*value as f64),
        [Value::Text(text)] => match parse_double(text) {
            Some(value) => Value::Double(value),
            None => conversion_error(args, "double"),
        },
        _ => convert_to_itself(args),
    }
}

/// Parses a number as Go's `strconv.ParseFloat` does. Returns `None` if the text is malformed or
/// the number is out of range.
pub(super) fn parse_double(text: &str) -> Option<f64> {
    let digits = text.trim_start_matches(['+', '-']);
    if text.len() - digits.len() > 1 {
        return None;
    }
    if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        let value = parse_hexadecimal(hex)?;
        return Some(if text.starts_with('-') { -value } else { value });
    }
    let value: f64 = text.parse().ok()?;
    let named = digits.starts_with(['i', 'I']);
    (value.is_finite() || value.is_nan() || named).then_some(value)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "more digits than a double has are rare"
)]
fn parse_hexadecimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let value = u64::from_str_radix(&digits, 16).ok()? as f64;
    let shift = exponent.checked_sub(i32::try_from(fraction.len()).ok()?.checked_mul(4)?)?;
    let value = value * 2_f64.powi(shift);
    value.is_finite().then_some(value)
}

fn to_duration<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Duration(_)] => convert_to_itself(args),
        [Value::Text(text)] => match go::duration(text) {
            Ok(duration) => Value::Duration(duration),
            Err(_) => conversion_error(args, "google.protobuf.Duration"),
        },
        _ => conversion_error(args, "google.protobuf.Duration"),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "checked"
)]
fn to_int<'a>(args: &[Value<'a>]) -> Value<'a> {
    let overflow = || Value::error("integer overflow");
    match args {
        [Value::Double(value)] => {
            let fits = *value > i64::MIN as f64 && *value < i64::MAX as f64;
            if fits {
                Value::Int(*value as i64)
            } else {
                overflow()
            }
        }
        [Value::Uint(value)] => i64::try_from(*value).map_or_else(|_| overflow(), Value::Int),
        [Value::Duration(value)] => Value::Int(*value),
        [Value::Timestamp(time)] => Value::Int(time.seconds),
        [Value::Text(text)] => match text.parse() {
            Ok(value) => Value::Int(value),
            Err(_) => conversion_error(args, "int"),
        },
        _ => convert_to_itself(args),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "checked"
)]
fn to_uint<'a>(args: &[Value<'a>]) -> Value<'a> {
    let overflow = || Value::error("unsigned integer overflow");
    match args {
        [Value::Double(value)] => {
            let fits = *value >= 0.0 && *value < u64::MAX as f64;
            if fits {
                Value::Uint(*value as u64)
            } else {
                overflow()
            }
        }
        [Value::Int(value)] => u64::try_from(*value).map_or_else(|_| overflow(), Value::Uint),
        [Value::Text(text)] => match go::parse_uint(text) {
            Ok(value) => Value::Uint(value),
            Err(_) => conversion_error(args, "uint"),
        },
        _ => convert_to_itself(args),
    }
}

pub(super) fn to_string<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Bytes(bytes)] => match std::str::from_utf8(bytes) {
            Ok(text) => Value::text(text),
            Err(_) => Value::error("invalid UTF-8 in bytes, cannot convert to string"),
        },
        [Value::Duration(duration)] => Value::text(format_seconds(*duration)),
        [Value::Timestamp(time)] => Value::text(time.to_rfc3339()),
        [
            value @ (Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::Ip(_)
            | Value::Cidr(..)
            | Value::Type(_)),
        ] => Value::text(value.printed()),
        _ => convert_to_itself(args),
    }
}

fn to_timestamp<'a>(args: &[Value<'a>]) -> Value<'a> {
    let in_range = |time: Timestamp| {
        if (MIN_SECONDS..=MAX_SECONDS).contains(&time.seconds) {
            Value::Timestamp(time)
        } else {
            Value::error("timestamp overflow")
        }
    };
    match args {
        [Value::Int(seconds)] => in_range(Timestamp::utc(*seconds, 0)),
        [Value::Text(text)] => match time::parse(text, Layout::Rfc3339) {
            Ok(time) => in_range(time),
            Err(_) => conversion_error(args, "google.protobuf.Timestamp"),
        },
        _ => convert_to_itself(args),
    }
}

fn to_type<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Preserved(_)] => Value::error(
            "type conversion to 'type' not supported for values preserved by \
             x-kubernetes-preserve-unknown-fields",
        ),
        [value] => Value::Type(value.type_name()),
        _ => Value::no_such_overload(),
    }
}

/// Formats a duration as CEL does, in seconds.
#[expect(clippy::cast_precision_loss, reason = "computed as Go does")]
fn format_seconds(duration: i64) -> String {
    let seconds = (duration / 1_000_000_000) as f64 + (duration % 1_000_000_000) as f64 / 1e9;
    format!("{seconds}s")
}
