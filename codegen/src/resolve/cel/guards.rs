//! Unguarded reads of optional fields in CEL rules.
//!
//! The API server accepts a rule with an unguarded read. It then refuses objects that lack the
//! field, with a message that users do not understand. A guard tests for the field:
//! `has(self.a) && …` or `!has(self.a) || …`. The guard may be the left or the right operand: if
//! one operand decides the result, CEL ignores an error in the other.

use std::collections::{BTreeMap, BTreeSet};

use genclient_cel::Type;
use genclient_cel::ast::{Expr, ExprKind, Literal};
use genclient_cel::declare::Objects;

use super::field_paths::{Evaluated, Places, schema_at, with_outer};
use crate::model::Schema;

/// An unguarded read of an optional field.
#[derive(Debug)]
pub(super) struct Unguarded<'e> {
    pub(super) node: &'e Expr,
    /// The field as the rule writes it, such as `self.a.b`.
    pub(super) path: String,
    /// True if the rule reads the field for every object.
    pub(super) always: bool,
    /// True if the object with the field (`self.a` for `self.a.b`) has branches in its schema, such
    /// as `oneOf`. The branches may decide when the field is needed.
    pub(super) branched: bool,
    /// Set for an entry of a map or an item of a list, instead of a field.
    pub(super) element: Option<Element>,
    /// The path of the field as [`Places`] returns it, with `[*]` for a loop variable.
    place: String,
}

/// Returns the unguarded reads in `expression`. `types` holds the type of each node, `objects` the
/// declared object types.
pub(super) fn find<'e>(
    expression: &'e Expr,
    types: &[Type],
    objects: &Objects,
) -> Vec<Unguarded<'e>> {
    let mut guards = Guards {
        types,
        objects,
        found: BTreeMap::new(),
    };
    let run = Run {
        known: Facts::none(),
        always: true,
        sense: Sense::Demanded,
    };
    guards.visit(&mut Places::default(), expression, &run);
    let mut found = guards.found;
    // A field that is read unguarded from both `self` and `oldSelf` is reported for `self` only.
    let both: Vec<_> = found
        .keys()
        .filter_map(|place| Some(format!("oldSelf.{}", place.strip_prefix("self.")?)))
        .collect();
    both.iter().for_each(|place| drop(found.remove(place)));
    found.into_values().collect()
}

/// Drops the reads of `demanded` fields. Rules of the schema require these fields to be present, so
/// objects without them are refused anyway.
pub(super) fn without_demanded<'e>(
    found: Vec<Unguarded<'e>>,
    demanded: &BTreeSet<String>,
) -> impl Iterator<Item = Unguarded<'e>> {
    found
        .into_iter()
        .filter(|field| !demanded.contains(&field.place))
}

struct Guards<'g, 'e> {
    types: &'g [Type],
    objects: &'g Objects,
    found: BTreeMap<String, Unguarded<'e>>,
}

/// Conditions under which an expression is evaluated.
#[derive(Clone, Debug)]
struct Run {
    /// Fields that are present whenever the expression is evaluated.
    known: Facts,
    /// True if the expression is evaluated for every object.
    always: bool,
    sense: Sense,
}

impl Run {
    /// Returns a copy for an expression that is evaluated for some objects only.
    fn sometimes(&self) -> Self {
        Self {
            always: false,
            ..self.clone()
        }
    }

    /// Returns a copy for an expression that is a value, not a condition.
    fn value(&self) -> Self {
        self.with_sense(Sense::Unclear)
    }

    fn with_sense(&self, sense: Sense) -> Self {
        Self {
            sense,
            ..self.clone()
        }
    }

    fn with_known(self, known: Facts) -> Self {
        Self { known, ..self }
    }
}

impl<'e> Guards<'_, 'e> {
    fn visit(&mut self, places: &mut Places<'e>, node: &'e Expr, run: &Run) {
        match &node.kind {
            // If the rule requires the field, `has(…)` needs no guard: an object without the
            // field, or without a parent of it, is refused anyway.
            ExprKind::Select(select) if select.test && run.sense == Sense::Demanded => {}
            ExprKind::Select(select) => {
                if !select.test {
                    self.select(places, node, run);
                    self.element(places, node, run);
                }
                self.visit(places, &select.operand, &run.value());
            }
            ExprKind::Call { function, args, .. } => match (function.as_str(), args.as_slice()) {
                ("_&&_", _) => self.conjunction(places, node, run),
                ("_||_", _) => self.disjunction(places, node, run),
                ("!_", [part]) => {
                    self.visit(places, part, &run.with_sense(run.sense.negated()));
                }
                ("_?_:_", [test, then, otherwise]) => {
                    let sense = run.sense.of_test(then, otherwise);
                    self.visit(places, test, &run.with_sense(sense));
                    for (branch, outcome) in [(then, true), (otherwise, false)] {
                        let known = run.known.clone().and(Facts::of(test, outcome, places));
                        self.visit(places, branch, &run.sometimes().with_known(known));
                    }
                }
                ("_[_]", _) => {
                    self.element(places, node, run);
                    self.below(places, node, run);
                }
                _ => self.below(places, node, run),
            },
            ExprKind::Comprehension(fold) => places.in_loop(fold, |places, part, inner| {
                let run = match part {
                    Evaluated::Once => run.value(),
                    Evaluated::PerElement => run.sometimes(),
                };
                self.visit(places, inner, &run);
            }),
            ExprKind::List(_) | ExprKind::Map(_) => self.below(places, node, run),
            ExprKind::Literal(_) | ExprKind::Ident(_) | ExprKind::Struct { .. } => {}
        }
    }

    fn below(&mut self, places: &mut Places<'e>, node: &'e Expr, run: &Run) {
        for child in node.children() {
            self.visit(places, child, &run.value());
        }
    }

    /// Visits the operands of `a && b`. If one is false, CEL ignores an error in the others, so
    /// each operand is guarded by the others.
    fn conjunction(&mut self, places: &mut Places<'e>, node: &'e Expr, run: &Run) {
        let sides = operands_of(node, "_&&_");
        // If the rule requires the conjunction, it refuses every object for which an operand has an
        // error: either another operand is false, or the error is the result. So `always` is kept.
        // Otherwise, the error has no effect on objects for which another operand is false.
        let run = match run.sense {
            Sense::Demanded => run.clone(),
            Sense::Allowed | Sense::Unclear => run.sometimes(),
        };
        for (at, side) in sides.iter().enumerate() {
            let known = beside(&sides, at, true, places, &run);
            self.visit(places, side, &run.clone().with_known(known));
        }
    }

    /// Visits the operands of `!a || b`. If one is true, CEL ignores an error in the others, so
    /// each operand is guarded by the negations of the others.
    ///
    /// If all operands but one are negated, the disjunction is an implication, and the operand
    /// without negation needs guards as well. In any other disjunction, an operand without negation
    /// needs no guard: if the operand has an error, another operand may still be true.
    fn disjunction(&mut self, places: &mut Places<'e>, node: &'e Expr, run: &Run) {
        let sides = operands_of(node, "_||_");
        let denied = sides.iter().filter(|side| denies(side)).count();
        let implies = denied > 0 && denied + 1 == sides.len();
        for (at, side) in sides.iter().enumerate() {
            if implies || denies(side) {
                let known = beside(&sides, at, false, places, run);
                self.visit(places, side, &run.sometimes().with_known(known));
            }
        }
    }

    fn select(&mut self, places: &Places<'e>, node: &'e Expr, run: &Run) {
        let ExprKind::Select(select) = &node.kind else {
            return;
        };
        let Type::Object(object) = self.types[select.operand.id] else {
            return;
        };
        let object = &self.objects[object];
        let absent = object
            .field(&select.field)
            .is_some_and(|field| !field.present);
        let Some((place, path)) = places.of(node).zip(node.qualified_name()) else {
            return;
        };
        let of_metadata =
            place.starts_with("self.metadata.") || place.starts_with("oldSelf.metadata.");
        // If the schema has branches, such as `oneOf`, a rule that reads the field only for some
        // objects may first test which branch applies.
        let is_distinguished = object.combined && !run.always;
        if absent && !is_distinguished && !of_metadata && !run.known.contains(&place) {
            let field = Unguarded {
                node,
                path,
                always: run.always,
                branched: object.combined,
                element: None,
                place: place.clone(),
            };
            self.add(field);
        }
    }

    /// Records a read of a map entry or list item.
    fn element(&mut self, places: &Places<'e>, node: &'e Expr, run: &Run) {
        let Some(element) = Element::of(node, self.types, places) else {
            return;
        };
        let place = element.place();
        let is_distinguished = self.objects.iter().any(|object| object.combined) && !run.always;
        if is_distinguished || run.known.contains(&place) {
            return;
        }
        self.add(Unguarded {
            node,
            path: element.path.clone(),
            always: run.always,
            branched: true,
            element: Some(element),
            place,
        });
    }

    fn add(&mut self, read: Unguarded<'e>) {
        let always = read.always;
        let first = self.found.entry(read.place.clone()).or_insert(read);
        first.always |= always;
    }
}

/// Returns the operands of a chain such as `a && b && c`. Any other expression is its only operand.
fn operands_of<'e>(node: &'e Expr, operator: &str) -> Vec<&'e Expr> {
    match &node.kind {
        ExprKind::Call { function, args, .. } if function == operator => args
            .iter()
            .flat_map(|arg| operands_of(arg, operator))
            .collect(),
        _ => vec![node],
    }
}

/// Returns the facts at the operand `sides[at]` if all other operands evaluate to `outcome`.
fn beside(sides: &[&Expr], at: usize, outcome: bool, places: &Places<'_>, run: &Run) -> Facts {
    let others = sides.iter().enumerate().filter(|(other, _)| *other != at);
    others.fold(run.known.clone(), |known, (_, other)| {
        known.and(Facts::of(other, outcome, places))
    })
}

/// True for a negation, which makes `||` an implication: `!has(self.a) || …`,
/// `self.mode != 'a' || …`.
fn denies(node: &Expr) -> bool {
    matches!(&node.kind, ExprKind::Call { function, .. } if matches!(function.as_str(), "!_" | "_!=_"))
}

/// Effect of a false condition on the rule that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sense {
    /// A false condition may make the rule fail.
    Demanded,
    /// A false condition does not make the rule fail.
    Allowed,
    /// The effect is unknown, for example if the rule compares the condition with a value.
    Unclear,
}

impl Sense {
    fn negated(self) -> Self {
        match self {
            Self::Demanded => Self::Allowed,
            Self::Allowed => Self::Demanded,
            Self::Unclear => Self::Unclear,
        }
    }

    /// Returns the sense of the condition `test` in `test ? then : otherwise`. `self` is the sense
    /// of the whole expression.
    fn of_test(self, then: &Expr, otherwise: &Expr) -> Self {
        if is(then, true) || is(otherwise, false) {
            self
        } else if is(then, false) || is(otherwise, true) {
            self.negated()
        } else {
            Self::Unclear
        }
    }
}

fn is(node: &Expr, value: bool) -> bool {
    matches!(node.kind, ExprKind::Literal(Literal::Bool(literal)) if literal == value)
}

/// Paths of the fields that are known to be present under a condition.
#[derive(Clone, Debug)]
enum Facts {
    These(BTreeSet<String>),
    /// The condition can never hold, such as the literal `false`. Every path counts as present.
    Everything,
}

impl Facts {
    fn none() -> Self {
        Self::These(BTreeSet::new())
    }

    fn contains(&self, place: &str) -> bool {
        match self {
            Self::These(places) => places.contains(place),
            Self::Everything => true,
        }
    }

    /// Returns the facts if `self` and `other` both hold: the union.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::These(mut places), Self::These(others)) => {
                places.extend(others);
                Self::These(places)
            }
            _ => Self::Everything,
        }
    }

    /// Returns the facts if at least one of `self` and `other` holds: the intersection.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Everything, other) | (other, Self::Everything) => other,
            (Self::These(places), Self::These(others)) => {
                Self::These(places.intersection(&others).cloned().collect())
            }
        }
    }

    /// Returns the facts that follow if `condition` evaluates to `outcome`.
    fn of(condition: &Expr, outcome: bool, places: &Places<'_>) -> Self {
        let of = |part: &Expr, outcome| Self::of(part, outcome, places);
        match &condition.kind {
            ExprKind::Literal(Literal::Bool(value)) if *value != outcome => Self::Everything,
            ExprKind::Select(select) if select.test && outcome => {
                let place = places.of(condition);
                Self::These(place.iter().flat_map(|place| with_outer(place)).collect())
            }
            ExprKind::Call { function, args, .. } => match (function.as_str(), args.as_slice()) {
                ("!_", [part]) => of(part, !outcome),
                ("_&&_", parts) if outcome => all(parts, &|part| of(part, true)),
                ("_||_", parts) if !outcome => all(parts, &|part| of(part, false)),
                ("_&&_" | "_||_", parts) => any(parts, &|part| of(part, outcome)),
                ("_?_:_", [test, then, otherwise]) => {
                    let if_true = of(test, true).and(of(then, outcome));
                    if_true.or(of(test, false).and(of(otherwise, outcome)))
                }
                _ => Self::none(),
            },
            _ => Self::none(),
        }
    }
}

/// Returns the facts that hold if `of(part)` holds for every part.
fn all(parts: &[Expr], of: &impl Fn(&Expr) -> Facts) -> Facts {
    parts.iter().map(of).fold(Facts::none(), Facts::and)
}

/// Returns the facts that hold if `of(part)` holds for at least one part.
fn any(parts: &[Expr], of: &impl Fn(&Expr) -> Facts) -> Facts {
    parts.iter().map(of).fold(Facts::Everything, Facts::or)
}

/// Returns the paths that the rule may require to be present. `!has(self.a) || …` accepts an object
/// without `self.a`, so it does not require `self.a`. `has(self.a) == has(self.b)` may require both
/// fields, and `self.?a` always counts as required.
pub(in crate::resolve::cel) fn demands(rule: &Expr) -> BTreeSet<String> {
    let mut demands = Demands::default();
    demands.visit(&mut Places::default(), rule, Sense::Demanded);
    demands.found
}

#[derive(Debug, Default)]
struct Demands {
    found: BTreeSet<String>,
}

impl Demands {
    fn visit<'e>(&mut self, places: &mut Places<'e>, node: &'e Expr, sense: Sense) {
        self.found.extend(places.of_optional(node));
        match &node.kind {
            ExprKind::Select(select) if select.test => {
                let place = places.of(node);
                let place = place.iter();
                match sense {
                    Sense::Demanded => self.found.extend(place.flat_map(|place| with_outer(place))),
                    Sense::Unclear => self.found.extend(place.cloned()),
                    Sense::Allowed => {}
                }
                self.visit(places, &select.operand, Sense::Unclear);
            }
            ExprKind::Comprehension(fold) => places.in_loop(fold, |places, part, inner| {
                let sense = match part {
                    Evaluated::PerElement => sense,
                    Evaluated::Once => Sense::Unclear,
                };
                self.visit(places, inner, sense);
            }),
            ExprKind::Call { function, args, .. } => match (function.as_str(), args.as_slice()) {
                ("!_", [part]) => self.visit(places, part, sense.negated()),
                ("_&&_" | "_||_", args) => {
                    args.iter().for_each(|arg| self.visit(places, arg, sense));
                }
                ("_?_:_", [test, then, otherwise]) => {
                    self.visit(places, test, sense.of_test(then, otherwise));
                    self.visit(places, then, sense);
                    self.visit(places, otherwise, sense);
                }
                _ => self.below(places, node),
            },
            _ => self.below(places, node),
        }
    }

    fn below<'e>(&mut self, places: &mut Places<'e>, node: &'e Expr) {
        for child in node.children() {
            self.visit(places, child, Sense::Unclear);
        }
    }
}

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
