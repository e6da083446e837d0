//! Remaining contents of a namespace that is being deleted, and the conditions that report them.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::conditions::{self, Condition};

/// What is left in a namespace.
#[derive(Default)]
pub(super) struct Remaining {
    /// Numbers of objects by resource.
    pub(super) objects: BTreeMap<String, usize>,
    /// Numbers of objects by finalizer.
    pub(super) finalizers: BTreeMap<String, usize>,
    /// Why objects are left that should not be.
    pub(super) errors: Vec<String>,
    /// Seconds until it is worth another look.
    pub(super) estimate: i64,
}

/// Type, reason and message of the conditions of a namespace with which all is well
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
    /// Writes the conditions of a namespace; true if they have changed.
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

    /// Reason and message of a condition that is not well.
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
