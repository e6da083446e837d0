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

use super::field_paths::{Evaluated, FieldPaths, path_and_ancestors, schema_at};
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
    /// True if the rule reads the field only where it has found that the field is absent.
    pub(super) contradicts: bool,
    /// Set for an entry of a map or an item of a list, instead of a field.
    pub(super) element: Option<Element>,
    /// The path of the field as [`FieldPaths`] returns it, with `[*]` for a loop variable.
    field_path: String,
}

/// Returns the unguarded reads in `expression`. `types` holds the type of each node, `objects` the
/// declared object types.
pub(super) fn find_unguarded<'e>(
    expression: &'e Expr,
    types: &[Type],
    objects: &Objects,
) -> Vec<Unguarded<'e>> {
    let mut guards = Guards {
        types,
        objects,
        found: BTreeMap::new(),
    };
    let context = EvaluationContext {
        known: Facts::none(),
        always: true,
        is_decided: false,
        sense: Sense::Demanded,
    };
    guards.visit(&mut FieldPaths::default(), expression, &context);
    let mut found = guards.found;
    // A field that is read unguarded from both `self` and `oldSelf` is reported for `self` only.
    let both: Vec<_> = found
        .keys()
        .filter_map(|(field_path, contradicts)| {
            let field = field_path.strip_prefix("self.")?;
            Some((format!("oldSelf.{field}"), *contradicts))
        })
        .collect();
    both.iter().for_each(|read| drop(found.remove(read)));
    found.into_values().collect()
}

/// Drops the reads of `demanded` fields, except where they are absent. Rules of the schema require
/// these fields to be present, so objects without them are refused anyway.
pub(super) fn without_required<'e>(
    found: Vec<Unguarded<'e>>,
    demanded: &BTreeSet<String>,
) -> impl Iterator<Item = Unguarded<'e>> {
    found
        .into_iter()
        .filter(|field| field.contradicts || !demanded.contains(&field.field_path))
}

struct Guards<'g, 'e> {
    types: &'g [Type],
    objects: &'g Objects,
    /// The first read of each path, and the first that contradicts a guard.
    found: BTreeMap<(String, bool), Unguarded<'e>>,
}

/// Conditions under which an expression is evaluated.
#[derive(Clone, Debug)]
struct EvaluationContext {
    /// Fields that are present, or absent, whenever the expression is evaluated.
    known: Facts,
    /// True if the expression is evaluated for every object.
    always: bool,
    /// True if another operand may decide the result although the expression has an error.
    is_decided: bool,
    sense: Sense,
}

impl EvaluationContext {
    /// Returns a copy for an expression that is evaluated for some objects only.
    fn sometimes(&self) -> Self {
        Self {
            always: false,
            ..self.clone()
        }
    }

    /// Returns a copy for the body of a loop over the value at `range`. What is known about the
    /// element of an outer loop over the same value, which has the same path, does not apply.
    fn of_element(&self, range: Option<&str>) -> Self {
        let known = match range {
            Some(range) => self.known.clone().without_elements(range),
            None => self.known.clone(),
        };
        self.sometimes().with_known(known)
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
    fn visit(&mut self, paths: &mut FieldPaths<'e>, node: &'e Expr, context: &EvaluationContext) {
        match &node.kind {
            // If the rule requires the field, `has(…)` needs no guard: an object without the
            // field, or without a parent of it, is refused anyway.
            ExprKind::Select(select) if select.test && context.sense == Sense::Demanded => {}
            ExprKind::Select(select) => {
                if !select.test {
                    self.check_field_read(paths, node, context);
                    self.check_element_read(paths, node, context);
                }
                self.visit(paths, &select.operand, &context.value());
            }
            ExprKind::Call { function, args, .. } => match (function.as_str(), args.as_slice()) {
                ("_&&_", _) => self.visit_conjunction(paths, node, context),
                ("_||_", _) => self.visit_disjunction(paths, node, context),
                ("!_", [part]) => {
                    self.visit(paths, part, &context.with_sense(context.sense.negated()));
                }
                ("_?_:_", [test, then, otherwise]) => {
                    let sense = context.sense.of_test(then, otherwise);
                    self.visit(paths, test, &context.with_sense(sense));
                    for (branch, outcome) in [(then, true), (otherwise, false)] {
                        let known = context
                            .known
                            .clone()
                            .and(Facts::implied_by(test, outcome, paths));
                        self.visit(paths, branch, &context.sometimes().with_known(known));
                    }
                }
                ("_[_]", _) => {
                    self.check_element_read(paths, node, context);
                    self.visit_children(paths, node, context);
                }
                _ => self.visit_children(paths, node, context),
            },
            ExprKind::Comprehension(fold) => {
                let range = paths.path_of(&fold.range);
                paths.in_loop(fold, |paths, part, inner| {
                    let context = match part {
                        Evaluated::Once => context.value(),
                        Evaluated::PerElement => context.of_element(range.as_deref()),
                    };
                    self.visit(paths, inner, &context);
                });
            }
            ExprKind::List(_) | ExprKind::Map(_) => self.visit_children(paths, node, context),
            ExprKind::Literal(_) | ExprKind::Ident(_) | ExprKind::Struct { .. } => {}
        }
    }

    fn visit_children(
        &mut self,
        paths: &mut FieldPaths<'e>,
        node: &'e Expr,
        context: &EvaluationContext,
    ) {
        for child in node.children() {
            self.visit(paths, child, &context.value());
        }
    }

    /// Visits the operands of `a && b`. If one is false, CEL ignores an error in the others, so
    /// each operand is guarded by the others.
    fn visit_conjunction(
        &mut self,
        paths: &mut FieldPaths<'e>,
        node: &'e Expr,
        context: &EvaluationContext,
    ) {
        let sides = chained_operands(node, "_&&_");
        // If the rule requires the conjunction, it refuses every object for which an operand has an
        // error: either another operand is false, or the error is the result. So `always` is kept.
        // Otherwise, the error has no effect on objects for which another operand is false.
        let context = match context.sense {
            Sense::Demanded => context.clone(),
            Sense::Allowed | Sense::Unclear => context.sometimes(),
        };
        for (at, side) in sides.iter().enumerate() {
            let known = context
                .known
                .clone()
                .and(facts_from_others(&sides, at, true, paths));
            self.visit(paths, side, &context.clone().with_known(known));
        }
    }

    /// Visits the operands of `!a || b`. If one is true, CEL ignores an error in the others, so
    /// each operand is guarded by the negations of the others.
    ///
    /// If all operands but one are negated, the disjunction is an implication, and the operand
    /// without negation needs guards as well. In any other disjunction, an operand without negation
    /// needs no guard: if the operand has an error, another operand may still be true.
    fn visit_disjunction(
        &mut self,
        paths: &mut FieldPaths<'e>,
        node: &'e Expr,
        context: &EvaluationContext,
    ) {
        let sides = chained_operands(node, "_||_");
        let denied = sides.iter().filter(|side| is_negated_test(side)).count();
        let implies = denied > 0 && denied + 1 == sides.len();
        for (at, side) in sides.iter().enumerate() {
            let known = context
                .known
                .clone()
                .and(facts_from_others(&sides, at, false, paths));
            let context = EvaluationContext {
                known,
                is_decided: context.is_decided || !(implies || is_negated_test(side)),
                ..context.sometimes()
            };
            self.visit(paths, side, &context);
        }
    }

    fn check_field_read(
        &mut self,
        paths: &FieldPaths<'e>,
        node: &'e Expr,
        context: &EvaluationContext,
    ) {
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
        let Some((field_path, path)) = paths.path_of(node).zip(node.qualified_name()) else {
            return;
        };
        let of_metadata =
            field_path.starts_with("self.metadata.") || field_path.starts_with("oldSelf.metadata.");
        // If the schema has branches, such as `oneOf`, a rule that reads the field only for some
        // objects may first test which branch applies.
        let is_distinguished = object.combined && !context.always;
        let contradicts = context.known.denies(&field_path);
        let is_guarded =
            is_distinguished || context.is_decided || context.known.contains(&field_path);
        if absent && !of_metadata && (contradicts || !is_guarded) {
            let field = Unguarded {
                node,
                path,
                always: context.always,
                branched: object.combined,
                contradicts,
                element: None,
                field_path: field_path.clone(),
            };
            self.add(field);
        }
    }

    /// Records a read of a map entry or list item.
    fn check_element_read(
        &mut self,
        paths: &FieldPaths<'e>,
        node: &'e Expr,
        context: &EvaluationContext,
    ) {
        let Some(element) = Element::from_access(node, self.types, paths) else {
            return;
        };
        let field_path = element.field_path();
        let is_distinguished = self.objects.iter().any(|object| object.combined) && !context.always;
        if is_distinguished || context.is_decided || context.known.contains(&field_path) {
            return;
        }
        self.add(Unguarded {
            node,
            path: element.path.clone(),
            always: context.always,
            branched: true,
            contradicts: false,
            element: Some(element),
            field_path,
        });
    }

    fn add(&mut self, read: Unguarded<'e>) {
        let always = read.always;
        let key = (read.field_path.clone(), read.contradicts);
        self.found.entry(key).or_insert(read).always |= always;
    }
}

/// Returns the operands of a chain such as `a && b && c`. Any other expression is its only operand.
fn chained_operands<'e>(node: &'e Expr, operator: &str) -> Vec<&'e Expr> {
    match &node.kind {
        ExprKind::Call { function, args, .. } if function == operator => args
            .iter()
            .flat_map(|arg| chained_operands(arg, operator))
            .collect(),
        _ => vec![node],
    }
}

/// Returns the facts that follow if all operands but `sides[at]` evaluate to `outcome`.
fn facts_from_others(sides: &[&Expr], at: usize, outcome: bool, paths: &FieldPaths<'_>) -> Facts {
    let others = sides.iter().enumerate().filter(|(other, _)| *other != at);
    others.fold(Facts::none(), |facts, (_, other)| {
        facts.and(Facts::implied_by(other, outcome, paths))
    })
}

/// True for a negation, which makes `||` an implication: `!has(self.a) || …`,
/// `self.mode != 'a' || …`.
fn is_negated_test(node: &Expr) -> bool {
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
        if is_bool_literal(then, true) || is_bool_literal(otherwise, false) {
            self
        } else if is_bool_literal(then, false) || is_bool_literal(otherwise, true) {
            self.negated()
        } else {
            Self::Unclear
        }
    }
}

fn is_bool_literal(node: &Expr, value: bool) -> bool {
    matches!(node.kind, ExprKind::Literal(Literal::Bool(literal)) if literal == value)
}

/// What is known about a field under a condition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    Present(String),
    Absent(String),
}

/// What is known about fields under a condition.
#[derive(Clone, Debug)]
enum Facts {
    These(BTreeSet<Fact>),
    /// The condition can never hold, such as the literal `false`. Every path counts as present.
    Everything,
}

impl Facts {
    fn none() -> Self {
        Self::These(BTreeSet::new())
    }

    fn contains(&self, field_path: &str) -> bool {
        match self {
            Self::These(facts) => facts.contains(&Fact::Present(field_path.to_owned())),
            Self::Everything => true,
        }
    }

    /// Returns whether the field is absent.
    fn denies(&self, field_path: &str) -> bool {
        match self {
            Self::These(facts) => facts.contains(&Fact::Absent(field_path.to_owned())),
            Self::Everything => false,
        }
    }

    /// Returns the facts if `self` and `other` both hold: the union, unless it has a contradiction.
    fn and(self, other: Self) -> Self {
        let (Self::These(mut facts), Self::These(others)) = (self, other) else {
            return Self::Everything;
        };
        facts.extend(others);
        let is_denied = |fact: &Fact| match fact {
            Fact::Absent(field_path) => facts.contains(&Fact::Present(field_path.clone())),
            Fact::Present(_) => false,
        };
        if facts.iter().any(is_denied) {
            Self::Everything
        } else {
            Self::These(facts)
        }
    }

    /// Returns the facts that are not about elements of the value at `range`.
    fn without_elements(self, range: &str) -> Self {
        let Self::These(mut facts) = self else {
            return self;
        };
        let elements = format!("{range}[*]");
        facts.retain(|fact| {
            let (Fact::Present(field_path) | Fact::Absent(field_path)) = fact;
            !field_path.starts_with(&elements)
        });
        Self::These(facts)
    }

    /// Returns the facts if at least one of `self` and `other` holds: the intersection.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Everything, other) | (other, Self::Everything) => other,
            (Self::These(facts), Self::These(others)) => {
                Self::These(facts.intersection(&others).cloned().collect())
            }
        }
    }

    /// Returns the facts that follow if `condition` evaluates to `outcome`.
    fn implied_by(condition: &Expr, outcome: bool, paths: &FieldPaths<'_>) -> Self {
        let of = |part: &Expr, outcome| Self::implied_by(part, outcome, paths);
        match &condition.kind {
            ExprKind::Literal(Literal::Bool(value)) if *value != outcome => Self::Everything,
            ExprKind::Select(select) if select.test => {
                let Some(field_path) = paths.path_of(condition) else {
                    return Self::none();
                };
                Self::These(if outcome {
                    path_and_ancestors(&field_path).map(Fact::Present).collect()
                } else {
                    BTreeSet::from([Fact::Absent(field_path)])
                })
            }
            ExprKind::Call { function, args, .. } => match (function.as_str(), args.as_slice()) {
                ("!_", [part]) => of(part, !outcome),
                ("_&&_", parts) if outcome => facts_if_all(parts, &|part| of(part, true)),
                ("_||_", parts) if !outcome => facts_if_all(parts, &|part| of(part, false)),
                ("_&&_" | "_||_", parts) => facts_if_any(parts, &|part| of(part, outcome)),
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
fn facts_if_all(parts: &[Expr], of: &impl Fn(&Expr) -> Facts) -> Facts {
    parts.iter().map(of).fold(Facts::none(), Facts::and)
}

/// Returns the facts that hold if `of(part)` holds for at least one part.
fn facts_if_any(parts: &[Expr], of: &impl Fn(&Expr) -> Facts) -> Facts {
    parts.iter().map(of).fold(Facts::Everything, Facts::or)
}

/// Returns the paths that the rule may require to be present. `!has(self.a) || …` accepts an object
/// without `self.a`, so it does not require `self.a`. `has(self.a) == has(self.b)` may require both
/// fields, and `self.?a` always counts as required.
pub(in crate::resolve::cel) fn find_required_paths(rule: &Expr) -> BTreeSet<String> {
    let mut demands = Demands::default();
    demands.visit(&mut FieldPaths::default(), rule, Sense::Demanded);
    demands.found
}

#[derive(Debug, Default)]
struct Demands {
    found: BTreeSet<String>,
}

impl Demands {
    fn visit<'e>(&mut self, paths: &mut FieldPaths<'e>, node: &'e Expr, sense: Sense) {
        self.found.extend(paths.optional_path_of(node));
        match &node.kind {
            ExprKind::Select(select) if select.test => {
                let field_path = paths.path_of(node);
                let field_path = field_path.iter();
                match sense {
                    Sense::Demanded => self
                        .found
                        .extend(field_path.flat_map(|field_path| path_and_ancestors(field_path))),
                    Sense::Unclear => self.found.extend(field_path.cloned()),
                    Sense::Allowed => {}
                }
                self.visit(paths, &select.operand, Sense::Unclear);
            }
            ExprKind::Comprehension(fold) => paths.in_loop(fold, |paths, part, inner| {
                let sense = match part {
                    Evaluated::PerElement => sense,
                    Evaluated::Once => Sense::Unclear,
                };
                self.visit(paths, inner, sense);
            }),
            ExprKind::Call { function, args, .. } => match (function.as_str(), args.as_slice()) {
                ("!_", [part]) => self.visit(paths, part, sense.negated()),
                ("_&&_" | "_||_", args) => {
                    args.iter().for_each(|arg| self.visit(paths, arg, sense));
                }
                ("_?_:_", [test, then, otherwise]) => {
                    self.visit(paths, test, sense.of_test(then, otherwise));
                    self.visit(paths, then, sense);
                    self.visit(paths, otherwise, sense);
                }
                _ => self.visit_children(paths, node),
            },
            _ => self.visit_children(paths, node),
        }
    }

    fn visit_children<'e>(&mut self, paths: &mut FieldPaths<'e>, node: &'e Expr) {
        for child in node.children() {
            self.visit(paths, child, Sense::Unclear);
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
    /// The path of the list or map as [`FieldPaths`] returns it.
    container_path: String,
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
    pub(super) fn from_access(node: &Expr, types: &[Type], paths: &FieldPaths<'_>) -> Option<Self> {
        let (container, index) = split_element_access(node)?;
        let index = match (&types[container.id], index) {
            (Type::Map(..), index @ Index::Key { .. })
            | (Type::List(_), index @ Index::Position(_)) => index,
            _ => return None,
        };
        let container_path = paths.path_of(container)?;
        if !container_path.starts_with("self") || container_path.starts_with("self.metadata.") {
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
            container_path,
            index,
        })
    }

    /// Returns the path of the element, as [`FieldPaths`] returns it for a selected map entry.
    pub(super) fn field_path(&self) -> String {
        match &self.index {
            Index::Key { key, .. } => format!("{}.{key}", self.container_path),
            Index::Position(position) => format!("{}[{position}]", self.container_path),
        }
    }

    /// Returns whether an object may lack the element. `schema` declares `self`.
    pub(in crate::resolve::cel) fn may_be_absent(&self, schema: &Schema, tested: &Tested) -> bool {
        let Some(container) = schema_at(schema, &self.container_path) else {
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
            && !tested.containers.contains(&self.container_path)
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
                    "{count}check first: `!('{key}' in {container}) || …`, or within `||`: `'{key}' in \
                     {container} && …`"
                )
            }
            Index::Position(position) => format!(
                "check first: `{container}.size() <= {position} || …`, or within `||`: \
                 `{container}.size() > {position} && …`"
            ),
        }
    }
}

/// Returns the list or map and the literal key or index of `map.key`, `map['key']` or `list[0]`.
fn split_element_access(node: &Expr) -> Option<(&Expr, Index)> {
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
            Some((container, parse_index(index)?))
        }
        _ => None,
    }
}

fn parse_index(index: &Expr) -> Option<Index> {
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
        self.visit(&mut FieldPaths::default(), rule);
    }

    fn has(&self, element: &Element) -> bool {
        match &element.index {
            Index::Key { .. } => self.elements.contains(&element.field_path()),
            // A list that contains a value, as in `'a' in self.list`, is not empty.
            Index::Position(_) => {
                let inside = format!("{}.", element.container_path);
                self.elements.iter().any(|other| other.starts_with(&inside))
            }
        }
    }

    fn visit<'e>(&mut self, paths: &mut FieldPaths<'e>, node: &'e Expr) {
        // `has(self.list)` shows nothing about its items.
        if !matches!(&node.kind, ExprKind::Select(select) if select.test) {
            self.containers.extend(paths.path_of(node));
        }
        self.visit_children(paths, node);
    }

    fn visit_children<'e>(&mut self, paths: &mut FieldPaths<'e>, node: &'e Expr) {
        match &node.kind {
            ExprKind::Select(select) => {
                if select.test {
                    self.elements.extend(paths.path_of(node));
                }
                self.visit_children(paths, &select.operand);
            }
            ExprKind::Call { function, args, .. } => match (function.as_str(), args.as_slice()) {
                ("_[_]", [container, index]) if parse_index(index).is_some() => {
                    self.visit_children(paths, container);
                }
                ("@in", [key, container]) if parse_index(key).is_some() => {
                    self.add_tested_element(paths, container, key);
                }
                ("_?._" | "_[?_]", [container, key]) if parse_index(key).is_some() => {
                    self.add_tested_element(paths, container, key);
                }
                _ => node
                    .children()
                    .into_iter()
                    .for_each(|child| self.visit(paths, child)),
            },
            ExprKind::Comprehension(fold) => {
                paths.in_loop(fold, |paths, _, inner| self.visit(paths, inner));
            }
            _ => node
                .children()
                .into_iter()
                .for_each(|child| self.visit(paths, child)),
        }
    }

    /// Records a test of the element of `container` that the literal `key` names.
    fn add_tested_element<'e>(
        &mut self,
        paths: &mut FieldPaths<'e>,
        container: &'e Expr,
        key: &'e Expr,
    ) {
        if let Some((field_path, index)) = paths.path_of(container).zip(parse_index(key)) {
            self.elements.insert(match index {
                Index::Key { key, .. } => format!("{field_path}.{key}"),
                Index::Position(position) => format!("{field_path}[{position}]"),
            });
        }
        self.visit_children(paths, container);
    }
}
