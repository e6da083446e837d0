//! Fields that may be absent, and that a rule reads without asking.
//!
//! The API server takes such a rule; it then refuses every object without the field, with words that no user understands.
//! `&&` and `||` ask in either order: one side that settles the result makes up for an error in the other.

mod demands;
mod facts;
mod sense;

use std::collections::{BTreeMap, BTreeSet};

use super::places::{LoopPart, Places};
pub(super) use demands::find as demands;
use facts::Facts;
use genclient_schema::cel::Type;
use genclient_schema::cel::ast::{Expr, ExprKind};
use genclient_schema::cel::declare::Objects;
use sense::Sense;

/// A field that is read though it may be absent.
#[derive(Debug)]
pub(super) struct Unguarded<'e> {
    pub(super) node: &'e Expr,
    /// How the rule writes it: `self.a.b`.
    pub(super) path: String,
    /// True if the rule reads it in every object.
    pub(super) always: bool,
    /// True if the branches of the object say when the field is required.
    pub(super) branched: bool,
    place: String,
}

/// The fields that `expression` reads where they may be absent, with their types in `types`.
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
    // Of a value and the one before, the first to type is enough.
    let both: Vec<_> = found
        .keys()
        .filter_map(|place| Some(format!("oldSelf.{}", place.strip_prefix("self.")?)))
        .collect();
    both.iter().for_each(|place| drop(found.remove(place)));
    found.into_values().collect()
}

/// Leaves out what other rules may keep away, or another part of the same rule.
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
    /// By place.
    found: BTreeMap<String, Unguarded<'e>>,
}

/// How the rule comes to an expression.
#[derive(Clone, Debug)]
struct Run {
    /// What is there whenever it does.
    known: Facts,
    /// True if it does for every object.
    always: bool,
    sense: Sense,
}

impl Run {
    /// What runs for some objects.
    fn sometimes(&self) -> Self {
        Self {
            always: false,
            ..self.clone()
        }
    }

    /// What stands in a value, not in a condition.
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
            // What cannot be asked is as good as what is not there, if the rule wants it to be.
            ExprKind::Select(select) if select.test && run.sense == Sense::Demanded => {}
            ExprKind::Select(select) => {
                if !select.test {
                    self.select(places, node, run);
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
                _ => self.below(places, node, run),
            },
            ExprKind::Comprehension(fold) => places.in_loop(fold, |places, part, inner| {
                let run = match part {
                    LoopPart::Once => run.value(),
                    LoopPart::Round => run.sometimes(),
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

    /// `a && b`, of which each runs unless the other is false.
    fn conjunction(&mut self, places: &mut Places<'e>, node: &'e Expr, run: &Run) {
        let sides = operands(node, "_&&_");
        // Whichever is false, the rule is, unless something around makes up for it.
        let run = match run.sense {
            Sense::Demanded => run.clone(),
            Sense::Allowed | Sense::Unclear => run.sometimes(),
        };
        for (at, side) in sides.iter().enumerate() {
            let known = beside(&sides, at, true, places, &run);
            self.visit(places, side, &run.clone().with_known(known));
        }
    }

    /// `!a || b`, of which each runs unless the other is true.
    ///
    /// Of alternatives, one that cannot be told is as good as one that is false: either way another has to be true.
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
        // A condition in the rule may tell the branches apart.
        let told_apart = object.combined && !run.always;
        if absent && !told_apart && !of_metadata && !run.known.contains(&place) {
            let field = Unguarded {
                node,
                path,
                always: run.always,
                branched: object.combined,
                place: place.clone(),
            };
            let first = self.found.entry(place).or_insert(field);
            first.always |= run.always;
        }
    }
}

/// The operands of a chain of one operator.
fn operands<'e>(node: &'e Expr, operator: &str) -> Vec<&'e Expr> {
    match &node.kind {
        ExprKind::Call { function, args, .. } if function == operator => args
            .iter()
            .flat_map(|arg| operands(arg, operator))
            .collect(),
        _ => vec![node],
    }
}

/// What is known of one operand once all others have come out as `outcome`.
fn beside(sides: &[&Expr], at: usize, outcome: bool, places: &Places<'_>, run: &Run) -> Facts {
    let others = sides.iter().enumerate().filter(|(other, _)| *other != at);
    others.fold(run.known.clone(), |known, (_, other)| {
        known.and(Facts::of(other, outcome, places))
    })
}

/// True for what makes an implication of `||`: `!has(self.a) || …`, `self.mode != 'a' || …`.
fn denies(node: &Expr) -> bool {
    matches!(&node.kind, ExprKind::Call { function, .. } if matches!(function.as_str(), "!_" | "_!=_"))
}
