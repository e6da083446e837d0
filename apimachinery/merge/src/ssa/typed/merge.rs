//! Merge of an applied value into a live value.

use std::collections::BTreeMap;

use serde_json::{Map as Members, Value};

use super::super::path::PathElement;
use super::super::types::{List, ListMerge, Map, TypeId, Types};
use super::{Shape, items};

/// Merges an applied value into a live one. Both must match the type, and the applied lists must
/// not have two items with the same identity. The result can be `None` only if a value does not
/// match the type.
///
/// Source: structured-merge-diff, typed/merge.go.
pub(in super::super) fn merge(
    types: &Types,
    type_: TypeId,
    live: &Value,
    applied: &Value,
) -> Option<Value> {
    both(types, Some(type_), live, applied)
}

fn either(
    types: &Types,
    type_: Option<TypeId>,
    live: Option<&Value>,
    applied: Option<&Value>,
) -> Option<Value> {
    match (live, applied) {
        (Some(live), Some(applied)) => both(types, type_, live, applied),
        (only, None) | (None, only) => only.cloned(),
    }
}

fn both(types: &Types, type_: Option<TypeId>, live: &Value, applied: &Value) -> Option<Value> {
    match types.shape_of(type_, applied)? {
        Shape::Scalar(_) => Some(applied.clone()),
        Shape::Map(map) => {
            let (ours, theirs) = (members(applied), members(live));
            if map.atomic || (ours.is_none() && theirs.is_none()) {
                return Some(applied.clone());
            }
            let merged = maps(types, map, theirs, ours);
            (!merged.is_empty()).then_some(Value::Object(merged))
        }
        Shape::List(list) => {
            let (ours, theirs) = (list_items(applied), list_items(live));
            let atomic = matches!(list.merge, ListMerge::Atomic);
            if atomic || (ours.is_empty() && theirs.is_empty()) {
                return Some(applied.clone());
            }
            let merged = Lists::new(types, list, theirs, ours).merged();
            (!merged.is_empty()).then_some(Value::Array(merged))
        }
    }
}

fn members(value: &Value) -> Option<&Members<String, Value>> {
    value.as_object().filter(|members| !members.is_empty())
}

fn list_items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn maps(
    types: &Types,
    map: &Map,
    live: Option<&Members<String, Value>>,
    applied: Option<&Members<String, Value>>,
) -> Members<String, Value> {
    let mut merged = Members::new();
    for (name, value) in live.into_iter().flatten() {
        let applied = applied.and_then(|applied| applied.get(name));
        let value = either(types, map.of(name), Some(value), applied);
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
struct Lists<'a> {
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

impl<'a> Lists<'a> {
    fn new(types: &'a Types, list: &'a List, live: &'a [Value], applied: &'a [Value]) -> Self {
        let identified = |items: &'a [Value]| -> Vec<_> {
            let element = |item| Some((items::element(types, list, item).ok()?, item));
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

    fn merged(mut self) -> Vec<Value> {
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
                let next = shared.peek().is_some_and(|next| next != live);
                if next && self.applied_at.contains_key(live) {
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
        let item = either(self.types, Some(self.list.items), live, Some(applied));
        self.merged.extend(item);
    }
}
