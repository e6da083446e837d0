//! ReplicaSets (pkg/apis/apps/validation).

use genclient_apimachinery::field;
use serde_json::{Value, json};

use crate::accessors::{as_integer, change_member, set_default};
use crate::apps::status::StatusCounts;
use crate::apps::workload;
use crate::cells::{container_cells, selector_or_none};
use crate::findings::not_negative;
use crate::row::Row;
use crate::strategy::Strategy;
use crate::types::Object;
use crate::warnings::{Warnings, bumps_generation, recommend_label};

const STATUS: StatusCounts = StatusCounts {
    not_negative: &[
        "replicas",
        "fullyLabeledReplicas",
        "readyReplicas",
        "availableReplicas",
        "observedGeneration",
        "terminatingReplicas",
    ],
    parts: &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
    ready: "readyReplicas",
    collisions: false,
};

/// Strategy of ReplicaSets (pkg/registry/apps/replicaset, strategy.go).
#[derive(Debug)]
pub(crate) struct ReplicaSetStrategy;

impl Strategy for ReplicaSetStrategy {
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        not_negative(
            &object["spec"],
            &["replicas", "minReadySeconds"],
            "spec",
            out,
        );
        // kube-apiserver's message names Deployments here by mistake.
        workload::validate_template(&object["spec"], "deployment", out);
    }

    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        self.validate(new, out);
        workload::validate_selector_unchanged(new, old, out);
    }

    fn validate_status_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        STATUS.validate(new, old, out);
    }

    fn warn_on_create(&self, object: &Value, out: &mut Warnings) {
        recommend_label(object, out);
        workload::warn_template(object, out);
    }

    fn warn_on_update(&self, new: &Value, old: &Value, out: &mut Warnings) {
        if bumps_generation(new, old) {
            workload::warn_template(new, out);
        }
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let (spec, status) = (row.spec(), row.status());
        let count = |field: &str| json!(as_integer(&status[field]));
        let [names, images] = container_cells(&spec["template"]["spec"]);
        Some(vec![
            row.name(),
            json!(as_integer(&spec["replicas"])),
            count("replicas"),
            count("readyReplicas"),
            row.age(),
            names,
            images,
            json!(selector_or_none(&spec["selector"])),
        ])
    }
}

/// Sets the defaults of a ReplicaSet.
pub(crate) fn set_defaults(members: &mut Object) {
    change_member(members, "spec", |spec| set_default(spec, "replicas", 1));
}
