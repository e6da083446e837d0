//! PodDisruptionBudgets (pkg/apis/policy/validation).

use genclient_apimachinery::field;
use serde_json::{Value, json};

use crate::accessors::as_integer;
use crate::apps::rolling_update;
use crate::apps::status::StatusCounts;
use crate::field::ObjectField;
use crate::row::Row;
use crate::selectors;
use crate::strategy::{FinalizerRule, Strategy};

const STATUS: StatusCounts = StatusCounts {
    not_negative: &[
        "disruptionsAllowed",
        "currentHealthy",
        "desiredHealthy",
        "expectedPods",
    ],
    parts: &[],
    ready: "",
    collisions: false,
};

/// Strategy of PodDisruptionBudgets (pkg/registry/policy/poddisruptionbudget, strategy.go).
#[derive(Debug)]
pub(crate) struct PodDisruptionBudgetStrategy;

impl Strategy for PodDisruptionBudgetStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    /// Validates a PodDisruptionBudget (pkg/apis/policy/validation).
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let spec = ObjectField::spec(object);
        let (least, most) = (spec.at("minAvailable"), spec.at("maxUnavailable"));
        let policy = spec.at("unhealthyPodEvictionPolicy");
        if least.is_set() && most.is_set() {
            let selector = selectors::format_selector(&spec.value["selector"]);
            let [least, most, policy] = [&least, &most, &policy].map(|field| field.value);
            let printed = format!(
                "{{\"MinAvailable\":{least},\"Selector\":{selector},\"MaxUnavailable\":{most},\
                 \"UnhealthyPodEvictionPolicy\":{policy}}}"
            );
            let detail = "minAvailable and maxUnavailable cannot be both set";
            out.push(field::Error::invalid_text("spec", &printed, detail));
        }
        for amount in [least, most] {
            rolling_update::validate_amount(amount.value, &amount.path, out);
            rolling_update::validate_at_most_all(&amount, out);
        }
        let selector = spec.at("selector");
        selectors::validate_selector(selector.value, &selector.path, out);
        policy.supported_if_set(&["AlwaysAllow", "IfHealthyBudget"], out);
    }

    fn validate_status_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        STATUS.validate(new, old, out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let spec = row.spec();
        let shown = |field: &str| match &spec[field] {
            Value::Null => json!("N/A"),
            Value::String(share) => json!(share),
            number => json!(number.to_string()),
        };
        let allowed = json!(as_integer(&row.status()["disruptionsAllowed"]));
        Some(vec![
            row.name(),
            shown("minAvailable"),
            shown("maxUnavailable"),
            allowed,
            row.age(),
        ])
    }
}
