//! Counters in the status of workloads and PodDisruptionBudgets
//! (pkg/apis/{apps,core,policy}/validation).

use genclient_apimachinery::field;
use serde_json::Value;

use crate::findings::not_negative;

/// Counters in the status of a kind, with their rules.
pub(crate) struct StatusCounts {
    pub(crate) not_negative: &'static [&'static str],
    /// Counters that must not exceed `replicas`.
    pub(crate) parts: &'static [&'static str],
    /// Name of `readyReplicas` in the error that `availableReplicas` is greater.
    pub(crate) ready: &'static str,
    /// Whether `collisionCount` must not decrease.
    pub(crate) collisions: bool,
}

impl StatusCounts {
    /// Validates the new status of an object.
    pub(crate) fn validate(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        let [new, old] = [new, old].map(|object| &object["status"]);
        not_negative(new, self.not_negative, "status", out);
        let count = |status: &Value, field: &str| status[field].as_i64().unwrap_or_default();
        let mut at_most = |field: &str, most: &str, name: &str| {
            if count(new, field) > count(new, most) {
                let value = count(new, field).into();
                let detail = format!("cannot be greater than {name}");
                out.push(field::Error::invalid(
                    format!("status.{field}"),
                    &value,
                    &detail,
                ));
            }
        };
        for field in self.parts {
            at_most(field, "replicas", "status.replicas");
        }
        if !self.parts.is_empty() {
            at_most("availableReplicas", "readyReplicas", self.ready);
        }
        if self.collisions && count(new, "collisionCount") < count(old, "collisionCount") {
            let value = count(new, "collisionCount").into();
            let detail = "cannot be decremented";
            out.push(field::Error::invalid(
                "status.collisionCount",
                &value,
                detail,
            ));
        }
    }
}
