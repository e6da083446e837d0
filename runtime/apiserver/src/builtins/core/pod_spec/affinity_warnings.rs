//! Warnings about the scheduling of Pods: deprecated Node labels, and null label selectors, which
//! match no Pod.

use serde_json::Value;

use crate::builtins::core::node_labels;
use crate::builtins::core::node_labels::deprecation;
use crate::builtins::warnings::{Warnings, items, text};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// Warns about `nodeSelector` and node affinity. `path` is the path of the Pod spec.
pub(crate) fn nodes(spec: &Value, path: &str, out: &mut Warnings) {
    for (label, _) in spec["nodeSelector"].as_object().into_iter().flatten() {
        if let Some(message) = deprecation(label) {
            out.push(format!("{path}.nodeSelector[{label}]: {message}"));
        }
    }
    let affinity = &spec["affinity"]["nodeAffinity"];
    let path = format!("{path}.affinity.nodeAffinity");
    let required = items(&affinity[REQUIRED], "nodeSelectorTerms");
    let field = format!("{path}.{REQUIRED}.nodeSelectorTerms");
    node_labels::terms(required, &field, out);
    for (index, term) in items(affinity, PREFERRED).iter().enumerate() {
        let field = format!("{path}.{PREFERRED}[{index}].preference");
        node_labels::term(&term["preference"], true, &field, out);
    }
}

pub(crate) fn topology(spec: &Value, path: &str, out: &mut Warnings) {
    let constraints = items(spec, "topologySpreadConstraints");
    for (index, constraint) in constraints.iter().enumerate() {
        let path = format!("{path}.topologySpreadConstraints[{index}]");
        let key = text(constraint, "topologyKey");
        if let Some(message) = deprecation(key) {
            out.push(format!("{path}.topologyKey: {key} is {message}"));
        }
        null_selector(constraint, &path, out);
    }
}

/// Warns about Pod affinity and anti-affinity.
pub(crate) fn pods(spec: &Value, path: &str, out: &mut Warnings) {
    for name in ["podAffinity", "podAntiAffinity"] {
        let affinity = &spec["affinity"][name];
        for (index, term) in items(affinity, REQUIRED).iter().enumerate() {
            null_selector(
                term,
                &format!("{path}.affinity.{name}.{REQUIRED}[{index}]"),
                out,
            );
        }
        for (index, term) in items(affinity, PREFERRED).iter().enumerate() {
            let path = format!("{path}.affinity.{name}.{PREFERRED}[{index}].podAffinityTerm");
            null_selector(&term["podAffinityTerm"], &path, out);
        }
    }
}

fn null_selector(holder: &Value, path: &str, out: &mut Warnings) {
    if holder["labelSelector"].is_null() {
        out.push(format!(
            "{path}.labelSelector: a null labelSelector results in matching no pod"
        ));
    }
}
