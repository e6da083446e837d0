//! Sets and map lists: no item twice.

use std::collections::HashMap;

use serde_json::Value;

use super::causes;
use super::violation::{Step, Violation, ViolationKind};
use crate::{ListType, Schema};

/// Returns the items that stand in their list before: of each the first repetition.
pub(super) fn duplicates(schema: &Schema, value: &Value) -> Vec<Violation> {
    let mut search = Search::default();
    search.value(schema, value);
    search.duplicates
}

#[derive(Default)]
struct Search {
    path: Vec<Step>,
    duplicates: Vec<Violation>,
}

impl Search {
    fn value(&mut self, schema: &Schema, value: &Value) {
        match value {
            Value::Array(items) => self.list(schema, items),
            Value::Object(members) => {
                for (name, value) in members {
                    if let Some((step, schema)) = Step::into_member(schema, name) {
                        self.below(step, schema, value);
                    }
                }
            }
            _ => {}
        }
    }

    fn below(&mut self, step: Step, schema: &Schema, value: &Value) {
        self.path.push(step);
        self.value(schema, value);
        self.path.pop();
    }

    fn list(&mut self, schema: &Schema, items: &[Value]) {
        match schema.list_type {
            Some(ListType::Set) => {
                for at in repeated(items) {
                    self.report(at, ViolationKind::DuplicateItem);
                }
            }
            Some(ListType::Map) => self.map_list(schema, items),
            _ => {}
        }
        if let Some(schema) = &schema.items {
            for (at, item) in items.iter().enumerate() {
                self.below(Step::Item(at), schema, item);
            }
        }
    }

    fn map_list(&mut self, schema: &Schema, items: &[Value]) {
        let is_foreign = |item: &Value| !item.is_object() && !item.is_null();
        if let Some(at) = items.iter().position(is_foreign) {
            return self.report(at, ViolationKind::NoObject);
        }
        let keys = |item: &Value| {
            let keys = schema.list_map_keys.iter();
            let keys = keys.filter_map(|key| Some((key.clone(), item.get(key)?.clone())));
            Value::Object(keys.collect())
        };
        let keys: Vec<_> = items.iter().map(keys).collect();
        for at in repeated(&keys) {
            if let Value::Object(keys) = &keys[at] {
                self.report(at, ViolationKind::DuplicateKeys(keys.clone()));
            }
        }
    }

    fn report(&mut self, at: usize, kind: ViolationKind) {
        let mut path = self.path.clone();
        path.push(Step::Item(at));
        self.duplicates.push(Violation {
            path,
            kind,
            in_branch: false,
        });
    }
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
        Value::Array(_) | Value::Object(_) => causes::json(item),
        item => item.to_string(),
    }
}
