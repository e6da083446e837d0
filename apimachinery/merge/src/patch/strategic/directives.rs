//! Directives of a strategic merge patch, such as `$patch` and `$retainKeys`.

use genclient_apimachinery::go::printed;
use serde_json::{Map, Value};

use crate::patch::PatchError;

/// Members of a JSON object.
pub(super) type Object = Map<String, Value>;

pub(super) const DIRECTIVE: &str = "$patch";
pub(super) const RETAIN_KEYS: &str = "$retainKeys";
pub(super) const DELETE_FROM: &str = "$deleteFromPrimitiveList";
pub(super) const SET_ORDER: &str = "$setElementOrder";

pub(super) const BAD_DELETE_FROM: &str = "invalid patch format of primitive list";
pub(super) const BAD_RETAIN_KEYS: &str = "invalid patch format of retainKeys";
pub(super) const BAD_SET_ORDER: &str = "invalid patch format of setElementOrder list";

pub(super) fn unknown_directive_error(directive: &Value, mut patch: Object) -> PatchError {
    patch.insert(DIRECTIVE.to_owned(), directive.clone());
    let map = printed(&Value::Object(patch));
    PatchError::internal(format!(
        "unknown patch type: {} in map: {map}",
        format_verb_s(directive)
    ))
}

/// Formats a value as Go's `%s` does.
fn format_verb_s(value: &Value) -> String {
    match value {
        Value::Null => "%!s(<nil>)".to_owned(),
        Value::Bool(truth) => format!("%!s(bool={truth})"),
        Value::Number(number) if number.is_i64() => format!("%!s(int64={number})"),
        Value::Number(_) => format!("%!s(float64={})", printed(value)),
        value => printed(value),
    }
}

/// Removes objects with `$patch` from a value that the patch adds (`removeDirectives`). Returns
/// `None` if the value itself is such an object.
pub(super) fn remove_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(members) if members.contains_key(DIRECTIVE) => None,
        Value::Object(members) => {
            let kept = members
                .into_iter()
                .filter_map(|(key, member)| Some((key, remove_directives(member)?)));
            Some(Value::Object(kept.collect()))
        }
        Value::Array(items) => {
            let kept = items.into_iter().filter_map(remove_directives);
            Some(Value::Array(kept.collect()))
        }
        value => Some(value),
    }
}
