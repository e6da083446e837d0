//! Warnings about finalizers of custom resources (`generateWarningsFromObj`).

use std::collections::BTreeSet;

use super::Metadata;
use super::names::label_key;
use crate::go::quoted;

/// Returns the API server's warnings about finalizers that the old object, if any, does not have.
pub fn finalizer_warnings(new: Metadata<'_>, old: Option<Metadata<'_>>) -> Vec<String> {
    let known: BTreeSet<_> = old.into_iter().flat_map(Metadata::finalizers).collect();
    let added: BTreeSet<_> = new.finalizers().filter(|it| !known.contains(it)).collect();
    added.into_iter().flat_map(of_finalizer).collect()
}

fn of_finalizer(finalizer: &str) -> Vec<String> {
    let mut messages = label_key(finalizer);
    let is_standard = ["orphan", "foregroundDeletion", "kubernetes"].contains(&finalizer);
    if !finalizer.contains('/') && !is_standard {
        let path = match finalizer.contains('.') {
            true => " including a path (/)",
            false => "",
        };
        messages.push(format!(
            "prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with \
             other finalizer writers"
        ));
    }
    let warning = |message| format!("metadata.finalizers: {}: {message}", quoted(finalizer));
    messages.into_iter().map(warning).collect()
}
