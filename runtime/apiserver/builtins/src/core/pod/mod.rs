//! Pods (pkg/apis/core/validation). [`pod_spec`] has what they share with Pod templates.

pub(crate) mod columns;
pub(crate) mod qos;
pub(crate) mod resize;
pub(crate) mod update;

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_field, str_field};
use serde_json::{Value, json};

use crate::accessors::{change_member, items_mut, set_default};
use crate::core::pod_spec;
use crate::core::pod_spec::app_armor;
use crate::field::ObjectField;
use crate::ip;
use crate::row::Row;
use crate::selectable::SpecialField;
use crate::strategy::{Creation, Strategy};
use crate::types::Object;
use crate::warnings::{Warnings, recommend_label_because};

/// Strategy of Pods (pkg/registry/core/pod, strategy.go).
#[derive(Debug)]
pub(crate) struct PodStrategy;

impl Strategy for PodStrategy {
    /// Changes a negative grace period to 1. This happens to Pods, but not to Pod templates
    /// (`Convert_v1_Pod_To_core_Pod`).
    fn convert(&self, pod: &mut Value) {
        let grace = pod["spec"]["terminationGracePeriodSeconds"].as_i64();
        if grace.is_some_and(|seconds| seconds < 0) {
            pod["spec"]["terminationGracePeriodSeconds"] = 1.into();
        }
    }

    fn resets_status(&self) -> bool {
        false
    }

    fn prepare_for_create(&self, pod: &mut Value, creation: &mut Creation<'_>) {
        if pod["spec"]["os"]["name"] != "windows" {
            app_armor::adopt_annotations(pod, &mut creation.warnings);
        }
        set_status(pod, creation.now);
    }

    /// Keeps the `qosClass` if the update omits it.
    fn prepare_for_status_update(&self, new: &mut Value, old: &Value) {
        if new["status"]["qosClass"].is_null() && !old["status"]["qosClass"].is_null() {
            new["status"]["qosClass"] = old["status"]["qosClass"].clone();
        }
    }

    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        pod_spec::validate_pod(object, out);
        let spec = ObjectField::spec(object);
        let ephemeral = spec.at("ephemeralContainers");
        if !ephemeral.has_none() {
            ephemeral.forbidden("cannot be set on create", out);
        }
        if spec.at("nodeName").is_filled() && !spec.at("schedulingGates").has_none() {
            let detail = "cannot be set until all schedulingGates have been cleared";
            spec.at("nodeName").forbidden(detail, out);
        }
    }

    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        update::validate_update(new, old, out);
    }

    fn warn_on_create(&self, pod: &Value, out: &mut Warnings) {
        recommend_label_because(pod, "this is used in the Pod's hostname", out);
        pod_spec::warnings::warn_template(pod, "", out);
    }

    /// kube-apiserver sends no warnings about updates.
    fn warn_on_update(&self, _new: &Value, _old: &Value, _out: &mut Warnings) {}

    fn warn_on_status_update(&self, pod: &Value, out: &mut Warnings) {
        for list in ["podIPs", "hostIPs"] {
            for (index, address) in list_field(&pod["status"], list).iter().enumerate() {
                let field = format!("status.{list}[{index}].ip");
                ip::warn_ip(&field, str_field(address, "ip"), out);
            }
        }
    }

    fn subresource(&self, name: &str) -> Option<&'static dyn Strategy> {
        match name {
            "ephemeralcontainers" => Some(&update::EphemeralContainersStrategy),
            "resize" => Some(&resize::ResizeStrategy),
            _ => None,
        }
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        Some(columns::pod_cells(row))
    }

    fn row_conditions(&self, pod: &Value) -> Option<Value> {
        columns::row_conditions(pod)
    }

    fn special_fields(&self) -> &'static [SpecialField] {
        &[
            // Old name of `spec.nodeName`.
            SpecialField {
                name: "spec.host",
                path: "spec.nodeName",
                unset: "",
            },
            SpecialField {
                name: "spec.hostNetwork",
                path: "spec.hostNetwork",
                unset: "false",
            },
            // Supported, but missing in the field set of `ToSelectableFields`.
            SpecialField {
                name: "status.podIPs",
                path: "",
                unset: "",
            },
        ]
    }
}

/// Sets the defaults of a Pod (`SetDefaults_Pod`). Pod templates lack them: those of all Pod specs
/// are set by `pod_spec::set_defaults`.
pub(crate) fn set_defaults(members: &mut Object) {
    change_member(members, "spec", set_pod_only_defaults);
}

/// Sets the defaults of a spec that a Pod has and a template lacks.
fn set_pod_only_defaults(spec: &mut Object) {
    for list in ["containers", "initContainers"] {
        for container in items_mut(spec, list) {
            if let Some(Value::Object(resources)) = container.get_mut("resources") {
                copy_limits_to_requests(resources);
            }
        }
    }
    if let Some(Value::Object(resources)) = spec.get_mut("resources") {
        copy_limits_to_requests(resources);
    }
    set_default(spec, "enableServiceLinks", true);
    if spec.get("hostNetwork") == Some(&Value::Bool(true)) {
        for list in ["containers", "initContainers"] {
            for container in items_mut(spec, list) {
                for port in items_mut(container, "ports") {
                    let number = port.get("containerPort").cloned().unwrap_or_default();
                    set_default(port, "hostPort", number);
                }
            }
        }
    }
}

fn copy_limits_to_requests(resources: &mut Object) {
    let Some(Value::Object(limits)) = resources.get("limits").cloned() else {
        return;
    };
    change_member(resources, "requests", |requests| {
        for (name, limit) in limits {
            requests.entry(name).or_insert(limit);
        }
    });
}

/// Sets the status of a new Pod (`podStrategy.PrepareForCreate`, `applySchedulingGatedCondition`).
fn set_status(pod: &mut Value, now: &str) {
    pod["status"] = json!({"phase": "Pending", "qosClass": qos::compute_qos_class(pod)});
    if pod
        .pointer("/spec/schedulingGates")
        .is_some_and(|gates| !gates.is_null())
    {
        pod["status"]["conditions"] = json!([{
            "type": "PodScheduled",
            "status": "False",
            "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
            "lastProbeTime": null,
            "lastTransitionTime": now,
        }]);
    }
}
