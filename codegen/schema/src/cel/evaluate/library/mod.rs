//! The functions of the API server's environment, one module a library.

mod addresses;
mod arithmetic;
mod conversions;
mod formats;
mod formatting;
mod lists;
mod optionals;
mod patterns;
mod quantity;
mod semver;
mod strings;
mod times;
mod url;

pub(super) use formats::Format;
pub(super) use lists::zero as zero_of_sum;
pub(super) use patterns::Compiled;
pub(super) use quantity::Quantity;
pub(super) use semver::Version;
pub(super) use url::Url;

use super::value::Value;

/// What a call runs, once its arguments are known and none is an error.
pub(super) type Run = for<'a> fn(&[Value<'a>]) -> Value<'a>;

/// How a function is chosen at run time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding {
    /// One function for all overloads; the first argument has to have the trait.
    Singleton(Trait, Run),
    /// The arguments have to fit an overload.
    Guarded(Run),
    /// The function itself looks at its arguments.
    Unguarded(Run),
}

/// What types can do (`traits` of cel-go).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trait {
    Any,
    Adder,
    Comparer,
    Divider,
    Lister,
    Matcher,
    Modder,
    Multiplier,
    Negator,
    Sizer,
    Subtractor,
}

impl Trait {
    pub(super) fn of(self, value: &Value<'_>) -> bool {
        use Value::{Bool, Bytes, Double, Duration, Int, List, Map, Text, Timestamp, Uint};
        match self {
            Self::Any => true,
            Self::Adder => matches!(
                value,
                Bytes(_)
                    | Double(_)
                    | Duration(_)
                    | Int(_)
                    | List(_)
                    | Text(_)
                    | Timestamp(_)
                    | Uint(_)
            ),
            Self::Comparer => super::equality::is_comparable(value),
            Self::Divider | Self::Multiplier => matches!(value, Double(_) | Int(_) | Uint(_)),
            Self::Lister => matches!(value, List(_)),
            Self::Matcher => matches!(value, Text(_)),
            Self::Modder => matches!(value, Int(_) | Uint(_)),
            Self::Negator => matches!(value, Bool(_) | Double(_) | Duration(_) | Int(_)),
            Self::Sizer => matches!(value, Bytes(_) | List(_) | Map(_) | Text(_)),
            Self::Subtractor => matches!(
                value,
                Double(_) | Duration(_) | Int(_) | Timestamp(_) | Uint(_)
            ),
        }
    }
}

/// The implementation of a function by its name.
pub(super) fn binding(function: &str) -> Option<Binding> {
    arithmetic::binding(function)
        .or_else(|| conversions::binding(function))
        .or_else(|| strings::binding(function))
        .or_else(|| lists::binding(function))
        .or_else(|| times::binding(function))
        .or_else(|| optionals::binding(function))
        .or_else(|| patterns::binding(function))
        .or_else(|| url::binding(function))
        .or_else(|| quantity::binding(function))
        .or_else(|| addresses::binding(function))
        .or_else(|| formats::binding(function))
        .or_else(|| semver::binding(function))
}

/// What the comparisons of quantities and of versions share.
fn order_of(order: std::cmp::Ordering) -> i64 {
    order as i64
}
