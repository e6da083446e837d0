//! Comparison of JSON values and numbers: by value, or with Go's conversions as in the API server.

use std::cmp::Ordering;

use genclient_apimachinery::unstructured::equal_by;
use serde_json::{Number, Value};

/// A number and a bound, converted to the type in which they are compared.
#[derive(Clone, Copy)]
pub(super) enum Compared {
    Whole(i64, i64),
    Float(f64, f64),
}

impl Compared {
    pub(super) fn order(self) -> Ordering {
        match self {
            Self::Whole(number, bound) => number.cmp(&bound),
            Self::Float(number, bound) => float_order(number, bound),
        }
    }

    pub(super) fn is_multiple(self) -> bool {
        match self {
            Self::Whole(number, factor) => number.checked_rem(factor) == Some(0),
            Self::Float(number, factor) if factor < 1.0 => is_json_integer(1.0 / factor * number),
            Self::Float(number, factor) => is_json_integer(number / factor),
        }
    }

    /// Returns the bound in the type in which it is compared.
    pub(super) fn bound(self) -> Number {
        match self {
            Self::Whole(_, bound) => bound.into(),
            Self::Float(_, bound) => Number::from_f64(bound).unwrap_or_else(|| 0.into()),
        }
    }
}

/// Compares two floats from JSON, which has no NaN; -0.0 equals 0.
pub(super) fn float_order(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

/// Returns whether a float is an integer whose magnitude is at most 2⁵³ - 1. A positive float
/// slightly above an integer counts as one (`swag.IsFloat64AJSONInteger`).
pub(super) fn is_json_integer(number: f64) -> bool {
    const LAST: f64 = 9_007_199_254_740_991.0;
    let (whole, rest) = (number.trunc(), number.fract());
    let is_near = whole > 0.0 && rest / (number + whole) < 1e-9;
    number.abs() <= LAST && (rest == 0.0 || is_near)
}

pub(super) fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or_default()
}

/// Returns a number as an `i64`, or `None` if it is not whole or does not fit. `3.0` is whole.
pub(super) fn integer(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| integer_of_float(float(number)))
}

/// Converts a float as Go does: prints its shortest decimal and parses that as an integer. Returns
/// `None` for a fraction and for a decimal out of range, such as -9223372036854776000 for -2⁶³.
fn integer_of_float(number: f64) -> Option<i64> {
    number.to_string().parse().ok()
}

/// Truncates a number. If an `i64` cannot hold it, returns `i64::MIN`, as Go does on amd64.
pub(super) fn cut(number: &Number) -> i64 {
    let float = float(number);
    match number.as_i64() {
        Some(integer) => integer,
        None if float.abs() < 9_223_372_036_854_775_808.0 => float as i64,
        None => i64::MIN,
    }
}

/// Returns whether two values are equal, regardless of number notation: `2.0` equals 2.
pub fn equal(a: &Value, b: &Value) -> bool {
    equal_by(order, a, b)
}

/// Compares two numbers. If both are written as integers, the comparison is exact.
pub fn order(a: &Number, b: &Number) -> Ordering {
    if let (Some(a), Some(b)) = (a.as_i128(), b.as_i128()) {
        return a.cmp(&b);
    }
    float_order(float(a), float(b))
}

/// Returns whether `a` is less than `b`, as [`order`] compares them.
pub fn less(a: &Number, b: &Number) -> bool {
    order(a, b) == Ordering::Less
}

/// Returns whether `number` is a multiple of `factor`.
pub fn is_multiple(number: &Number, factor: &Number) -> bool {
    match (number.as_i128(), factor.as_i128()) {
        (Some(number), Some(factor)) => factor != 0 && number % factor == 0,
        _ => {
            let (Some(number), Some(factor)) = (number.as_f64(), factor.as_f64()) else {
                return true;
            };
            let times = number / factor;
            // The quotient of decimal fractions is inexact.
            (times - times.round()).abs() < 1e-9
        }
    }
}

/// Returns whether a value equals a listed value of `enum` after Go's conversion to the type of the
/// listed value. For example, 1.5 equals a listed 1, and 88, the code point of X, equals a listed
/// `"X"`. Null equals nothing.
pub(super) fn matches_listed(listed: &Value, value: &Value) -> bool {
    match (listed, value) {
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Number(listed), Value::Number(value)) => match integer(listed) {
            Some(listed) => listed == cut(value),
            None => float(listed) == float(value),
        },
        (Value::String(listed), Value::Number(value)) => {
            let letter = value
                .as_u64()
                .and_then(|code| u32::try_from(code).ok())
                .and_then(char::from_u32)
                .map(String::from);
            letter.as_ref() == Some(listed)
        }
        _ => is_stored_as(listed, value),
    }
}

/// Returns whether a value equals a listed one as the API server stores it. A listed `2.0` is
/// stored as 2, so the value 2 equals it, and the value `2.0` does not.
fn is_stored_as(listed: &Value, value: &Value) -> bool {
    match (listed, value) {
        (Value::Number(listed), Value::Number(value)) => match integer(listed) {
            Some(listed) => value.as_i64() == Some(listed),
            None => !value.is_i64() && float(listed) == float(value),
        },
        (Value::Array(listed), Value::Array(items)) => {
            let mut pairs = listed.iter().zip(items);
            listed.len() == items.len() && pairs.all(|(listed, item)| is_stored_as(listed, item))
        }
        (Value::Object(listed), Value::Object(members)) => {
            let has = |(name, listed)| {
                let member = members.get(name);
                member.is_some_and(|member| is_stored_as(listed, member))
            };
            listed.len() == members.len() && listed.iter().all(has)
        }
        _ => listed == value,
    }
}
