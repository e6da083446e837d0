//! Defaults of the groups apps, batch and autoscaling (defaults.go of each group in pkg/apis).

use serde_json::{Value, json};

use crate::builtins::members::{has, items, or, text, within};
use crate::types::Object;

pub(crate) fn set(name: &str, members: &mut Object) {
    match name {
        "apps/v1.Deployment" => within(members, "spec", deployment),
        "apps/v1.DaemonSet" => within(members, "spec", daemon_set),
        "apps/v1.StatefulSet" => within(members, "spec", stateful_set),
        "apps/v1.ReplicaSet" => within(members, "spec", |spec| or(spec, "replicas", 1)),
        "batch/v1.Job" => job(members),
        "batch/v1.CronJob" => within(members, "spec", |spec| {
            or(spec, "concurrencyPolicy", "Allow");
            or(spec, "suspend", false);
            or(spec, "successfulJobsHistoryLimit", 3);
            or(spec, "failedJobsHistoryLimit", 1);
        }),
        "batch/v1.PodFailurePolicyOnPodConditionsPattern" => or(members, "status", "True"),
        "autoscaling/v1.HorizontalPodAutoscaler" => {
            within(members, "spec", |spec| or(spec, "minReplicas", 1));
        }
        "autoscaling/v2.HorizontalPodAutoscaler" => within(members, "spec", autoscaler),
        _ => {}
    }
}

fn deployment(spec: &mut Object) {
    or(spec, "replicas", 1);
    within(spec, "strategy", |strategy| {
        or(strategy, "type", "RollingUpdate");
        if text(strategy, "type") == "RollingUpdate" {
            within(strategy, "rollingUpdate", |update| {
                or(update, "maxUnavailable", "25%");
                or(update, "maxSurge", "25%");
            });
        }
    });
    or(spec, "revisionHistoryLimit", 10);
    or(spec, "progressDeadlineSeconds", 600);
}

fn daemon_set(spec: &mut Object) {
    within(spec, "updateStrategy", |strategy| {
        or(strategy, "type", "RollingUpdate");
        if text(strategy, "type") == "RollingUpdate" {
            within(strategy, "rollingUpdate", |update| {
                or(update, "maxUnavailable", 1);
                or(update, "maxSurge", 0);
            });
        }
    });
    or(spec, "revisionHistoryLimit", 10);
}

fn stateful_set(spec: &mut Object) {
    or(spec, "podManagementPolicy", "OrderedReady");
    within(spec, "updateStrategy", |strategy| {
        if text(strategy, "type").is_empty() {
            or(strategy, "type", "RollingUpdate");
            or(strategy, "rollingUpdate", json!({}));
        }
        if text(strategy, "type") == "RollingUpdate" && has(strategy, "rollingUpdate") {
            within(strategy, "rollingUpdate", |update| {
                or(update, "partition", 0);
            });
        }
    });
    for template in items(spec, "volumeClaimTemplates") {
        or(template, "apiVersion", "v1");
        or(template, "kind", "PersistentVolumeClaim");
    }
    within(spec, "persistentVolumeClaimRetentionPolicy", |policy| {
        or(policy, "whenDeleted", "Retain");
        or(policy, "whenScaled", "Retain");
    });
    or(spec, "replicas", 1);
    or(spec, "revisionHistoryLimit", 10);
}

fn job(members: &mut Object) {
    within(members, "spec", |spec| {
        if !has(spec, "completions") && !has(spec, "parallelism") {
            or(spec, "completions", 1);
        }
        or(spec, "parallelism", 1);
        let backoff = if has(spec, "backoffLimitPerIndex") {
            i32::MAX
        } else {
            6
        };
        or(spec, "backoffLimit", backoff);
        or(spec, "completionMode", "NonIndexed");
        or(spec, "suspend", false);
        let replaced = match has(spec, "podFailurePolicy") {
            true => "Failed",
            false => "TerminatingOrFailed",
        };
        or(spec, "podReplacementPolicy", replaced);
        or(spec, "manualSelector", false);
    });
    let labels = members
        .get("spec")
        .map(|spec| spec["template"]["metadata"]["labels"].clone());
    if let Some(labels @ Value::Object(_)) = labels {
        within(members, "metadata", |metadata| {
            or(metadata, "labels", labels)
        });
    }
}

fn autoscaler(spec: &mut Object) {
    or(spec, "minReplicas", 1);
    let cpu = json!([{
        "type": "Resource",
        "resource": {
            "name": "cpu",
            "target": {"type": "Utilization", "averageUtilization": 80},
        },
    }]);
    or(spec, "metrics", cpu);
    if !has(spec, "behavior") {
        return;
    }
    within(spec, "behavior", |behavior| {
        within(behavior, "scaleUp", |rules| {
            or(rules, "stabilizationWindowSeconds", 0);
            or(rules, "selectPolicy", "Max");
            let policies = json!([
                {"type": "Pods", "value": 4, "periodSeconds": 15},
                {"type": "Percent", "value": 100, "periodSeconds": 15},
            ]);
            or(rules, "policies", policies);
        });
        within(behavior, "scaleDown", |rules| {
            or(rules, "selectPolicy", "Max");
            let policies = json!([{"type": "Percent", "value": 100, "periodSeconds": 15}]);
            or(rules, "policies", policies);
        });
    });
}
