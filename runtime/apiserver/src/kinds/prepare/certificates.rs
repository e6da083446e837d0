//! User and conditions of CertificateSigningRequests (pkg/registry/certificates/certificates,
//! strategy.go).

use serde_json::{Value, json};

use crate::rbac::User;

/// Replaces the user in a request by the sender of the request.
pub(super) fn set_user(request: &mut Value, user: &User) {
    let Value::Object(spec) = &mut request["spec"] else {
        return;
    };
    for name in ["username", "uid", "groups", "extra"] {
        spec.remove(name);
    }
    spec.insert("username".to_owned(), user.name().into());
    if !user.uid.is_empty() {
        spec.insert("uid".to_owned(), (*user.uid).into());
    }
    if !user.groups().is_empty() {
        spec.insert("groups".to_owned(), json!(user.groups()));
    }
    if !user.extra.is_empty() {
        spec.insert("extra".to_owned(), json!(user.extra));
    }
}

/// Restores everything but the conditions and metadata, in an update of `approval`.
pub(super) fn keep_but_conditions(new: &mut Value, old: &Value, now: &str) {
    set_times(new, old, now);
    let conditions = new["status"]["conditions"].take();
    new["spec"] = old["spec"].clone();
    new["status"] = old["status"].clone();
    match conditions {
        Value::Null => {
            if let Value::Object(status) = &mut new["status"] {
                status.remove("conditions");
            }
        }
        conditions => new["status"]["conditions"] = conditions,
    }
}

/// Restores the conditions `Approved` and `Denied` in an update of the status, unless the update
/// adds or removes one. Validation then rejects it.
pub(super) fn keep_decision(new: &mut Value, old: &Value, now: &str) {
    for type_ in ["Approved", "Denied"] {
        let before: Vec<_> = conditions(old).filter(|it| it["type"] == type_).collect();
        let found = conditions_mut(new);
        let found: Vec<_> = found.filter(|it| it["type"] == type_).collect();
        if found.len() == before.len() {
            for (condition, before) in found.into_iter().zip(before) {
                *condition = before.clone();
            }
        }
    }
    set_times(new, old, now);
}

/// Sets the times of conditions that have none. A condition whose status is unchanged keeps its
/// `lastTransitionTime`.
fn set_times(new: &mut Value, old: &Value, now: &str) {
    for condition in conditions_mut(new) {
        if condition["lastUpdateTime"].is_null() {
            condition["lastUpdateTime"] = now.into();
        }
        if condition["lastTransitionTime"].is_null() {
            let is_same = |it: &&Value| {
                it["type"] == condition["type"] && it["status"] == condition["status"]
            };
            let before = conditions(old).find(is_same);
            let since = before.map(|it| it["lastTransitionTime"].clone());
            let since = since.filter(Value::is_string);
            condition["lastTransitionTime"] = since.unwrap_or_else(|| now.into());
        }
    }
}

fn conditions(request: &Value) -> impl Iterator<Item = &Value> {
    let conditions = request["status"]["conditions"].as_array();
    conditions.into_iter().flatten()
}

fn conditions_mut(request: &mut Value) -> impl Iterator<Item = &mut Value> {
    let conditions = request.pointer_mut("/status/conditions");
    let conditions = conditions.and_then(Value::as_array_mut);
    conditions.into_iter().flatten()
}
