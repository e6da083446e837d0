//! Paths of differing and empty fields, and their removal.

use serde_json::Value;

use super::decode_flaw::PathStep;

/// Adds the fields of `object` that differ from those of `other` to `paths`. Of nested objects, and
/// of lists of objects with the same length, these are the inner fields.
pub(super) fn collect_differing(object: &Value, other: &Value, paths: &mut Vec<Vec<PathStep>>) {
    collect_differing_at(object, other, &mut Vec::new(), paths);
}

fn collect_differing_at(
    value: &Value,
    other: &Value,
    path: &mut Vec<PathStep>,
    paths: &mut Vec<Vec<PathStep>>,
) {
    match (value, other) {
        (Value::Object(fields), Value::Object(others)) => {
            for (name, field) in fields {
                let other = others.get(name).unwrap_or(&Value::Null);
                path.push(PathStep::Field(name.clone()));
                collect_differing_at(field, other, path, paths);
                path.pop();
            }
        }
        (Value::Array(items), Value::Array(others))
            if items.len() == others.len() && items.iter().all(Value::is_object) =>
        {
            for (at, (item, other)) in items.iter().zip(others).enumerate() {
                path.push(PathStep::Item(at));
                collect_differing_at(item, other, path, paths);
                path.pop();
            }
        }
        _ if value == other || paths.contains(path) => {}
        _ => paths.push(path.clone()),
    }
}

/// Adds the fields of `object` that are an empty object or list to `paths`, except the metadata and
/// those that are an object or a list in `original`, too.
pub(super) fn collect_empty(object: &Value, original: &Value, paths: &mut Vec<Vec<PathStep>>) {
    collect_empty_at(object, original, &mut Vec::new(), paths);
}

fn collect_empty_at(
    value: &Value,
    original: &Value,
    path: &mut Vec<PathStep>,
    paths: &mut Vec<Vec<PathStep>>,
) {
    let is_empty = match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    // The API server rejects a converted object without `metadata` (`restoreObjectMeta` in
    // `pkg/apiserver/conversion/webhook_converter.go` of apiextensions-apiserver).
    let is_metadata = *path == [PathStep::Field("metadata".to_owned())];
    if is_empty && !is_metadata && !is_container(original) {
        paths.push(path.clone());
    }
    for (name, field) in value.as_object().into_iter().flatten() {
        path.push(PathStep::Field(name.clone()));
        collect_empty_at(field, &original[name], path, paths);
        path.pop();
    }
    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
        path.push(PathStep::Item(at));
        collect_empty_at(item, &original[at], path, paths);
        path.pop();
    }
}

/// Removes a field, and then each object around it that has become empty, unless it is an object in
/// `original`, too. Items of lists and the metadata are not removed.
pub(super) fn remove_field(object: &mut Value, path: &[PathStep], original: &Value) {
    let Some((step, inner_path)) = path.split_first() else {
        return;
    };
    match (object, step) {
        (Value::Object(fields), PathStep::Field(name)) => {
            let Some(field) = fields.get_mut(name) else {
                return;
            };
            if !inner_path.is_empty() {
                remove_field(field, inner_path, &original[name]);
                let is_emptied = field.as_object().is_some_and(serde_json::Map::is_empty);
                if !is_emptied || is_container(&original[name]) || name == "metadata" {
                    return;
                }
            }
            fields.remove(name);
        }
        (Value::Array(items), PathStep::Item(at)) => {
            if let Some(item) = items.get_mut(*at) {
                remove_field(item, inner_path, &original[*at]);
            }
        }
        _ => {}
    }
}

fn is_container(value: &Value) -> bool {
    value.is_object() || value.is_array()
}
