//! Warnings about accepted writes of built-in kinds.
//!
//! Source: `WarningsOnCreate` and `WarningsOnUpdate` of pkg/registry in Kubernetes' sources.
//! All functions except [`before_create`] expect objects that are decoded, defaulted and validated.
//! Warnings about the entries of a map are sorted by key; kube-apiserver's order is random.

mod network;
mod quota;
mod workloads;

use serde_json::Value;

use crate::builtins::core::pod_spec::container_warnings;
use crate::builtins::core::pod_spec::warnings;
use crate::builtins::core::{claim_warnings, key_pair, service};
use crate::builtins::ip;
use crate::builtins::kind::BuiltinKind;
use crate::builtins::warnings::{Warnings, annotation, bumps_generation, items, text};

/// Returns the warnings about a new object.
#[must_use]
pub fn on_create(kind: &BuiltinKind, object: &Value) -> Vec<String> {
    let mut warnings = Warnings::new();
    let out = &mut warnings;
    if kind.has_strategy() {
        kind.strategy.warn_on_create(object, out);
        return warnings;
    }
    match (kind.group, kind.kind) {
        ("", "Pod") => workloads::pod(object, out),
        ("", "PodTemplate") => warnings::template(&object["template"], "template", out),
        ("apps", "DaemonSet") => warnings::template(&object["spec"]["template"], TEMPLATE, out),
        ("apps", "Deployment" | "ReplicaSet") => {
            workloads::recommend_label(object, out);
            warnings::template(&object["spec"]["template"], TEMPLATE, out);
        }
        ("apps", "StatefulSet") => {
            warnings::template(&object["spec"]["template"], TEMPLATE, out);
            workloads::stateful_set(object, "", out);
        }
        ("batch", "Job") => {
            workloads::recommend_label(object, out);
            workloads::job(&object["spec"], "spec", out);
        }
        ("batch", "CronJob") => {
            workloads::recommend_label(object, out);
            workloads::cron_job(object, out);
        }
        ("networking.k8s.io", "Ingress") => network::ingress(object, out),
        ("discovery.k8s.io", "EndpointSlice") => {
            if text(object, "addressType") == "FQDN" {
                out.push("spec.addressType: FQDN endpoints are deprecated".to_owned());
            }
            network::endpoint_slice(object, out);
        }
        ("", "ResourceQuota") => quota::resource_quota(object, out),
        ("", "ServiceAccount") => mountable_secrets(object, out),
        _ => on_any_write(kind, object, out),
    }
    warnings
}

/// Returns the warning about a write of a kind that kube-apiserver enforces and this server only
/// stores.
#[must_use]
pub fn not_enforced(kind: &BuiltinKind) -> Option<String> {
    let is_stored_only = !kind.strategy.is_enforced()
        || match kind.group {
            "" => ["LimitRange", "ResourceQuota"].contains(&kind.kind),
            "admissionregistration.k8s.io" => kind.kind.contains("AdmissionPolicy"),
            _ => false,
        };
    is_stored_only.then(|| {
        format!(
            "the API server in the process stores objects of the kind {} but does not enforce them",
            kind.kind
        )
    })
}

/// Copies deprecated annotations of a new object to the fields that replace them, and returns the
/// warnings about these annotations. The object is not validated yet.
#[must_use]
pub fn before_create(kind: &BuiltinKind, object: &mut Value) -> Vec<String> {
    let mut warnings = Warnings::new();
    if (kind.group, kind.kind) == ("", "Pod") && object["spec"]["os"]["name"] != "windows" {
        container_warnings::adopt_app_armor(object, &mut warnings);
    }
    warnings
}

/// Returns the warnings about an update of an object.
#[must_use]
pub fn on_update(kind: &BuiltinKind, new: &Value, old: &Value) -> Vec<String> {
    let mut warnings = Warnings::new();
    let out = &mut warnings;
    if kind.has_strategy() {
        kind.strategy.warn_on_update(new, old, out);
        return warnings;
    }
    let bumps_generation = bumps_generation(new, old);
    match (kind.group, kind.kind) {
        // Kubernetes sends no warnings about updates of Pods, ResourceQuotas and Ingresses.
        ("", "Pod" | "ResourceQuota") | ("networking.k8s.io", "Ingress") => {}
        ("", "PodTemplate") if bumps_generation => {
            warnings::template(&new["template"], "template", out);
        }
        ("apps", "Deployment" | "ReplicaSet") if bumps_generation => {
            warnings::template(&new["spec"]["template"], TEMPLATE, out);
        }
        ("apps", "DaemonSet") => {
            if new["spec"]["template"] != old["spec"]["template"] {
                warnings::template(&new["spec"]["template"], TEMPLATE, out);
            }
        }
        ("apps", "StatefulSet") => {
            if bumps_generation {
                warnings::template(&new["spec"]["template"], TEMPLATE, out);
            }
            workloads::stateful_set(new, ".Spec", out);
        }
        ("batch", "Job") if bumps_generation => workloads::job(&new["spec"], "spec", out),
        ("batch", "CronJob") => {
            if bumps_generation {
                workloads::cron_job(new, out);
            }
            workloads::time_zone_in_schedule(new, out);
        }
        ("discovery.k8s.io", "EndpointSlice") => network::endpoint_slice(new, out),
        ("", "ServiceAccount") => {
            if annotation(old, MOUNTABLE_SECRETS).is_none() {
                mountable_secrets(new, out);
            }
        }
        _ => on_any_write(kind, new, out),
    }
    warnings
}

/// Returns the warnings about an update of the status.
#[must_use]
pub fn on_status_update(kind: &BuiltinKind, object: &Value) -> Vec<String> {
    let mut warnings = Warnings::new();
    let out = &mut warnings;
    if kind.has_strategy() {
        kind.strategy.warn_on_status_update(object, out);
        return warnings;
    }
    let status = &object["status"];
    match (kind.group, kind.kind) {
        ("", "Pod") => {
            for list in ["podIPs", "hostIPs"] {
                for (index, address) in items(status, list).iter().enumerate() {
                    ip::address(
                        &format!("status.{list}[{index}].ip"),
                        text(address, "ip"),
                        out,
                    );
                }
            }
        }
        ("networking.k8s.io", "Ingress") => service::warn_load_balancers(object, out),
        _ => {}
    }
    warnings
}

const TEMPLATE: &str = "spec.template";

const MOUNTABLE_SECRETS: &str = "kubernetes.io/enforce-mountable-secrets";

/// Adds the warnings about kinds for which creates and updates are checked alike.
fn on_any_write(kind: &BuiltinKind, object: &Value, out: &mut Warnings) {
    match (kind.group, kind.kind) {
        ("networking.k8s.io", "NetworkPolicy") => network::network_policy(object, out),
        ("", "Secret") => key_pair::secret(object, out),
        ("", "Node") => node(object, out),
        ("", "PersistentVolumeClaim") => claim_warnings::claim(object, out),
        ("admissionregistration.k8s.io", name) if !name.starts_with("MutatingAdmission") => {
            static_suffix(object, out);
        }
        _ => {}
    }
}

fn mountable_secrets(account: &Value, out: &mut Warnings) {
    if annotation(account, MOUNTABLE_SECRETS).is_some() {
        out.push(format!(
            "metadata.annotations[{MOUNTABLE_SECRETS}]: deprecated in v1.32+; prefer separate \
             namespaces to isolate access to mounted secrets"
        ));
    }
}

fn node(node: &Value, out: &mut Warnings) {
    let spec = &node["spec"];
    if !text(spec, "externalID").is_empty() {
        let what = "spec.externalID: this field is deprecated, and is unused by Kubernetes";
        out.push(what.to_owned());
    }
    for (index, range) in items(spec, "podCIDRs").iter().enumerate() {
        let range = range.as_str().unwrap_or_default();
        ip::range(&format!("spec.podCIDRs[{index}]"), range, out);
    }
}

/// Warns about a name with the reserved ending `.static.k8s.io` (`WarningsForStaticSuffix`).
fn static_suffix(object: &Value, out: &mut Warnings) {
    if text(&object["metadata"], "name").ends_with(".static.k8s.io") {
        out.push(
            "metadata.name: names ending with \".static.k8s.io\" are reserved for static \
             manifest-based configurations and cannot be managed via the API"
                .to_owned(),
        );
    }
}
