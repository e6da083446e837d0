//! Adjustment of field sets to a schema: reconciliation after a schema change, and addition of the
//! declared fields above the paths of a set.

use super::super::path::PathElement;
use super::super::set::{Set, SetNode};
use super::super::types::{List, ListMerge, Map, TypeId, Types};
use super::{Form, Shape};

/// If a list or map has become atomic, replaces the owned paths below it by its own path. Returns
/// `None` if nothing changes.
///
/// Source: structured-merge-diff, typed/reconcile_schema.go.
pub(in super::super) fn reconcile(types: &Types, type_: TypeId, set: &Set) -> Option<Set> {
    let reconcile = Reconcile { types };
    // A set cannot contain the root path, so nothing changes if the root is atomic.
    match reconcile.shape(Some(type_))? {
        Shape::Map(map) if !map.atomic && !types.is_deduced(map) => reconcile.map(map, set),
        _ => None,
    }
}

struct Reconcile<'a> {
    types: &'a Types,
}

/// Result of reconciling a node.
enum Reconciled {
    Same,
    /// A manager now owns the whole list or map instead of paths below it.
    Whole,
    Below(Set),
}

impl<'a> Reconcile<'a> {
    /// Returns a type as a map, a scalar or a list. If it allows several of these forms, the first
    /// one in this order is returned.
    fn shape(&self, type_: Option<TypeId>) -> Option<Shape<'a>> {
        self.types.atom(type_?).shape(Form::Any)
    }

    fn node(&self, type_: Option<TypeId>, node: &SetNode) -> Reconciled {
        let owned_whole = node.member && node.children.is_empty();
        let below = match self.shape(type_) {
            None | Some(Shape::Scalar(_)) => None,
            Some(Shape::Map(map)) if self.types.is_deduced(map) => None,
            Some(Shape::Map(map)) if map.atomic && !owned_whole => return Reconciled::Whole,
            Some(Shape::Map(map)) => self.map(map, &node.children),
            Some(Shape::List(list)) if is_atomic(list) && !owned_whole => return Reconciled::Whole,
            Some(Shape::List(list)) => self.nodes(&node.children, |_| Some(list.items)),
        };
        below.map_or(Reconciled::Same, Reconciled::Below)
    }

    fn map(&self, map: &Map, set: &Set) -> Option<Set> {
        self.nodes(set, |element| match element {
            PathElement::Field(name) => map.of(name),
            _ => map.others,
        })
    }

    fn nodes(&self, set: &Set, of: impl Fn(&PathElement) -> Option<TypeId>) -> Option<Set> {
        let outcomes: Vec<_> = set
            .nodes
            .iter()
            .map(|node| self.node(of(&node.element), node))
            .collect();
        if outcomes
            .iter()
            .all(|outcome| matches!(outcome, Reconciled::Same))
        {
            return None;
        }
        let pairs = set.nodes.iter().zip(outcomes);
        Some(
            pairs
                .map(|(node, outcome)| changed(node, outcome))
                .collect(),
        )
    }
}

fn changed(node: &SetNode, outcome: Reconciled) -> SetNode {
    let element = node.element.clone();
    let (member, children) = match outcome {
        Reconciled::Same => return node.clone(),
        Reconciled::Whole => (true, Set::default()),
        Reconciled::Below(children) => (node.member, children),
    };
    SetNode {
        element,
        member,
        children,
    }
}

fn is_atomic(list: &List) -> bool {
    matches!(list.merge, ListMerge::Atomic)
}

/// Adds the path of each declared field if the set has a path below it.
///
/// Source: structured-merge-diff, fieldpath/set.go, `EnsureNamedFieldsAreMembers`.
pub(in super::super) fn add_named_fields(types: &Types, type_: TypeId, set: &mut Set) {
    named(types, Some(type_), set);
}

fn named(types: &Types, type_: Option<TypeId>, set: &mut Set) {
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
        named(types, below, &mut node.children);
    }
}
