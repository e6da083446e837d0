//! Order and equality of JSON values as in structured-merge-diff, where 1 equals 1.0.

use std::cmp::Ordering;

use crate::unstructured::equal_by;
use serde_json::{Map, Number, Value};

/// Number as Kubernetes decodes it: a 64-bit integer if it fits, a double otherwise.
#[derive(Clone, Copy)]
pub(super) enum GoNumber {
    Int(i64),
    Float(f64),
}

impl GoNumber {
    pub(super) fn of(number: &Number) -> Self {
        match number.as_i64() {
            Some(integer) => Self::Int(integer),
            None => Self::Float(number.as_f64().unwrap_or_default()),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "Go compares the two as doubles")]
    fn float(self) -> f64 {
        match self {
            Self::Int(integer) => integer as f64,
            Self::Float(float) => float,
        }
    }
}

fn compare_numbers(a: &Number, b: &Number) -> Ordering {
    match (GoNumber::of(a), GoNumber::of(b)) {
        (GoNumber::Int(a), GoNumber::Int(b)) => a.cmp(&b),
        (a, b) => a.float().partial_cmp(&b.float()).unwrap_or(Ordering::Equal),
    }
}

/// Returns whether two values are equal. Integers and doubles of the same value are equal.
///
/// Source: structured-merge-diff, value/value.go, `EqualsUsing`.
pub fn values_equal(a: &Value, b: &Value) -> bool {
    equal_by(compare_numbers, a, b)
}

/// Orders two values. Values of different types sort in this order: numbers, strings, booleans,
/// lists, maps, null.
///
/// Source: structured-merge-diff, value/value.go, `CompareUsing`.
pub fn compare_values(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare_numbers(a, b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Array(a), Value::Array(b)) => {
            let mut pairs = a.iter().zip(b).map(|(a, b)| compare_values(a, b));
            let first = pairs.find(|order| order.is_ne());
            first.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Value::Object(a), Value::Object(b)) => compare_maps(a, b),
        _ => type_rank(a).cmp(&type_rank(b)),
    }
}

fn type_rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

/// Orders two maps by their members, sorted by name. The first different name or value decides. If
/// there is none, the map with fewer members is less.
fn compare_maps(a: &Map<String, Value>, b: &Map<String, Value>) -> Ordering {
    let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
    names.sort();
    names.dedup();
    for (at, name) in names.into_iter().enumerate() {
        let order = match (a.get(name), b.get(name)) {
            _ if at == a.len() => Ordering::Less,
            _ if at == b.len() => Ordering::Greater,
            (None, _) => Ordering::Greater,
            (_, None) => Ordering::Less,
            (Some(a), Some(b)) => compare_values(a, b),
        };
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

/// Returns whether a value is a number, string or boolean; null is not a scalar.
pub fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::Number(_) | Value::String(_) | Value::Bool(_))
}
