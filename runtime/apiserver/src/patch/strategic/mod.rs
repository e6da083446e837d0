//! Strategic merge patch: a merge patch whose lists merge by the keys that Go's types declare.
//!
//! k8s.io/apimachinery/pkg/util/strategicpatch, patch.go. Where the original goes over a map in
//! random order, members are taken in the order of their names.

mod lists;
mod lookup;
mod order;

use serde_json::Value;

use self::lists::{merge_lists, set_element_order};
use self::lookup::{list_field, struct_field};
use super::PatchError;
use crate::types::{GoType, Object, printed};

const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM: &str = "$deleteFromPrimitiveList";
const SET_ORDER: &str = "$setElementOrder";

const BAD_DELETE_FROM: &str = "invalid patch format of primitive list";
const BAD_RETAIN_KEYS: &str = "invalid patch format of retainKeys";
const BAD_SET_ORDER: &str = "invalid patch format of setElementOrder list";

/// Applies a strategic merge patch to an object of a built-in kind.
///
/// # Errors
///
/// 400 for a malformed directive, 422 for lists of lists, 500 for what the server does not
/// expect, such as an item without its merge key.
///
/// ```
/// use genclient_apiserver::patch::strategic_merge_patch;
/// use genclient_apiserver::types::GoType;
/// use serde_json::json;
///
/// let pod = GoType::of_kind("", "v1", "Pod").unwrap();
/// let live = json!({"spec": {"containers": [{"name": "a", "image": "x"}]}});
/// let patch = json!({"spec": {"containers": [{"name": "a", "image": "y"}]}});
/// let patched = strategic_merge_patch(&live, &patch, pod).unwrap();
/// assert_eq!(patched, json!({"spec": {"containers": [{"name": "a", "image": "y"}]}}));
/// ```
pub fn strategic_merge_patch(
    document: &Value,
    patch: &Value,
    type_: GoType,
) -> Result<Value, PatchError> {
    let found = match (document, patch) {
        (Value::Object(document), Value::Object(patch)) => {
            let merged = merge_objects(document.clone(), patch.clone(), type_)?;
            return Ok(Value::Object(merged));
        }
        (_, Value::Null) => return Ok(document.clone()),
        (_, Value::Array(_)) => "array",
        (_, Value::String(_)) => "string",
        (_, Value::Number(_)) => "number",
        (_, _) => "bool",
    };
    Err(PatchError::bad_request(format!(
        "json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
    )))
}

/// `mergeMap`. The depth is that of the patch, which the parser bounds.
fn merge_objects(
    mut original: Object,
    mut patch: Object,
    type_: GoType,
) -> Result<Object, PatchError> {
    if let Some(directive) = patch.remove(DIRECTIVE) {
        return directed(&directive, patch);
    }
    retain_keys(&mut original, &mut patch)?;
    set_element_order(&mut original, &mut patch, type_)?;
    for (key, value) in patch {
        let (key, deletes) = match key.strip_prefix(DELETE_FROM) {
            None => (key, false),
            Some(rest) => match rest.strip_prefix('/') {
                Some(key) => (key.to_owned(), true),
                None => return Err(PatchError::bad_request(BAD_DELETE_FROM)),
            },
        };
        merge_member(&mut original, key, value, deletes, type_)?;
    }
    Ok(original)
}

/// `$patch` of an object: `replace` takes the rest of the patch, `delete` leaves nothing.
fn directed(directive: &Value, patch: Object) -> Result<Object, PatchError> {
    match directive.as_str() {
        Some("replace") => Ok(patch),
        Some("delete") => Ok(Object::new()),
        _ => Err(bad_directive(directive, patch)),
    }
}

fn bad_directive(directive: &Value, mut patch: Object) -> PatchError {
    patch.insert(DIRECTIVE.to_owned(), directive.clone());
    let map = printed(&Value::Object(patch));
    PatchError::internal(format!(
        "unknown patch type: {} in map: {map}",
        verb_s(directive)
    ))
}

/// A value as `%s` prints it.
fn verb_s(value: &Value) -> String {
    match value {
        Value::Null => "%!s(<nil>)".to_owned(),
        Value::Bool(truth) => format!("%!s(bool={truth})"),
        Value::Number(number) if number.is_i64() => format!("%!s(int64={number})"),
        Value::Number(_) => format!("%!s(float64={})", printed(value)),
        value => printed(value),
    }
}

fn merge_member(
    original: &mut Object,
    key: String,
    value: Value,
    deletes: bool,
    type_: GoType,
) -> Result<(), PatchError> {
    if value.is_null() {
        original.remove(&key);
        return Ok(());
    }
    let merged = match (original.get_mut(&key), value) {
        (Some(Value::Object(members)), Value::Object(patch)) => {
            let field = struct_field(type_, &key)?;
            if field.strategy == "replace" {
                Value::Object(patch)
            } else {
                let members = std::mem::take(members);
                Value::Object(merge_objects(members, patch, field.type_)?)
            }
        }
        (Some(Value::Array(items)), Value::Array(patch)) => {
            let field = list_field(type_, &key)?;
            if deletes || field.strategy == "merge" {
                let items = std::mem::take(items);
                Value::Array(merge_lists(items, patch, &field, deletes)?.merged)
            } else {
                Value::Array(patch)
            }
        }
        (Some(found), value) if same_type(found, &value) => {
            set_or_remove(original, key, value);
            return Ok(());
        }
        (_, _) if deletes => return Ok(()),
        (_, mut value) => {
            discard_nulls(&mut value);
            set_or_remove(original, key, value);
            return Ok(());
        }
    };
    original.insert(key, merged);
    Ok(())
}

fn set_or_remove(original: &mut Object, key: String, value: Value) {
    match without_directives(value) {
        Some(value) => original.insert(key, value),
        None => original.remove(&key),
    };
}

/// Whether Go decodes both values to the same type.
fn same_type(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.is_i64() == b.is_i64(),
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

/// `discardNullValuesFromPatch`
fn discard_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(discard_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(discard_nulls),
        _ => {}
    }
}

/// `removeDirectives`: what is added as a whole has none of the directives in it.
fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(members) if members.contains_key(DIRECTIVE) => None,
        Value::Object(members) => {
            let kept = members.into_iter();
            let kept = kept.filter_map(|(key, member)| Some((key, without_directives(member)?)));
            Some(Value::Object(kept.collect()))
        }
        Value::Array(items) => {
            let kept = items.into_iter().filter_map(without_directives);
            Some(Value::Array(kept.collect()))
        }
        value => Some(value),
    }
}

/// `applyRetainKeysDirective`: removes what `$retainKeys` does not list.
fn retain_keys(original: &mut Object, patch: &mut Object) -> Result<(), PatchError> {
    let bad = || PatchError::bad_request(BAD_RETAIN_KEYS);
    let Some(retained) = patch.remove(RETAIN_KEYS) else {
        return Ok(());
    };
    let Value::Array(retained) = retained else {
        return Err(bad());
    };
    let is_retained = |key: &str| retained.iter().any(|one| one.as_str() == Some(key));
    for (key, value) in &*patch {
        let directive = key.starts_with(DELETE_FROM) || key.starts_with(SET_ORDER);
        if !value.is_null() && !directive && !is_retained(key) {
            return Err(bad());
        }
    }
    original.retain(|key, _| is_retained(key));
    Ok(())
}
