//! Removal of paths from a value.

use std::borrow::Cow;

use genclient_apimachinery::fieldpath::{PathElement, Set};
use serde_json::{Map as Members, Value};

use super::super::types::{List, ListMerge, Map, TypeId, Types};
use super::{Shape, items};

/// Returns a value without the paths in `set`. A list or map from which paths are removed becomes
/// null if it is atomic, or if it is then empty.
///
/// Source: structured-merge-diff, typed/remove.go.
pub(in super::super) fn remove_paths<'a>(
    types: &Types,
    type_: TypeId,
    value: &'a Value,
    set: &Set,
) -> Cow<'a, Value> {
    match types.shape_of(Some(type_), value) {
        Some(Shape::Map(map)) if !map.atomic && set.is_empty() && is_nonempty_object(value) => {
            // Nothing is removed, so nothing is copied. An empty map becomes null below.
            Cow::Borrowed(value)
        }
        _ => Cow::Owned(remove_below(types, Some(type_), value, set)),
    }
}

fn is_nonempty_object(value: &Value) -> bool {
    value.as_object().is_some_and(|members| !members.is_empty())
}

/// Removes paths below a value of any form. Values that do not match their type become null, like
/// atomic ones.
fn remove_below(types: &Types, type_: Option<TypeId>, value: &Value, set: &Set) -> Value {
    match types.shape_of(type_, value) {
        Some(Shape::Scalar(_)) => value.clone(),
        Some(Shape::Map(map)) if !map.atomic => match value {
            Value::Object(members) => remove_from_map(types, map, members, set),
            _ => Value::Null,
        },
        Some(Shape::List(list)) if !matches!(list.merge, ListMerge::Atomic) => match value {
            Value::Array(items) => remove_from_list(types, list, items, set),
            _ => Value::Null,
        },
        _ => Value::Null,
    }
}

/// Removes paths from a map.
fn remove_from_map(types: &Types, map: &Map, members: &Members<String, Value>, set: &Set) -> Value {
    let mut kept = Members::new();
    for (name, member) in members {
        let member = match set.get_field(name) {
            Some(node) if node.member => continue,
            Some(node) => remove_below(types, map.field_type(name), member, &node.children),
            None => member.clone(),
        };
        kept.insert(name.clone(), member);
    }
    if kept.is_empty() {
        Value::Null
    } else {
        Value::Object(kept)
    }
}

/// Removes paths from a list, whose items are found by identity.
fn remove_from_list(types: &Types, list: &List, values: &[Value], set: &Set) -> Value {
    let kept: Vec<_> = values
        .iter()
        .filter_map(|item| {
            // No set has an item without identity, so it stays.
            let element = items::identify_item(types, list, item).unwrap_or(PathElement::Invalid);
            match set.get(&element) {
                Some(node) if node.member => None,
                Some(node) => Some(remove_below(types, Some(list.items), item, &node.children)),
                None => Some(item.clone()),
            }
        })
        .collect();
    if kept.is_empty() {
        Value::Null
    } else {
        Value::Array(kept)
    }
}
