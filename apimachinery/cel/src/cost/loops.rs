//! Cost estimate of comprehensions and of variable bindings.

use super::estimate::{CostEstimator, Local};
use super::size::SchemaStep;
use crate::ast::{Comprehension, Expr, ExprKind, Literal};
use crate::types::Type;

impl CostEstimator<'_> {
    /// Returns the cost of a loop: that of one iteration times the maximum size of the range.
    pub(super) fn comprehension_cost(&mut self, node: &Expr, fold: &Comprehension) -> u64 {
        let mut cost = self
            .node_cost(&fold.range)
            .saturating_add(self.node_cost(&fold.start));
        self.record_heavy(&fold.range, None);
        // The scopes are those of cel-go: the result sees the accumulator, but no loop variable.
        self.push_local(&fold.accumulator, &fold.start);
        self.push_variables(fold);
        let round = self
            .node_cost(&fold.condition)
            .saturating_add(self.node_cost(&fold.step));
        self.locals
            .truncate(self.locals.len() - 1 - usize::from(fold.second_variable.is_some()));
        cost = cost.saturating_add(self.node_cost(&fold.result));
        self.locals.pop();
        let rounds = self.size_or_unknown(&fold.range);
        // A quantifier accumulates a value of constant size. A list or map that is built has at
        // most one item for each round.
        match &fold.start.kind {
            ExprKind::Literal(_) => self.sizes[node.id] = self.size(&fold.start),
            ExprKind::List(_) | ExprKind::Map(_) => {
                self.sizes[node.id] = Some(rounds);
                self.entries[node.id] = self.entries_of(&fold.step).or(self.entries[node.id]);
            }
            _ => {}
        }
        cost.saturating_add(rounds.max.saturating_mul(round))
    }

    fn push_local(&mut self, name: &str, value: &Expr) {
        let local = Local {
            name: name.to_owned(),
            site: self.site(value),
            size: self.size(value),
            entries: self.entries_of(value),
        };
        self.locals.push(local);
    }

    /// Adds the loop variables. One variable is the item of a list or the key of a map; with two,
    /// the first is the index or key, and the second the value.
    fn push_variables(&mut self, fold: &Comprehension) {
        let entries = self.entries_of(&fold.range);
        let range = self.site(&fold.range);
        let list = entries.map_or(
            matches!(self.type_of(&fold.range), Type::List(_)),
            |entries| entries.list,
        );
        let (key, value) = (
            entries.map(|entries| entries.key),
            entries.map(|entries| entries.value),
        );
        let keys = if list {
            SchemaStep::Indices
        } else {
            SchemaStep::Keys
        };
        let mut add = |name: &str, step, size| {
            let site = self.map.step(range, step);
            self.locals.push(Local {
                name: name.to_owned(),
                site,
                size,
                entries: None,
            });
        };
        match &fold.second_variable {
            Some(second) => {
                add(&fold.variable, keys, key);
                add(second, SchemaStep::Values, value);
            }
            None if list => add(&fold.variable, SchemaStep::Values, value),
            None => add(&fold.variable, SchemaStep::Keys, key),
        }
    }

    /// Returns the cost of a variable binding, which evaluates its value once.
    pub(super) fn binding_cost(&mut self, node: &Expr, fold: &Comprehension) -> u64 {
        let range_cost = self.node_cost(&fold.range);
        let start_cost = self.node_cost(&fold.start);
        self.push_local(&fold.accumulator, &fold.start);
        let result_cost = self.node_cost(&fold.result);
        self.copy_sizes(node, &fold.result);
        self.locals.pop();
        range_cost
            .saturating_add(start_cost)
            .saturating_add(result_cost)
    }
}

/// Returns whether a comprehension has no iterations and only binds a name to a value.
pub(super) fn is_binding(fold: &Comprehension) -> bool {
    matches!(&fold.range.kind, ExprKind::List(elements) if elements.is_empty())
        && matches!(fold.condition.kind, ExprKind::Literal(Literal::Bool(false)))
}
