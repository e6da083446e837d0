//! Equality and ordering of CEL values.

use std::cmp::Ordering;

use super::value::Value;

/// Compares values as cel-go's `types.Equal` does: null equals only null. Returns a boolean or an
/// error value.
pub(super) fn equal_values<'a>(left: &Value<'a>, right: &Value<'a>) -> Value<'a> {
    match (left, right) {
        (Value::Null, Value::Null) => Value::Bool(true),
        (Value::Null, _) | (_, Value::Null) => Value::Bool(false),
        _ => equals_method(left, right),
    }
}

/// Compares values as the method `Equal` of the left value does in cel-go.
pub(super) fn equals_method<'a>(left: &Value<'a>, right: &Value<'a>) -> Value<'a> {
    let same = match (left, right) {
        (Value::Error(_), _) => return left.clone(),
        (Value::Null, other) => matches!(other, Value::Null),
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Text(left), Value::Text(right)) => **left == **right,
        (Value::Bytes(left), Value::Bytes(right)) => left == right,
        (Value::Duration(left), Value::Duration(right)) => left == right,
        (Value::Timestamp(left), Value::Timestamp(right)) => {
            left.instant().cmp(&right.instant()).is_eq()
        }
        (Value::Type(left), Value::Type(right)) => left == right,
        (Value::Optional(left), Value::Optional(right)) => match (left, right) {
            (None, None) => true,
            (Some(left), Some(right)) => return equals_method(left, right),
            _ => false,
        },
        (Value::List(left), _) => return left.equals(right),
        (Value::Map(left), _) => return left.equals(right),
        (Value::Preserved(native), _) => native.is_deep_equal(&right.native()),
        (Value::Url(left), Value::Url(right)) => left.to_string() == right.to_string(),
        (Value::Quantity(left), Value::Quantity(right)) if !right.computed => {
            left.quantity.compare(&right.quantity).is_eq()
        }
        (Value::Ip(left), Value::Ip(right)) => left == right,
        (Value::Cidr(left, bits), Value::Cidr(right, others)) => left == right && bits == others,
        (Value::Format(left), Value::Format(right)) => left.name == right.name,
        (Value::Semver(left), Value::Semver(right)) => left.compare(right).is_eq(),
        (
            Value::Url(_)
            | Value::Quantity(_)
            | Value::Ip(_)
            | Value::Cidr(..)
            | Value::Format(_)
            | Value::Semver(_)
            | Value::Authorization(_),
            other,
        ) => return other.error_or_no_such_overload(),
        _ => compare_numbers(left, right).is_some_and(|order| order.is_some_and(Ordering::is_eq)),
    };
    Value::Bool(same)
}

/// Compares two numbers of any types. Returns `None` if a value is not a number, and `Some(None)`
/// for NaN.
pub(super) fn compare_numbers(left: &Value<'_>, right: &Value<'_>) -> Option<Option<Ordering>> {
    Some(match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Uint(left), Value::Uint(right)) => Some(left.cmp(right)),
        (Value::Double(left), Value::Double(right)) => left.partial_cmp(right),
        (Value::Int(left), Value::Uint(right)) => Some(i128::from(*left).cmp(&i128::from(*right))),
        (Value::Uint(left), Value::Int(right)) => Some(i128::from(*left).cmp(&i128::from(*right))),
        (Value::Double(left), Value::Int(right)) => compare_double_int(*left, *right),
        (Value::Int(left), Value::Double(right)) => {
            compare_double_int(*right, *left).map(Ordering::reverse)
        }
        (Value::Double(left), Value::Uint(right)) => compare_double_uint(*left, *right),
        (Value::Uint(left), Value::Double(right)) => {
            compare_double_uint(*right, *left).map(Ordering::reverse)
        }
        _ => return None,
    })
}

#[expect(clippy::cast_precision_loss, reason = "compared as cel-go does")]
fn compare_double_int(double: f64, int: i64) -> Option<Ordering> {
    if double < i64::MIN as f64 {
        return Some(Ordering::Less);
    }
    if double > i64::MAX as f64 {
        return Some(Ordering::Greater);
    }
    double.partial_cmp(&(int as f64))
}

#[expect(clippy::cast_precision_loss, reason = "compared as cel-go does")]
fn compare_double_uint(double: f64, uint: u64) -> Option<Ordering> {
    if double < 0.0 {
        return Some(Ordering::Less);
    }
    if double > u64::MAX as f64 {
        return Some(Ordering::Greater);
    }
    double.partial_cmp(&(uint as f64))
}

/// Orders values as the method `Compare` of the left value does in cel-go.
///
/// # Errors
///
/// Returns an error value if the values have no order.
pub(super) fn compare_method<'a>(
    left: &Value<'a>,
    right: &Value<'a>,
) -> Result<Ordering, Value<'a>> {
    if let Some(order) = compare_numbers(left, right) {
        return order.ok_or_else(|| Value::error("NaN values cannot be ordered"));
    }
    match (left, right) {
        (Value::Double(number), _) if number.is_nan() => {
            Err(Value::error("NaN values cannot be ordered"))
        }
        (Value::Bool(left), Value::Bool(right)) => Ok(left.cmp(right)),
        (Value::Text(left), Value::Text(right)) => Ok((**left).cmp(&**right)),
        (Value::Bytes(left), Value::Bytes(right)) => Ok(left.cmp(right)),
        (Value::Duration(left), Value::Duration(right)) => Ok(left.cmp(right)),
        (Value::Timestamp(left), Value::Timestamp(right)) => {
            Ok(left.instant().cmp(&right.instant()))
        }
        _ => Err(right.error_or_no_such_overload()),
    }
}

/// Returns whether the value's type has an order (`traits.Comparer`).
pub(super) fn is_comparable(value: &Value<'_>) -> bool {
    matches!(
        value,
        Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::Text(_)
            | Value::Bytes(_)
            | Value::Duration(_)
            | Value::Timestamp(_)
    )
}
