//! JSON numbers as Kubernetes reads and writes them: 64-bit integers, or else doubles.

use serde_json::{Number, Value};

/// Smallest number above the range of `i64`.
const TOO_LARGE: f64 = 9_223_372_036_854_775_808.0;

/// Converts integers above the range of `i64` into doubles, as the decoder of sigs.k8s.io/json
/// does.
pub(crate) fn convert_large_integers(value: &mut Value) {
    replace_numbers(value, &|number| {
        if number.is_u64() && !number.is_i64() {
            number.as_f64().and_then(Number::from_f64)
        } else {
            None
        }
    });
}

/// Converts integers as [`convert_large_integers`] does. Converts doubles without a fraction into
/// integers if they fit into `i64`, since Go's encoder writes `1.0` as `1`. Kubernetes encodes
/// numbers when it stores an object and when it converts YAML to JSON.
pub(crate) fn convert_to_integers(value: &mut Value) {
    convert_large_integers(value);
    replace_numbers(value, &|number| match number.as_f64() {
        Some(float) if number.is_f64() => to_whole_i64(float).map(Number::from),
        _ => None,
    });
}

/// Replaces each number for which `replaced` returns a number. The recursion is bounded, since the
/// decoders of request bodies limit the nesting.
fn replace_numbers(value: &mut Value, replaced: &dyn Fn(&Number) -> Option<Number>) {
    match value {
        Value::Number(number) => {
            if let Some(new) = replaced(number) {
                *number = new;
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| replace_numbers(item, replaced)),
        Value::Object(members) => {
            for member in members.values_mut() {
                replace_numbers(member, replaced);
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn to_whole_i64(float: f64) -> Option<i64> {
    let is_integer = float.fract() == 0.0 && (-TOO_LARGE..TOO_LARGE).contains(&float);
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and in range")]
    is_integer.then_some(float as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn doubles_without_a_fraction_are_written_as_integers() {
        let mut value = json!([1.0, 1e3, 12_345_678_901_234_567_890_u64, 0.5, -0.0, 1e20]);
        convert_to_integers(&mut value);
        let expected = json!([1, 1000, 1.234_567_890_123_456_7e19, 0.5, 0, 1e20]);
        assert_eq!(value, expected);
    }
}
