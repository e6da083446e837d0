//! Defaults of the groups apps, batch and autoscaling (defaults.go of each group in pkg/apis).

use serde_json::{Value, json};

use crate::builtins::members::{change_member, has_member, items_mut, member_text, set_default};
use crate::types::Object;

pub(crate) fn set(name: &str, members: &mut Object) {
    match name {
        "apps/v1.Deployment" => change_member(members, "spec", deployment),
        "apps/v1.DaemonSet" => change_member(members, "spec", daemon_set),
        "apps/v1.StatefulSet" => change_member(members, "spec", stateful_set),
        "apps/v1.ReplicaSet" => {
            change_member(members, "spec", |spec| set_default(spec, "replicas", 1))
        }
        "batch/v1.Job" => job(members),
        "batch/v1.CronJob" => change_member(members, "spec", |spec| {
            set_default(spec, "concurrencyPolicy", "Allow");
            set_default(spec, "suspend", false);
            set_default(spec, "successfulJobsHistoryLimit", 3);
            set_default(spec, "failedJobsHistoryLimit", 1);
        }),
        "batch/v1.PodFailurePolicyOnPodConditionsPattern" => set_default(members, "status", "True"),
        "autoscaling/v1.HorizontalPodAutoscaler" => {
            change_member(members, "spec", |spec| set_default(spec, "minReplicas", 1));
        }
        "autoscaling/v2.HorizontalPodAutoscaler" => change_member(members, "spec", autoscaler),
        _ => {}
    }
}

fn deployment(spec: &mut Object) {
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

fn daemon_set(spec: &mut Object) {
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

fn stateful_set(spec: &mut Object) {
    set_default(spec, "podManagementPolicy", "OrderedReady");
    change_member(spec, "updateStrategy", |strategy| {
        if member_text(strategy, "type").is_empty() {
            set_default(strategy, "type", "RollingUpdate");
            set_default(strategy, "rollingUpdate", json!({}));
        }
        if member_text(strategy, "type") == "RollingUpdate" && has_member(strategy, "rollingUpdate")
        {
            change_member(strategy, "rollingUpdate", |update| {
                set_default(update, "partition", 0);
            });
        }
    });
    for template in items_mut(spec, "volumeClaimTemplates") {
        set_default(template, "apiVersion", "v1");
        set_default(template, "kind", "PersistentVolumeClaim");
    }
    change_member(spec, "persistentVolumeClaimRetentionPolicy", |policy| {
        set_default(policy, "whenDeleted", "Retain");
        set_default(policy, "whenScaled", "Retain");
    });
    set_default(spec, "replicas", 1);
    set_default(spec, "revisionHistoryLimit", 10);
}

fn job(members: &mut Object) {
    change_member(members, "spec", |spec| {
        if !has_member(spec, "completions") && !has_member(spec, "parallelism") {
            set_default(spec, "completions", 1);
        }
        set_default(spec, "parallelism", 1);
        let backoff = if has_member(spec, "backoffLimitPerIndex") {
            i32::MAX
        } else {
            6
        };
        set_default(spec, "backoffLimit", backoff);
        set_default(spec, "completionMode", "NonIndexed");
        set_default(spec, "suspend", false);
        let replaced = match has_member(spec, "podFailurePolicy") {
            true => "Failed",
            false => "TerminatingOrFailed",
        };
        set_default(spec, "podReplacementPolicy", replaced);
        set_default(spec, "manualSelector", false);
    });
    let labels = members
        .get("spec")
        .map(|spec| spec["template"]["metadata"]["labels"].clone());
    if let Some(labels @ Value::Object(_)) = labels {
        change_member(members, "metadata", |metadata| {
            set_default(metadata, "labels", labels)
        });
    }
}

fn autoscaler(spec: &mut Object) {
    set_default(spec, "minReplicas", 1);
    let cpu = json!([{
        "type": "Resource",
        "resource": {
            "name": "cpu",
            "target": {"type": "Utilization", "averageUtilization": 80},
        },
    }]);
    set_default(spec, "metrics", cpu);
    if !has_member(spec, "behavior") {
        return;
    }
    change_member(spec, "behavior", |behavior| {
        change_member(behavior, "scaleUp", |rules| {
            set_default(rules, "stabilizationWindowSeconds", 0);
            set_default(rules, "selectPolicy", "Max");
            let policies = json!([
                {"type": "Pods", "value": 4, "periodSeconds": 15},
                {"type": "Percent", "value": 100, "periodSeconds": 15},
            ]);
            set_default(rules, "policies", policies);
        });
        change_member(behavior, "scaleDown", |rules| {
            set_default(rules, "selectPolicy", "Max");
            let policies = json!([{"type": "Percent", "value": 100, "periodSeconds": 15}]);
            set_default(rules, "policies", policies);
        });
    });
}
