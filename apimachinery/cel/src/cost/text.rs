//! Cost estimate of string functions.

use super::calls::{CallEstimate, OverloadCall, READ_COST, integer_or};
use super::estimate::CostEstimator;
use super::size::{Size, scale_up};
use crate::ast::Expr;
use crate::types::Type;

/// The cost of reading the text is multiplied by this factor for each character of a pattern.
const PATTERN_FACTOR: f64 = 0.25;
/// Factor for the pattern of a named format. The API server's estimate assumes 128 characters for
/// every such pattern (`MaxNameFormatRegexSize`).
const FORMAT_PATTERN_FACTOR: f64 = 128.0 * PATTERN_FACTOR;

impl CostEstimator<'_> {
    /// Returns the cost if the method changes, splits or joins strings, else `None`.
    pub(super) fn text_method_cost(&mut self, call: &OverloadCall<'_>) -> Option<CallEstimate> {
        let target = call.target;
        let size = target.map(|target| self.size_or_unknown(target));
        Some(match (call.function, size, call.args) {
            ("lowerAscii" | "upperAscii" | "substring" | "trim", Some(size), _) => {
                (scale_up(size.max, READ_COST), Some(size))
            }
            ("replace", Some(size), [from, to, ..]) => {
                let result = self.replace_size(size, from, to);
                (scale_up(size.max, 2.0 * READ_COST), Some(result))
            }
            ("split", Some(size), args) => {
                let parts = args
                    .get(1)
                    .map_or(size.max, |limit| integer_or(limit, size.max));
                (
                    scale_up(size.max, 2.0 * READ_COST),
                    Some(Size::up_to(parts)),
                )
            }
            ("join", Some(size), args) => self.join_cost(target?, size, args),
            _ => return None,
        })
    }

    fn join_cost(&mut self, list: &Expr, size: Size, args: &[Expr]) -> CallEstimate {
        let mut joined = size.times(self.item_size(list));
        if let Some(separator) = args.first() {
            let gaps = Size {
                min: size.min.saturating_sub(1),
                max: size.max.saturating_sub(1),
            };
            joined = joined.plus(self.size_or_unknown(separator).times(gaps));
        }
        (scale_up(joined.max, READ_COST), Some(joined))
    }

    /// Returns the cost if the method reads a string, as `find` and `validate` do, else `None`.
    pub(super) fn text_search_cost(&mut self, call: &OverloadCall<'_>) -> Option<CallEstimate> {
        let size = self.size_or_unknown(call.target?);
        Some(match (call.function, call.args) {
            ("matches" | "find" | "findAll", [pattern, ..]) => {
                self.record_heavy_argument(call, call.target);
                let text = scale_up(size.max.saturating_add(1), READ_COST);
                let cost = text
                    .saturating_mul(scale_up(self.size_or_unknown(pattern).max, PATTERN_FACTOR));
                (
                    cost,
                    (call.function != "matches").then_some(Size::up_to(size.max)),
                )
            }
            ("contains", [part]) if call.takes_text(1) => {
                let cost = scale_up(size.max, READ_COST)
                    .saturating_mul(scale_up(self.size_or_unknown(part).max, READ_COST));
                (cost, None)
            }
            ("startsWith" | "endsWith", [part]) => {
                (scale_up(self.size_or_unknown(part).max, READ_COST), None)
            }
            ("format", _) => (scale_up(size.max, READ_COST), None),
            ("validate", [text]) => {
                self.record_heavy_argument(call, Some(text));
                let size = self.size_or_unknown(text);
                (
                    scale_up(scale_up(size.max, READ_COST), FORMAT_PATTERN_FACTOR),
                    None,
                )
            }
            _ => return None,
        })
    }

    /// Returns the cost of `url`, `quote` or a conversion between strings and bytes, else `None`.
    pub(super) fn text_conversion_cost(&mut self, call: &OverloadCall<'_>) -> Option<CallEstimate> {
        let (None, [value]) = (call.target, call.args) else {
            return None;
        };
        let result = match call.function {
            "url" => |size: Size| size,
            "bytes" if call.takes_text(0) => |size: Size| Size {
                max: size.max.wrapping_mul(4),
                ..size
            },
            "string" if matches!(call.parameter(0), Some(Type::Bytes)) => |size: Size| Size {
                min: size.min / 4,
                ..size
            },
            "quote" => |size: Size| Size {
                min: size.min.saturating_add(2),
                max: size.max.wrapping_mul(2).wrapping_add(2),
            },
            _ => return None,
        };
        let size = self.size_or_unknown(value);
        Some((scale_up(size.max, READ_COST), Some(result(size))))
    }

    /// Returns the size of a string after `replace`.
    fn replace_size(&mut self, size: Size, from: &Expr, to: &Expr) -> Size {
        let (from, to) = (self.size_or_unknown(from), self.size_or_unknown(to));
        let max = if from.min == 0 {
            size.max
                .saturating_add(1)
                .saturating_mul(to.max)
                .saturating_add(size.max)
        } else if to.max <= from.min {
            size.max
        } else {
            size.max.div_ceil(from.min).saturating_mul(to.max)
        };
        let min = if from.max == 0 {
            size.min
                .saturating_add(1)
                .saturating_mul(to.min)
                .saturating_add(size.min)
        } else if from.max <= to.min {
            size.min
        } else {
            size.min.div_ceil(from.max).saturating_mul(to.min)
        };
        Size { min, max }
    }
}
