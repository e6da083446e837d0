//! Rules of built-in kinds: what the server refuses, in its words.
//!
//! Exact for ConfigMap, Secret, Event, Lease, ControllerRevision and RBAC; for workloads, Pods,
//! Services and the like required fields, immutable fields and the commonest rules; nothing for
//! the rest. Metadata is validated elsewhere. Objects have been decoded and defaulted.
//!
//! `Validate…` of pkg/apis in Kubernetes' sources.

mod addresses;
mod affinity;
mod batch;
mod containers;
mod core;
mod dns;
mod environment;
mod events;
mod field;
mod findings;
mod job_policies;
mod mounts;
pub(super) mod names;
mod others;
mod pod_updates;
mod pods;
mod probes;
mod rbac;
mod resources;
mod schedule;
mod security;
mod selectors;
mod services;
mod status;
mod storage;
mod volumes;
pub(crate) mod webhooks;
mod workloads;

use genclient_schema::Cause;
use serde_json::Value;

use self::findings::unchanged;
pub use self::status::validate_status;
use super::builtin::BuiltinKind;

/// Finalizers without a domain.
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// Groups whose objects may have finalizers of any name.
const OF_ANY_FINALIZER: [&str; 5] = [
    "admissionregistration.k8s.io",
    "apiregistration.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "policy",
];

/// What is wrong with a new object of a built-in kind, metadata apart.
#[must_use]
pub fn validate(kind: &BuiltinKind, object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let out = &mut causes;
    match (kind.group, kind.kind) {
        ("", "ConfigMap") => core::config_map(object, out),
        ("", "Secret") => core::secret(object, out),
        ("", "Namespace") => core::namespace(object, out),
        ("", "Pod") => pods::created(object, out),
        ("", "PodTemplate") => pods::template(&object["template"], "template", out),
        ("", "Service") => services::created(object, out),
        ("", "PersistentVolumeClaim") => storage::claim(&object["spec"], "spec", out),
        ("", "PersistentVolume") => storage::volume(object, out),
        ("", "Event") => events::legacy(object, out),
        ("events.k8s.io", "Event") => events::event(object, out),
        ("apps", "ControllerRevision") => workloads::controller_revision(object, out),
        ("", "ReplicationController") => workloads::replication_controller(object, out),
        ("storage.k8s.io", "StorageClass") => others::storage_class(object, out),
        ("networking.k8s.io", "IngressClass") => others::ingress_class(object, out),
        ("apps", "Deployment") => workloads::deployment(object, out),
        ("apps", "ReplicaSet") => workloads::replica_set(object, out),
        ("apps", "DaemonSet") => workloads::daemon_set(object, out),
        ("apps", "StatefulSet") => workloads::stateful_set(object, out),
        ("batch", "Job") => batch::job(object, out),
        ("batch", "CronJob") => batch::cron_job(object, None, out),
        ("autoscaling", _) => others::autoscaler(object, out),
        ("policy", "PodDisruptionBudget") => others::disruption_budget(object, out),
        ("networking.k8s.io", "Ingress") => others::ingress(object, out),
        ("coordination.k8s.io", "Lease") => others::lease(object, out),
        ("rbac.authorization.k8s.io", _) => rbac::rbac(kind.kind, object, out),
        (
            "admissionregistration.k8s.io",
            "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration",
        ) => webhooks::configuration(object, out),
        _ => {}
    }
    causes
}

/// Which finalizers are neither qualified names nor standard ones (`ValidateObjectMeta` in
/// pkg/apis/core/validation, which most of Kubernetes' own groups call).
#[must_use]
pub fn validate_finalizers(kind: &BuiltinKind, object: &Value) -> Vec<Cause> {
    if OF_ANY_FINALIZER.contains(&kind.group) || (kind.group, kind.kind) == ("", "Event") {
        return Vec::new();
    }
    let finalizers = object["metadata"]["finalizers"].as_array();
    let finalizers = finalizers.into_iter().flatten().enumerate();
    let unknown = finalizers.filter(|(_, finalizer)| {
        let name = finalizer.as_str().unwrap_or_default();
        !name.contains('/') && !STANDARD_FINALIZERS.contains(&name)
    });
    let cause = |(index, finalizer): (usize, &Value)| {
        let detail = "name is neither a standard finalizer name nor is it fully qualified";
        Cause::invalid(format!("metadata.finalizers[{index}]"), finalizer, detail)
    };
    unknown.map(cause).collect()
}

/// Whether an update is validated as a new object as well, metadata included.
fn is_validated_as_new(kind: &BuiltinKind) -> bool {
    match kind.group {
        "" => [
            "ConfigMap",
            "Secret",
            "ServiceAccount",
            "PersistentVolume",
            "PersistentVolumeClaim",
        ]
        .contains(&kind.kind),
        group => group == "rbac.authorization.k8s.io",
    }
}

/// What is wrong with an update of an object, metadata apart.
#[must_use]
pub fn validate_update(kind: &BuiltinKind, new: &Value, old: &Value) -> Vec<Cause> {
    let mut causes = validate_finalizers(kind, new);
    if is_validated_as_new(kind) {
        causes.extend_from_within(..);
    }
    let out = &mut causes;
    match (kind.group, kind.kind) {
        ("", "ConfigMap") => core::immutable(new, old, &["data", "binaryData"], out),
        ("", "Secret") => {
            unchanged("type", &new["type"], &old["type"], out);
            core::immutable(new, old, &["data"], out);
        }
        ("", "Pod") => {
            pod_updates::updated(new, old, out);
            return causes;
        }
        ("", "Service") => {
            services::updated(new, old, out);
            return causes;
        }
        ("", "PersistentVolumeClaim") => storage::claim_updated(new, old, out),
        ("apps", "Deployment" | "ReplicaSet" | "DaemonSet") => {
            let [new, old] = [new, old].map(|object| &object["spec"]["selector"]);
            selectors::unchanged("spec.selector", new, old, out);
        }
        ("apps", "StatefulSet") => workloads::stateful_set_updated(new, old, out),
        ("apps", "ControllerRevision") => {
            workloads::controller_revision_updated(new, old, out);
            return causes;
        }
        ("events.k8s.io", "Event") => {
            events::updated(new, old, out);
            return causes;
        }
        ("storage.k8s.io", "StorageClass") => others::storage_class_updated(new, old, out),
        ("scheduling.k8s.io", "PriorityClass") => others::priority_class_updated(new, old, out),
        ("networking.k8s.io", "IngressClass") => {
            let [new, old] = [new, old].map(|object| &object["spec"]["controller"]);
            let [new, old] = [new, old].map(|name| Value::from(name.as_str().unwrap_or_default()));
            unchanged("spec.controller", &new, &old, out);
        }
        ("batch", "Job") => {
            batch::job_updated(new, old, out);
            return causes;
        }
        ("batch", "CronJob") => {
            batch::cron_job(new, Some(old), out);
            return causes;
        }
        ("rbac.authorization.k8s.io", _) => {
            rbac::rbac(kind.kind, new, out);
            rbac::updated(new, old, out);
            return causes;
        }
        (
            "admissionregistration.k8s.io",
            "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration",
        ) => {
            webhooks::updated(new, old, out);
            return causes;
        }
        _ => {}
    }
    causes.extend(validate(kind, new));
    causes
}

/// Whether a label selector of an object selects labels.
pub(crate) fn selects(selector: &Value, labels: &Value) -> bool {
    selectors::matches(selector, labels)
}
