//! Fields of converted objects: differences between two objects, empty values, and removal.

use serde_json::Value;

use super::decode_flaw::PathStep;

/// Adds the fields of `object` that differ from those of `other` to `found`. Of nested objects, and
/// of lists of objects with the same length, these are the inner fields.
pub(super) fn add_differing(object: &Value, other: &Value, found: &mut Vec<Vec<PathStep>>) {
    differing(object, other, &mut Vec::new(), found);
}

fn differing(
    value: &Value,
    other: &Value,
    path: &mut Vec<PathStep>,
    found: &mut Vec<Vec<PathStep>>,
) {
    match (value, other) {
        (Value::Object(fields), Value::Object(others)) => {
            for (name, field) in fields {
                let other = others.get(name).unwrap_or(&Value::Null);
                path.push(PathStep::Field(name.clone()));
                differing(field, other, path, found);
                path.pop();
            }
        }
        (Value::Array(items), Value::Array(others))
            if items.len() == others.len() && items.iter().all(Value::is_object) =>
        {
            for (at, (item, other)) in items.iter().zip(others).enumerate() {
                path.push(PathStep::Item(at));
                differing(item, other, path, found);
                path.pop();
            }
        }
        _ if value == other || found.contains(path) => {}
        _ => found.push(path.clone()),
    }
}

/// Adds the fields of `object` that are an empty object or list to `found`, except the metadata and
/// those that are an object or a list in `original`, too.
pub(super) fn add_empty(object: &Value, original: &Value, found: &mut Vec<Vec<PathStep>>) {
    empty(object, original, &mut Vec::new(), found);
}

fn empty(
    value: &Value,
    original: &Value,
    path: &mut Vec<PathStep>,
    found: &mut Vec<Vec<PathStep>>,
) {
    let is_empty = match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    let is_metadata = *path == [PathStep::Field("metadata".to_owned())];
    if is_empty && !is_metadata && !is_container(original) {
        found.push(path.clone());
    }
    for (name, field) in value.as_object().into_iter().flatten() {
        path.push(PathStep::Field(name.clone()));
        empty(field, &original[name], path, found);
        path.pop();
    }
    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
        path.push(PathStep::Item(at));
        empty(item, &original[at], path, found);
        path.pop();
    }
}

/// Removes a field, and then each object around it that has become empty, unless it is an object in
/// `original`, too. Items of lists and the metadata are not removed.
pub(super) fn remove(object: &mut Value, path: &[PathStep], original: &Value) {
    let Some((step, inner_path)) = path.split_first() else {
        return;
    };
    match (object, step) {
        (Value::Object(fields), PathStep::Field(name)) => {
            let Some(field) = fields.get_mut(name) else {
                return;
            };
            if !inner_path.is_empty() {
                remove(field, inner_path, &original[name]);
                let is_emptied = field.as_object().is_some_and(serde_json::Map::is_empty);
                if !is_emptied || is_container(&original[name]) || name == "metadata" {
                    return;
                }
            }
            fields.remove(name);
        }
        (Value::Array(items), PathStep::Item(at)) => {
            if let Some(item) = items.get_mut(*at) {
                remove(item, inner_path, &original[*at]);
            }
        }
        _ => {}
    }
}

fn is_container(value: &Value) -> bool {
    value.is_object() || value.is_array()
}
