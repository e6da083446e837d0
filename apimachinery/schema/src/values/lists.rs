//! Detection of duplicate items in sets and map lists.

use std::collections::HashMap;

use genclient_apimachinery::go;
use serde_json::Value;

use super::violation::{Step, Violation, ViolationKind};
use crate::{ListType, Schema};

/// Returns the violations that [`duplicates`] finds in all lists of a value.
pub(super) fn list_violations(schema: &Schema, value: &Value) -> Vec<Violation> {
    let mut found = Vec::new();
    below(schema, value, &mut Vec::new(), &mut found);
    found
}

fn below(schema: &Schema, value: &Value, path: &mut Vec<Step>, found: &mut Vec<Violation>) {
    let mut steps = Vec::new();
    match value {
        Value::Array(items) => {
            let repeated = duplicates(schema, items).into_iter();
            found.extend(repeated.map(|(at, kind)| Violation {
                path: path.iter().cloned().chain([Step::Item(at)]).collect(),
                kind,
                in_branch: false,
            }));
            let items = items.iter().enumerate();
            let of_items = schema.items.as_deref();
            steps.extend(items.filter_map(|(at, item)| Some((Step::Item(at), of_items?, item))));
        }
        Value::Object(members) => steps.extend(members.iter().filter_map(|(name, member)| {
            let (step, schema) = Step::into_member(schema, name)?;
            Some((step, schema, member))
        })),
        _ => {}
    }
    for (step, schema, value) in steps {
        path.push(step);
        below(schema, value, path, found);
        path.pop();
    }
}

/// Returns the second occurrence of each repeated item. If an item of a map list is neither an
/// object nor null, returns only that item.
pub(super) fn duplicates(schema: &Schema, items: &[Value]) -> Vec<(usize, ViolationKind)> {
    match schema.list_type {
        Some(ListType::Set) => {
            let repeated = repeated(items.iter().map(Some));
            repeated
                .into_iter()
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
        let keys = schema
            .list_map_keys
            .iter()
            .filter_map(|key| Some((key.clone(), item.get(key)?.clone())));
        Value::Object(keys.collect())
    };
    let keys: Vec<_> = items.iter().map(keys).collect();
    let repeated = match &schema.list_map_keys[..] {
        // Several keys are compared as Go's JSON text, in which `1.0` and 1 are equal. Of a single
        // key, type and value are compared, so that `1.0` and 1 differ.
        [name] => repeated(keys.iter().map(|keys| keys.get(name))),
        _ => repeated(keys.iter().map(Some)),
    };
    repeated
        .into_iter()
        .filter_map(|at| match &keys[at] {
            Value::Object(keys) => Some((at, ViolationKind::DuplicateKeys(keys.clone()))),
            _ => None,
        })
        .collect()
}

/// Returns the indices at which an item occurs for the second time.
fn repeated<'v>(items: impl Iterator<Item = Option<&'v Value>>) -> Vec<usize> {
    let mut times: HashMap<Option<String>, usize> = HashMap::new();
    let mut repeated = Vec::new();
    for (at, item) in items.enumerate() {
        let times = times.entry(item.map(identity)).or_default();
        *times += 1;
        if *times == 2 {
            repeated.push(at);
        }
    }
    repeated
}

/// Returns a text that is equal for items that the API server considers equal. The items `1.0` and
/// 1 differ, but the items `[1.0]` and `[1]` are equal.
fn identity(item: &Value) -> String {
    match item {
        Value::Array(_) | Value::Object(_) => go::json(item),
        Value::Number(number) if !number.is_i64() => {
            // 0.0 and -0.0 are equal.
            format!("float {}", number.as_f64().unwrap_or_default() + 0.0)
        }
        item => item.to_string(),
    }
}
