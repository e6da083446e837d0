//! Cost estimate of function calls.

use super::estimate::CostEstimator;
use super::size::{Entries, SchemaStep, Site, Size, scale_up};
use crate::ast::{Expr, ExprKind, Literal};
use crate::functions::Overload;
use crate::types::Type;

/// Cost of creating a list (`common.ListCreateBaseCost`).
pub(crate) const LIST_COST: u64 = 10;
/// Cost of creating a map (`common.MapCreateBaseCost`).
pub(crate) const MAP_COST: u64 = 30;
/// Cost of reading one character.
pub(super) const READ_COST: f64 = 0.1;

/// A call with one of its matching overloads.
pub(super) struct OverloadCall<'c> {
    pub(super) node: &'c Expr,
    pub(super) function: &'c str,
    pub(super) target: Option<&'c Expr>,
    pub(super) args: &'c [Expr],
    pub(super) arg_costs: &'c [u64],
    /// `None` for the operator `.?`, which has no overloads.
    pub(super) overload: Option<&'c Overload>,
}

impl OverloadCall<'_> {
    /// Returns whether the call is `list[index]` or `map[key]`.
    pub(super) fn indexes(&self) -> bool {
        self.function == "_[_]" && matches!(self.parameter(0), Some(Type::List(_) | Type::Map(..)))
    }

    /// Returns the type that the overload declares for argument `at`. The receiver of a method is
    /// argument 0.
    pub(super) fn parameter(&self, at: usize) -> Option<&Type> {
        self.overload?.args.get(at)
    }

    pub(super) fn takes_text(&self, at: usize) -> bool {
        matches!(self.parameter(at), Some(Type::Text | Type::Bytes))
    }

    /// Returns the receiver of a method, or the first argument.
    fn subject(&self) -> Option<&Expr> {
        self.target.or(self.args.first())
    }
}

/// Cost of a call, and the size of its result if known.
pub(super) type CallEstimate = (u64, Option<Size>);

impl CostEstimator<'_> {
    /// Returns the cost of a call and its arguments, without the receiver, and the result's size.
    pub(super) fn overload_cost(&mut self, call: &OverloadCall<'_>) -> CallEstimate {
        let args = call
            .arg_costs
            .iter()
            .fold(0_u64, |sum, cost| sum.saturating_add(*cost));
        match call.function {
            "_&&_" | "_||_" => return (args, None),
            "_?_:_" => return self.conditional_cost(call),
            _ => {}
        }
        let (cost, size) = self
            .list_function_cost(call)
            .or_else(|| self.text_method_cost(call))
            .or_else(|| self.text_search_cost(call))
            .or_else(|| self.text_conversion_cost(call))
            .or_else(|| self.net_function_cost(call))
            .or_else(|| self.operator_cost(call))
            .unwrap_or((1, None));
        (cost.saturating_add(args), size)
    }

    /// Returns the cost of `c ? a : b`: that of the condition and of the more expensive branch.
    fn conditional_cost(&mut self, call: &OverloadCall<'_>) -> CallEstimate {
        let ([_, then, otherwise], [condition, first, second]) = (call.args, call.arg_costs) else {
            return (0, None);
        };
        let size = self
            .size_or_unknown(then)
            .or(self.size_or_unknown(otherwise));
        if let (Some(then), Some(otherwise)) = (self.entries_of(then), self.entries_of(otherwise)) {
            self.entries[call.node.id] = Some(then.or(otherwise));
        }
        (condition.saturating_add(*first.max(second)), Some(size))
    }

    /// Returns the cost if the function is for lists or sets, else `None`.
    fn list_function_cost(&mut self, call: &OverloadCall<'_>) -> Option<CallEstimate> {
        let allocating = |factor: f64, size: Size| {
            (
                scale_up(size.max, factor).saturating_add(1 + LIST_COST),
                Some(size),
            )
        };
        let size = call.target.map(|target| self.size_or_unknown(target));
        Some(match (call.function, size, call.args) {
            ("slice", Some(size), [start, end]) => {
                let length = integer_or(end, size.max).wrapping_sub(integer_or(start, 0));
                allocating(1.0, Size::exactly(length))
            }
            ("range", None, [count]) => allocating(1.0, Size::exactly(integer_or(count, u64::MAX))),
            ("reverse", Some(size), []) => allocating(1.0, size),
            ("flatten", Some(size), []) => allocating(1.0, size),
            ("flatten", Some(size), [depth]) => {
                #[expect(clippy::cast_precision_loss, reason = "the API server does the same")]
                let depth = integer_or(depth, u64::MAX) as f64;
                allocating(depth, size)
            }
            ("distinct", Some(size), []) => {
                self.record_heavy_argument(call, call.target);
                allocating(2.0, size.times(size))
            }
            ("sort", Some(size), []) => {
                self.record_heavy_argument(call, call.target);
                allocating(self.sort_factor(call.parameter(0)), size.times(size))
            }
            ("@sortByAssociatedKeys", Some(_), [keys]) => {
                let size = self.size_or_unknown(keys);
                allocating(self.sort_factor(call.parameter(1)), size.times(size))
            }
            ("contains" | "intersects" | "equivalent", None, [first, second]) => {
                let factor = if call.function == "equivalent" {
                    2.0
                } else {
                    1.0
                };
                let pairs = self
                    .size_or_unknown(first)
                    .times(self.size_or_unknown(second));
                self.record_heavy_argument(call, Some(first));
                self.record_heavy_argument(call, Some(second));
                (scale_up(pairs.max, factor).saturating_add(1), None)
            }
            ("isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf", Some(size), _) => {
                (self.traversal_cost(call.target?, size), None)
            }
            _ => return None,
        })
    }

    /// Returns the cost of comparing two items in a sort. Strings are read, too.
    fn sort_factor(&self, list: Option<&Type>) -> f64 {
        match list {
            Some(Type::List(items)) if matches!(**items, Type::Text | Type::Bytes) => {
                2.0 + READ_COST
            }
            _ => 2.0,
        }
    }

    /// Returns the cost of reading each item of a list or each character of a string once.
    fn traversal_cost(&mut self, target: &Expr, size: Size) -> u64 {
        let Type::List(items) = self.type_of(target) else {
            return scale_up(size.max, READ_COST);
        };
        let mut each = 1;
        if matches!(**items, Type::Text | Type::Bytes) {
            each = scale_up(self.item_size(target).max, READ_COST).saturating_add(1);
        }
        size.max.saturating_mul(each)
    }

    /// Returns the size that the schema permits for an item of a list, or [`Size::UNKNOWN`].
    pub(super) fn item_size(&mut self, list: &Expr) -> Size {
        match self.site(list) {
            Site::Made => self.record_unbounded(list),
            site => match self.map.step(site, SchemaStep::Values) {
                Site::At(declared) => Size::up_to(self.declared_size(declared)),
                _ => Size::UNKNOWN,
            },
        }
    }

    /// Returns the cost if the function is for addresses, quantities or versions, else `None`.
    fn net_function_cost(&mut self, call: &OverloadCall<'_>) -> Option<CallEstimate> {
        let read = |factor: f64, size: Size| Some((scale_up(size.max, factor), None));
        match (call.function, call.args) {
            ("isCanonical", [text]) => {
                let size = self.size_or_unknown(text);
                read(2.0 * READ_COST, size)
            }
            ("ip", _) if call.target.is_some() => Some((1, None)),
            (
                "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver"
                | "isSemver",
                [text, ..],
            ) => {
                let size = self.size_or_unknown(text);
                read(READ_COST, size)
            }
            ("containsIP" | "containsCIDR", [other]) => {
                // Two addresses of at most 16 bytes each are compared.
                let mut cost = scale_up(32, READ_COST);
                if call.function == "containsCIDR" {
                    cost += scale_up(16, READ_COST) + 1;
                }
                if call.takes_text(1) {
                    cost =
                        cost.saturating_add(scale_up(self.size_or_unknown(other).max, READ_COST));
                }
                Some((cost, None))
            }
            _ => None,
        }
    }

    /// Returns the cost of an operator that reads its operands, else `None`.
    fn operator_cost(&mut self, call: &OverloadCall<'_>) -> Option<CallEstimate> {
        let [left, right] = call.args else {
            return None;
        };
        match call.function {
            "_==_" => Some((self.equality_cost(left, right), None)),
            "_!=_" => Some(self.comparison_cost(left, right)),
            "_<_" | "_<=_" | "_>_" | "_>=_" if call.takes_text(0) => {
                Some(self.comparison_cost(left, right))
            }
            "@in" if matches!(call.parameter(1), Some(Type::List(_))) => {
                Some((self.size_or_unknown(right).max, None))
            }
            "_+_" if call.takes_text(0) || matches!(call.parameter(0), Some(Type::List(_))) => {
                Some(self.addition_cost(call, left, right))
            }
            _ => None,
        }
    }

    /// Returns the cost of `==`. For types of Kubernetes' CEL libraries, such as `URL`, it differs
    /// from the cost of `!=`.
    fn equality_cost(&mut self, left: &Expr, right: &Expr) -> u64 {
        let type_ = self.type_of(left);
        match type_ {
            Type::Named(name) if type_ == self.type_of(right) => match *name {
                "URL" => scale_up(self.size(right).map_or(1, |size| size.max), READ_COST),
                "NamedFormat" => scale_up(64, READ_COST),
                _ => 1,
            },
            _ => self.comparison_cost(left, right).0,
        }
    }

    /// Returns the cost of comparing two values, which ends with the shorter one.
    fn comparison_cost(&mut self, left: &Expr, right: &Expr) -> CallEstimate {
        let shorter = self
            .size_or_unknown(left)
            .max
            .min(self.size_or_unknown(right).max);
        (scale_up(shorter, READ_COST), None)
    }

    /// Returns the cost of `+`. Strings are copied; lists are joined without a copy.
    fn addition_cost(
        &mut self,
        call: &OverloadCall<'_>,
        left: &Expr,
        right: &Expr,
    ) -> CallEstimate {
        let size = self.size_or_unknown(left).plus(self.size_or_unknown(right));
        if let (Some(left), Some(right)) = (self.entries_of(left), self.entries_of(right)) {
            self.entries[call.node.id] = Some(Entries::or(left, right));
        }
        let cost = if call.takes_text(0) {
            scale_up(size.max, READ_COST)
        } else {
            1
        };
        (cost, Some(size))
    }

    /// Records that the function reads `value`, or else its subject, more than once.
    pub(super) fn record_heavy_argument(&mut self, call: &OverloadCall<'_>, value: Option<&Expr>) {
        if let Some(value) = value.or(call.subject()) {
            self.record_heavy(value, Some(call.function));
        }
    }
}

/// Returns the value of an integer literal (0 if negative), or `otherwise` for other nodes.
pub(super) fn integer_or(node: &Expr, otherwise: u64) -> u64 {
    match node.kind {
        ExprKind::Literal(Literal::Int(number)) => u64::try_from(number).unwrap_or(0),
        _ => otherwise,
    }
}
