//! Functions that read values and members of an object, and set members.
//!
//! Like fields of Go structs, absent members have the zero value of the expected type.

use genclient_apimachinery::unstructured::str_or_empty;
use serde_json::Value;

use crate::types::Object;

/// Sets a member if it is absent, null or an empty string.
pub(crate) fn set_default(members: &mut Object, name: &str, value: impl Into<Value>) {
    let is_empty = match members.get(name) {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(_) => false,
    };
    if is_empty {
        members.insert(name.to_owned(), value.into());
    }
}

/// Changes a member that is an object. An absent or null member becomes an empty object first.
pub(crate) fn change_member(members: &mut Object, name: &str, change: impl FnOnce(&mut Object)) {
    let place = members.entry(name.to_owned()).or_insert(Value::Null);
    if place.is_null() {
        *place = Value::Object(Object::new());
    }
    if let Value::Object(inner) = place {
        change(inner);
    }
}

/// Returns a string member, or an empty string if it is absent.
pub(crate) fn member_text<'a>(members: &'a Object, name: &str) -> &'a str {
    members
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

pub(crate) fn has_member(members: &Object, name: &str) -> bool {
    members.get(name).is_some_and(|member| !member.is_null())
}

/// Returns the items of a list member that are objects.
pub(crate) fn items_mut<'a>(
    members: &'a mut Object,
    name: &str,
) -> impl Iterator<Item = &'a mut Object> {
    let items = members.get_mut(name).and_then(Value::as_array_mut);
    items.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Returns a member. A null or absent member becomes an empty object first.
pub(crate) fn member_mut<'a>(value: &'a mut Value, name: &str) -> &'a mut Value {
    let place = &mut value[name];
    if place.is_null() {
        *place = Value::Object(Object::new());
    }
    place
}

/// Sets a member of an object, or removes it if `value` is null.
pub(crate) fn set_member(object: &mut Value, name: &str, value: Value) {
    if let Value::Object(members) = object {
        match value {
            Value::Null => members.remove(name),
            value => members.insert(name.to_owned(), value),
        };
    }
}

/// Returns a string value, or `other` if it is empty or absent.
pub(crate) fn text_or<'a>(value: &'a Value, other: &'a str) -> &'a str {
    match str_or_empty(value) {
        "" => other,
        text => text,
    }
}

pub(crate) fn as_integer(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

pub(crate) fn as_flag(value: &Value) -> bool {
    value.as_bool().unwrap_or_default()
}

pub(crate) fn member_count(value: &Value) -> usize {
    value.as_object().map_or(0, serde_json::Map::len)
}
