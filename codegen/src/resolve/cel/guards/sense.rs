//! [`Sense`]: the effect of a false condition on its rule.

use genclient_schema::cel::ast::{Expr, ExprKind, Literal};

/// Effect of a false condition on its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// The rule may fail because of it.
    Demanded,
    /// The rule does not fail because of it.
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

    /// Returns the sense of the test of `?:`, given that of the whole expression.
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
