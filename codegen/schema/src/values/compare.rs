//! Comparison of JSON values, numbers by what they are and not by how they are written.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// True if two values are the same, numbers however they are written: `2.0` is 2.
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

/// The order of two numbers, exact where both are whole.
pub fn order(a: &Number, b: &Number) -> Ordering {
    if let (Some(a), Some(b)) = (a.as_i128(), b.as_i128()) {
        return a.cmp(&b);
    }
    let float = |number: &Number| number.as_f64().unwrap_or_default();
    float(a).total_cmp(&float(b))
}

/// True if `a` is less than `b`, whole numbers exactly.
pub fn less(a: &Number, b: &Number) -> bool {
    order(a, b) == Ordering::Less
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
