//! Readers of members that may be absent, and the list that warnings are added to.

use serde_json::Value;

/// Warnings in the order in which the server sends them.
pub(super) type Warnings = Vec<String>;

/// The text, or nothing.
pub(super) fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object[name].as_str().unwrap_or_default()
}

/// The items of a list.
pub(super) fn items<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object[name].as_array().map_or(&[], Vec::as_slice)
}

/// An annotation of an object or of a template.
pub(super) fn annotation<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object["metadata"]["annotations"][key].as_str()
}

/// The path of a member; the path of a Pod is empty.
pub(super) fn child(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}
