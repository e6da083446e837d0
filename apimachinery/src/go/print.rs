//! Formatting of JSON values as by Go's `fmt`, and of structs as by its `encoding/json`.

use std::fmt::Write as _;

use serde_json::{Number, Value};

use super::{float, quoted};

/// Formats a JSON value as `%v` does after decoding it to `interface{}`: `map[a:1 b:[x y]]`.
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

/// Formats a number as `%v` does after decoding it to `int64` or `float64`.
#[must_use]
pub fn printed_number(number: &Number) -> String {
    match number.as_f64() {
        Some(number_as_float) if !number.is_i64() => float(number_as_float),
        _ => number.to_string(),
    }
}

/// Formats a JSON value as `%#v` does after decoding it to `interface{}`.
#[must_use]
pub fn go_syntax(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            let items = items.iter().map(go_syntax).collect();
            format!("[]interface {{}}{{{}}}", joined(items))
        }
        Value::Object(members) => {
            let member =
                |(name, value): (&String, &Value)| format!("{}:{}", quoted(name), go_syntax(value));
            let members = members.iter().map(member).collect();
            format!("map[string]interface {{}}{{{}}}", joined(members))
        }
        scalar => printed(scalar),
    }
}

/// Returns the name of the Go type that a JSON value is decoded to: the output of `%T`.
#[must_use]
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// Formats a struct as `encoding/json` does. `fields` are the names, and the values as JSON.
pub fn json_struct<'n>(fields: impl IntoIterator<Item = (&'n str, String)>) -> String {
    let fields: Vec<_> = fields
        .into_iter()
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();
    format!("{{{}}}", fields.join(","))
}

/// Formats a list as `encoding/json` does: `null` if the value is not a list. `item` formats each
/// item.
pub fn json_list<'v>(
    value: impl Into<Option<&'v Value>>,
    item: impl Fn(&Value) -> String,
) -> String {
    let items = value.into().and_then(Value::as_array);
    items.map_or_else(
        || "null".to_owned(),
        |items| format!("[{}]", items.iter().map(item).collect::<Vec<_>>().join(",")),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_formatted_as_in_go() {
        let value = json!({"b": [1, "x", null], "a": {"c": 1.5, "d": true}});
        assert_eq!(printed(&value), "map[a:map[c:1.5 d:true] b:[1 x <nil>]]");
        assert_eq!(
            go_syntax(&value),
            "map[string]interface {}{\"a\":map[string]interface {}{\"c\":1.5, \"d\":true}, \
             \"b\":[]interface {}{1, \"x\", interface {}(nil)}}"
        );
        let floats = json!([1e6, 999_999.5, 1e-5, 0.0001]);
        assert_eq!(printed(&floats), "[1e+06 999999.5 1e-05 0.0001]");
    }
}
