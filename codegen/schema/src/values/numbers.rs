//! Number conversion and comparison as in Go.

use std::cmp::Ordering;

use serde_json::Number;

/// A number and a bound, in the type of their comparison.
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

    /// Returns the bound as compared.
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

/// Returns whether a float is an integer, or close to one if positive, up to the largest safe
/// integer (`swag.IsFloat64AJSONInteger`).
pub(super) fn is_json_integer(number: f64) -> bool {
    const LAST: f64 = 9_007_199_254_740_991.0;
    let (whole, rest) = (number.trunc(), number.fract());
    let is_near = whole > 0.0 && rest / (number + whole) < 1e-9;
    number.abs() <= LAST && (rest == 0.0 || is_near)
}

pub(super) fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or_default()
}

/// Returns a whole number of 64 bits, also if written as `3.0`.
pub(super) fn integer(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| integer_of_float(float(number)))
}

/// Go parses the shortest text of a float, which is out of range for the largest 64-bit values.
fn integer_of_float(number: f64) -> Option<i64> {
    number.to_string().parse().ok()
}

/// Truncates a number. Beyond 64 bits Go on amd64 yields the minimum `int64`.
pub(super) fn cut(number: &Number) -> i64 {
    let float = float(number);
    match number.as_i64() {
        Some(integer) => integer,
        None if float.abs() < 9_223_372_036_854_775_808.0 => float as i64,
        None => i64::MIN,
    }
}
