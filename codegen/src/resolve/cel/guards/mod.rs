//! Unguarded reads of optional fields in CEL rules.
//!
//! The API server accepts a rule with an unguarded read. It then refuses objects that lack the
//! field, with a message that users do not understand. A guard tests for the field:
//! `has(self.a) && …` or `!has(self.a) || …`. The guard may be the left or the right operand: if
//! one operand decides the result, CEL ignores an error in the other.

mod elements;
mod facts;

use std::collections::{BTreeMap, BTreeSet};

use genclient_cel::Type;
use genclient_cel::ast::{Expr, ExprKind};
use genclient_cel::declare::Objects;

use super::places::{Evaluated, Places};
pub(super) use elements::{Element, Tested};
pub(super) use facts::demands;
use facts::{Facts, Sense};

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
        let sides = operands(node, "_&&_");
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
        let sides = operands(node, "_||_");
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
fn operands<'e>(node: &'e Expr, operator: &str) -> Vec<&'e Expr> {
    match &node.kind {
        ExprKind::Call { function, args, .. } if function == operator => args
            .iter()
            .flat_map(|arg| operands(arg, operator))
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
