//! Formatting of group, version and kind as in Go.

use std::fmt;

use serde_json::Value;

/// Group, version and kind of an object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GroupVersionKind<'a> {
    group: &'a str,
    version: &'a str,
    kind: &'a str,
}

impl<'a> GroupVersionKind<'a> {
    /// Returns group, version and kind of an object, all empty if `apiVersion` cannot be parsed.
    pub(super) fn from_object(object: &'a Value) -> Self {
        let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
        Self::new(text("apiVersion"), text("kind"))
    }

    /// Parses `api_version`. As in Go, an invalid one leaves all three empty
    /// (`Unstructured.GroupVersionKind`).
    pub(super) fn new(api_version: &'a str, kind: &'a str) -> Self {
        let (group, version, kind) = match api_version {
            other if !is_group_version(other) => ("", "", ""),
            "/" => ("", "", kind),
            other => {
                let (group, version) = other.split_once('/').unwrap_or(("", other));
                (group, version, kind)
            }
        };
        Self {
            group,
            version,
            kind,
        }
    }
}

impl fmt::Display for GroupVersionKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}, Kind={}", self.group, self.version, self.kind)
    }
}

pub(super) fn is_group_version(text: &str) -> bool {
    text.matches('/').count() < 2
}

/// Describes an object in error messages: `default/a; apps/v1, Kind=Deployment`.
pub fn describe_object(object: &Value) -> String {
    let metadata = |name| {
        let value = object
            .get("metadata")
            .and_then(|metadata| metadata.get(name));
        value.and_then(Value::as_str).unwrap_or_default()
    };
    let (namespace, name) = (metadata("namespace"), metadata("name"));
    format!(
        "{namespace}/{name}; {}",
        GroupVersionKind::from_object(object)
    )
}
