//! Map values: literals, results of functions, and objects and maps of the validated object.

use std::rc::Rc;

use serde_json::{Map as JsonMap, Value as Json};

use super::equality::{equal_values, equals_method};
use super::value::{Key, MapEntries, MapValue, Native, Text, Value};

impl Key {
    /// Converts a value into a key. Returns `None` for a value that a Go map cannot find again,
    /// such as bytes (not hashable), NaN (unequal to itself) or a list (compared by pointer).
    pub(super) fn from_value(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Null => Some(Self::Null),
            Value::Bool(value) => Some(Self::Bool(*value)),
            Value::Int(value) => Some(Self::Int(*value)),
            Value::Uint(value) => Some(Self::Uint(*value)),
            Value::Double(value) => Self::double(*value),
            Value::Duration(value) => Some(Self::Duration(*value)),
            Value::Text(Text::Owned(text)) => Some(Self::Text(text.clone())),
            Value::Text(text) => Some(Self::Text((**text).into())),
            _ => None,
        }
    }

    pub(super) fn double(value: f64) -> Option<Self> {
        let value = if value == 0.0 { 0.0 } else { value };
        (!value.is_nan()).then(|| Self::Double(value.to_bits()))
    }
}

impl<'a> MapEntries<'a> {
    pub(super) fn insert(&mut self, key: Value<'a>, value: Value<'a>) {
        let hashed = Key::from_value(&key);
        if let Some(place) = hashed.as_ref().and_then(|key| self.places.get(key)) {
            self.items[*place].1 = value;
            return;
        }
        if let Some(hashed) = hashed {
            self.places.insert(hashed, self.items.len());
        }
        self.items.push((key, value));
    }

    pub(super) fn remove(&mut self, key: &Value<'a>) {
        let Some(place) = Key::from_value(key).and_then(|key| self.places.remove(&key)) else {
            return;
        };
        self.items.remove(place);
        for other in self.places.values_mut().filter(|other| **other > place) {
            *other -= 1;
        }
    }

    /// Finds the value of a key. Numbers of different types are the same key if they are equal.
    fn find(&self, key: &Value<'a>) -> Option<Value<'a>> {
        let at = |key: Key| Some(self.items.get(*self.places.get(&key)?)?.1.clone());
        if let Some(found) = Key::from_value(key).and_then(at) {
            return Some(found);
        }
        match key {
            Value::Double(key) => {
                let int = lossless_int(*key).map(Key::Int).and_then(at);
                int.or_else(|| lossless_uint(*key).map(Key::Uint).and_then(at))
            }
            Value::Int(key) => u64::try_from(*key).ok().map(Key::Uint).and_then(at),
            Value::Uint(key) => i64::try_from(*key).ok().map(Key::Int).and_then(at),
            _ => None,
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "checked"
)]
pub(super) fn lossless_int(value: f64) -> Option<i64> {
    let fits = value > i64::MIN as f64 && value < i64::MAX as f64;
    (fits && value.fract() == 0.0).then_some(value as i64)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "checked"
)]
pub(super) fn lossless_uint(value: f64) -> Option<u64> {
    let fits = value >= 0.0 && value < u64::MAX as f64;
    (fits && value.fract() == 0.0).then_some(value as u64)
}

impl<'a> MapValue<'a> {
    pub(super) fn from_entries(entries: impl IntoIterator<Item = (Value<'a>, Value<'a>)>) -> Self {
        let mut all = MapEntries::default();
        for (key, value) in entries {
            all.insert(key, value);
        }
        Self::Values(Rc::new(all))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Values(entries) => entries.items.len(),
            Self::Native(members) | Self::Typed(members, _) => members.len(),
            Self::Growing(entries) => entries.borrow().items.len(),
        }
    }

    /// Returns whether the map is empty, as cel-go's `traits.Zeroer` does. For a map of the
    /// validated object, returns false, because its Go type does not implement this interface.
    pub(super) fn is_zero(&self) -> bool {
        !matches!(self, Self::Typed(..)) && self.len() == 0
    }

    /// Returns the value of a key, or `None` if the map lacks the key. In a map of the validated
    /// object, a key that is not a string yields an error value.
    pub(super) fn find(&self, key: &Value<'a>) -> Option<Value<'a>> {
        match self {
            Self::Values(entries) => entries.find(key),
            Self::Growing(entries) => entries.borrow().find(key),
            Self::Native(members) => match key {
                Value::Text(name) => Some(Native::from(members.get(&**name)?).value()),
                _ => None,
            },
            Self::Typed(members, fields) => match key {
                Value::Text(name) => fields.find(members, name),
                other => Some(other.error_or_no_such_overload()),
            },
        }
    }

    /// Returns the keys in iteration order.
    pub(super) fn keys(&self) -> Vec<Value<'a>> {
        let texts = |members: &'a JsonMap<String, Json>| {
            let keys = members.keys();
            keys.map(|key| Value::Text(Text::Borrowed(key))).collect()
        };
        match self {
            Self::Values(entries) => entries.items.iter().map(|(key, _)| key.clone()).collect(),
            Self::Growing(entries) => {
                let entries = entries.borrow();
                entries.items.iter().map(|(key, _)| key.clone()).collect()
            }
            Self::Native(members) => texts(members),
            Self::Typed(members, fields) => fields.keys(members),
        }
    }

    /// Returns keys and values. An undeclared member of the validated object has an error as its
    /// value.
    pub(super) fn entries(&self) -> Vec<(Value<'a>, Value<'a>)> {
        match self {
            Self::Values(entries) => return entries.items.clone(),
            Self::Growing(entries) => return entries.borrow().items.clone(),
            Self::Native(_) | Self::Typed(..) => {}
        }
        let keys = self.keys().into_iter();
        keys.map(|key| {
            let absent = || Value::error(format!("no such key: {}", key.printed()));
            let value = self.find(&key).unwrap_or_else(absent);
            (key, value)
        })
        .collect()
    }

    pub(super) fn native(&self) -> Native<'a> {
        match self {
            Self::Native(members) | Self::Typed(members, _) => Native::Object(members),
            _ => Native::Value(Value::Map(self.clone())),
        }
    }

    pub(super) fn go_type(&self) -> &'static str {
        match self {
            Self::Typed(..) => "*common.unstructuredMap",
            Self::Growing(_) => "*types.mutableMap",
            _ => "*types.baseMap",
        }
    }

    /// Compares with another value, as cel-go's method `Equal` does.
    pub(super) fn equals(&self, other: &Value<'a>) -> Value<'a> {
        let Value::Map(right) = other else {
            return match self {
                Self::Typed(..) => other.error_or_no_such_overload(),
                _ => Value::Bool(false),
            };
        };
        if self.len() != right.len() {
            return Value::Bool(false);
        }
        if let Self::Typed(members, fields) = self {
            return self.equals_by_fields(members, fields, right);
        }
        for (key, value) in self.entries() {
            let Some(found) = right.find(&key) else {
                return Value::Bool(false);
            };
            if matches!(equal_values(&value, &found), Value::Bool(false)) {
                return Value::Bool(false);
            }
        }
        Value::Bool(true)
    }

    /// Compares an object of the validated object by its schema. Undeclared fields are compared as
    /// Go data (`unstructuredMap.Equal`).
    fn equals_by_fields(
        &self,
        members: &'a JsonMap<String, Json>,
        fields: &super::shape::Fields,
        right: &Self,
    ) -> Value<'a> {
        for (name, value) in members {
            if !fields.declares(name) {
                let Self::Typed(others, _) = right else {
                    return Value::no_such_overload();
                };
                let same = |other| Native::from(value).is_deep_equal(&Native::from(other));
                if !others.get(name).is_none_or(same) {
                    return Value::Bool(false);
                }
                continue;
            }
            let key = Value::Text(Text::Borrowed(name));
            match (self.find(&key), right.find(&key)) {
                (None, None) => {}
                (Some(left), Some(right)) => match equals_method(&left, &right) {
                    Value::Bool(true) => {}
                    other => return other,
                },
                _ => return Value::Bool(false),
            }
        }
        Value::Bool(true)
    }

    /// Returns the map with one more entry, or an error value if the key exists
    /// (`types.InsertMapKeyValue`). A [`Self::Growing`] map is changed in place.
    pub(super) fn insert(&self, key: Value<'a>, value: Value<'a>) -> Value<'a> {
        if self.find(&key).is_some() {
            let key = key.printed();
            return Value::error(format!("insert failed: key {key} already exists"));
        }
        if let Self::Growing(entries) = self {
            entries.borrow_mut().insert(key, value);
            return Value::Map(self.clone());
        }
        let added = std::iter::once((key, value));
        Value::Map(Self::from_entries(self.entries().into_iter().chain(added)))
    }
}
