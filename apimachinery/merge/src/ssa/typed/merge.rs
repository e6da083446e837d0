//! Merge of an applied value into a live value.

use std::collections::BTreeMap;

use genclient_apimachinery::fieldpath::PathElement;
use genclient_apimachinery::unstructured::list_or_empty;
use serde_json::{Map as Members, Value};

use super::super::types::{List, ListMerge, Map, TypeId, Types};
use super::{Shape, items};

/// Merges an applied value into a live one. Both must match the type, and the applied lists must
/// not have two items with the same identity. The result can be `None` only if a value does not
/// match the type.
///
/// Source: structured-merge-diff, typed/merge.go.
pub(in super::super) fn merge_values(
    types: &Types,
    type_: TypeId,
    live: &Value,
    applied: &Value,
) -> Option<Value> {
    merge_both(types, Some(type_), live, applied)
}

/// Merges two values, or returns the only one.
fn merge_optional(
    types: &Types,
    type_: Option<TypeId>,
    live: Option<&Value>,
    applied: Option<&Value>,
) -> Option<Value> {
    match (live, applied) {
        (Some(live), Some(applied)) => merge_both(types, type_, live, applied),
        (only, None) | (None, only) => only.cloned(),
    }
}

/// Merges two values in the form that the applied one has.
fn merge_both(
    types: &Types,
    type_: Option<TypeId>,
    live: &Value,
    applied: &Value,
) -> Option<Value> {
    match types.shape_of(type_, applied)? {
        Shape::Scalar(_) => Some(applied.clone()),
        Shape::Map(map) => {
            let (ours, theirs) = (nonempty_members(applied), nonempty_members(live));
            if map.atomic || (ours.is_none() && theirs.is_none()) {
                return Some(applied.clone());
            }
            let merged = merge_maps(types, map, theirs, ours);
            (!merged.is_empty()).then_some(Value::Object(merged))
        }
        Shape::List(list) => {
            let (ours, theirs) = (list_or_empty(applied), list_or_empty(live));
            let atomic = matches!(list.merge, ListMerge::Atomic);
            if atomic || (ours.is_empty() && theirs.is_empty()) {
                return Some(applied.clone());
            }
            let merged = ListMerger::new(types, list, theirs, ours).merge();
            (!merged.is_empty()).then_some(Value::Array(merged))
        }
    }
}

fn nonempty_members(value: &Value) -> Option<&Members<String, Value>> {
    value.as_object().filter(|members| !members.is_empty())
}

/// Merges two maps: members of both are merged, others are taken as they are.
fn merge_maps(
    types: &Types,
    map: &Map,
    live: Option<&Members<String, Value>>,
    applied: Option<&Members<String, Value>>,
) -> Members<String, Value> {
    let mut merged = Members::new();
    for (name, value) in live.into_iter().flatten() {
        let applied = applied.and_then(|applied| applied.get(name));
        let value = merge_optional(types, map.field_type(name), Some(value), applied);
        merged.extend(value.map(|value| (name.clone(), value)));
    }
    for (name, value) in applied.into_iter().flatten() {
        if live.is_none_or(|live| !live.contains_key(name)) {
            merged.insert(name.clone(), value.clone());
        }
    }
    merged
}

/// Merge of two lists. Where the order of their items differs, the order of the applied list wins.
struct ListMerger<'a> {
    types: &'a Types,
    list: &'a List,
    live: Vec<(PathElement, &'a Value)>,
    applied: Vec<(PathElement, &'a Value)>,
    /// Position of each applied item, and whether the item is in `merged` already.
    applied_at: BTreeMap<PathElement, (usize, bool)>,
    /// Position of each live item. `None` if several live items have this identity: the applied
    /// item then replaces all of them.
    live_at: BTreeMap<PathElement, Option<usize>>,
    merged: Vec<Value>,
}

impl<'a> ListMerger<'a> {
    /// Identifies the items of both lists.
    fn new(types: &'a Types, list: &'a List, live: &'a [Value], applied: &'a [Value]) -> Self {
        let identified = |items: &'a [Value]| -> Vec<_> {
            let element = |item| Some((items::identify_item(types, list, item).ok()?, item));
            items.iter().filter_map(element).collect()
        };
        let (live, applied) = (identified(live), identified(applied));
        let applied_at = applied
            .iter()
            .enumerate()
            .map(|(at, (element, _))| (element.clone(), (at, false)));
        let mut live_at = BTreeMap::new();
        for (at, (element, _)) in live.iter().enumerate() {
            let seen = live_at.entry(element.clone());
            seen.and_modify(|at| *at = None).or_insert(Some(at));
        }
        Self {
            types,
            list,
            applied_at: applied_at.collect(),
            merged: Vec::with_capacity(live.len().max(applied.len())),
            live_at,
            live,
            applied,
        }
    }

    /// Walks both lists at once (`mergingWalker.visitListItems`). Items that only one list has keep
    /// their place after the item before them. Items of both lists (`shared`) come in the order of
    /// the applied list.
    fn merge(mut self) -> Vec<Value> {
        let shared: Vec<_> = self
            .applied
            .iter()
            .map(|(element, _)| element.clone())
            .filter(|element| self.live_at.contains_key(element))
            .collect();
        let mut shared = shared.into_iter().peekable();
        let (mut left, mut right) = (0, 0);
        while left < self.live.len() || right < self.applied.len() {
            let live = self.live.get(left).map(|(element, _)| element);
            let applied = self.applied.get(right).map(|(element, _)| element);
            if let (Some(live), Some(applied)) = (live, applied) {
                if live == applied {
                    self.take_applied(right);
                    (left, right) = (left + 1, right + 1);
                    shared.next();
                    continue;
                }
                // The live item comes later in the applied list, and is taken there.
                let is_out_of_order = shared.peek().is_some_and(|next| next != live);
                if is_out_of_order && self.applied_at.contains_key(live) {
                    left += 1;
                    continue;
                }
            }
            if let Some(live) = live {
                match self.applied_at.get(live) {
                    None => {
                        self.merged.push(self.live[left].1.clone());
                        left += 1;
                        continue;
                    }
                    // The item was merged at its place in the applied list.
                    Some((_, true)) => left += 1,
                    Some((_, false)) => {}
                }
            }
            if let Some(applied) = applied {
                shared.next_if(|next| next == applied);
                self.take_applied(right);
                right += 1;
            }
        }
        self.merged
    }

    /// Appends an applied item to `merged`, after merging it with the live item of the same
    /// identity.
    fn take_applied(&mut self, at: usize) {
        let (element, applied) = &self.applied[at];
        if let Some((_, merged)) = self.applied_at.get_mut(element) {
            *merged = true;
        }
        let live = self
            .live_at
            .get(element)
            .copied()
            .map(|at| at.map_or(&Value::Null, |at| self.live[at].1));
        let item = merge_optional(self.types, Some(self.list.items), live, Some(applied));
        self.merged.extend(item);
    }
}
