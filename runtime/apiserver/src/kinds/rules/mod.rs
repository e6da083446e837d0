//! Rules of built-in kinds: what the server refuses, in its words.
//!
//! Exact for ConfigMap, Secret, Event, Lease, ControllerRevision and RBAC; for workloads, Pods,
//! Services and the like required fields, immutable fields and the commonest rules; nothing for
//! the rest. Metadata is validated elsewhere. Objects have been decoded and defaulted.
//!
//! `Validate…` of pkg/apis in Kubernetes' sources.

mod batch;
mod containers;
mod core;
mod events;
mod names;
mod others;
mod pods;
mod rbac;
mod selectors;
mod services;
mod status;
mod storage;
mod workloads;

use genclient_schema::Cause;
use serde_json::Value;

pub use self::status::validate_status;
use super::builtin::BuiltinKind;

/// Findings of one object.
type Causes = Vec<Cause>;

/// What is wrong with a new object of a built-in kind, metadata apart.
#[must_use]
pub fn validate(kind: &BuiltinKind, object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let out = &mut causes;
    match (kind.group, kind.kind) {
        ("", "ConfigMap") => core::config_map(object, out),
        ("", "Secret") => core::secret(object, out),
        ("", "Namespace") => core::namespace(object, out),
        ("", "Pod") => pods::pod(object, out),
        ("", "PodTemplate") => pods::template(&object["template"], "template", out),
        ("", "Service") => services::service(object, out),
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
        ("batch", "Job") => batch::job(&object["spec"], "spec", out),
        ("batch", "CronJob") => batch::cron_job(object, out),
        ("autoscaling", _) => others::autoscaler(object, out),
        ("policy", "PodDisruptionBudget") => others::disruption_budget(object, out),
        ("networking.k8s.io", "Ingress") => others::ingress(object, out),
        ("coordination.k8s.io", "Lease") => others::lease(object, out),
        ("rbac.authorization.k8s.io", _) => rbac::rbac(kind.kind, object, out),
        _ => {}
    }
    causes
}

/// What is wrong with an update of an object, metadata apart.
#[must_use]
pub fn validate_update(kind: &BuiltinKind, new: &Value, old: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let out = &mut causes;
    match (kind.group, kind.kind) {
        ("", "ConfigMap") => core::immutable(new, old, &["data", "binaryData"], out),
        ("", "Secret") => {
            unchanged("type", &new["type"], &old["type"], out);
            core::immutable(new, old, &["data"], out);
        }
        ("", "Pod") => {
            pods::updated(new, old, out);
            return causes;
        }
        ("", "Service") => services::updated(new, old, out),
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
        ("batch", "Job") => batch::job_updated(new, old, out),
        ("rbac.authorization.k8s.io", _) => {
            rbac::rbac(kind.kind, new, out);
            rbac::updated(new, old, out);
            return causes;
        }
        _ => {}
    }
    causes.extend(validate(kind, new));
    causes
}

const IMMUTABLE: &str = "field is immutable";
const NOT_NEGATIVE: &str = "must be greater than or equal to 0";

fn unchanged(field: &str, new: &Value, old: &Value, out: &mut Causes) {
    if new != old {
        out.push(Cause::invalid(field, new, IMMUTABLE));
    }
}

/// Fields that have to be at least zero.
fn not_negative(object: &Value, fields: &[&str], path: &str, out: &mut Causes) {
    for field in fields {
        let value = &object[*field];
        if value.as_i64().is_some_and(|number| number < 0) {
            out.push(Cause::invalid(
                format!("{path}.{field}"),
                value,
                NOT_NEGATIVE,
            ));
        }
    }
}

/// A text that has to be one of some.
fn supported(field: String, value: &Value, known: &[&str], out: &mut Causes) {
    let text = value.as_str().unwrap_or_default();
    if !known.contains(&text) {
        out.push(Cause::not_supported(field, &text.into(), known));
    }
}

/// The text, or nothing.
fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object[name].as_str().unwrap_or_default()
}

/// The items of a list.
fn items<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object[name].as_array().map_or(&[], Vec::as_slice)
}

/// A finding whose value is printed in the order of a Go struct.
/// Whether a label selector of an object selects labels.
pub(crate) fn selects(selector: &Value, labels: &Value) -> bool {
    selectors::matches(selector, labels)
}

fn invalid_struct(field: &str, printed: &str, detail: &str) -> Cause {
    Cause {
        field: field.to_owned(),
        reason: "FieldValueInvalid",
        message: format!("Invalid value: {printed}: {detail}"),
    }
}
