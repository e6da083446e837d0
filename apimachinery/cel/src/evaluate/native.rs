//! Native values: the Go data inside CEL values, without CEL type and schema.
//!
//! cel-go converts the content of an optional to a native value before it selects a field.
//!
//! Lists in the validated object have native elements. If such a list is extended with `+`, the
//! result has native elements, too. Reading an element converts it by the item schema.

use serde_json::{Map as JsonMap, Value as Json};

use super::value::{Elements, List, MapValue, Native, Text, Value};

impl<'a> Elements<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Json(items) => items.len(),
            Self::Natives(items) => items.len(),
        }
    }

    pub(super) fn get(&self, index: usize) -> Option<Native<'a>> {
        match self {
            Self::Json(items) => items.get(index).map(Native::from),
            Self::Natives(items) => items.get(index).cloned(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Native<'a>> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

impl<'a> From<&'a Json> for Native<'a> {
    fn from(json: &'a Json) -> Self {
        match json {
            Json::Null => Self::Nil,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => match number.as_i64() {
                Some(int) => Self::Int(int),
                None => Self::Double(number.as_f64().unwrap_or_default()),
            },
            Json::String(text) => Self::Text(Text::Borrowed(text)),
            Json::Array(items) => Self::Array(Elements::Json(items)),
            Json::Object(members) => Self::Object(members),
        }
    }
}

impl<'a> Native<'a> {
    /// Converts the data into a CEL value (`NativeToValue`).
    pub(super) fn value(self) -> Value<'a> {
        match self {
            Self::Nil => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Int(value) => Value::Int(value),
            Self::Double(value) => Value::Double(value),
            Self::Text(text) => Value::Text(text),
            Self::Object(members) => Value::Map(MapValue::Native(members)),
            Self::Array(elements) => Value::List(List::Native(elements)),
            Self::Value(value) => value,
        }
    }

    /// Like [`value`](Self::value), for the result of an optional selection. Values of Kubernetes'
    /// own types, such as quantities, become errors: cel-go cannot convert their Go data to CEL.
    pub(super) fn rewrapped(self) -> Value<'a> {
        let (go_type, shown) = match &self {
            Self::Value(value @ Value::Url(_)) => ("*url.URL", value.printed()),
            Self::Value(value @ Value::Quantity(_)) => ("*resource.Quantity", value.printed()),
            Self::Value(value @ Value::Ip(_)) => ("netip.Addr", value.printed()),
            Self::Value(value @ Value::Cidr(..)) => ("netip.Prefix", value.printed()),
            Self::Value(value @ Value::Semver(_)) => ("semver.Version", value.printed()),
            _ => return self.value(),
        };
        Value::error(format!(
            "unsupported conversion to ref.Val: ({go_type}){shown}"
        ))
    }

    pub(super) fn go_type(&self) -> &'static str {
        match self {
            Self::Nil => "<nil>",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int64",
            Self::Double(_) => "float64",
            Self::Text(_) => "string",
            Self::Object(_) => "map[string]interface {}",
            Self::Array(_) => "[]interface {}",
            Self::Value(value) => match value {
                Value::Null => "structpb.NullValue",
                Value::Uint(_) => "uint64",
                Value::Bytes(_) => "[]uint8",
                Value::Duration(_) => "time.Duration",
                Value::Timestamp(_) => "time.Time",
                Value::List(List::Texts(_)) => "[]string",
                Value::List(_) => "[]ref.Val",
                Value::Map(_) => "map[ref.Val]ref.Val",
                Value::Url(_) => "*url.URL",
                Value::Quantity(_) => "*resource.Quantity",
                Value::Ip(_) => "netip.Addr",
                Value::Cidr(..) => "netip.Prefix",
                Value::Semver(_) => "semver.Version",
                other => other.go_type(),
            },
        }
    }

    /// Compares data deeply (`equality.Semantic.DeepEqual`). An integer never equals a float.
    pub(super) fn is_deep_equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nil, Self::Nil) => true,
            (Self::Bool(left), Self::Bool(right)) => left == right,
            (Self::Int(left), Self::Int(right)) => left == right,
            (Self::Double(left), Self::Double(right)) => left == right,
            (Self::Text(left), Self::Text(right)) => **left == **right,
            (Self::Object(left), Self::Object(right)) => are_objects_deep_equal(left, right),
            (Self::Array(left), Self::Array(right)) => {
                left.len() == right.len()
                    && left
                        .iter()
                        .zip(right.iter())
                        .all(|(one, two)| one.is_deep_equal(&two))
            }
            _ => false,
        }
    }

    /// Compares two merge keys or set elements as Go's `==` does. Returns false for values that Go
    /// cannot compare, such as objects.
    pub(super) fn is_same_key(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Value(left), Self::Value(right)) => match (left, right) {
                (Value::Null, Value::Null) => true,
                (Value::Uint(left), Value::Uint(right)) => left == right,
                (Value::Duration(left), Value::Duration(right)) => left == right,
                (Value::Timestamp(left), Value::Timestamp(right)) => {
                    left.instant() == right.instant() && left.offset == right.offset
                }
                _ => false,
            },
            (Self::Object(_) | Self::Array(_), _) => false,
            _ => self.is_deep_equal(other),
        }
    }
}

pub(super) fn are_objects_deep_equal(
    left: &JsonMap<String, Json>,
    right: &JsonMap<String, Json>,
) -> bool {
    let same = |(name, value): (&String, &Json)| {
        let other = right.get(name);
        other.is_some_and(|other| Native::from(value).is_deep_equal(&Native::from(other)))
    };
    left.len() == right.len() && left.iter().all(same)
}

impl<'a> Value<'a> {
    /// Returns the Go data inside the value, as cel-go's method `Value` does.
    pub(super) fn native(&self) -> Native<'a> {
        match self {
            Self::Bool(value) => Native::Bool(*value),
            Self::Int(value) => Native::Int(*value),
            Self::Double(value) => Native::Double(*value),
            Self::Text(text) => Native::Text(text.clone()),
            Self::List(list) => list.native(),
            Self::Map(map) => map.native(),
            Self::Optional(None) => Native::Nil,
            Self::Optional(Some(value)) => value.native(),
            Self::Type(name) => Native::Text(Text::Borrowed(name)),
            Self::Preserved(native) => (**native).clone(),
            other => Native::Value(other.clone()),
        }
    }
}

/// Compares JSON values deeply (`equality.Semantic.DeepEqual`). An integer never equals a float.
#[must_use]
pub fn is_deep_equal(one: &Json, other: &Json) -> bool {
    Native::from(one).is_deep_equal(&Native::from(other))
}
