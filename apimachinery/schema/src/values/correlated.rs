//! Correlation of new and old values in an update.
//!
//! Follows `CorrelatedObject` of `k8s.io/apiserver/pkg/cel/common`. Fields and map values correlate
//! by name. List items correlate only in lists of type `map`, by their merge keys.

use serde_json::Value;

use crate::{JsonType, ListType, Schema};

/// A new value and the old value that it replaces.
#[derive(Clone, Copy, Debug)]
pub struct Correlated<'v> {
    /// The schema of both values.
    pub schema: &'v Schema,
    /// The new value.
    pub new: &'v Value,
    /// The old value.
    pub old: &'v Value,
}

impl<'v> Correlated<'v> {
    /// Returns the new and old values of a member, if both objects have it and the schema declares
    /// it.
    pub fn member(self, name: &str) -> Option<Self> {
        Some(Self {
            new: self.new.as_object()?.get(name)?,
            old: self.old.as_object()?.get(name)?,
            schema: self.schema.declared_member(name)?,
        })
    }

    /// Returns an item of the new list and the old item with the same merge keys.
    pub fn item(self, at: usize) -> Option<Self> {
        let new = self.new.as_array()?.get(at)?;
        let schema = self.schema.items.as_deref()?;
        let is_map = self.is_map_list() && self.schema.type_ == Some(JsonType::Array);
        let keys = is_map
            .then(|| Keys::from_item(self.schema, new))
            .flatten()?;
        let mut olds = self.old.as_array()?.iter();
        let old = olds.find(|old| Keys::from_item(self.schema, old).as_ref() == Some(&keys))?;
        Some(Self { schema, new, old })
    }

    /// Returns whether the values are equal. Members and items of map lists are compared one by
    /// one, and those for which [`Self::member`] or [`Self::item`] returns `None` count as changed,
    /// such as undeclared fields. Other lists are compared as a whole.
    pub fn is_unchanged(self) -> bool {
        match (self.new, self.old) {
            (Value::Array(new), Value::Array(old)) if new.len() == old.len() => {
                if !self.is_map_list() {
                    return is_same(self.new, self.old);
                }
                let mut items = (0..new.len()).map(|at| self.item(at));
                items.all(|item| item.is_some_and(Self::is_unchanged))
            }
            (Value::Object(new), Value::Object(old)) if new.len() == old.len() => {
                let mut members = new.keys().map(|name| self.member(name));
                members.all(|member| member.is_some_and(Self::is_unchanged))
            }
            (Value::Array(_) | Value::Object(_), _) | (_, Value::Array(_) | Value::Object(_)) => {
                false
            }
            (new, old) => is_same(new, old),
        }
    }

    fn is_map_list(self) -> bool {
        self.schema.list_type == Some(ListType::Map)
    }
}

/// Identity of an item in a map list.
#[derive(Debug, PartialEq)]
enum Keys {
    /// A single key. As in Go, the integer 1 and the float `1.0` differ.
    One(Value),
    /// Several keys, formatted and joined.
    Several(String),
}

impl Keys {
    fn from_item(schema: &Schema, item: &Value) -> Option<Self> {
        let item = item.as_object()?;
        let scalar = |key: &String| {
            let value = item.get(key)?;
            let is_scalar = !matches!(value, Value::Null | Value::Array(_) | Value::Object(_));
            is_scalar.then_some(value)
        };
        match &schema.list_map_keys[..] {
            [] => None,
            [key] => Some(Self::One(exact(scalar(key)?))),
            keys => {
                let keys: Option<Vec<_>> = keys.iter().map(scalar).collect();
                let keys: Vec<_> = keys?.into_iter().map(printed).collect();
                Some(Self::Several(keys.join("\0")))
            }
        }
    }
}

/// Converts an integer above `i64::MAX` into a float, as Go does.
fn exact(value: &Value) -> Value {
    match value.as_f64().filter(|_| value.is_u64() && !value.is_i64()) {
        Some(float) => float.into(),
        None => value.clone(),
    }
}

fn printed(value: &Value) -> String {
    match value {
        Value::Number(number) if !number.is_i64() => {
            format!("{:.6}", number.as_f64().unwrap_or_default())
        }
        value => value.to_string(),
    }
}

/// Returns whether two values are equal by Go's `reflect.DeepEqual`: 1 is not 1.0.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a == b,
            (None, None) => a.as_f64() == b.as_f64(),
            _ => false,
        },
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(name, value)| b.get(name).is_some_and(|other| is_same(value, other));
            a.len() == b.len() && a.iter().all(same)
        }
        _ => a == b,
    }
}
