//! Warnings about Pods and Pod templates (`warningsForPodSpecAndMeta` of pkg/api/pod/warnings.go).

use std::collections::BTreeSet;

use serde_json::Value;

use crate::builtins::core::claim_warnings;
use crate::builtins::core::pod_spec::ports;
use crate::builtins::core::pod_spec::{affinity_warnings, container_warnings};
use crate::builtins::ip;
use crate::builtins::warnings::{Warnings, annotation, child, items, text};
use crate::types::quoted;

const DEPRECATED_ANNOTATIONS: [(&str, &str); 3] = [
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        "non-functional in v1.16+; use the \"priorityClassName\" field instead",
    ),
    (
        "security.alpha.kubernetes.io/sysctls",
        "non-functional in v1.11+; use the \"sysctls\" field instead",
    ),
    (
        "security.alpha.kubernetes.io/unsafe-sysctls",
        "non-functional in v1.11+; use the \"sysctls\" field instead",
    ),
];

const SECCOMP: &str = "seccomp.security.alpha.kubernetes.io/pod";

/// Warns about a Pod or a Pod template. `at` is the path of the template, or empty for a Pod.
pub(crate) fn template(template: &Value, at: &str, out: &mut Warnings) {
    let spec = &template["spec"];
    let path = &*child(at, "spec");
    affinity_warnings::nodes(spec, path, out);
    affinity_warnings::topology(spec, path, out);
    let annotations = child(at, "metadata.annotations");
    for (key, message) in DEPRECATED_ANNOTATIONS {
        if annotation(template, key).is_some() {
            out.push(format!("{annotations}[{key}]: {message}"));
        }
    }
    claim_warnings::pod_volumes(spec, path, out);
    duplicates(spec, "hostAliases", "ip", path, out);
    duplicates(spec, "imagePullSecrets", "name", path, out);
    for (index, secret) in items(spec, "imagePullSecrets").iter().enumerate() {
        if text(secret, "name").is_empty() {
            out.push(format!(
                "{path}.imagePullSecrets[{index}].name: invalid empty name \"\""
            ));
        }
    }
    for resource in ["memory", "ephemeral-storage"] {
        let field = format!("{path}.overhead");
        container_warnings::fractional_bytes(&spec["overhead"], resource, &field, out);
    }
    if spec["securityContext"]["seccompProfile"].is_null()
        && annotation(template, SECCOMP).is_some()
    {
        out.push(format!(
            "{annotations}[{SECCOMP}]: non-functional in v1.27+; use the \"seccompProfile\" field \
             instead"
        ));
    }
    let all = container_warnings::all(spec, path);
    for container in &all {
        container_warnings::container(container, template, at, out);
    }
    ports::ports(&all, out);
    let grace = spec["terminationGracePeriodSeconds"].as_i64();
    if grace.is_some_and(|seconds| seconds < 0) {
        out.push(format!(
            "{path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and \
             will be treated as 1"
        ));
    }
    affinity_warnings::pods(spec, path, out);
    addresses(spec, path, out);
}

/// Warns about items of a list that have the same value in `field`.
fn duplicates(spec: &Value, list: &str, field: &str, path: &str, out: &mut Warnings) {
    let mut known = BTreeSet::new();
    for (index, item) in items(spec, list).iter().enumerate() {
        let value = text(item, field);
        if !known.insert(value) {
            let value = quoted(value);
            out.push(format!(
                "{path}.{list}[{index}].{field}: duplicate {field} {value}"
            ));
        }
    }
}

fn addresses(spec: &Value, path: &str, out: &mut Warnings) {
    let servers = items(&spec["dnsConfig"], "nameservers").iter();
    for (index, server) in servers.filter_map(Value::as_str).enumerate() {
        ip::address(
            &format!("{path}.dnsConfig.nameservers[{index}]"),
            server,
            out,
        );
    }
    for (index, alias) in items(spec, "hostAliases").iter().enumerate() {
        let field = format!("{path}.hostAliases[{index}].ip");
        ip::address(&field, text(alias, "ip"), out);
    }
}
