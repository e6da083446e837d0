//! Losses of an object when its type reads and writes it.

use std::time;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::core::Duration;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::exceptions;
use super::kinds::Kind;

/// Returns the first property that is missing or changed in the written object. Additional
/// properties are defaults of serde.
pub fn between(kind: &Kind, read: &Value, written: &Value) -> Option<String> {
    let mut losses = Vec::new();
    collect("", read, written, &mut losses);
    losses
        .into_iter()
        .find(|(place, _)| !exceptions::may_be_lost(kind, place))
        .map(|(place, loss)| format!("{place}: {loss}"))
}

fn collect(place: &str, read: &Value, written: &Value, losses: &mut Vec<(String, String)>) {
    match (read, written) {
        (Value::Object(read), Value::Object(written)) => {
            for (name, read) in read {
                let place = if place.is_empty() {
                    name.clone()
                } else {
                    format!("{place}.{name}")
                };
                match written.get(name) {
                    Some(written) => collect(&place, read, written, losses),
                    None if is_empty(read) => {}
                    None => losses.push((place, read.to_string())),
                }
            }
        }
        (Value::Array(read), Value::Array(written)) if is_reordered(read, written) => {}
        (Value::Array(read), Value::Array(written)) if read.len() == written.len() => {
            for (read, written) in read.iter().zip(written) {
                collect(&format!("{place}[]"), read, written, losses);
            }
        }
        _ if same(read, written) => {}
        _ => losses.push((place.to_owned(), format!("{read} becomes {written}"))),
    }
}

/// Returns whether a type may skip the value, because it reads the same without it.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().all(is_empty),
    }
}

/// Compares two lists as sets, in any order.
fn is_reordered(read: &[Value], written: &[Value]) -> bool {
    let sorted = |items: &[Value]| {
        let mut items: Vec<_> = items.iter().map(Value::to_string).collect();
        items.sort();
        items
    };
    sorted(read) == sorted(written)
}

/// Compares two values. Numbers, quantities, times and durations may be written in another form.
fn same(read: &Value, written: &Value) -> bool {
    read == written
        || (read.is_number() && read.as_f64() == written.as_f64())
        || (read.is_number() && written.as_str() == Some(read.to_string().as_str()))
        || both::<MicroTime>(read, written).is_some_and(|(read, written)| read == written)
        || both::<Duration>(read, written).is_some_and(|(read, written)| close(read, written))
}

fn both<T: DeserializeOwned>(read: &Value, written: &Value) -> Option<(T, T)> {
    Some((T::deserialize(read).ok()?, T::deserialize(written).ok()?))
}

/// Compares two durations within a microsecond, since kube calculates with floats.
fn close(read: Duration, written: Duration) -> bool {
    let (a, b) = (time::Duration::from(read), time::Duration::from(written));
    let error = time::Duration::from_micros(1);
    read.is_negative() == written.is_negative() && a.abs_diff(b) <= error
}
