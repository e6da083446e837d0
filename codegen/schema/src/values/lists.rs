//! Sets and map lists: no item twice.

use std::collections::HashMap;

use serde_json::Value;

use super::violation::ViolationKind;
use crate::cause;
use crate::{ListType, Schema};

/// Returns the items that stand in the list before: of each the first repetition.
pub(super) fn duplicates(schema: &Schema, items: &[Value]) -> Vec<(usize, ViolationKind)> {
    match schema.list_type {
        Some(ListType::Set) => {
            let repeated = repeated(items).into_iter();
            repeated
                .map(|at| (at, ViolationKind::DuplicateItem))
                .collect()
        }
        Some(ListType::Map) => of_map_list(schema, items),
        _ => Vec::new(),
    }
}

fn of_map_list(schema: &Schema, items: &[Value]) -> Vec<(usize, ViolationKind)> {
    let is_foreign = |item: &Value| !item.is_object() && !item.is_null();
    if let Some(at) = items.iter().position(is_foreign) {
        return vec![(at, ViolationKind::NotAnObject)];
    }
    let keys = |item: &Value| {
        let keys = schema.list_map_keys.iter();
        let keys = keys.filter_map(|key| Some((key.clone(), item.get(key)?.clone())));
        Value::Object(keys.collect())
    };
    let keys: Vec<_> = items.iter().map(keys).collect();
    let repeated = repeated(&keys).into_iter();
    repeated
        .filter_map(|at| match &keys[at] {
            Value::Object(keys) => Some((at, ViolationKind::DuplicateKeys(keys.clone()))),
            _ => None,
        })
        .collect()
}

/// The places where something stands for the second time.
fn repeated(items: &[Value]) -> Vec<usize> {
    let mut times: HashMap<String, usize> = HashMap::new();
    let mut repeated = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let times = times.entry(identity(item)).or_default();
        *times += 1;
        if *times == 2 {
            repeated.push(at);
        }
    }
    repeated
}

/// A text that two items share if they are the same to the API server: lists and objects by their
/// JSON in Go, where `1.0` is 1, and other values by type and value.
fn identity(item: &Value) -> String {
    match item {
        Value::Array(_) | Value::Object(_) => cause::json(item),
        item => item.to_string(),
    }
}
