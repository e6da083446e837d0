//! Watch lines and the objects in them.

use std::fmt::Display;

use genclient::cache::ObjectName;
use serde_json::{Value, json};

/// Present in every object, to check that it is not cached.
const MANAGED_FIELDS: &str = r#"[{"fieldsV1":{"f:data":{}},"manager":"kubectl"}]"#;

pub(crate) fn added(object: &str) -> String {
    event("ADDED", listed(object))
}

pub(crate) fn modified(object: &str) -> String {
    event("MODIFIED", listed(object))
}

pub(crate) fn deleted(object: &str) -> String {
    event("DELETED", listed(object))
}

pub(crate) fn bookmark(version: &str) -> String {
    let object =
        json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"resourceVersion": version}});
    event("BOOKMARK", object)
}

/// Returns the bookmark that ends a streamed list.
pub(crate) fn initial_events_end(version: &str) -> String {
    let metadata = json!({
        "resourceVersion": version,
        "annotations": {"k8s.io/initial-events-end": "true"},
    });
    event(
        "BOOKMARK",
        json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata}),
    )
}

pub(crate) fn failed(code: u16, reason: &str) -> String {
    event("ERROR", status(code, reason))
}

pub(crate) fn event(kind: &str, object: impl Display) -> String {
    // In the format of API servers: no spaces, `type` first.
    format!(r#"{{"type":"{kind}","object":{object}}}"#)
}

pub(super) fn status(code: u16, reason: &str) -> Value {
    json!({
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": format!("told to say {reason}"),
    })
}

/// `namespace/name@version`; with a `!` at the end, the object cannot be decoded as a ConfigMap;
/// with a `*` before that, it is another object of that name.
///
/// The JSON is formatted as text for speed, since very many objects are written.
pub(super) fn listed(text: &str) -> String {
    let (text, is_broken) = match text.strip_suffix('!') {
        Some(text) => (text, true),
        None => (text, false),
    };
    let (text, generation) = match text.strip_suffix('*') {
        Some(text) => (text, "second-"),
        None => (text, ""),
    };
    let (name, version) = text.split_once('@').unwrap();
    let object: ObjectName = name.parse().unwrap();
    let (namespace, name) = (object.namespace().unwrap_or_default(), object.name());
    let data = if is_broken {
        "1".to_owned()
    } else {
        format!(r#"{{"version":"{version}"}}"#)
    };
    let metadata = format!(
        r#"{{"managedFields":{MANAGED_FIELDS},"name":"{name}","namespace":"{namespace}","resourceVersion":"{version}","uid":"{generation}uid-of-{name}"}}"#
    );
    format!(r#"{{"apiVersion":"v1","data":{data},"kind":"ConfigMap","metadata":{metadata}}}"#)
}
