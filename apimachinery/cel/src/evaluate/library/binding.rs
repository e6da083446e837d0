//! Function bindings: implementations of functions, with the check of their arguments.

use crate::evaluate::equality::is_comparable;
use crate::evaluate::value::Value;

/// Implementation of a function. None of the arguments may be an error value.
pub(in crate::evaluate) type Run = for<'a> fn(&[Value<'a>]) -> Value<'a>;

/// Implementation of a function, with the check of its arguments.
#[derive(Clone, Copy, Debug)]
pub(in crate::evaluate) enum Binding {
    /// One implementation for all overloads. The first argument must have the trait.
    Singleton(Trait, Run),
    /// The arguments must match an overload.
    Guarded(Run),
    /// The function checks its arguments itself.
    Unguarded(Run),
}

/// Capability of a type (`traits` of cel-go).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::evaluate) enum Trait {
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
    pub(in crate::evaluate) fn is_trait_of(self, value: &Value<'_>) -> bool {
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
