//! Comparison of JSON values, with numbers compared by value and not by notation.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::numbers::{cut, float, float_order, integer};

/// Returns whether two values are equal, regardless of number notation: `2.0` equals 2.
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => order(a, b) == Ordering::Equal,
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(name, value)| b.get(name).is_some_and(|other| equal(value, other));
            a.len() == b.len() && a.iter().all(same)
        }
        _ => a == b,
    }
}

/// Compares two numbers, exactly if both are whole.
pub fn order(a: &Number, b: &Number) -> Ordering {
    if let (Some(a), Some(b)) = (a.as_i128(), b.as_i128()) {
        return a.cmp(&b);
    }
    float_order(float(a), float(b))
}

/// Returns whether `a` is less than `b`, exactly for whole numbers.
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

/// Returns whether a value equals a listed one of `enum` after Go's conversion into the same type:
/// null equals nothing, 1.5 equals 1, and 88 equals `"X"`.
pub(super) fn matches_listed(listed: &Value, value: &Value) -> bool {
    match (listed, value) {
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Number(listed), Value::Number(value)) => match integer(listed) {
            Some(listed) => listed == cut(value),
            None => float(listed) == float(value),
        },
        (Value::String(listed), Value::Number(value)) => {
            let letter = value.as_u64().and_then(|code| u32::try_from(code).ok());
            let letter = letter.and_then(char::from_u32).map(String::from);
            letter.as_ref() == Some(listed)
        }
        _ => is_stored_as(listed, value),
    }
}

/// Returns whether a value equals a listed one as stored in a definition: 2.0 as 2.
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
