//! `kubectl.kubernetes.io/last-applied-configuration`: the annotation by which `kubectl apply` can
//! change from client-side to server-side apply without conflicts.
//!
//! Source: apimachinery, pkg/util/managedfields/internal/lastapplied{,manager,updater}.go.

use std::borrow::Cow;

use genclient_apimachinery::fieldpath::Set;
use genclient_apimachinery::go;
use serde_json::{Map, Value};

use super::conflict::Conflict;
use super::field_manager::{FieldManager, Typed};
use super::typed::{Duplicates, compare, field_set};

/// Field manager of `kubectl apply --server-side`. Only applies by this manager read and renew the
/// annotation.
pub(super) const KUBECTL_MANAGER: &str = "kubectl";

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Maximum total size of an object's annotations, in bytes.
const MAX_ANNOTATION_BYTES: usize = 256 * 1024;

/// Returns the value of the annotation. `None` if it is missing or empty, or if any annotation of
/// the object is not a string.
fn read_annotation(object: &Value) -> Option<&str> {
    let annotations = string_annotations(object)?;
    let value = annotations.get(ANNOTATION).and_then(Value::as_str)?;
    Some(value).filter(|value| !value.is_empty())
}

fn string_annotations(object: &Value) -> Option<&Map<String, Value>> {
    let annotations = object.get("metadata")?.get("annotations")?.as_object()?;
    Some(annotations).filter(|annotations| annotations.values().all(Value::is_string))
}

/// Returns the conflicts, except conflicts on fields that still have the value of the last
/// client-side apply. `None` if the annotation is missing or cannot be compared with the object.
pub(super) fn remaining_conflicts(
    kind: &FieldManager,
    live: &Value,
    conflicts: &[Conflict],
) -> Option<Vec<Conflict>> {
    let allowed = unchanged_since_last_applied(kind, live)?;
    let remaining = conflicts
        .iter()
        .filter(|conflict| !allowed.has(&conflict.path));
    Some(remaining.cloned().collect())
}

/// Returns the fields that have the same value in the annotation and in the live object, or `None`
/// if the annotation is missing or cannot be compared with the object.
fn unchanged_since_last_applied(kind: &FieldManager, live: &Value) -> Option<Set> {
    let text = read_annotation(live)?;
    let typed = |value| kind.typed(value, Duplicates::Refused).ok();
    let live: Typed<'_> = typed(Cow::Borrowed(live))?;
    let last: Value = serde_json::from_str(text).ok()?;
    if last.get("apiVersion").and_then(Value::as_str) != Some(&*kind.api_version) {
        return None;
    }
    let last = typed(Cow::Owned(last))?;
    let set = field_set(&kind.types, last.type_, &last.value);
    let comparison = compare(&kind.types, last.type_, &last.value, &live.value).ok()?;
    let unchanged = set
        .difference(&comparison.modified)
        .difference(&comparison.added);
    Some(unchanged.difference(&comparison.removed))
}

/// What an apply does with the annotation.
pub(super) enum Renewal {
    /// Sets it to the applied configuration as JSON.
    Set(String),
    /// Removes it, because all annotations together would be too large.
    Remove,
}

/// Returns what an apply does with the annotation, or `None` if the object has none.
pub(super) fn renew_annotation(object: &Value, applied: &Value) -> Option<Renewal> {
    read_annotation(object)?;
    let mut applied = applied.clone();
    // The annotation does not contain itself (`buildLastApplied`).
    match string_annotations(&applied).cloned() {
        None => {
            if let Some(metadata) = applied.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.remove("annotations");
            }
        }
        Some(mut kept) => {
            kept.remove(ANNOTATION);
            applied["metadata"]["annotations"] = Value::Object(kept);
        }
    }
    let text = format!("{}\n", go::json(&applied));
    let others = string_annotations(object)
        .into_iter()
        .flatten()
        .filter(|(name, _)| *name != ANNOTATION);
    let length = others
        .map(|(name, value)| name.len() + value.as_str().map_or(0, str::len))
        .sum::<usize>()
        + ANNOTATION.len()
        + text.len();
    Some(if length <= MAX_ANNOTATION_BYTES {
        Renewal::Set(text)
    } else {
        Renewal::Remove
    })
}

/// Sets or removes the annotation.
pub(super) fn apply_renewal(object: &mut Value, renewal: Renewal) {
    let metadata = object.get_mut("metadata");
    let annotations = metadata.and_then(|metadata| metadata.get_mut("annotations"));
    if let Some(annotations) = annotations.and_then(Value::as_object_mut) {
        match renewal {
            Renewal::Set(text) => annotations.insert(ANNOTATION.to_owned(), Value::String(text)),
            Renewal::Remove => annotations.remove(ANNOTATION),
        };
    }
}
