//! Reconciliation of field sets with a schema that has changed since they were recorded
//! (structured-merge-diff, typed/reconcile_schema.go).

use genclient_apimachinery::fieldpath::{PathElement, Set, SetNode};

use super::super::types::{List, ListMerge, Map, TypeId, Types};
use super::{Form, Shape};

/// If a list or map has become atomic, replaces the owned paths below it by its own path. Returns
/// `None` if nothing changes (`ReconcileFieldSetWithSchema`).
pub(in super::super) fn reconcile(types: &Types, type_: TypeId, set: &Set) -> Option<Set> {
    // A set cannot contain the root path, so nothing changes if the root is atomic.
    match shape_of(types, Some(type_))? {
        Shape::Map(map) if !map.atomic && !types.is_deduced(map) => reconcile_map(types, map, set),
        _ => None,
    }
}

/// Result of reconciling a node.
enum Reconciled {
    Same,
    /// A manager now owns the whole list or map instead of paths below it.
    Whole,
    Below(Set),
}

/// Returns a type as a map, a scalar or a list. If it allows several of these forms, the first one
/// in this order is returned (`handleAtom`).
fn shape_of(types: &Types, type_: Option<TypeId>) -> Option<Shape<'_>> {
    types.atom(type_?).shape(Form::Any)
}

/// Reconciles the path of a node, and the paths below it.
fn reconcile_node(types: &Types, type_: Option<TypeId>, node: &SetNode) -> Reconciled {
    // A node that is a member without children is owned as a whole already. It stays so even if
    // the list or map has become granular: Kubernetes does not reconcile this direction.
    let owned_whole = node.member && node.children.is_empty();
    let below = match shape_of(types, type_) {
        None | Some(Shape::Scalar(_)) => None,
        Some(Shape::Map(map)) if types.is_deduced(map) => None,
        Some(Shape::Map(map)) if map.atomic && !owned_whole => return Reconciled::Whole,
        Some(Shape::Map(map)) => reconcile_map(types, map, &node.children),
        Some(Shape::List(list)) if is_atomic(list) && !owned_whole => return Reconciled::Whole,
        Some(Shape::List(list)) => reconcile_children(types, &node.children, |_| Some(list.items)),
    };
    below.map_or(Reconciled::Same, Reconciled::Below)
}

/// Reconciles the paths below a map.
fn reconcile_map(types: &Types, map: &Map, set: &Set) -> Option<Set> {
    reconcile_children(types, set, |element| match element {
        PathElement::Field(name) => map.field_type(name),
        _ => map.others,
    })
}

/// Reconciles each node of a set with the type that `type_of` returns for its element.
fn reconcile_children(
    types: &Types,
    set: &Set,
    type_of: impl Fn(&PathElement) -> Option<TypeId>,
) -> Option<Set> {
    let outcomes: Vec<_> = set
        .nodes
        .iter()
        .map(|node| reconcile_node(types, type_of(&node.element), node))
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
            .map(|(node, outcome)| apply_outcome(node, outcome))
            .collect(),
    )
}

/// Returns the node after reconciliation.
fn apply_outcome(node: &SetNode, outcome: Reconciled) -> SetNode {
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
