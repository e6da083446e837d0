//! Rules of webhooks: operations, groups, versions, resources and scope
//! (k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules).

use genclient::kube::core::GroupVersionResource;
use serde_json::Value;

use crate::admission::AdmissionRequest;

/// Returns whether a rule matches a write of a resource, which may be equivalent to the request's.
pub(super) fn matches(
    rule: &Value,
    admission: &AdmissionRequest,
    resource: &GroupVersionResource,
) -> bool {
    is_in_scope(rule, admission, resource)
        && has(&rule["operations"], admission.operation.as_str())
        && has(&rule["apiGroups"], &resource.group)
        && has(&rule["apiVersions"], &resource.version)
        && names(rule, &resource.resource, &admission.subresource)
}

fn is_in_scope(
    rule: &Value,
    admission: &AdmissionRequest,
    resource: &GroupVersionResource,
) -> bool {
    // A Namespace is cluster-scoped, though its attributes have its own name as namespace.
    let is_namespace =
        resource.group.is_empty() && resource.version == "v1" && resource.resource == "namespaces";
    let is_namespaced = !is_namespace && !admission.namespace.is_empty();
    match rule["scope"].as_str() {
        None | Some("*") => true,
        Some("Namespaced") => is_namespaced,
        Some("Cluster") => !is_namespaced,
        Some(_) => false,
    }
}

fn has(items: &Value, wanted: &str) -> bool {
    texts(items).any(|item| item == "*" || item == wanted)
}

/// Returns whether a rule matches a resource: `pods`, `pods/status`, `*`, `*/scale`, `pods/*`,
/// `*/*`.
fn names(rule: &Value, plural: &str, subresource: &str) -> bool {
    texts(&rule["resources"]).any(|item| {
        let (of, sub) = item.split_once('/').unwrap_or((item, ""));
        (of == "*" || of == plural) && (sub == "*" || sub == subresource)
    })
}

fn texts(items: &Value) -> impl Iterator<Item = &str> {
    items
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}
