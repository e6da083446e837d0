//! Run-time cost of function calls.
//!
//! Follows cel-go/interpreter, runtimecost.go, and k8s.io/apiserver/pkg/cel/library, cost.go.

use super::value::Value;
use crate::functions::Overload;
use crate::types::Type;

/// Cost limit of one evaluation of an expression.
pub const CALL_LIMIT: u64 = 1_000_000;

/// Cost budget of all rules of an object.
pub const OBJECT_BUDGET: i64 = 10_000_000;

/// Cost budget of all match conditions of a webhook.
pub const CONDITIONS_BUDGET: u64 = 2_500_000;

/// Formula for the cost of a call, from its arguments and its result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Charge {
    One,
    /// Traversal of the first argument with all nested values.
    Traversal,
    /// A tenth of the length of the first argument, times a factor.
    Length(f64),
    /// A fifth of the length of the resulting string.
    ResultText,
    /// A quarter of the pattern's length times a tenth of the string's length.
    Pattern,
    /// A tenth of one string's length times a tenth of the other's.
    Contains,
    ContainsIp {
        text: bool,
    },
    ContainsCidr {
        text: bool,
    },
    Validate,
    /// The number of items of the second argument.
    Items,
    /// A tenth of the length of the shorter of two arguments.
    Shorter,
    /// A tenth of the sum of both lengths.
    Joined,
    /// Creation of the resulting list.
    NewList,
    Flatten,
    /// Comparison of all pairs of items of a list. The list is the argument at this index.
    SelfCompare(usize),
    Sets(f64),
    /// 350,000. Two checks fit into [`CALL_LIMIT`], three do not.
    AccessCheck,
    /// A tenth of the length of the second argument.
    Selector,
}

/// Returns the cost formula of a call. `overload` is set if type inference leaves exactly one
/// overload.
pub(super) fn choose_charge(function: &str, overload: Option<&Overload>) -> Charge {
    let args = overload.map_or(&[][..], |overload| &overload.args);
    let both = |type_: &Type| matches!(args, [left, right] if left == type_ && right == type_);
    let texts = both(&Type::Text) || both(&Type::Bytes);
    let text_overload = matches!(args, [_, Type::Text]);
    match function {
        "slice" | "lists.range" | "reverse" if overload.is_some() => Charge::NewList,
        "flatten" if overload.is_some() => Charge::Flatten,
        "distinct" | "sort" if overload.is_some() => Charge::SelfCompare(0),
        "@sortByAssociatedKeys" if overload.is_some() => Charge::SelfCompare(1),
        "sets.contains" | "sets.intersects" if overload.is_some() => Charge::Sets(1.0),
        "sets.equivalent" if overload.is_some() => Charge::Sets(2.0),
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => Charge::Traversal,
        "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "cidr" | "isIP" | "isCIDR"
        | "quantity" | "isQuantity" | "semver" | "isSemver" => Charge::Length(1.0),
        "ip" if matches!(args, [Type::Named(_)]) => Charge::One,
        "ip" => Charge::Length(1.0),
        "replace" | "split" | "ip.isCanonical" => Charge::Length(2.0),
        "join" => Charge::ResultText,
        "find" | "findAll" => Charge::Pattern,
        "matches" if overload.is_some_and(|overload| overload.method) => Charge::Pattern,
        "containsIP" => Charge::ContainsIp {
            text: text_overload,
        },
        "containsCIDR" => Charge::ContainsCidr {
            text: text_overload,
        },
        "validate" => Charge::Validate,
        "startsWith" | "endsWith" | "strings.quote" | "format" if overload.is_some() => {
            Charge::Length(1.0)
        }
        "bytes" if matches!(args, [Type::Text]) => Charge::Length(1.0),
        "string" if matches!(args, [Type::Bytes]) => Charge::Length(1.0),
        "contains" if overload.is_some() => Charge::Contains,
        "@in" if matches!(args, [_, Type::List(_)]) => Charge::Items,
        "_<_" | "_<=_" | "_>_" | "_>=_" if texts => Charge::Shorter,
        "_+_" if texts => Charge::Joined,
        "check" => Charge::AccessCheck,
        "fieldSelector" | "labelSelector" => Charge::Selector,
        _ => Charge::One,
    }
}

impl Charge {
    /// Returns the cost of a call.
    ///
    /// # Errors
    ///
    /// The API server's cost tracker panics if an argument has an unexpected type, such as an error
    /// value. In that case, returns the message of the panic.
    pub(super) fn cost(self, args: &[Value<'_>], result: &Value<'_>) -> Result<u64, String> {
        let size = |place: usize| args.get(place).map_or(1, content_size);
        let first = size(0);
        Ok(match self {
            Self::One => 1,
            Self::AccessCheck => 350_000,
            Self::Selector => one_tenth(as_float(size(1))),
            Self::Traversal => args.first().map_or(0, traversal_cost),
            Self::Length(times) => one_tenth(as_float(first) * times),
            Self::ResultText => one_tenth(as_float(size_or_one(result)) * 2.0),
            Self::Pattern => {
                let pattern = (as_float(size(1)) * 0.25).ceil();
                one_tenth(1.0 + as_float(first)).wrapping_mul(as_cost(pattern))
            }
            Self::Contains => one_tenth(as_float(first)).wrapping_mul(one_tenth(as_float(size(1)))),
            Self::ContainsIp { text } => {
                let parsed = if text {
                    one_tenth(as_float(size(1)))
                } else {
                    0
                };
                one_tenth(as_float(first + first)) + parsed
            }
            Self::ContainsCidr { text } => {
                let parsed = if text {
                    one_tenth(as_float(size(1)))
                } else {
                    0
                };
                one_tenth(as_float(first + first)) + one_tenth(as_float(first)) + 1 + parsed
            }
            Self::Validate => match args {
                [Value::Format(format), text] => {
                    let pattern = (as_float(format.pattern_size) * 0.25).ceil();
                    one_tenth(1.0 + as_float(size_or_one(text))) * as_cost(pattern)
                }
                _ => 1,
            },
            Self::Items => size(1),
            Self::Shorter => one_tenth(as_float(first.min(size(1)))),
            Self::Joined => one_tenth(as_float(first + size(1))),
            Self::NewList => new_list_cost(1.0, size_or_one(result)),
            Self::Flatten => {
                #[expect(clippy::cast_precision_loss, reason = "computed as Go does")]
                let depth = match args.get(1) {
                    None => 1.0,
                    Some(Value::Int(depth)) => *depth as f64,
                    Some(other) => {
                        let found = other.go_type();
                        return Err(format!(
                            "internal error: interface conversion: ref.Val is {found}, not types.Int"
                        ));
                    }
                };
                new_list_cost(depth, args.first().map_or(1, size_or_one))
            }
            Self::SelfCompare(place) => match args.get(place) {
                Some(Value::List(list)) => {
                    let items = list.len() as u64;
                    let texts = matches!(list.get(0), Some(Value::Text(_) | Value::Bytes(_)));
                    new_list_cost(if texts { 2.1 } else { 2.0 }, items * items)
                }
                other => {
                    let found = other.map_or("nil", Value::go_type);
                    return Err(format!(
                        "internal error: interface conversion: {found} is not traits.Lister: \
                         missing method Add"
                    ));
                }
            },
            Self::Sets(times) => {
                let product = argument_size(args, 0).wrapping_mul(argument_size(args, 1));
                1 + as_cost(as_float(product) * times)
            }
        })
    }
}

/// Returns the cost of `==` or, if `negated`, of `!=`: a tenth of the size of the smaller value.
/// For types of Kubernetes' libraries, `==` costs 1.
pub(super) fn equality_cost(args: &[Value<'_>], negated: bool) -> u64 {
    let constant = matches!(
        args.first(),
        Some(
            Value::Quantity(_)
                | Value::Ip(_)
                | Value::Cidr(..)
                | Value::Format(_)
                | Value::Url(_)
                | Value::Semver(_)
        )
    );
    if constant && !negated {
        return 1;
    }
    let sizes = args.iter().map(content_size);
    one_tenth(as_float(sizes.min().unwrap_or(1)))
}

/// Returns the size of a value; for an optional, the size of its content.
fn content_size(value: &Value<'_>) -> u64 {
    match value {
        Value::Optional(Some(value)) => content_size(value),
        value => size_or_one(value),
    }
}

fn size_or_one(value: &Value<'_>) -> u64 {
    value.size().unwrap_or(1)
}

fn argument_size(args: &[Value<'_>], place: usize) -> u64 {
    args.get(place).map_or(1, size_or_one)
}

#[expect(clippy::cast_precision_loss, reason = "computed as Go does")]
fn as_float(size: u64) -> f64 {
    size as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "computed as Go does"
)]
fn as_cost(cost: f64) -> u64 {
    // On amd64, Go converts out-of-range floats to these values.
    if cost >= 18_446_744_073_709_551_616.0 {
        1 << 63
    } else if cost < 0.0 {
        cost as i64 as u64
    } else {
        cost as u64
    }
}

/// Returns a tenth of the length, rounded up.
fn one_tenth(length: f64) -> u64 {
    as_cost((length * 0.1).ceil())
}

fn new_list_cost(times: f64, items: u64) -> u64 {
    as_cost(as_float(items) * times).wrapping_add(11)
}

/// Returns the cost of a traversal with all nested values (`traversalCost`).
fn traversal_cost(value: &Value<'_>) -> u64 {
    match value {
        Value::Text(text) => as_cost(as_float(text.len() as u64) * 0.1),
        Value::Bytes(bytes) => as_cost(as_float(bytes.len() as u64) * 0.1),
        Value::List(list) => list.iter().map(|item| traversal_cost(&item)).sum(),
        Value::Map(map) => {
            let entries = map.entries();
            entries
                .iter()
                .map(|(key, value)| traversal_cost(key) + traversal_cost(value))
                .sum()
        }
        _ => 1,
    }
}
