//! Validation of built-in kinds, with the messages of kube-apiserver.
//!
//! [`validate`] lists the validated kinds. `tests/integration/kinds.rs` compares the results with
//! kube-apiserver. `genclient_schema::meta` has the rules for metadata, and [`validate_finalizers`]
//! those for finalizers. All functions need decoded objects whose defaults are set.
//!
//! Two things are missing: most rules of old volume types such as `rbd`, and some fields of Go
//! structs that kube-apiserver prints in messages.
//!
//! Source: `Validate…` of pkg/apis in Kubernetes' sources.

mod others;

use genclient_schema::Cause;
use serde_json::Value;

use crate::builtins::admissionregistration::{validating_admission_policy, webhook_configuration};
use crate::builtins::apps::{status, workload};
use crate::builtins::autoscaling::horizontal_pod_autoscaler;
use crate::builtins::batch::job;
use crate::builtins::core::pod::{resize, update};
use crate::builtins::core::{
    event, node, persistent_volume_claim, pod_spec, resource_quota, secret,
};
use crate::builtins::discovery::endpoint_slice;
use crate::builtins::findings::unchanged;
use crate::builtins::kind::BuiltinKind;
use crate::builtins::networking::ingress;
use crate::builtins::rbac::role;
use crate::builtins::selectors;

/// Finalizers that need no domain.
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// API groups in which finalizers are not checked.
const OF_ANY_FINALIZER: [&str; 5] = [
    "admissionregistration.k8s.io",
    "apiregistration.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "policy",
];

/// Validates a new object of a built-in kind by the rules of this kind. The caller checks the rules
/// for the metadata of all kinds: `genclient_schema::meta` and [`validate_finalizers`].
#[must_use]
pub fn validate(kind: &BuiltinKind, object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let out = &mut causes;
    if kind.has_strategy() {
        kind.strategy.validate(object, out);
        return causes;
    }
    match (kind.group, kind.kind) {
        ("", "ConfigMap") => secret::config_map(object, out),
        ("", "Secret") => secret::secret(object, out),
        ("", "Namespace") => secret::namespace(object, out),
        ("", "Pod") => pod_spec::created(object, out),
        ("", "PodTemplate") => pod_spec::template(&object["template"], "template", out),
        ("", "PersistentVolumeClaim") => {
            persistent_volume_claim::claim(&object["spec"], "spec", out)
        }
        ("", "Event") => event::legacy(object, out),
        ("events.k8s.io", "Event") => event::event(object, out),
        ("apps", "ControllerRevision") => workload::controller_revision(object, out),
        ("", "Node") => node::node(object, out),
        ("", "LimitRange") => resource_quota::limit_range(object, out),
        ("", "ResourceQuota") => resource_quota::quota(object, out),
        ("discovery.k8s.io", "EndpointSlice") => endpoint_slice::slice(object, out),
        ("scheduling.k8s.io", "PriorityClass") => others::priority_class(object, out),
        ("apiregistration.k8s.io", _) => others::api_service(object, out),
        ("networking.k8s.io", "NetworkPolicy") => ingress::policy(object, out),
        ("apps", "Deployment") => workload::deployment(object, out),
        ("apps", "ReplicaSet") => workload::replica_set(object, out),
        ("apps", "DaemonSet") => workload::daemon_set(object, out),
        ("apps", "StatefulSet") => workload::stateful_set(object, out),
        ("batch", "Job") => job::job(object, out),
        ("batch", "CronJob") => job::cron_job(object, None, out),
        ("autoscaling", "HorizontalPodAutoscaler") => {
            horizontal_pod_autoscaler::autoscaler(object, out)
        }
        ("policy", "PodDisruptionBudget") => others::disruption_budget(object, out),
        ("networking.k8s.io", "Ingress") => ingress::ingress_created(object, out),
        ("coordination.k8s.io", "Lease") => others::lease(object, out),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy") => {
            validating_admission_policy::policy(object, out);
        }
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding") => {
            validating_admission_policy::binding(object, out);
        }
        ("rbac.authorization.k8s.io", _) => role::rbac(kind.kind, object, out),
        (
            "admissionregistration.k8s.io",
            "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration",
        ) => webhook_configuration::configuration(object, out),
        _ => {}
    }
    causes
}

/// Checks that each finalizer has a domain or is a standard finalizer (`ValidateObjectMeta` in
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

/// Returns whether kube-apiserver validates the metadata of an updated object twice: as an update
/// and as a new object. In this case, it reports findings about finalizers twice.
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

/// Validates an update of an object of a built-in kind by the rules of this kind and by
/// [`validate_finalizers`]. The caller checks the rules of `genclient_schema::meta`.
#[must_use]
pub fn validate_update(kind: &BuiltinKind, new: &Value, old: &Value) -> Vec<Cause> {
    let mut causes = validate_finalizers(kind, new);
    if is_validated_as_new(kind) {
        causes.extend_from_within(..);
    }
    if validate_by_update_rules(kind, new, old, &mut causes) {
        return causes;
    }
    // As in kube-apiserver for most kinds, changes of immutable fields are reported last in the
    // group apps, and first in others. (kube-apiserver reports them last for claims,
    // and first for DaemonSets.)
    if kind.group == "apps" {
        causes.extend(validate(kind, new));
        validate_change(kind, new, old, &mut causes);
    } else {
        validate_change(kind, new, old, &mut causes);
        causes.extend(validate(kind, new));
    }
    causes
}

/// Validates an update of a kind that has its own rules for updates. Returns `false` for all other
/// kinds.
fn validate_by_update_rules(
    kind: &BuiltinKind,
    new: &Value,
    old: &Value,
    out: &mut Vec<Cause>,
) -> bool {
    if kind.has_strategy() {
        kind.strategy.validate_update(new, old, out);
        return true;
    }
    match (kind.group, kind.kind) {
        ("", "Pod") => update::updated(new, old, out),
        ("", "Node") => node::updated(new, old, out),
        ("", "ResourceQuota") => resource_quota::quota_updated(new, old, out),
        ("apps", "ControllerRevision") => workload::controller_revision_updated(new, old, out),
        ("batch", "Job") => job::job_updated(new, old, out),
        ("batch", "CronJob") => job::cron_job(new, Some(old), out),
        ("events.k8s.io", "Event") => event::updated(new, old, out),
        ("discovery.k8s.io", "EndpointSlice") => endpoint_slice::slice_updated(new, old, out),
        ("networking.k8s.io", "Ingress") => ingress::ingress(new, out),
        ("rbac.authorization.k8s.io", _) => {
            role::rbac(kind.kind, new, out);
            role::updated(new, old, out);
        }
        (
            "admissionregistration.k8s.io",
            "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration",
        ) => webhook_configuration::updated(new, old, out),
        _ => return false,
    }
    true
}

/// Checks the immutable fields of a kind whose updates are otherwise validated by the rules for new
/// objects.
fn validate_change(kind: &BuiltinKind, new: &Value, old: &Value, out: &mut Vec<Cause>) {
    match (kind.group, kind.kind) {
        ("", "ConfigMap") => secret::immutable(new, old, &["data", "binaryData"], out),
        ("", "Secret") => {
            unchanged("type", &new["type"], &old["type"], out);
            secret::immutable(new, old, &["data"], out);
        }
        ("", "PersistentVolumeClaim") => persistent_volume_claim::claim_updated(new, old, out),
        ("apps", "Deployment" | "ReplicaSet" | "DaemonSet") => {
            let [new, old] = [new, old].map(|object| &object["spec"]["selector"]);
            selectors::unchanged("spec.selector", new, old, out);
        }
        ("apps", "StatefulSet") => workload::stateful_set_updated(new, old, out),
        ("scheduling.k8s.io", "PriorityClass") => others::priority_class_updated(new, old, out),
        _ => {}
    }
}

/// Validates an update of a subresource that has the kind of its resource, such as `status`. The
/// metadata is not checked.
#[must_use]
pub fn validate_subresource(
    kind: &BuiltinKind,
    subresource: &str,
    new: &Value,
    old: &Value,
) -> Vec<Cause> {
    let mut causes = Vec::new();
    let out = &mut causes;
    if let Some(strategy) = kind.strategy.subresource(subresource) {
        strategy.validate_update(new, old, out);
        return causes;
    }
    if kind.has_strategy() && subresource == "status" {
        kind.strategy.validate_status_update(new, old, out);
        return causes;
    }
    match (kind.kind, subresource) {
        ("Pod", "ephemeralcontainers") => update::debugged(new, old, out),
        ("Pod", "resize") => resize::resized(new, old, out),
        (_, "status") => status::status(kind, new, old, out),
        _ => return validate_update(kind, new, old),
    }
    causes
}

/// Returns whether a label selector matches labels.
pub(crate) fn selects(selector: &Value, labels: &Value) -> bool {
    selectors::matches(selector, labels)
}
