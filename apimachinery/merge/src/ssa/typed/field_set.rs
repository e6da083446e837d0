//! Field set of a value: the paths that a manager owns after it has applied the value.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use genclient_apimachinery::fieldpath::{PathElement, Set, SetNode};
use serde_json::{Map as Members, Value};

use super::super::types::{List, ListMerge, Map, TypeId, Types};
use super::{Shape, items};

/// Returns the paths of a value's leaves, of its list items, and of map entries that are not
/// declared fields. Null, an empty map, and an atomic map or list count as leaves.
///
/// Source: structured-merge-diff, typed/tofieldset.go.
pub(in super::super) fn field_set(types: &Types, type_: TypeId, value: &Value) -> Set {
    field_set_below(types, Some(type_), value).1
}

/// Returns whether the value has a scalar or atomic type, and the field set below the value.
fn field_set_below(types: &Types, type_: Option<TypeId>, value: &Value) -> (bool, Set) {
    match types.shape_of(type_, value) {
        Some(Shape::Scalar(_)) => (true, Set::default()),
        Some(Shape::Map(map)) if map.atomic => (true, Set::default()),
        Some(Shape::Map(map)) => match value {
            Value::Object(members) => (false, map_fields(types, map, members)),
            _ => (false, Set::default()),
        },
        Some(Shape::List(list)) => match value {
            _ if matches!(list.merge, ListMerge::Atomic) => (true, Set::default()),
            Value::Array(items) => (false, list_fields(types, list, items)),
            _ => (false, Set::default()),
        },
        None => (false, Set::default()),
    }
}

/// Returns the field set of a map. Entries that are not declared fields are members themselves.
fn map_fields(types: &Types, map: &Map, members: &Members<String, Value>) -> Set {
    let node = |(name, value): (&String, &Value)| {
        let (name, type_, is_field) = map.entry(name);
        let (leaf, children) = field_set_below(types, type_, value);
        let empty = value.is_null() || value.as_object().is_some_and(Members::is_empty);
        let member = leaf || empty || !is_field;
        (member || !children.is_empty()).then_some(SetNode {
            element: PathElement::Field(name),
            member,
            children,
        })
    };
    members.iter().filter_map(node).collect()
}

/// Returns the field set of a list. If several items have the same identity, their path is a member
/// of the set, but no field below it is.
fn list_fields(types: &Types, list: &List, items: &[Value]) -> Set {
    let mut nodes: BTreeMap<PathElement, Option<&Value>> = BTreeMap::new();
    for item in items {
        let element = items::identify_item(types, list, item).unwrap_or(PathElement::Invalid);
        match nodes.entry(element) {
            Entry::Vacant(entry) => {
                entry.insert(Some(item));
            }
            Entry::Occupied(mut entry) => {
                entry.insert(None);
            }
        }
    }
    let node = |(element, item): (PathElement, Option<&Value>)| SetNode {
        element,
        member: true,
        children: item.map_or_else(Set::default, |item| {
            field_set_below(types, Some(list.items), item).1
        }),
    };
    nodes.into_iter().map(node).collect()
}
