//! Field selectors of built-in kinds: supported fields, their values, and the error for others.
//!
//! Source: `AddFieldLabelConversionFunc` in pkg/apis/*/conversion.go and `ToSelectableFields` in
//! pkg/registry/*/strategy.go of Kubernetes.

use serde_json::Value;

use crate::builtins::events::event;
use crate::builtins::kind::BuiltinKind;

/// Field whose value for selectors is not just the text at its own path.
struct SpecialField {
    plural: &'static str,
    name: &'static str,
    /// Path of the value in the object. An empty path leads to no value.
    path: &'static str,
    /// Text of an unset field, as Go formats the zero value.
    unset: &'static str,
}

const SPECIAL: &[SpecialField] = &[
    // Old name of `spec.nodeName`.
    SpecialField::new("pods", "spec.host", "spec.nodeName", ""),
    SpecialField::new("pods", "spec.hostNetwork", "spec.hostNetwork", "false"),
    // Supported, but missing in the field set of `ToSelectableFields`.
    SpecialField::new("pods", "status.podIPs", "", ""),
    SpecialField::new("nodes", "spec.unschedulable", "spec.unschedulable", "false"),
    SpecialField::new("jobs", "status.successful", "status.succeeded", "0"),
    SpecialField::new(
        "replicationcontrollers",
        "status.replicas",
        "status.replicas",
        "0",
    ),
];

impl SpecialField {
    const fn new(
        plural: &'static str,
        name: &'static str,
        path: &'static str,
        unset: &'static str,
    ) -> Self {
        Self {
            plural,
            name,
            path,
            unset,
        }
    }

    fn find(kind: &BuiltinKind, field: &str) -> Option<&'static Self> {
        let mut all = SPECIAL.iter();
        all.find(|it| it.plural == kind.plural && it.name == field)
    }
}

/// Returns whether field selectors of a kind support a field.
pub(crate) fn is_selectable(kind: &BuiltinKind, field: &str) -> bool {
    match field {
        "metadata.name" => true,
        // A cluster-scoped kind with fields of its own does not list `metadata.namespace` among
        // them. `DefaultMetaV1FieldSelectorConversion` supports it for all others.
        "metadata.namespace" => kind.namespaced || kind.fields.is_empty(),
        field => kind.fields.contains(&field) || SpecialField::find(kind, field).is_some(),
    }
}

/// Returns the error for a field that field selectors of a kind do not support.
pub(crate) fn unsupported(kind: &BuiltinKind, field: &str) -> String {
    match kind.plural {
        _ if kind.fields.is_empty() => format!(
            "\"{field}\" is not a known field selector: only \"metadata.name\", \
             \"metadata.namespace\""
        ),
        "jobs" => format!("field label \"{field}\" not supported for Job"),
        "resourceslices" => format!(
            "field label not supported for {}, Kind={}: {field}",
            kind.api_version(),
            kind.kind
        ),
        _ => format!("field label not supported: {field}"),
    }
}

/// Returns the value of a field that field selectors of a kind support.
pub(crate) fn value(kind: &BuiltinKind, object: &Value, field: &str) -> String {
    if kind.kind == "Event" {
        return event::field(object, field).to_owned();
    }
    let special = SpecialField::find(kind, field);
    let path = special.map_or(field, |it| it.path);
    match text_at(object, path) {
        text if text.is_empty() => special.map_or("", |it| it.unset).to_owned(),
        text => text,
    }
}

/// Returns the value at a path as text, or an empty text if there is none.
pub(crate) fn text_at(object: &Value, path: &str) -> String {
    let found = path
        .split('.')
        .try_fold(object, |value, name| value.get(name));
    match found {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::builtins::kind;

    #[test]
    fn unset_fields_have_the_text_of_the_zero_value_in_go() {
        for (resource, field, object, expected) in [
            ("pods", "spec.hostNetwork", json!({}), "false"),
            (
                "pods",
                "spec.hostNetwork",
                json!({"spec": {"hostNetwork": true}}),
                "true",
            ),
            ("pods", "spec.host", json!({"spec": {"nodeName": "n"}}), "n"),
            (
                "pods",
                "status.podIPs",
                json!({"status": {"podIPs": [{"ip": "10.0.0.1"}]}}),
                "",
            ),
            ("pods", "status.phase", json!({}), ""),
            ("nodes", "spec.unschedulable", json!({}), "false"),
            ("replicationcontrollers", "status.replicas", json!({}), "0"),
        ] {
            let kind = kind::find("", "v1", resource).unwrap();
            assert!(is_selectable(kind, field), "{resource} {field}");
            assert_eq!(value(kind, &object, field), expected, "{resource} {field}");
        }
        let jobs = kind::find("batch", "v1", "jobs").unwrap();
        assert_eq!(value(jobs, &json!({}), "status.successful"), "0");
        let succeeded = json!({"status": {"succeeded": 2}});
        assert_eq!(value(jobs, &succeeded, "status.successful"), "2");
    }

    #[test]
    fn special_fields_are_those_of_existing_kinds() {
        for field in SPECIAL {
            let mut kinds = kind::all().filter(|kind| kind.plural == field.plural);
            assert!(kinds.next().is_some(), "{}", field.plural);
        }
    }
}
