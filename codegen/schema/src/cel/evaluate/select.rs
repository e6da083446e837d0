//! Selection from a value by field, index or key.

use std::rc::Rc;

use super::map::lossless_int;
use super::value::{List, Native, Value};

/// Result of a selection: data, or the error message.
pub(super) type Selected<'a> = Result<Native<'a>, Rc<str>>;

/// Converts data into a key or index.
pub(super) fn key_of(key: Native<'_>) -> Result<Value<'_>, Rc<str>> {
    match key {
        Native::Nil | Native::Object(_) | Native::Array(_) => {
            Err(format!("invalid qualifier type: {}", key.go_type()).into())
        }
        key => match key.value() {
            value @ (Value::Text(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Bool(_)
            | Value::Double(_)) => Ok(value),
            other => Err(format!("invalid qualifier type: {}", other.go_type()).into()),
        },
    }
}

/// Selects a part of an object by key. Returns `None` if it is missing and `tests` is set.
pub(super) fn select<'a>(
    object: Native<'a>,
    key: &Value<'a>,
    tests: bool,
) -> Result<Option<Native<'a>>, Rc<str>> {
    let missing_key = || match tests {
        true => Ok(None),
        false => Err(format!("no such key: {}", key.printed()).into()),
    };
    let missing_index = || match tests {
        true => Ok(None),
        false => Err(format!("index out of bounds: {}", key.printed()).into()),
    };
    match (&object, key) {
        (Native::Object(members), Value::Text(name)) => {
            return members
                .get(&**name)
                .map_or_else(missing_key, |member| Ok(Some(Native::from(member))));
        }
        (Native::Array(elements), Value::Int(index)) => {
            let element = usize::try_from(*index)
                .ok()
                .and_then(|index| elements.get(index));
            return element.map_or_else(missing_index, |element| Ok(Some(element)));
        }
        _ => {}
    }
    match object.value() {
        Value::Error(error) => Err(error),
        Value::Map(map) => match map.find(key) {
            Some(Value::Error(error)) => Err(error),
            Some(found) => Ok(Some(Native::Value(found))),
            None => missing_key(),
        },
        Value::List(list) => {
            let index = index_of(key)?;
            let index = usize::try_from(index).ok();
            match index.and_then(|index| list.get(index)) {
                Some(_) if matches!(list, List::Typed(_)) && !matches!(key, Value::Int(_)) => {
                    let key = key.printed();
                    Ok(Some(Native::Value(Value::error(format!(
                        "unsupported index: {key}"
                    )))))
                }
                Some(found) => Ok(Some(Native::Value(found))),
                None => missing_index(),
            }
        }
        _ => missing_key(),
    }
}

fn index_of(key: &Value<'_>) -> Result<i64, Rc<str>> {
    let unsupported = || format!("unsupported index value {} in list", key.printed()).into();
    match key {
        Value::Int(index) => Ok(*index),
        Value::Double(index) => lossless_int(*index).ok_or_else(unsupported),
        Value::Uint(index) => i64::try_from(*index).map_err(|_| unsupported()),
        other => {
            let found = other.type_name();
            Err(format!("unsupported index type '{found}' in list").into())
        }
    }
}
