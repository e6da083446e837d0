//! Deployments (pkg/apis/apps/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::labels::format_label_selector;
use genclient_apimachinery::unstructured::str_field;
use serde_json::{Value, json};

use crate::accessors::{as_integer, change_member, member_text, set_default};
use crate::apps::status::StatusCounts;
use crate::apps::{rolling_update, workload};
use crate::cells::container_cells;
use crate::field::ObjectField;
use crate::findings::not_negative;
use crate::row::Row;
use crate::strategy::Strategy;
use crate::types::Object;
use crate::warnings::{Warnings, bumps_generation, recommend_label};

const STATUS: StatusCounts = StatusCounts {
    not_negative: &[
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "terminatingReplicas",
        "collisionCount",
    ],
    parts: &["updatedReplicas", "readyReplicas", "availableReplicas"],
    ready: "readyReplicas",
    collisions: true,
};

/// Strategy of Deployments (pkg/registry/apps/deployment, strategy.go).
#[derive(Debug)]
pub(crate) struct DeploymentStrategy;

impl Strategy for DeploymentStrategy {
    fn counts_annotations(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let spec = &object["spec"];
        let counts = [
            "replicas",
            "minReadySeconds",
            "revisionHistoryLimit",
            "progressDeadlineSeconds",
        ];
        not_negative(spec, &counts, "spec", out);
        workload::validate_template(spec, "deployment", out);
        validate_strategy(&spec["strategy"], out);
        let deadline = &spec["progressDeadlineSeconds"];
        let ready = spec["minReadySeconds"].as_i64().unwrap_or_default();
        if deadline.as_i64().is_some_and(|deadline| deadline <= ready) {
            let detail = "must be greater than minReadySeconds";
            out.push(field::Error::invalid(
                "spec.progressDeadlineSeconds",
                deadline,
                detail,
            ));
        }
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
        let ready = as_integer(&status["readyReplicas"]);
        let ready = format!("{ready}/{}", as_integer(&spec["replicas"]));
        Some(vec![
            row.name(),
            json!(ready),
            count("updatedReplicas"),
            count("availableReplicas"),
            row.age(),
            names,
            images,
            json!(format_label_selector(&spec["selector"])),
        ])
    }
}

/// Sets the defaults of a Deployment.
pub(crate) fn set_defaults(members: &mut Object) {
    change_member(members, "spec", set_spec_defaults);
}

/// Sets the defaults of the spec (`SetDefaults_Deployment`).
fn set_spec_defaults(spec: &mut Object) {
    set_default(spec, "replicas", 1);
    change_member(spec, "strategy", |strategy| {
        set_default(strategy, "type", "RollingUpdate");
        if member_text(strategy, "type") == "RollingUpdate" {
            change_member(strategy, "rollingUpdate", |update| {
                set_default(update, "maxUnavailable", "25%");
                set_default(update, "maxSurge", "25%");
            });
        }
    });
    set_default(spec, "revisionHistoryLimit", 10);
    set_default(spec, "progressDeadlineSeconds", 600);
}

/// Validates the strategy of a Deployment.
fn validate_strategy(strategy: &Value, out: &mut field::ErrorList) {
    let update = &strategy["rollingUpdate"];
    match str_field(strategy, "type") {
        "Recreate" if !update.is_null() => {
            let detail = "may not be specified when strategy `type` is 'Recreate'";
            out.push(field::Error::forbidden(
                "spec.strategy.rollingUpdate",
                detail,
            ));
        }
        "Recreate" => {}
        "RollingUpdate" => {
            let path = "spec.strategy.rollingUpdate";
            for name in ["maxUnavailable", "maxSurge"] {
                rolling_update::validate_amount(&update[name], &format!("{path}.{name}"), out);
            }
            if rolling_update::is_zero(&update["maxUnavailable"])
                && rolling_update::is_zero(&update["maxSurge"])
            {
                let detail = "may not be 0 when `maxSurge` is 0";
                let field = format!("{path}.maxUnavailable");
                out.push(field::Error::invalid(
                    field,
                    &update["maxUnavailable"],
                    detail,
                ));
            }
            let field = format!("{path}.maxUnavailable");
            rolling_update::validate_at_most_all(
                &ObjectField::of(&update["maxUnavailable"], field),
                out,
            );
        }
        other => {
            let printed =
                rolling_update::format_strategy(strategy, &["MaxUnavailable", "MaxSurge"]);
            let known = ["Recreate", "RollingUpdate"];
            out.push(rolling_update::unsupported_strategy(
                "spec.strategy",
                other,
                &printed,
                &known,
            ));
        }
    }
}
