//! Reads of map entries and list items, and the conditions that rules check before.
//!
//! Rules have many ways to make sure that an element exists: `in`, `size()`, loops, comparisons. A
//! read counts as unguarded only if the rules of the schema do nothing else with the list or map.

use std::collections::BTreeSet;

use genclient_cel::Type;
use genclient_cel::ast::{Expr, ExprKind, Literal};

use crate::model::Schema;
use crate::resolve::cel::places::{Places, schema_at};

/// A map entry or list item that a rule reads.
#[derive(Clone, Debug)]
pub(in crate::resolve::cel) struct Element {
    /// The element as the rule writes it.
    pub(super) path: String,
    /// The list or map as the rule writes it.
    container: String,
    /// The path of the list or map as [`Places`] returns it.
    container_place: String,
    index: Index,
}

#[derive(Clone, Debug)]
enum Index {
    /// A map key. `selected` is true for `map.key`.
    Key {
        key: String,
        selected: bool,
    },
    Position(u64),
}

impl Element {
    /// Returns the element of a value of the schema that `node` reads with a literal key or index.
    pub(super) fn of(node: &Expr, types: &[Type], places: &Places<'_>) -> Option<Self> {
        let (container, index) = operands(node)?;
        let index = match (&types[container.id], index) {
            (Type::Map(..), index @ Index::Key { .. })
            | (Type::List(_), index @ Index::Position(_)) => index,
            _ => return None,
        };
        let container_place = places.of(container)?;
        if !container_place.starts_with("self") || container_place.starts_with("self.metadata.") {
            return None;
        }
        let name = container.qualified_name()?;
        let path = match &index {
            Index::Key { key, selected } if *selected => format!("{name}.{key}"),
            Index::Key { key, .. } => format!("{name}['{key}']"),
            Index::Position(position) => format!("{name}[{position}]"),
        };
        Some(Self {
            path,
            container: name,
            container_place,
            index,
        })
    }

    /// Returns the path of the element, as [`Places`] returns it for a selected map entry.
    pub(super) fn place(&self) -> String {
        match &self.index {
            Index::Key { key, .. } => format!("{}.{key}", self.container_place),
            Index::Position(position) => format!("{}[{position}]", self.container_place),
        }
    }

    /// Returns whether an object may lack the element. `schema` declares `self`.
    pub(in crate::resolve::cel) fn may_be_absent(&self, schema: &Schema, tested: &Tested) -> bool {
        let Some(container) = schema_at(schema, &self.container_place) else {
            return false;
        };
        let is_plain = container.validations.is_empty()
            && container.all_of.is_empty()
            && container.any_of.is_empty()
            && container.one_of.is_empty()
            && container.not.is_none();
        let is_present = match &self.index {
            Index::Key { key, .. } => container.required.contains(key),
            Index::Position(position) => container.min_items.is_some_and(|min| min > *position),
        };
        is_plain
            && !is_present
            && !tested.containers.contains(&self.container_place)
            && !tested.has(self)
    }

    /// Returns help with the condition to check first.
    pub(in crate::resolve::cel) fn help(&self) -> String {
        let container = &self.container;
        match &self.index {
            Index::Key { key, selected } => {
                let count = if key == "size" && *selected {
                    format!("write `{container}.size()` for the number of entries; or ")
                } else {
                    String::new()
                };
                format!(
                    "{count}check first: `!('{key}' in {container}) || …`, or `'{key}' in \
                     {container} && …`"
                )
            }
            Index::Position(position) => format!(
                "check first: `{container}.size() <= {position} || …`, or `{container}.size() > \
                 {position} && …`"
            ),
        }
    }
}

/// Returns the list or map and the literal key or index of `map.key`, `map['key']` or `list[0]`.
fn operands(node: &Expr) -> Option<(&Expr, Index)> {
    match &node.kind {
        ExprKind::Select(select) => {
            let key = select.field.clone();
            Some((
                &select.operand,
                Index::Key {
                    key,
                    selected: true,
                },
            ))
        }
        ExprKind::Call { function, args, .. } if function == "_[_]" => {
            let [container, index] = args.as_slice() else {
                return None;
            };
            Some((container, literal(index)?))
        }
        _ => None,
    }
}

fn literal(index: &Expr) -> Option<Index> {
    match &index.kind {
        ExprKind::Literal(Literal::Text(key)) if !key.contains(['\'', '\\']) => Some(Index::Key {
            key: key.clone(),
            selected: false,
        }),
        ExprKind::Literal(Literal::Int(position)) => {
            Some(Index::Position(u64::try_from(*position).ok()?))
        }
        _ => None,
    }
}

/// Lists, maps and their elements that rules examine other than by reading an element.
#[derive(Debug, Default)]
pub(in crate::resolve::cel) struct Tested {
    /// Paths of lists and maps.
    containers: BTreeSet<String>,
    /// Paths of elements.
    elements: BTreeSet<String>,
}

impl Tested {
    /// Adds what a rule examines.
    pub(in crate::resolve::cel) fn add(&mut self, rule: &Expr) {
        self.visit(&mut Places::default(), rule);
    }

    fn has(&self, element: &Element) -> bool {
        match &element.index {
            Index::Key { .. } => self.elements.contains(&element.place()),
            // A list that contains a value, as in `'a' in self.list`, is not empty.
            Index::Position(_) => {
                let inside = format!("{}.", element.container_place);
                self.elements.iter().any(|other| other.starts_with(&inside))
            }
        }
    }

    fn visit<'e>(&mut self, places: &mut Places<'e>, node: &'e Expr) {
        // `has(self.list)` shows nothing about its items.
        if !matches!(&node.kind, ExprKind::Select(select) if select.test) {
            self.containers.extend(places.of(node));
        }
        self.below(places, node);
    }

    fn below<'e>(&mut self, places: &mut Places<'e>, node: &'e Expr) {
        match &node.kind {
            ExprKind::Select(select) => {
                if select.test {
                    self.elements.extend(places.of(node));
                }
                self.below(places, &select.operand);
            }
            ExprKind::Call { function, args, .. } => match (function.as_str(), args.as_slice()) {
                ("_[_]", [container, index]) if literal(index).is_some() => {
                    self.below(places, container);
                }
                ("@in", [key, container]) if literal(key).is_some() => {
                    self.test(places, container, key);
                }
                ("_?._" | "_[?_]", [container, key]) if literal(key).is_some() => {
                    self.test(places, container, key);
                }
                _ => node
                    .children()
                    .into_iter()
                    .for_each(|child| self.visit(places, child)),
            },
            ExprKind::Comprehension(fold) => {
                places.in_loop(fold, |places, _, inner| self.visit(places, inner));
            }
            _ => node
                .children()
                .into_iter()
                .for_each(|child| self.visit(places, child)),
        }
    }

    /// Records a test of the element of `container` that the literal `key` names.
    fn test<'e>(&mut self, places: &mut Places<'e>, container: &'e Expr, key: &'e Expr) {
        if let Some((place, index)) = places.of(container).zip(literal(key)) {
            self.elements.insert(match index {
                Index::Key { key, .. } => format!("{place}.{key}"),
                Index::Position(position) => format!("{place}[{position}]"),
            });
        }
        self.below(places, container);
    }
}
