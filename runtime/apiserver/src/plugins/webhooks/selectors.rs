//! Namespace and object selectors of webhooks
//! (k8s.io/apiserver/pkg/admission/plugin/webhook/predicates).

use serde_json::Value;

use crate::admission::{AdmissionRequest, Operation};
use crate::failure::Failure;
use crate::state::State;
use crate::store::Key;

/// Returns whether a selector matches the namespace of a write. Cluster-scoped objects always
/// match, except namespaces.
///
/// # Errors
///
/// If the namespace does not exist.
pub(super) fn takes_namespace(
    state: &State,
    selector: &Value,
    admission: &AdmissionRequest,
) -> Result<bool, Failure> {
    let is_namespace = admission.resource.resource == "namespaces";
    if admission.namespace.is_empty() && !is_namespace || is_empty(selector) {
        return Ok(true);
    }
    let is_written = is_namespace
        && admission.subresource.is_empty()
        && admission.operation != Operation::Delete;
    if is_written {
        return Ok(takes(selector, labels(admission.object.as_ref())));
    }
    let name = &admission.namespace;
    let found = state.store.get(&state.namespaces, &Key::new("", name));
    match found {
        Some(namespace) => Ok(takes(selector, labels(Some(&namespace.value())))),
        None => Err(Failure::not_found("", "namespaces", name)),
    }
}

/// Returns whether a selector matches the new or the old state of an object.
pub(super) fn takes_object(selector: &Value, admission: &AdmissionRequest) -> bool {
    let states = [&admission.object, &admission.old_object];
    let mut states = states.into_iter().flatten();
    is_empty(selector) || states.any(|object| takes(selector, labels(Some(object))))
}

fn labels(object: Option<&Value>) -> Value {
    object.map_or(Value::Null, |it| it["metadata"]["labels"].clone())
}

fn is_empty(selector: &Value) -> bool {
    let has = |field: &str| match &selector[field] {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    !has("matchLabels") && !has("matchExpressions")
}

/// Returns whether a LabelSelector matches labels.
fn takes(selector: &Value, labels: Value) -> bool {
    let label = |key: &str| labels[key].as_str();
    let mut wanted = selector["matchLabels"].as_object().into_iter().flatten();
    let expressions = selector["matchExpressions"].as_array();
    let mut expressions = expressions.into_iter().flatten();
    wanted.all(|(key, value)| label(key) == value.as_str())
        && expressions.all(|expression| {
            let found = label(expression["key"].as_str().unwrap_or_default());
            let values = expression["values"].as_array();
            let is_listed = || values.is_some_and(|it| it.iter().any(|it| it.as_str() == found));
            match expression["operator"].as_str().unwrap_or_default() {
                "In" => found.is_some() && is_listed(),
                "NotIn" => found.is_none() || !is_listed(),
                "Exists" => found.is_some(),
                "DoesNotExist" => found.is_none(),
                _ => false,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(selector: Value, expected: bool) {
        let labels = json!({"app": "web", "tier": ""});
        assert_eq!(takes(&selector, labels), expected, "{selector}");
    }

    fn expression(key: &str, operator: &str, values: &[&str]) -> Value {
        let expression = json!({"key": key, "operator": operator, "values": values});
        json!({ "matchExpressions": [expression] })
    }

    #[test]
    fn selectors_read_labels() {
        check(json!({}), true);
        check(json!({"matchLabels": {"app": "web"}}), true);
        check(json!({"matchLabels": {"app": "web", "x": "y"}}), false);
        check(expression("app", "In", &["db", "web"]), true);
        check(expression("x", "In", &["y"]), false);
        check(expression("x", "NotIn", &["y"]), true);
        check(expression("tier", "NotIn", &[""]), false);
        check(expression("tier", "Exists", &[]), true);
        check(expression("x", "DoesNotExist", &[]), true);
    }
}
