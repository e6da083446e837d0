//! Estimate of a rule's maximum cost, as the API server computes it before it accepts the rule.
//!
//! One unit is about the time of a variable access. The cost of a loop is the cost of its body
//! times the maximum number of items. If the schema has no limit, the maximum is what fits into a
//! request. Most string functions cost a tenth of a unit for each character.

mod calls;
mod estimate;
mod loops;
mod size;
mod text;

use super::ast::{Element, Entry, Expr, ExprKind, Select};
use super::declare::{self, Declared, Objects};
use super::infer::Inferred;
use super::types::Type;
pub use estimate::{Estimate, Use};

use calls::OverloadCall;
pub(crate) use calls::{LIST_COST, MAP_COST};
use estimate::CostEstimator;
use size::{Entries, SchemaMap, SchemaStep, Site, Size};

/// Cost of creating an object.
const STRUCT_COST: u64 = 40;

/// Estimates the cost of an expression. `small` is the path of a value and a lower maximum size to
/// assume for it. The difference from an estimate without `small` is the value's share of the cost.
pub fn estimate_cost(
    expression: &Expr,
    inferred: &Inferred,
    root: &Declared,
    objects: &Objects,
    small: Option<(&str, u64)>,
) -> Estimate {
    let keys = declare::simple(Type::Text, 0, 2, String::new());
    let count = inferred.types.len();
    let mut estimator = CostEstimator {
        map: SchemaMap {
            root,
            keys: &keys,
            objects,
        },
        inferred,
        sites: vec![Site::Made; count],
        sizes: vec![None; count],
        entries: vec![None; count],
        locals: Vec::new(),
        small,
        out: Estimate::default(),
    };
    let cost = estimator.node_cost(expression);
    Estimate {
        cost,
        ..estimator.out
    }
}

impl<'d> CostEstimator<'d> {
    /// Returns the cost of a node with all nodes below it.
    fn node_cost(&mut self, node: &Expr) -> u64 {
        match &node.kind {
            ExprKind::Literal(_) => 0,
            ExprKind::Ident(name) => {
                self.sites[node.id] = self
                    .local(name)
                    .map_or(Site::At(self.map.root), |local| local.site);
                1
            }
            ExprKind::Select(select) => self.select_cost(node, select),
            ExprKind::Call {
                function,
                target,
                args,
                ..
            } => self.call_cost(node, function, target.as_deref(), args),
            ExprKind::List(elements) => self.list_cost(node, elements),
            ExprKind::Map(entries) => self.map_cost(node, entries),
            ExprKind::Struct { fields, .. } => fields
                .iter()
                .map(|(_, value)| self.node_cost(value))
                .fold(STRUCT_COST, u64::saturating_add),
            ExprKind::Comprehension(fold) if loops::is_binding(fold) => {
                self.binding_cost(node, fold)
            }
            ExprKind::Comprehension(fold) => self.comprehension_cost(node, fold),
        }
    }

    /// Returns the cost of `a.b`. A presence test costs no more than its operand.
    fn select_cost(&mut self, node: &Expr, select: &Select) -> u64 {
        let operand = self.node_cost(&select.operand);
        if select.test {
            return operand;
        }
        self.sites[node.id] = self
            .map
            .step(self.site(&select.operand), SchemaStep::Field(&select.field));
        let counts = match self.type_of(&select.operand) {
            Type::Map(..) | Type::Object(_) => true,
            Type::Named(name) => !matches!(*name, "IP" | "CIDR"),
            _ => false,
        };
        operand.saturating_add(u64::from(counts))
    }

    /// Returns the cost of a call with its receiver and arguments.
    fn call_cost(
        &mut self,
        node: &Expr,
        function: &str,
        target: Option<&Expr>,
        args: &[Expr],
    ) -> u64 {
        // `dyn` changes only the type.
        if let ("dyn", [arg]) = (function, args) {
            let cost = self.node_cost(arg);
            self.copy_sizes(node, arg);
            return cost.saturating_add(1);
        }
        let arg_costs: Vec<_> = args.iter().map(|arg| self.node_cost(arg)).collect();
        let inferred = self.inferred;
        let overloads = inferred.overloads[node.id].as_slice();
        if overloads.is_empty() && function != "_?._" {
            return 0;
        }
        let method = overloads.first().is_some_and(|overload| overload.method);
        let target = target.filter(|_| method);
        let target_cost = target.map_or(0, |target| self.node_cost(target));
        let (mut cost, mut result) = (0, None);
        let called = |overload| OverloadCall {
            node,
            function,
            target,
            args,
            arg_costs: &arg_costs,
            overload,
        };
        let known = overloads.iter().map(|overload| called(Some(&**overload)));
        let calls: Vec<_> = if overloads.is_empty() {
            vec![called(None)]
        } else {
            known.collect()
        };
        // With several overloads, the call costs as much as the most expensive one.
        for call in &calls {
            let (call_cost, size) = self.overload_cost(call);
            cost = cost.max(call_cost);
            result = match (result, size) {
                (Some(before), Some(size)) => Some(Size::or(before, size)),
                (before, size) => before.or(size),
            };
            if call.indexes() {
                result = self.entries_of(&args[0]).map(|entries| entries.value);
                self.sites[node.id] = self.map.step(self.site(&args[0]), SchemaStep::Values);
            }
            result = result.or_else(|| self.size(node));
        }
        if result.is_some() {
            self.sizes[node.id] = result;
        }
        cost.saturating_add(target_cost)
    }

    /// Returns the cost of a list literal, and records the size of its items.
    fn list_cost(&mut self, node: &Expr, elements: &[Element]) -> u64 {
        let mut cost = LIST_COST;
        let mut value = None;
        for element in elements {
            cost = cost.saturating_add(self.node_cost(&element.value));
            value = widen(value, self.size_or_unknown(&element.value));
        }
        self.entries[node.id] = Some(Entries {
            list: true,
            key: Size::exactly(1),
            value: value.unwrap_or(Size::exactly(0)),
        });
        cost
    }

    /// Returns the cost of a map literal, and records the sizes of its keys and values.
    fn map_cost(&mut self, node: &Expr, entries: &[Entry]) -> u64 {
        let mut cost = MAP_COST;
        let (mut key, mut value) = (None, None);
        for entry in entries {
            cost = cost
                .saturating_add(self.node_cost(&entry.key))
                .saturating_add(self.node_cost(&entry.value));
            key = widen(key, self.size_or_unknown(&entry.key));
            value = widen(value, self.size_or_unknown(&entry.value));
        }
        let (key, value) = (
            key.unwrap_or(Size::exactly(0)),
            value.unwrap_or(Size::exactly(0)),
        );
        self.entries[node.id] = Some(Entries {
            list: false,
            key,
            value,
        });
        cost
    }
}

fn widen(before: Option<Size>, size: Size) -> Option<Size> {
    Some(before.map_or(size, |before| before.or(size)))
}
