//! Operators for arithmetic, comparison, negation and membership; functions for size and insertion.

use std::cmp::Ordering;
use std::rc::Rc;

use super::binding::{Binding, Trait};
use crate::evaluate::equality::compare_method;
use crate::evaluate::value::{MapValue, Value};

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "!_" => Binding::Singleton(Trait::Any, not),
        // Not called: `Runner` evaluates the function itself, because the argument may be an error.
        "@not_strictly_false" => Binding::Singleton(Trait::Any, |_| Value::Bool(true)),
        "-_" => Binding::Singleton(Trait::Negator, negate),
        "_+_" => Binding::Singleton(Trait::Adder, add),
        "_-_" => Binding::Singleton(Trait::Subtractor, subtract),
        "_*_" => Binding::Singleton(Trait::Multiplier, multiply),
        "_/_" => Binding::Singleton(Trait::Divider, divide),
        "_%_" => Binding::Singleton(Trait::Modder, modulo),
        "_<_" => Binding::Singleton(Trait::Comparer, |args| compare_with(args, Ordering::is_lt)),
        "_<=_" => Binding::Singleton(Trait::Comparer, |args| compare_with(args, Ordering::is_le)),
        "_>_" => Binding::Singleton(Trait::Comparer, |args| compare_with(args, Ordering::is_gt)),
        "_>=_" => Binding::Singleton(Trait::Comparer, |args| compare_with(args, Ordering::is_ge)),
        "@in" => Binding::Singleton(Trait::Any, contains_item),
        "size" => Binding::Singleton(Trait::Sizer, size),
        "cel.@mapInsert" => Binding::Guarded(map_insert),
        _ => return None,
    })
}

const INT_OVERFLOW: &str = "integer overflow";
const UINT_OVERFLOW: &str = "unsigned integer overflow";
const TIMESTAMP_OVERFLOW: &str = "timestamp overflow";

fn int_or_overflow<'a>(result: Option<i64>) -> Value<'a> {
    result.map_or_else(|| Value::error(INT_OVERFLOW), Value::Int)
}

fn uint_or_overflow<'a>(result: Option<u64>) -> Value<'a> {
    result.map_or_else(|| Value::error(UINT_OVERFLOW), Value::Uint)
}

fn duration_or_overflow<'a>(result: Option<i64>) -> Value<'a> {
    result.map_or_else(|| Value::error(INT_OVERFLOW), Value::Duration)
}

fn not<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Bool(value)] => Value::Bool(!value),
        _ => Value::no_such_overload(),
    }
}

fn negate<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Int(value)] => int_or_overflow(value.checked_neg()),
        [Value::Double(value)] => Value::Double(-value),
        [Value::Duration(value)] => duration_or_overflow(value.checked_neg()),
        _ => Value::no_such_overload(),
    }
}

pub(super) fn add<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Int(left), Value::Int(right)] => int_or_overflow(left.checked_add(*right)),
        [Value::Uint(left), Value::Uint(right)] => uint_or_overflow(left.checked_add(*right)),
        [Value::Double(left), Value::Double(right)] => Value::Double(left + right),
        [Value::Text(left), Value::Text(right)] => Value::text([&**left, &**right].concat()),
        [Value::Bytes(left), Value::Bytes(right)] => {
            Value::Bytes(Rc::from([&**left, &**right].concat()))
        }
        [Value::Duration(left), Value::Duration(right)] => {
            duration_or_overflow(left.checked_add(*right))
        }
        [Value::Timestamp(time), Value::Duration(duration)]
        | [Value::Duration(duration), Value::Timestamp(time)] => time
            .plus(*duration)
            .map_or_else(|| Value::error(TIMESTAMP_OVERFLOW), Value::Timestamp),
        [Value::List(left), right] => left.add(right),
        [_, right] => right.error_or_no_such_overload(),
        _ => Value::no_such_overload(),
    }
}

fn subtract<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Int(left), Value::Int(right)] => int_or_overflow(left.checked_sub(*right)),
        [Value::Uint(left), Value::Uint(right)] => uint_or_overflow(left.checked_sub(*right)),
        [Value::Double(left), Value::Double(right)] => Value::Double(left - right),
        [Value::Duration(left), Value::Duration(right)] => {
            duration_or_overflow(left.checked_sub(*right))
        }
        [Value::Timestamp(left), Value::Timestamp(right)] => {
            duration_or_overflow(left.since(right))
        }
        [Value::Timestamp(time), Value::Duration(duration)] => match duration.checked_neg() {
            None => Value::error(INT_OVERFLOW),
            Some(negative) => time
                .plus(negative)
                .map_or_else(|| Value::error(TIMESTAMP_OVERFLOW), Value::Timestamp),
        },
        _ => Value::no_such_overload(),
    }
}

fn multiply<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Int(left), Value::Int(right)] => int_or_overflow(left.checked_mul(*right)),
        [Value::Uint(left), Value::Uint(right)] => uint_or_overflow(left.checked_mul(*right)),
        [Value::Double(left), Value::Double(right)] => Value::Double(left * right),
        _ => Value::no_such_overload(),
    }
}

fn divide<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            Value::error("division by zero")
        }
        [Value::Int(left), Value::Int(right)] => int_or_overflow(left.checked_div(*right)),
        [Value::Uint(left), Value::Uint(right)] => uint_or_overflow(left.checked_div(*right)),
        [Value::Double(left), Value::Double(right)] => Value::Double(left / right),
        _ => Value::no_such_overload(),
    }
}

fn modulo<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            Value::error("modulus by zero")
        }
        [Value::Int(left), Value::Int(right)] => int_or_overflow(left.checked_rem(*right)),
        [Value::Uint(left), Value::Uint(right)] => uint_or_overflow(left.checked_rem(*right)),
        _ => Value::no_such_overload(),
    }
}

fn compare_with<'a>(args: &[Value<'a>], holds: fn(Ordering) -> bool) -> Value<'a> {
    let [left, right] = args else {
        return Value::no_such_overload();
    };
    match compare_method(left, right) {
        Ok(order) => Value::Bool(holds(order)),
        Err(error) => error,
    }
}

/// Returns whether a list contains an item, or a map a key.
fn contains_item<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [item, Value::List(list)] => list.contains(item),
        [key, Value::Map(map)] => match map.find(key) {
            Some(error @ Value::Error(_)) if is_typed(map) => error,
            found => Value::Bool(found.is_some()),
        },
        _ => Value::no_such_overload(),
    }
}

fn is_typed(map: &MapValue<'_>) -> bool {
    matches!(map, MapValue::Typed(..))
}

fn size<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args.first().and_then(Value::size) {
        Some(size) => Value::Int(i64::try_from(size).unwrap_or(i64::MAX)),
        None => Value::no_such_overload(),
    }
}

/// Adds one entry to a map, or all entries of another map.
fn map_insert<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Map(map), key, value] => map.insert(key.clone(), value.clone()),
        [Value::Map(map), Value::Map(added)] => {
            let mut result = Value::Map(map.clone());
            for (key, value) in added.entries() {
                match result {
                    Value::Map(map) => result = map.insert(key, value),
                    error => return error,
                }
            }
            result
        }
        _ => Value::no_such_overload(),
    }
}
