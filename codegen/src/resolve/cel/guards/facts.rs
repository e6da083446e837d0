//! Facts that follow from a condition's outcome: the fields that are then present.

use std::collections::BTreeSet;

use crate::resolve::cel::places::{Places, with_outer};
use genclient_schema::cel::ast::{Expr, ExprKind, Literal};

/// Paths that are known to be present.
#[derive(Clone, Debug)]
pub(super) enum Facts {
    These(BTreeSet<String>),
    /// The case cannot happen, so every path counts as present.
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

    /// Facts that hold if both hold.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::These(mut places), Self::These(others)) => {
                places.extend(others);
                Self::These(places)
            }
            _ => Self::Everything,
        }
    }

    /// Facts that hold if either holds: the intersection.
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

/// Facts of all parts together.
fn all(parts: &[Expr], of: &impl Fn(&Expr) -> Facts) -> Facts {
    parts.iter().map(of).fold(Facts::none(), Facts::and)
}

/// Facts common to all parts, where any one of them may hold.
fn any(parts: &[Expr], of: &impl Fn(&Expr) -> Facts) -> Facts {
    parts.iter().map(of).fold(Facts::Everything, Facts::or)
}
