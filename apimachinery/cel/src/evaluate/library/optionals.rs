//! Functions for optional values.

use super::binding::Binding;
use crate::evaluate::value::{List, Value};

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "optional.none" => Binding::Guarded(|_| Value::Optional(None)),
        "optional.of" => Binding::Guarded(optional_of),
        "optional.ofNonZeroValue" => Binding::Guarded(optional_of_non_zero),
        "value" => Binding::Guarded(value),
        "hasValue" => Binding::Guarded(has_value),
        "first" => Binding::Guarded(|args| optional_item(args, |_| 0)),
        "last" => Binding::Guarded(|args| optional_item(args, |list| list.len().saturating_sub(1))),
        "optional.unwrap" | "unwrapOpt" => Binding::Guarded(unwrap),
        _ => return None,
    })
}

fn optional_of<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [value] => Value::some(value.clone()),
        _ => Value::no_such_overload(),
    }
}

fn optional_of_non_zero<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [value] if value.is_zero() => Value::Optional(None),
        _ => optional_of(args),
    }
}

fn value<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Optional(Some(value))] => (**value).clone(),
        [Value::Optional(None)] => Value::error("optional.none() dereference"),
        _ => Value::no_such_overload(),
    }
}

fn has_value<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Optional(value)] => Value::Bool(value.is_some()),
        _ => Value::no_such_overload(),
    }
}

fn optional_item<'a>(args: &[Value<'a>], place: fn(&List<'a>) -> usize) -> Value<'a> {
    match args {
        [Value::List(list)] => list
            .get(place(list))
            .map_or(Value::Optional(None), Value::some),
        _ => Value::no_such_overload(),
    }
}

/// Returns the values in a list of optionals, without the empty ones.
fn unwrap<'a>(args: &[Value<'a>]) -> Value<'a> {
    let [Value::List(list)] = args else {
        return Value::no_such_overload();
    };
    let mut out = Vec::new();
    for item in list.iter() {
        match item {
            Value::Optional(Some(value)) => out.push((*value).clone()),
            Value::Optional(None) => {}
            other => {
                return Value::error(format!("value {} is not optional", other.printed()));
            }
        }
    }
    Value::list(out)
}
