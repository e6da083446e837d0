//! Addition of declared fields to a set: `.spec` to a set with `.spec.replicas`
//! (structured-merge-diff, fieldpath/set.go, `EnsureNamedFieldsAreMembers`).
//!
//! Managers own leaves, list items and map entries. To remove a struct of which nothing is applied
//! any more, pruning needs the path of the struct, too.

use genclient_apimachinery::fieldpath::{PathElement, Set};

use super::super::types::{TypeId, Types};

/// Adds the path of each declared field if the set has a path below it.
pub(in super::super) fn add_named_fields(types: &Types, type_: TypeId, set: &mut Set) {
    add_below(types, Some(type_), set);
}

/// Adds fields at and below `set`, a set of a value of `type_`.
fn add_below(types: &Types, type_: Option<TypeId>, set: &mut Set) {
    let atom = type_.map(|type_| types.atom(type_));
    let map = atom.and_then(|atom| atom.map.as_ref());
    let list = atom.and_then(|atom| atom.list.as_ref());
    for node in set
        .nodes
        .iter_mut()
        .filter(|node| !node.children.is_empty())
    {
        let below = match (&node.element, map, list) {
            (PathElement::Field(name), Some(map), _) => {
                let field = map.field(name);
                node.member |= field.is_some();
                field.map(|(_, type_)| *type_).or(map.others)
            }
            (PathElement::ListKey(_), _, Some(list)) => Some(list.items),
            _ => None,
        };
        add_below(types, below, &mut node.children);
    }
}
