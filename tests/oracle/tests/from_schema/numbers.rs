//! Strategies for numbers within bounds, including the bounds.

use proptest::prelude::*;
use serde_json::Value;

/// Returns integers of at most 64 bits, as the API server stores them.
pub fn integers(schema: &Value) -> BoxedStrategy<Value> {
    let (least, most) = match schema["format"].as_str() {
        Some("int32") => (i128::from(i32::MIN), i128::from(i32::MAX)),
        _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
    };
    let step = whole(&schema["multipleOf"], 1);
    let above = i128::from(schema["exclusiveMinimum"] == true);
    let under = i128::from(schema["exclusiveMaximum"] == true);
    let least = least.max(whole(&schema["minimum"], least) + above);
    let most = most.min(whole(&schema["maximum"], most) - under);
    let (first, last) = (-(-least).div_euclid(step), most.div_euclid(step));
    assert!(first <= last, "no integer is {schema}");
    let near = first.max(-9).min(last)..=last.min(9).max(first);
    prop_oneof![Just(first), Just(last), near, first..=last,]
        .prop_map(move |times| Value::from(i64::try_from(times * step).unwrap_or_default()))
        .boxed()
}

/// Returns a bound, which may be written as a float, or else `without`.
fn whole(bound: &Value, without: i128) -> i128 {
    let integer = bound.as_i64().map(i128::from);
    let unsigned = || bound.as_u64().map(i128::from);
    #[expect(clippy::cast_possible_truncation, reason = "a whole number as a float")]
    let float = || bound.as_f64().map(|float| float as i128);
    integer.or_else(unsigned).or_else(float).unwrap_or(without)
}

/// Returns multiples of 0.25, which floats of every width represent exactly.
pub fn floats(schema: &Value) -> BoxedStrategy<Value> {
    let least = schema["minimum"].as_f64();
    let most = schema["maximum"].as_f64();
    let (least, most) = match (least, most) {
        (None, None) => (-1000.0, 1000.0),
        (Some(least), None) => (least, least + 1000.0),
        (None, Some(most)) => (most - 1000.0, most),
        (Some(least), Some(most)) => (least, most),
    };
    let quarters = (least * 4.0).ceil() / 4.0;
    let steps = ((most - quarters) * 4.0).floor();
    let from = if schema["exclusiveMinimum"] == true {
        1.0
    } else {
        0.0
    };
    let to = if schema["exclusiveMaximum"] == true {
        steps - 1.0
    } else {
        steps
    };
    (from..=to)
        .prop_map(move |step| Value::from(quarters + step.floor() / 4.0))
        .boxed()
}
