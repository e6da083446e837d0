//! Request body of a server-side apply: without null fields, and without characters that YAML would
//! change.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;

/// Returns `input` as JSON for a server-side apply: without null fields and without
/// `metadata.managedFields`.
pub(crate) fn to_apply_body(input: &(impl Serialize + ?Sized)) -> serde_json::Result<Value> {
    let mut body = serde_json::to_value(input)?;
    if let Some(Value::Object(metadata)) = body.get_mut("metadata") {
        metadata.remove("managedFields");
    }
    remove_null_members(&mut body);
    Ok(body)
}

/// Escapes JSON so that a YAML parser reads it as a JSON parser does.
///
/// The API server parses the body of an apply as YAML. In YAML, some characters end a line even
/// between quotes, and others are forbidden. JSON has such characters only in strings, where they
/// can be written as `\u` escapes.
pub(crate) fn escape_for_yaml(json: Vec<u8>) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(&json) else {
        return json;
    };
    if !text.contains(is_special_to_yaml) {
        return json;
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_special_to_yaml(character) {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    escaped.into_bytes()
}

/// Whether YAML reads `character` in a string differently from JSON: line ends, the byte order
/// mark, and characters that YAML 1.1 does not count as printable. Characters below U+0020 are
/// missing here, since serde_json escapes them.
fn is_special_to_yaml(character: char) -> bool {
    matches!(
        character,
        '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

/// Removes null fields of objects. Null items of lists stay, since their removal would change the
/// index of later items.
pub(super) fn remove_null_members(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(remove_null_members);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_null_members),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_special_to_yaml_are_escaped() {
        for (text, expected) in [
            (
                "plain, \t, \n, \u{e9}, \u{1f600}",
                r#""plain, \t, \n, é, 😀""#,
            ),
            ("\u{85}", r#""\u0085""#),
            ("a\u{2028}b\u{2029}c", r#""a\u2028b\u2029c""#),
            (
                "\u{7f}\u{80}\u{9f}\u{a0}",
                "\"\\u007f\\u0080\\u009f\u{a0}\"",
            ),
            (
                "\u{feff}\u{fffd}\u{fffe}\u{ffff}",
                "\"\\ufeff\u{fffd}\\ufffe\\uffff\"",
            ),
        ] {
            let json = serde_json::to_vec(text).unwrap();
            let written = escape_for_yaml(json);
            assert_eq!(String::from_utf8_lossy(&written), expected);
            assert_eq!(serde_json::from_slice::<String>(&written).unwrap(), text);
        }
    }
}
