//! Functions for quantities (k8s.io/apimachinery/pkg/api/resource).

use std::cmp::Ordering;

use genclient_apimachinery::resource::Quantity;

use super::binding::Binding;
use crate::evaluate::quantity::QuantityValue;
use crate::evaluate::value::Value;

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "quantity" => Binding::Guarded(quantity),
        "isQuantity" => Binding::Guarded(is_quantity),
        "sign" => Binding::Guarded(|args| apply_to_quantity(args, |q| Value::Int(q.sign() as i64))),
        "isInteger" => {
            Binding::Guarded(|args| apply_to_quantity(args, |q| Value::Bool(q.as_i64().is_some())))
        }
        "asInteger" => Binding::Guarded(|args| {
            apply_to_quantity(args, |q| match q.as_i64() {
                Some(integer) => Value::Int(integer),
                None => Value::error("cannot convert value to integer"),
            })
        }),
        "asApproximateFloat" => Binding::Guarded(|args| {
            apply_to_quantity(args, |q| Value::Double(q.as_approximate_f64()))
        }),
        "add" => Binding::Guarded(|args| add_quantities(args, false)),
        "sub" => Binding::Guarded(|args| add_quantities(args, true)),
        "isGreaterThan" => {
            Binding::Guarded(|args| compare_quantities(args, |o| Value::Bool(o.is_gt())))
        }
        "isLessThan" => {
            Binding::Guarded(|args| compare_quantities(args, |o| Value::Bool(o.is_lt())))
        }
        "compareTo" => Binding::Guarded(|args| compare_quantities(args, |o| Value::Int(o as i64))),
        _ => return None,
    })
}

fn quantity<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Text(text)] => match Quantity::parse(text) {
            Ok(quantity) => Value::Quantity(QuantityValue {
                quantity,
                computed: false,
            }),
            Err(error) => Value::error(error.to_string()),
        },
        _ => Value::no_such_overload(),
    }
}

fn is_quantity<'a>(args: &[Value<'a>]) -> Value<'a> {
    match args {
        [Value::Text(text)] => Value::Bool(Quantity::parse(text).is_ok()),
        _ => Value::no_such_overload(),
    }
}

fn apply_to_quantity<'a>(args: &[Value<'a>], get: fn(&Quantity) -> Value<'static>) -> Value<'a> {
    match args {
        [Value::Quantity(quantity)] => match get(&quantity.quantity) {
            Value::Int(value) => Value::Int(value),
            Value::Bool(value) => Value::Bool(value),
            Value::Double(value) => Value::Double(value),
            other => Value::error(other.printed()),
        },
        _ => Value::no_such_overload(),
    }
}

fn add_quantities<'a>(args: &[Value<'a>], negated: bool) -> Value<'a> {
    let quantity = match args {
        [Value::Quantity(left), Value::Quantity(right)] => {
            left.quantity.plus(&right.quantity, negated)
        }
        [Value::Quantity(left), Value::Int(right)] => {
            left.quantity.plus(&Quantity::from(*right), negated)
        }
        _ => return Value::no_such_overload(),
    };
    Value::Quantity(QuantityValue {
        quantity,
        computed: true,
    })
}

/// Compares two quantities or two semantic versions, and converts the order with `answer`.
fn compare_quantities<'a>(args: &[Value<'a>], answer: fn(Ordering) -> Value<'static>) -> Value<'a> {
    let order = match args {
        [Value::Quantity(left), Value::Quantity(right)] => left.quantity.compare(&right.quantity),
        [Value::Semver(left), Value::Semver(right)] => left.compare(right),
        _ => return Value::no_such_overload(),
    };
    match answer(order) {
        Value::Int(value) => Value::Int(value),
        other => Value::Bool(matches!(other, Value::Bool(true))),
    }
}
