//! Validation of the status of workloads and PodDisruptionBudgets
//! (pkg/apis/{apps,core,policy}/validation).

use genclient_schema::Cause;
use serde_json::Value;

use crate::builtins::findings::{Causes, not_negative};
use crate::builtins::kind::BuiltinKind;

/// Counters in the status of a kind, with their rules.
struct StatusCounts {
    not_negative: &'static [&'static str],
    /// Counters that must not exceed `replicas`.
    parts: &'static [&'static str],
    /// Name of `readyReplicas` in the error that `availableReplicas` is greater.
    ready: &'static str,
    /// Whether `collisionCount` must not decrease.
    collisions: bool,
}

const DEPLOYMENT: StatusCounts = StatusCounts {
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

const REPLICA_SET: StatusCounts = StatusCounts {
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

const STATEFUL_SET: StatusCounts = StatusCounts {
    not_negative: &[
        "replicas",
        "readyReplicas",
        "currentReplicas",
        "updatedReplicas",
        "availableReplicas",
        "observedGeneration",
        "collisionCount",
    ],
    parts: &[
        "readyReplicas",
        "currentReplicas",
        "updatedReplicas",
        "availableReplicas",
    ],
    ready: "status.readyReplicas",
    collisions: true,
};

const DAEMON_SET: StatusCounts = StatusCounts {
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

const DISRUPTION_BUDGET: StatusCounts = StatusCounts {
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

/// Validates a new status.
pub(crate) fn status(kind: &BuiltinKind, new: &Value, old: &Value, out: &mut Causes) {
    let counts = match (kind.group, kind.kind) {
        ("apps", "Deployment") => &DEPLOYMENT,
        ("apps", "ReplicaSet") => &REPLICA_SET,
        ("apps", "StatefulSet") => &STATEFUL_SET,
        ("apps", "DaemonSet") => &DAEMON_SET,
        ("policy", "PodDisruptionBudget") => &DISRUPTION_BUDGET,
        _ => return,
    };
    counts.check(&new["status"], &old["status"], out);
}

impl StatusCounts {
    fn check(&self, new: &Value, old: &Value, out: &mut Causes) {
        not_negative(new, self.not_negative, "status", out);
        let count = |status: &Value, field: &str| status[field].as_i64().unwrap_or_default();
        let mut at_most = |field: &str, most: &str, name: &str| {
            if count(new, field) > count(new, most) {
                let value = count(new, field).into();
                let detail = format!("cannot be greater than {name}");
                out.push(Cause::invalid(format!("status.{field}"), &value, &detail));
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
            out.push(Cause::invalid("status.collisionCount", &value, detail));
        }
    }
}
