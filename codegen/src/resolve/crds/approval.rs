//! Approvals of definitions in the groups of Kubernetes (KEP-1111).

use std::collections::BTreeMap;

/// The annotation that says who approved.
pub(in crate::resolve) const APPROVAL: &str = "api-approved.kubernetes.io";

/// Whether a group needs no approval, or has one.
pub(in crate::resolve) fn is_granted(
    group: &str,
    annotations: &BTreeMap<&String, &String>,
) -> bool {
    let protected = ["k8s.io", "kubernetes.io"];
    let is_protected = protected
        .iter()
        .any(|owned| group == *owned || group.ends_with(&format!(".{owned}")));
    let granted = |(key, value): (&&String, &&String)| {
        key.as_str() == APPROVAL && (value.starts_with("unapproved") || value.contains("://"))
    };
    !is_protected || annotations.iter().any(granted)
}
