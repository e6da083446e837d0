//! Removal of paths from a value.

use serde_json::Value;

use super::super::path::PathElement;
use super::super::set::Set;
use super::super::types::{List, ListMerge, Map, TypeId, Types};
use super::{Shape, items};

/// Takes the members of a set out of a value. A list or map below which something is to be
/// removed becomes null if it is atomic, empty or left without parts.
///
/// Source: structured-merge-diff, typed/remove.go.
pub(in super::super) fn remove(types: &Types, type_: TypeId, value: &mut Value, set: &Set) {
    below(types, Some(type_), value, set);
}

fn below(types: &Types, type_: Option<TypeId>, value: &mut Value, set: &Set) {
    match types.shape(type_, value) {
        Some(Shape::Scalar(_)) => return,
        Some(Shape::Map(map)) => from_map(types, map, value, set),
        Some(Shape::List(list)) => from_list(types, list, value, set),
        None => *value = Value::Null,
    }
    let remains = match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => false,
    };
    if !remains {
        *value = Value::Null;
    }
}

fn from_map(types: &Types, map: &Map, value: &mut Value, set: &Set) {
    let Some(members) = value.as_object_mut().filter(|_| !map.atomic) else {
        *value = Value::Null;
        return;
    };
    for node in &set.nodes {
        if let PathElement::Field(name) = &node.element {
            if node.member {
                members.remove(&**name);
            } else if let Some(member) = members.get_mut(&**name) {
                below(types, map.of(name), member, &node.children);
            }
        }
    }
}

fn from_list(types: &Types, list: &List, value: &mut Value, set: &Set) {
    let atomic = matches!(list.merge, ListMerge::Atomic);
    let Some(items) = value.as_array_mut().filter(|_| !atomic) else {
        *value = Value::Null;
        return;
    };
    items.retain_mut(|item| {
        let element = items::element(types, list, item).unwrap_or(PathElement::Invalid);
        match set.get(&element) {
            Some(node) if node.member => false,
            Some(node) => {
                below(types, Some(list.items), item, &node.children);
                true
            }
            None => true,
        }
    });
}
