//! Formatting of JSON values as by Go's `%v`: `map[a:1 b:[x y]]`.

use std::fmt::Write as _;

use serde_json::{Number, Value};

/// Formats a JSON value as Go's `fmt.Sprint` does after decoding it to `interface{}`.
#[must_use]
pub fn printed(value: &Value) -> String {
    let mut out = String::new();
    print(value, &mut out);
    out
}

fn print(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("<nil>"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&printed_number(number)),
        Value::String(text) => out.push_str(text),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                print(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push_str("map[");
            for (at, (name, member)) in members.iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                let _ = write!(out, "{name}:");
                print(member, out);
            }
            out.push(']');
        }
    }
}

fn printed_number(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if !number.is_i64() => printed_float(float),
        _ => number.to_string(),
    }
}

/// Formats a float as `%v` does, with an exponent if its absolute value is at least 10⁶, or below
/// 10⁻⁴ and not 0.
fn printed_float(number: f64) -> String {
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    match exponent {
        _ if number == 0.0 => number.to_string(),
        -4..6 => number.to_string(),
        ..-4 => format!("{digits}e-{:02}", -exponent),
        _ => format!("{digits}e+{exponent:02}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_formatted_as_in_go() {
        let value = json!({"b": [1, "x", null], "a": {"c": 1.5, "d": true}});
        assert_eq!(printed(&value), "map[a:map[c:1.5 d:true] b:[1 x <nil>]]");
    }
}
