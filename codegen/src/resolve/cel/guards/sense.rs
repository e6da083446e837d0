//! What becomes of a rule where a condition in it is false.

use genclient_schema::cel::ast::{Expr, ExprKind, Literal};

/// What becomes of the rule where a condition is false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// It may be false for that.
    Demanded,
    /// It is no less true for that.
    Allowed,
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

    /// What the test of `?:` is to the rule, of which the whole of it is `self`.
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
