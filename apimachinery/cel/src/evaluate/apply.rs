//! Evaluation of function calls, with cel-go's run-time check of the arguments.

use super::library::{Binding, zero_of_sum};
use super::program::PlannedCall;
use super::value::Value;
use crate::types::Type;

/// Calls a function. None of the arguments may be an error value.
pub(super) fn call_function<'a>(call: &PlannedCall, args: &[Value<'a>]) -> Value<'a> {
    if let Some(compiled) = &call.compiled {
        return compiled.run(args);
    }
    let function = &call.function;
    match call.binding {
        Binding::Singleton(trait_, run) => match args.first() {
            Some(first) if !trait_.is_trait_of(first) => match first {
                Value::Text(_) | Value::Duration(_) | Value::Timestamp(_) => {
                    Value::no_such_overload()
                }
                _ => Value::error(format!("no such overload: {function}")),
            },
            _ => run(args),
        },
        Binding::Unguarded(run) => run(args),
        Binding::Guarded(run) => {
            let fitting = match &call.overload {
                Some(overload) => std::slice::from_ref(overload),
                None => &call.candidates,
            };
            let fitting = fitting.iter().find(|overload| {
                overload.args.len() == args.len()
                    && overload
                        .args
                        .iter()
                        .zip(args)
                        .all(|(type_, arg)| is_of_type(arg, type_))
            });
            match fitting {
                Some(overload) if function == "sum" => {
                    let empty = args.first().and_then(Value::size) == Some(0);
                    zero_of_sum(&overload.result)
                        .filter(|_| empty)
                        .unwrap_or_else(|| run(args))
                }
                Some(_) => run(args),
                None => {
                    let types: Vec<_> = args.iter().map(Value::type_name).collect();
                    let types = types.join(", ");
                    Value::error(format!("no such overload: {function}({types})"))
                }
            }
        }
    }
}

/// Returns whether a value is of a type. In a list or map, only the first entry is checked.
fn is_of_type(value: &Value<'_>, type_: &Type) -> bool {
    match (type_, value) {
        (Type::Dyn | Type::Parameter(_), _)
        | (Type::Null, Value::Null)
        | (Type::Bool, Value::Bool(_))
        | (Type::Int, Value::Int(_))
        | (Type::Uint, Value::Uint(_))
        | (Type::Double, Value::Double(_))
        | (Type::Text, Value::Text(_))
        | (Type::Bytes, Value::Bytes(_))
        | (Type::Duration, Value::Duration(_))
        | (Type::Timestamp, Value::Timestamp(_))
        | (Type::Optional(_), Value::Optional(_))
        | (Type::Meta, Value::Type(_)) => true,
        (Type::List(items), Value::List(list)) => {
            list.get(0).is_none_or(|item| is_of_type(&item, items))
        }
        (Type::Map(keys, values), Value::Map(map)) => {
            let first = map.keys().into_iter().next();
            first.is_none_or(|key| {
                let value = map.find(&key).unwrap_or(Value::Null);
                is_of_type(&key, keys) && is_of_type(&value, values)
            })
        }
        (Type::Named(name), value) => match *name {
            "URL" => matches!(value, Value::Url(_)),
            "Quantity" => matches!(value, Value::Quantity(_)),
            "IP" => matches!(value, Value::Ip(_)),
            "CIDR" => matches!(value, Value::Cidr(..)),
            "NamedFormat" => matches!(value, Value::Format(_)),
            "Semver" => matches!(value, Value::Semver(_)),
            name => matches!(value, Value::Authorization(it) if it.short_type_name() == name),
        },
        _ => false,
    }
}
