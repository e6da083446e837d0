//! JSON merge patch (RFC 7386), with the semantics of evanphx/json-patch v4.

use genclient_apimachinery::go;
use serde_json::{Map, Value};

use super::PatchError;

/// Applies a merge patch to an object.
///
/// `null` removes a member. Unlike in RFC 7386, null members of objects in a list are dropped, too:
/// `[{"a": null}]` becomes `[{}]`. They are kept only if the list replaces an object, that is, if
/// the value before the patch is an object.
///
/// # Errors
///
/// 400 if the patch is not an object.
///
/// ```
/// use genclient_merge::patch::merge_patch;
/// use serde_json::json;
///
/// let patched = merge_patch(&json!({"a": {"b": 1, "c": 2}}), &json!({"a": {"b": null}})).unwrap();
/// assert_eq!(patched, json!({"a": {"c": 2}}));
/// ```
pub fn merge_patch(document: &Value, patch: &Value) -> Result<Value, PatchError> {
    let found = match patch {
        Value::Object(patch) => {
            let mut out = document.as_object().cloned().unwrap_or_default();
            merge_members(&mut out, patch);
            return Ok(Value::Object(out));
        }
        Value::Null => return Err(PatchError::bad_request("Invalid JSON Patch")),
        other => go::kind(other),
    };
    Err(PatchError::bad_request(format!(
        "error decoding patch: json: cannot unmarshal {found} into Go value of type \
         map[string]interface {{}}"
    )))
}

/// Merges a patch into an object. The recursion is bounded, since the decoders of request bodies
/// limit the nesting.
fn merge_members(document: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (key, value) in patch {
        match (document.get_mut(key), value) {
            (_, Value::Null) => {
                document.remove(key);
            }
            (Some(Value::Object(members)), Value::Object(patch)) => merge_members(members, patch),
            (Some(place @ Value::Object(_)), value) => *place = value.clone(),
            (_, value) => {
                document.insert(key.clone(), remove_nulls(value));
            }
        }
    }
}

fn remove_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let present = members.iter().filter(|(_, member)| !member.is_null());
            let pruned = present.map(|(key, member)| (key.clone(), remove_nulls(member)));
            Value::Object(pruned.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(remove_nulls).collect()),
        value => value.clone(),
    }
}
