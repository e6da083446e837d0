//! Where in an object an expression leads, whatever the variables of loops are called.

use super::variables::Variables;
use genclient_schema::cel::ast::{Comprehension, Expr, ExprKind, Literal};

/// What names stand for, where that is a place.
#[derive(Debug, Default)]
pub(super) struct Places<'e> {
    variables: Variables<'e, String>,
}

impl<'e> Places<'e> {
    /// The place that an expression names: `self.items[*].name`.
    pub(super) fn of(&self, node: &Expr) -> Option<String> {
        match &node.kind {
            ExprKind::Ident(name) => {
                let object = || matches!(name.as_str(), "self" | "oldSelf").then(|| name.clone());
                self.variables.find(name, object)
            }
            ExprKind::Select(select) => {
                Some(format!("{}.{}", self.of(&select.operand)?, select.field))
            }
            _ => None,
        }
    }

    /// The place that is asked for with `?`: `self.?limits`, and `self.?limits.low`.
    pub(super) fn of_optional(&self, node: &Expr) -> Option<String> {
        let (operand, field) = match &node.kind {
            ExprKind::Select(select) => (self.of_optional(&select.operand)?, &select.field),
            ExprKind::Call { function, args, .. } if function == "_?._" => {
                let [operand, field] = args.as_slice() else {
                    return None;
                };
                let ExprKind::Literal(Literal::Text(field)) = &field.kind else {
                    return None;
                };
                let operand = self.of_optional(operand).or_else(|| self.of(operand))?;
                (operand, field)
            }
            _ => return None,
        };
        Some(format!("{operand}.{field}"))
    }

    /// Calls `visit` with every part of a loop, each with the variables that it sees.
    pub(super) fn in_loop(
        &mut self,
        fold: &'e Comprehension,
        mut visit: impl FnMut(&mut Self, LoopPart, &'e Expr),
    ) {
        visit(self, LoopPart::Once, &fold.range);
        visit(self, LoopPart::Once, &fold.start);
        let values = self.of(&fold.range).map(|range| range + "[*]");
        let entered = self.variables.enter(fold, values.clone(), values);
        visit(self, LoopPart::Round, &fold.condition);
        visit(self, LoopPart::Round, &fold.step);
        self.variables.enter_result(&entered);
        visit(self, LoopPart::Once, &fold.result);
        self.variables.leave(entered);
    }
}

/// How often a part of a loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoopPart {
    Once,
    /// For each value, of which there may be none.
    Round,
}

/// A place and those around it, none of which is absent if it is there: `self.a.b`, `self.a`.
pub(super) fn with_outer(place: &str) -> impl Iterator<Item = String> {
    let ends = place.match_indices('.').map(|(end, _)| end).skip(1);
    ends.chain([place.len()]).map(|end| place[..end].to_owned())
}
