//! Presence of optional fields, inferred from conditions: if `has(self.a)` is true, `self.a` is
//! present. [`demands`] finds the fields that a rule may require.

use std::collections::BTreeSet;

use genclient_cel::ast::{Expr, ExprKind, Literal};

use crate::resolve::cel::places::{Evaluated, Places, with_outer};

/// Effect of a false condition on the rule that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// A false condition may make the rule fail.
    Demanded,
    /// A false condition does not make the rule fail.
    Allowed,
    /// The effect is unknown, for example if the rule compares the condition with a value.
    Unclear,
}

impl Sense {
    pub(super) fn negated(self) -> Self {
        match self {
            Self::Demanded => Self::Allowed,
            Self::Allowed => Self::Demanded,
            Self::Unclear => Self::Unclear,
        }
    }

    /// Returns the sense of the condition `test` in `test ? then : otherwise`. `self` is the sense
    /// of the whole expression.
    pub(super) fn of_test(self, then: &Expr, otherwise: &Expr) -> Self {
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
pub(super) enum Facts {
    These(BTreeSet<String>),
    /// The condition can never hold, such as the literal `false`. Every path counts as present.
    Everything,
}

impl Facts {
    pub(super) fn none() -> Self {
        Self::These(BTreeSet::new())
    }

    pub(super) fn contains(&self, place: &str) -> bool {
        match self {
            Self::These(places) => places.contains(place),
            Self::Everything => true,
        }
    }

    /// Returns the facts if `self` and `other` both hold: the union.
    pub(super) fn and(self, other: Self) -> Self {
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
    pub(super) fn of(condition: &Expr, outcome: bool, places: &Places<'_>) -> Self {
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
