//! Bindings of functions to their names.

use crate::cel::evaluate::equality::is_comparable;
use crate::cel::evaluate::value::Value;

/// What a call runs, once its arguments are known and none is an error.
pub(in crate::cel::evaluate) type Run = for<'a> fn(&[Value<'a>]) -> Value<'a>;

/// How a function is chosen at run time.
#[derive(Clone, Copy, Debug)]
pub(in crate::cel::evaluate) enum Binding {
    /// One function for all overloads; the first argument has to have the trait.
    Singleton(Trait, Run),
    /// The arguments have to fit an overload.
    Guarded(Run),
    /// The function itself looks at its arguments.
    Unguarded(Run),
}

/// What types can do (`traits` of cel-go).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cel::evaluate) enum Trait {
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
    pub(in crate::cel::evaluate) fn of(self, value: &Value<'_>) -> bool {
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
            Self::Comparer => is_comparable(value),
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
