//! Conditions in the status of an object (`SetStatusCondition` in
//! k8s.io/apimachinery/pkg/api/meta/conditions.go).

use serde_json::{Value, json};

/// Condition to set in a status.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition<'a> {
    pub(crate) type_: &'a str,
    pub(crate) status: bool,
    pub(crate) reason: &'a str,
    pub(crate) message: &'a str,
}

/// Sets a condition of an object, and returns whether the object changed.
pub(crate) fn set_condition(object: &mut Value, now: &str, condition: Condition<'_>) -> bool {
    set_in_status(&mut object["status"], now, condition)
}

/// Sets a condition in a status, and returns whether the status changed. `lastTransitionTime`
/// changes only if the condition's `status` does.
pub(crate) fn set_in_status(
    object_status: &mut Value,
    now: &str,
    condition: Condition<'_>,
) -> bool {
    let status = if condition.status { "True" } else { "False" };
    let new = json!({
        "type": condition.type_,
        "status": status,
        "lastTransitionTime": now,
        "reason": condition.reason,
        "message": condition.message,
    });
    let conditions = &mut object_status["conditions"];
    if !conditions.is_array() {
        *conditions = json!([]);
    }
    let Some(conditions) = conditions.as_array_mut() else {
        return false;
    };
    let mut all = conditions.iter_mut();
    let Some(old) = all.find(|old| old["type"] == condition.type_) else {
        conditions.push(new);
        return true;
    };
    let has_same_status = old["status"] == status;
    let is_same =
        has_same_status && old["reason"] == new["reason"] && old["message"] == new["message"];
    if is_same {
        return false;
    }
    let since = old["lastTransitionTime"].take();
    *old = new;
    if has_same_status {
        old["lastTransitionTime"] = since;
    }
    true
}

/// Sets a condition of a Pod, which also has a `lastProbeTime` (`UpdatePodCondition` in
/// pkg/api/v1/pod, util.go). `condition` has the other fields.
pub(crate) fn set_pod_condition(pod: &mut Value, now: &str, mut condition: Value) {
    condition["lastProbeTime"] = Value::Null;
    condition["lastTransitionTime"] = now.into();
    let conditions = &mut pod["status"]["conditions"];
    if !conditions.is_array() {
        *conditions = json!([]);
    }
    let Some(conditions) = conditions.as_array_mut() else {
        return;
    };
    let mut all = conditions.iter_mut();
    match all.find(|old| old["type"] == condition["type"]) {
        Some(old) => {
            if old["status"] == condition["status"] {
                condition["lastTransitionTime"] = old["lastTransitionTime"].take();
            }
            *old = condition;
        }
        None => conditions.push(condition),
    }
}

/// Returns whether the status has a condition of this type that is `True`.
pub(crate) fn is_condition_true(object: &Value, type_: &str) -> bool {
    let mut conditions = object["status"]["conditions"]
        .as_array()
        .into_iter()
        .flatten();
    conditions.any(|condition| condition["type"] == type_ && condition["status"] == "True")
}
