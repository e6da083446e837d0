//! Finalizers of an object that is being deleted, including the finalizer of its propagation
//! policy.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::kinds::Kind;
use crate::metadata;
use crate::query::{DeleteOptions, Propagation};

/// Finalizer of an object whose dependents are to be orphaned.
pub(crate) const ORPHAN: &str = "orphan";
/// Finalizer of an object that is deleted after its dependents.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";
/// Finalizer of a definition whose objects are being deleted.
pub(crate) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Returns the finalizers of an object after a deletion with these options
/// (`deletionFinalizersForGarbageCollection` in
/// k8s.io/apiserver/pkg/registry/generic/registry/store.go).
pub(crate) fn after(kind: &Kind, object: &Value, options: &DeleteOptions) -> Vec<String> {
    match kind.plural() {
        // Events have no dependents.
        "events" => with_propagation(object, Some(Propagation::Background), None),
        _ => {
            let default = kind.strategy.orphans.then_some(ORPHAN);
            with_propagation(object, options.propagation, default)
        }
    }
}

/// Returns the finalizers of an object with `orphan` or `foregroundDeletion` set by the propagation
/// policy. Without a policy, an existing one of them stays; if there is none, `default` is added.
pub(crate) fn with_propagation(
    object: &Value,
    propagation: Option<Propagation>,
    default: Option<&str>,
) -> Vec<String> {
    let had = metadata::finalizers(object);
    let added = match propagation {
        Some(Propagation::Orphan) => Some(ORPHAN),
        Some(Propagation::Foreground) => Some(FOREGROUND),
        Some(Propagation::Background) => None,
        None if had.contains(&ORPHAN) => Some(ORPHAN),
        None if had.contains(&FOREGROUND) => Some(FOREGROUND),
        None => default,
    };
    let own = had.iter().copied();
    let own = own.filter(|name| ![ORPHAN, FOREGROUND].contains(name));
    let new: Vec<_> = own.chain(added).collect();
    let is_same = new.iter().collect::<BTreeSet<_>>() == had.iter().collect::<BTreeSet<_>>();
    let kept = if is_same { had } else { new };
    kept.into_iter().map(str::to_owned).collect()
}

pub(crate) fn add(object: &mut Value, name: &str) {
    let mut finalizers = metadata::finalizers(object);
    if !finalizers.contains(&name) {
        finalizers.push(name);
        let finalizers = json!(finalizers);
        metadata::set(object, "finalizers", Some(finalizers));
    }
}

pub(crate) fn set(object: &mut Value, finalizers: Vec<String>) {
    let finalizers = (!finalizers.is_empty()).then(|| json!(finalizers));
    metadata::set(object, "finalizers", finalizers);
}
