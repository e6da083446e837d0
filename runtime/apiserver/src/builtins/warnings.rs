//! [`Warnings`], and functions that read the members of an object.

use serde_json::Value;

/// Warnings in the order in which the server sends them.
pub(crate) type Warnings = Vec<String>;

/// Returns a string member, or an empty string if it is absent.
pub(crate) fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object[name].as_str().unwrap_or_default()
}

pub(crate) fn items<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object[name].as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn annotation<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object["metadata"]["annotations"][key].as_str()
}

/// Returns the path of a member: `{path}.{name}`, or `name` if `path` is empty.
pub(crate) fn child(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

/// Returns whether an update has incremented the generation.
pub(crate) fn bumps_generation(new: &Value, old: &Value) -> bool {
    new["metadata"]["generation"] != old["metadata"]["generation"]
}
