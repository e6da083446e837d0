//! Comparison of JSON values, numbers by what they are and not by how they are written.

use serde_json::{Number, Value};

/// True if two values are the same, numbers however they are written: `2.0` is 2.
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => !less(a, b) && !less(b, a),
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

/// True if `a` is less than `b`, whole numbers exactly.
pub fn less(a: &Number, b: &Number) -> bool {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a < b,
        _ => a.as_f64() < b.as_f64(),
    }
}

/// True if `number` is a multiple of `factor`.
pub fn is_multiple(number: &Number, factor: &Number) -> bool {
    match (number.as_i128(), factor.as_i128()) {
        (Some(number), Some(factor)) => factor != 0 && number % factor == 0,
        _ => {
            let (Some(number), Some(factor)) = (number.as_f64(), factor.as_f64()) else {
                return true;
            };
            let times = number / factor;
            // Of a decimal fraction the quotient is a little off.
            (times - times.round()).abs() < 1e-9
        }
    }
}
