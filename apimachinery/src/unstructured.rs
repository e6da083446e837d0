//! Fields of unstructured objects, empty if they are absent or of another type (`NestedString` and
//! others of k8s.io/apimachinery/pkg/apis/meta/v1/unstructured, helpers.go), and the equality of
//! JSON values.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// Returns a string field.
#[must_use]
pub fn str_field<'v>(object: &'v Value, field: &str) -> &'v str {
    str_or_empty(&object[field])
}

/// Returns the items of a list field.
#[must_use]
pub fn list_field<'v>(object: &'v Value, field: &str) -> &'v [Value] {
    list_or_empty(&object[field])
}

/// Returns whether a boolean field is true.
#[must_use]
pub fn bool_field(object: &Value, field: &str) -> bool {
    object[field] == true
}

/// Returns the string that a value is.
#[must_use]
pub fn str_or_empty(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the items of the list that a value is.
#[must_use]
pub fn list_or_empty(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the items of a list, and of lists in it, such as `kubectl get -o yaml` prints. Returns
/// the object itself if it is not a list.
///
/// ```
/// use genclient_apimachinery::unstructured::flatten_list;
/// use serde_json::json;
///
/// let nested = json!({"kind": "PodList", "items": [{"kind": "Pod"}]});
/// let list = json!({"kind": "List", "items": [{"kind": "Node"}, nested]});
/// assert_eq!(
///     flatten_list(list),
///     [json!({"kind": "Node"}), json!({"kind": "Pod"})]
/// );
/// ```
#[must_use]
pub fn flatten_list(mut object: Value) -> Vec<Value> {
    let is_list = str_field(&object, "kind").ends_with("List");
    match object.get_mut("items") {
        Some(Value::Array(items)) if is_list => std::mem::take(items)
            .into_iter()
            .flat_map(flatten_list)
            .collect(),
        _ => vec![object],
    }
}

/// Returns whether two values are equal, with numbers compared by `order`.
pub fn equal_by(order: fn(&Number, &Number) -> Ordering, a: &Value, b: &Value) -> bool {
    let equal = |a: &Value, b: &Value| equal_by(order, a, b);
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => order(a, b) == Ordering::Equal,
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(name, value)| b.get(name).is_some_and(|other| equal(value, other));
            a.len() == b.len() && a.iter().all(same)
        }
        _ => a == b,
    }
}
