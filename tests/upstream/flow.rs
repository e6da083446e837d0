//! Serializer of values to YAML flow style, on one line.

use serde_json::Value;

/// A value in flow style, with quotes only where necessary.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, it)| format!("{}: {}", plain(name), text(it)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!(
                "[{}]",
                items.iter().map(text).collect::<Vec<_>>().join(", ")
            )
        }
        Value::String(text) => plain(text),
        other => other.to_string(),
    }
}

fn plain(text: &str) -> String {
    let is_word = |it: char| it.is_ascii_alphanumeric() || "-_./$".contains(it);
    let is_safe = text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '$')
        && text.chars().all(is_word)
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .contains(&text.to_ascii_lowercase().as_str());
    if is_safe {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}
