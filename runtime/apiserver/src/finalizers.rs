//! Finalizers of an object that is being deleted. The propagation policy adds or removes two of
//! them: `orphan` and `foregroundDeletion`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::kinds::Kind;
use crate::metadata;
use crate::query::{DeleteOptions, Propagation};

/// Finalizer that a deleted object has until the garbage collector has orphaned its dependents.
pub(crate) const ORPHAN_FINALIZER: &str = "orphan";
/// Finalizer that a deleted object has until the garbage collector has deleted the dependents with
/// `blockOwnerDeletion`.
pub(crate) const FOREGROUND_FINALIZER: &str = "foregroundDeletion";
/// Finalizer that a deleted CustomResourceDefinition has until its custom resources are deleted.
pub(crate) const CLEANUP_FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Returns the finalizers that an object has after it is deleted with `options`
/// (`deletionFinalizersForGarbageCollection` in
/// k8s.io/apiserver/pkg/registry/generic/registry/store.go).
pub(crate) fn after_deletion(kind: &Kind, object: &Value, options: &DeleteOptions) -> Vec<String> {
    if !kind.is_garbage_collected() {
        return with_propagation(object, Some(Propagation::Background), None);
    }
    let default = kind.flags.orphans.then_some(ORPHAN_FINALIZER);
    with_propagation(object, options.propagation, default)
}

/// Returns the finalizers of an object. `propagation` decides whether `orphan` or
/// `foregroundDeletion` is among them. If `propagation` is `None`, the object keeps the one that it
/// has, or gets `default` if it has neither.
pub(crate) fn with_propagation(
    object: &Value,
    propagation: Option<Propagation>,
    default: Option<&str>,
) -> Vec<String> {
    let had = metadata::finalizers(object);
    let added = match propagation {
        Some(Propagation::Orphan) => Some(ORPHAN_FINALIZER),
        Some(Propagation::Foreground) => Some(FOREGROUND_FINALIZER),
        Some(Propagation::Background) => None,
        None if had.contains(&ORPHAN_FINALIZER) => Some(ORPHAN_FINALIZER),
        None if had.contains(&FOREGROUND_FINALIZER) => Some(FOREGROUND_FINALIZER),
        None => default,
    };
    let others = had
        .iter()
        .copied()
        .filter(|name| ![ORPHAN_FINALIZER, FOREGROUND_FINALIZER].contains(name));
    let new: Vec<_> = others.chain(added).collect();
    // The order changes only if the set does, so that a repeated delete is no write.
    let is_same_set = new.iter().collect::<BTreeSet<_>>() == had.iter().collect::<BTreeSet<_>>();
    let finalizers = if is_same_set { had } else { new };
    finalizers.into_iter().map(str::to_owned).collect()
}

pub(crate) fn add_finalizer(object: &mut Value, name: &str) {
    let mut finalizers = metadata::finalizers(object);
    if !finalizers.contains(&name) {
        finalizers.push(name);
        let finalizers = json!(finalizers);
        metadata::set_field(object, "finalizers", Some(finalizers));
    }
}

pub(crate) fn set_finalizers(object: &mut Value, finalizers: Vec<String>) {
    let finalizers = (!finalizers.is_empty()).then(|| json!(finalizers));
    metadata::set_field(object, "finalizers", finalizers);
}
