//! Remaining contents of a terminating namespace, and the conditions that report them.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::conditions::{self, Condition};

/// Remaining contents of a namespace.
#[derive(Default)]
pub(super) struct Remaining {
    /// Numbers of objects by resource.
    pub(super) objects: BTreeMap<String, usize>,
    /// Numbers of objects by finalizer.
    pub(super) finalizers: BTreeMap<String, usize>,
    /// Errors of failed deletions.
    pub(super) errors: Vec<String>,
    /// Estimated seconds until the rest is deleted.
    pub(super) estimate: i64,
}

/// Type, reason and message of each condition without a problem
/// (pkg/controller/namespace/deletion/status_condition_utils.go).
const GOOD: [(&str, &str, &str); 5] = [
    (
        "NamespaceDeletionDiscoveryFailure",
        "ResourcesDiscovered",
        "All resources successfully discovered",
    ),
    (
        "NamespaceDeletionGroupVersionParsingFailure",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    (
        CONTENT_FAILURE,
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    (
        CONTENT_REMAINING,
        "ContentRemoved",
        "All content successfully removed",
    ),
    (
        FINALIZERS_REMAINING,
        "ContentHasNoFinalizers",
        "All content-preserving finalizers finished",
    ),
];

const CONTENT_FAILURE: &str = "NamespaceDeletionContentFailure";
const CONTENT_REMAINING: &str = "NamespaceContentRemaining";
const FINALIZERS_REMAINING: &str = "NamespaceFinalizersRemaining";

impl Remaining {
    /// Writes the conditions of a namespace and returns whether they have changed.
    pub(super) fn report(&self, namespace: &mut Value, now: &str) -> bool {
        let mut has_changed = false;
        for (type_, reason, message) in GOOD {
            let bad = self.bad(type_);
            let (reason, message) = match &bad {
                Some((reason, message)) => (*reason, &**message),
                None => (reason, message),
            };
            let condition = Condition {
                type_,
                status: bad.is_some(),
                reason,
                message,
            };
            has_changed |= conditions::set(namespace, now, condition);
        }
        has_changed
    }

    /// Returns reason and message of a condition that reports a problem.
    fn bad(&self, type_: &str) -> Option<(&'static str, String)> {
        match type_ {
            CONTENT_FAILURE if !self.errors.is_empty() => {
                let (number, errors) = (self.errors.len(), joined(self.errors.iter().cloned()));
                let message =
                    format!("Failed to delete all resource types, {number} remaining: {errors}");
                Some(("ContentDeletionFailed", message))
            }
            CONTENT_REMAINING if !self.objects.is_empty() => {
                let objects = self.objects.iter();
                let objects =
                    objects.map(|(name, number)| format!("{name} has {number} resource instances"));
                let message = format!("Some resources are remaining: {}", joined(objects));
                Some(("SomeResourcesRemain", message))
            }
            FINALIZERS_REMAINING if !self.finalizers.is_empty() => {
                let all = self.finalizers.iter();
                let all =
                    all.map(|(name, number)| format!("{name} in {number} resource instances"));
                let message = format!(
                    "Some content in the namespace has finalizers remaining: {}",
                    joined(all)
                );
                Some(("SomeFinalizersRemain", message))
            }
            _ => None,
        }
    }
}

fn joined(texts: impl Iterator<Item = String>) -> String {
    let mut texts: Vec<_> = texts.collect();
    texts.sort();
    texts.join(", ")
}
