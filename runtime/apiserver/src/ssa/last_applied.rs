//! Last-applied annotation, and the migration of `kubectl` from client-side to server-side apply.
//!
//! Source: apimachinery, pkg/util/managedfields/internal/lastapplied{,manager,updater}.go.

use std::borrow::Cow;

use genclient_schema::go;
use serde_json::{Map, Value};

use super::conflict::Conflict;
use super::kind::{Endpoint, Typed};
use super::set::Set;
use super::typed::{Duplicates, compare, field_set};

/// Field manager that migrates from client-side apply.
pub(super) const MANAGER: &str = "kubectl";

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Limit on the total size of annotations, in bytes.
const MOST: usize = 256 * 1024;

/// Returns the annotation of an object; `None` if any annotation is not a string.
fn last_applied(object: &Value) -> Option<&str> {
    let annotations = annotations(object)?;
    let value = annotations.get(ANNOTATION).and_then(Value::as_str)?;
    Some(value).filter(|value| !value.is_empty())
}

fn annotations(object: &Value) -> Option<&Map<String, Value>> {
    let annotations = object.get("metadata")?.get("annotations")?.as_object()?;
    Some(annotations).filter(|annotations| annotations.values().all(Value::is_string))
}

/// Returns the conflicts without those on fields that are unchanged since the last client-side
/// apply. `None` if the annotation is missing or invalid.
pub(super) fn remaining(
    kind: &Endpoint,
    live: &Value,
    conflicts: &[Conflict],
) -> Option<Vec<Conflict>> {
    let allowed = allowed(kind, live)?;
    let remaining = conflicts
        .iter()
        .filter(|conflict| !allowed.has(&conflict.path));
    Some(remaining.cloned().collect())
}

/// Returns the fields with the same value in the annotation and the live object.
fn allowed(kind: &Endpoint, live: &Value) -> Option<Set> {
    let text = last_applied(live)?;
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

/// Returns the applied configuration as the new annotation, or `None` if the object has no
/// annotation. An inner `None` removes an annotation that would be too long.
pub(super) fn renewed(object: &Value, applied: &Value) -> Option<Option<String>> {
    last_applied(object)?;
    let mut applied = applied.clone();
    match annotations(&applied).cloned() {
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
    let others = annotations(object).into_iter().flatten();
    let others = others.filter(|(name, _)| *name != ANNOTATION);
    let length = others.map(|(name, value)| name.len() + value.as_str().map_or(0, str::len));
    let length = length.sum::<usize>() + ANNOTATION.len() + text.len();
    Some((length <= MOST).then_some(text))
}

/// Sets or removes the annotation.
pub(super) fn set(object: &mut Value, text: Option<String>) {
    let metadata = object.get_mut("metadata");
    let annotations = metadata.and_then(|metadata| metadata.get_mut("annotations"));
    if let Some(annotations) = annotations.and_then(Value::as_object_mut) {
        match text {
            Some(text) => annotations.insert(ANNOTATION.to_owned(), Value::String(text)),
            None => annotations.remove(ANNOTATION),
        };
    }
}
