//! DaemonSets (pkg/apis/apps/validation).

use genclient_apimachinery::field;
use serde_json::{Value, json};

use crate::accessors::{as_integer, change_member, member_mut, member_text, set_default};
use crate::apps::status::StatusCounts;
use crate::apps::{rolling_update, workload};
use crate::cells::{container_cells, format_labels, selector_or_none};
use crate::field::ObjectField;
use crate::findings::not_negative;
use crate::row::Row;
use crate::strategy::{Creation, Strategy};
use crate::types::Object;
use crate::warnings::Warnings;

const STATUS: StatusCounts = StatusCounts {
    not_negative: &[
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
    ],
    parts: &[],
    ready: "",
    collisions: true,
};

const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Strategy of DaemonSets (pkg/registry/apps/daemonset, strategy.go).
#[derive(Debug)]
pub(crate) struct DaemonSetStrategy;

impl Strategy for DaemonSetStrategy {
    fn prepare_for_create(&self, object: &mut Value, _creation: &mut Creation<'_>) {
        set_template_generation(object, 1);
    }

    fn prepare_for_update(&self, new: &mut Value, old: &Value) {
        let generation = template_generation(old);
        let changed = new["spec"]["template"] != old["spec"]["template"];
        set_template_generation(new, generation + i64::from(changed));
    }

    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let spec = &object["spec"];
        not_negative(
            spec,
            &["minReadySeconds", "revisionHistoryLimit"],
            "spec",
            out,
        );
        workload::validate_template(spec, "daemonset", out);
        validate_update_strategy(&ObjectField::spec(object).at("updateStrategy"), out);
    }

    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        self.validate(new, out);
        workload::validate_selector_unchanged(new, old, out);
    }

    fn validate_status_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        STATUS.validate(new, old, out);
    }

    fn warn_on_create(&self, object: &Value, out: &mut Warnings) {
        workload::warn_template(object, out);
    }

    fn warn_on_update(&self, new: &Value, old: &Value, out: &mut Warnings) {
        if new["spec"]["template"] != old["spec"]["template"] {
            workload::warn_template(new, out);
        }
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let (spec, status) = (row.spec(), row.status());
        let count = |field: &str| json!(as_integer(&status[field]));
        let [names, images] = container_cells(&spec["template"]["spec"]);
        Some(vec![
            row.name(),
            count("desiredNumberScheduled"),
            count("currentNumberScheduled"),
            count("numberReady"),
            count("updatedNumberScheduled"),
            count("numberAvailable"),
            json!(format_labels(&spec["template"]["spec"]["nodeSelector"])),
            row.age(),
            names,
            images,
            json!(selector_or_none(&spec["selector"])),
        ])
    }
}

/// Sets the annotation that counts the changes of a DaemonSet's template.
fn set_template_generation(object: &mut Value, generation: i64) {
    let annotations = member_mut(member_mut(object, "metadata"), "annotations");
    annotations[TEMPLATE_GENERATION] = generation.to_string().into();
}

fn template_generation(object: &Value) -> i64 {
    let found = object["metadata"]["annotations"][TEMPLATE_GENERATION].as_str();
    found.and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Sets the defaults of a DaemonSet.
pub(crate) fn set_defaults(members: &mut Object) {
    change_member(members, "spec", set_spec_defaults);
}

fn set_spec_defaults(spec: &mut Object) {
    change_member(spec, "updateStrategy", |strategy| {
        set_default(strategy, "type", "RollingUpdate");
        if member_text(strategy, "type") == "RollingUpdate" {
            change_member(strategy, "rollingUpdate", |update| {
                set_default(update, "maxUnavailable", 1);
                set_default(update, "maxSurge", 0);
            });
        }
    });
    set_default(spec, "revisionHistoryLimit", 10);
}

/// Validates the strategy of a DaemonSet.
fn validate_update_strategy(strategy: &ObjectField<'_>, out: &mut field::ErrorList) {
    match strategy.at("type").text() {
        "OnDelete" => {}
        "RollingUpdate" => validate_rolling_update(&strategy.at("rollingUpdate"), out),
        other => {
            let printed =
                rolling_update::format_strategy(strategy.value, &["MaxUnavailable", "MaxSurge"]);
            let known = ["RollingUpdate", "OnDelete"];
            out.push(rolling_update::unsupported_strategy(
                &strategy.path,
                other,
                &printed,
                &known,
            ));
        }
    }
}

/// Validates `maxUnavailable` and `maxSurge`, and checks that exactly one of them is not zero.
fn validate_rolling_update(update: &ObjectField<'_>, out: &mut field::ErrorList) {
    let [unavailable, surge] = ["maxUnavailable", "maxSurge"].map(|name| update.at(name));
    for field in [&unavailable, &surge] {
        rolling_update::validate_amount(field.value, &field.path, out);
    }
    for field in [&unavailable, &surge] {
        rolling_update::validate_at_most_all(field, out);
    }
    match [&unavailable, &surge].map(|field| rolling_update::is_zero(field.value)) {
        [false, false] => surge.invalid("may not be set when maxUnavailable is non-zero", out),
        [true, true] => unavailable.required("cannot be 0 when maxSurge is 0", out),
        _ => {}
    }
}
