//! Warnings about Pods and Pod templates (`warningsForPodSpecAndMeta` of pkg/api/pod/warnings.go).

use std::collections::BTreeSet;

use genclient_apimachinery::unstructured::{list_field, str_field};
use serde_json::Value;

use crate::core::pod_spec::{app_armor, ports, volume_paths};
use crate::core::{node_labels, persistent_volume_claim, resources};
use crate::ip;
use crate::types::quoted;
use crate::warnings::{Warnings, child_path, get_annotation};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

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

const CONTAINER_SECCOMP: &str = "container.seccomp.security.alpha.kubernetes.io/";

/// Warns about a Pod or a Pod template. `at` is the path of the template, or empty for a Pod.
pub(crate) fn warn_template(template: &Value, at: &str, out: &mut Warnings) {
    let spec = &template["spec"];
    let path = &*child_path(at, "spec");
    warn_node_affinity(spec, path, out);
    warn_topology_spread(spec, path, out);
    let annotations = child_path(at, "metadata.annotations");
    for (key, message) in DEPRECATED_ANNOTATIONS {
        if get_annotation(template, key).is_some() {
            out.push(format!("{annotations}[{key}]: {message}"));
        }
    }
    warn_volumes(spec, path, out);
    warn_duplicates(spec, "hostAliases", "ip", path, out);
    warn_duplicates(spec, "imagePullSecrets", "name", path, out);
    for (index, secret) in list_field(spec, "imagePullSecrets").iter().enumerate() {
        if str_field(secret, "name").is_empty() {
            out.push(format!(
                "{path}.imagePullSecrets[{index}].name: invalid empty name \"\""
            ));
        }
    }
    for resource in ["memory", "ephemeral-storage"] {
        let field = format!("{path}.overhead");
        resources::warn_fractional_bytes(&spec["overhead"], resource, &field, out);
    }
    if spec["securityContext"]["seccompProfile"].is_null()
        && get_annotation(template, SECCOMP).is_some()
    {
        out.push(format!(
            "{annotations}[{SECCOMP}]: non-functional in v1.27+; use the \"seccompProfile\" field \
             instead"
        ));
    }
    let all = all_containers(spec, path);
    for container in &all {
        warn_container(container, template, at, out);
    }
    ports::warn_ports(&all, out);
    let grace = spec["terminationGracePeriodSeconds"].as_i64();
    if grace.is_some_and(|seconds| seconds < 0) {
        out.push(format!(
            "{path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and \
             will be treated as 1"
        ));
    }
    warn_pod_affinity(spec, path, out);
    warn_addresses(spec, path, out);
}

/// Warns about `nodeSelector` and node affinity. `path` is the path of the Pod spec.
fn warn_node_affinity(spec: &Value, path: &str, out: &mut Warnings) {
    for (label, _) in spec["nodeSelector"].as_object().into_iter().flatten() {
        if let Some(message) = node_labels::label_deprecation(label) {
            out.push(format!("{path}.nodeSelector[{label}]: {message}"));
        }
    }
    let affinity = &spec["affinity"]["nodeAffinity"];
    let path = format!("{path}.affinity.nodeAffinity");
    let required = list_field(&affinity[REQUIRED], "nodeSelectorTerms");
    let field = format!("{path}.{REQUIRED}.nodeSelectorTerms");
    node_labels::warn_terms(required, &field, out);
    for (index, term) in list_field(affinity, PREFERRED).iter().enumerate() {
        let field = format!("{path}.{PREFERRED}[{index}].preference");
        node_labels::warn_term(&term["preference"], true, &field, out);
    }
}

fn warn_topology_spread(spec: &Value, path: &str, out: &mut Warnings) {
    let constraints = list_field(spec, "topologySpreadConstraints");
    for (index, constraint) in constraints.iter().enumerate() {
        let path = format!("{path}.topologySpreadConstraints[{index}]");
        let key = str_field(constraint, "topologyKey");
        if let Some(message) = node_labels::label_deprecation(key) {
            out.push(format!("{path}.topologyKey: {key} is {message}"));
        }
        warn_null_selector(constraint, &path, out);
    }
}

/// Warns about Pod affinity and anti-affinity.
fn warn_pod_affinity(spec: &Value, path: &str, out: &mut Warnings) {
    for name in ["podAffinity", "podAntiAffinity"] {
        let affinity = &spec["affinity"][name];
        for (index, term) in list_field(affinity, REQUIRED).iter().enumerate() {
            warn_null_selector(
                term,
                &format!("{path}.affinity.{name}.{REQUIRED}[{index}]"),
                out,
            );
        }
        for (index, term) in list_field(affinity, PREFERRED).iter().enumerate() {
            let path = format!("{path}.affinity.{name}.{PREFERRED}[{index}].podAffinityTerm");
            warn_null_selector(&term["podAffinityTerm"], &path, out);
        }
    }
}

fn warn_null_selector(holder: &Value, path: &str, out: &mut Warnings) {
    if holder["labelSelector"].is_null() {
        out.push(format!(
            "{path}.labelSelector: a null labelSelector results in matching no pod"
        ));
    }
}

/// Warns about the volumes of a Pod. `path` is the path of the Pod spec.
fn warn_volumes(spec: &Value, path: &str, out: &mut Warnings) {
    let volumes = list_field(spec, "volumes");
    for (index, volume) in volumes.iter().enumerate() {
        let path = format!("{path}.volumes[{index}]");
        let mut warn = |plugin: &str, since: &str| {
            if !volume[plugin].is_null() {
                // kube-apiserver's message does not spell the field as in JSON.
                let plugin = plugin.replace("storageos", "storageOS");
                out.push(format!("{path}.{plugin}: deprecated in {since}"));
            }
        };
        warn("photonPersistentDisk", "v1.11, non-functional in v1.16+");
        warn("gitRepo", "v1.11, and disabled by default in v1.33+");
        warn("scaleIO", "v1.16, non-functional in v1.22+");
        warn("flocker", "v1.22, non-functional in v1.25+");
        warn("storageos", "v1.22, non-functional in v1.25+");
        warn("quobyte", "v1.22, non-functional in v1.25+");
        warn("glusterfs", "v1.25, non-functional in v1.26+");
        if let claim @ Value::Object(_) = &volume["ephemeral"]["volumeClaimTemplate"] {
            let path = format!("{path}.ephemeral.volumeClaimTemplate.spec");
            persistent_volume_claim::warn_spec(&claim["spec"], &path, out);
        }
        let mut warn = |plugin: &str| {
            if !volume[plugin].is_null() {
                let since = "deprecated in v1.28, non-functional in v1.31+";
                out.push(format!("{path}.{plugin}: {since}"));
            }
        };
        warn("cephfs");
        warn("rbd");
    }
    volume_paths::warn_volume_paths(volumes, out);
}

/// Warns about items of a list that have the same value in `field`.
fn warn_duplicates(spec: &Value, list: &str, field: &str, path: &str, out: &mut Warnings) {
    let mut known = BTreeSet::new();
    for (index, item) in list_field(spec, list).iter().enumerate() {
        let value = str_field(item, field);
        if !known.insert(value) {
            let value = quoted(value);
            out.push(format!(
                "{path}.{list}[{index}].{field}: duplicate {field} {value}"
            ));
        }
    }
}

/// Returns the containers of all types in a Pod spec, with their paths
/// (`pods.VisitContainersWithPath`).
fn all_containers<'a>(spec: &'a Value, path: &str) -> Vec<(String, &'a Value)> {
    let lists = ["initContainers", "containers", "ephemeralContainers"];
    let of_list = |list| {
        let containers = list_field(spec, list).iter().enumerate();
        containers.map(move |(index, container)| (format!("{path}.{list}[{index}]"), container))
    };
    lists.into_iter().flat_map(of_list).collect()
}

/// Warns about a container. `owner` is its Pod or Pod template. `template` is the path of the Pod
/// template, or empty for a Pod.
fn warn_container(
    (path, container): &(String, &Value),
    owner: &Value,
    template: &str,
    out: &mut Warnings,
) {
    let name = str_field(container, "name");
    let context = &container["securityContext"];
    let annotations = child_path(template, "metadata.annotations");
    let key = format!("{CONTAINER_SECCOMP}{name}");
    if context["seccompProfile"].is_null() && get_annotation(owner, &key).is_some() {
        out.push(format!(
            "{annotations}[{key}]: non-functional in v1.27+; use the \"seccompProfile\" field \
             instead"
        ));
    }
    // Only templates get this warning here. Pods get it from `app_armor::adopt_annotations`.
    let key = format!("{}{name}", app_armor::ANNOTATION);
    let is_set = !template.is_empty() && context["appArmorProfile"].is_null();
    if let Some(written) = get_annotation(owner, &key).filter(|_| is_set) {
        let of_pod = &owner["spec"]["securityContext"]["appArmorProfile"];
        if of_pod.is_null() || app_armor::parse_profile_annotation(written).as_ref() != Some(of_pod)
        {
            out.push(format!(
                "{annotations}[{key}]: deprecated since v1.30; use the \"appArmorProfile\" field \
                 instead"
            ));
        }
    }
    for resource in ["memory", "ephemeral-storage"] {
        for list in ["limits", "requests"] {
            let amounts = &container["resources"][list];
            resources::warn_fractional_bytes(
                amounts,
                resource,
                &format!("{path}.resources.{list}"),
                out,
            );
        }
    }
    warn_duplicate_variables(container, path, out);
}

/// Warns about environment variables that are set several times.
fn warn_duplicate_variables(container: &Value, path: &str, out: &mut Warnings) {
    let mut known = BTreeSet::new();
    for (index, variable) in list_field(container, "env").iter().enumerate() {
        let (name, value) = (str_field(variable, "name"), str_field(variable, "value"));
        if known.insert(name) {
            continue;
        }
        // `X=$(X)123` extends the earlier definition of `X`, and does not hide it.
        let reference = format!("$({name})");
        let extends = value != reference && value.contains(&reference);
        if !variable["valueFrom"].is_null() || !extends {
            let name = quoted(name);
            out.push(format!(
                "{path}.env[{index}]: hides previous definition of {name}, which may be dropped \
                 when using apply"
            ));
        }
    }
}

/// Warns about addresses that are not in canonical form.
fn warn_addresses(spec: &Value, path: &str, out: &mut Warnings) {
    let servers = list_field(&spec["dnsConfig"], "nameservers").iter();
    for (index, server) in servers.filter_map(Value::as_str).enumerate() {
        ip::warn_ip(
            &format!("{path}.dnsConfig.nameservers[{index}]"),
            server,
            out,
        );
    }
    for (index, alias) in list_field(spec, "hostAliases").iter().enumerate() {
        let field = format!("{path}.hostAliases[{index}].ip");
        ip::warn_ip(&field, str_field(alias, "ip"), out);
    }
}
