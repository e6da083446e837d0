//! Sets and map lists: no item twice.

use serde_json::{Map, Value};

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
            Some(ListType::Map) => {
                let keys = |item: &Value| -> Map<String, Value> {
                    let keys = schema.list_map_keys.iter();
                    keys.filter_map(|key| Some((key.clone(), item.get(key)?.clone())))
                        .collect()
                };
                let keys: Vec<_> = items.iter().map(keys).collect();
                for at in repeated(&keys) {
                    self.report(at, ViolationKind::DuplicateKeys(keys[at].clone()));
                }
            }
            _ => {}
        }
        if let Some(schema) = &schema.items {
            for (at, item) in items.iter().enumerate() {
                self.below(Step::Item(at), schema, item);
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
fn repeated<T: PartialEq>(items: &[T]) -> impl Iterator<Item = usize> {
    (0..items.len()).filter(|&at| {
        let before = items[..at].iter().filter(|item| **item == items[at]);
        before.count() == 1
    })
}
