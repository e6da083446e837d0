//! Correlation of new and old values (k8s.io/apiserver/pkg/cel/common, equality.go and maplist.go).

use genclient_cel::evaluate::is_deep_equal;
use serde_json::Value as Json;

use crate::{ListType, Schema};

/// A new value and the old value that correlates with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'a> {
    new: &'a Json,
    old: &'a Json,
    schema: &'a Schema,
}

/// Ratcheting state of a value: decides whether an error becomes a warning.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ratchet<'a> {
    current: Option<Pair<'a>>,
    /// The nearest ancestor with an old value.
    parent: Option<Pair<'a>>,
}

impl<'a> Ratchet<'a> {
    pub(super) fn root(new: &'a Json, old: &'a Json, schema: &'a Schema) -> Self {
        Self {
            current: Some(Pair { new, old, schema }),
            parent: None,
        }
    }

    /// Returns whether the value equals its old value. A value without an old value counts as
    /// unchanged if its nearest ancestor with an old value is unchanged.
    pub(super) fn is_unchanged(&self) -> bool {
        let pair = self.current.or(self.parent);
        pair.is_some_and(|pair| pair.is_unchanged())
    }

    pub(super) fn property(&self, name: &str) -> Self {
        let Some(current) = self.current else {
            return *self;
        };
        if self.parent.is_none() && matches!(name, "apiVersion" | "kind") {
            return Self::default();
        }
        Self {
            current: current.property(name),
            parent: self.current,
        }
    }

    pub(super) fn item(&self, index: usize) -> Self {
        let Some(current) = self.current else {
            return *self;
        };
        Self {
            current: current.item(index),
            parent: self.current,
        }
    }

    /// Returns the state for a branch of `allOf`.
    pub(super) fn branch(&self) -> Self {
        Self {
            current: None,
            parent: self.parent,
        }
    }
}

impl<'a> Pair<'a> {
    fn property(&self, name: &str) -> Option<Self> {
        let schema = self
            .schema
            .properties
            .get(name)
            .or(self.schema.additional_properties.as_ref());
        Some(Self {
            new: self.new.as_object()?.get(name)?,
            old: self.old.as_object()?.get(name)?,
            schema: schema?,
        })
    }

    fn item(&self, index: usize) -> Option<Self> {
        let new = self.new.as_array()?.get(index)?;
        let old = self.old.as_array()?;
        Some(Self {
            new,
            old: old_item(self.schema, old, new)?,
            schema: self.schema.items.as_deref()?,
        })
    }

    fn is_unchanged(&self) -> bool {
        match (self.new, self.old) {
            (Json::Array(new), Json::Array(old)) => {
                if new.len() != old.len() {
                    return false;
                }
                if self.schema.list_type != Some(ListType::Map) {
                    return is_deep_equal(self.new, self.old);
                }
                (0..new.len()).all(|index| self.item(index).is_some_and(|item| item.is_unchanged()))
            }
            (Json::Object(new), Json::Object(old)) => {
                let unchanged = |name: &String| {
                    let property = self.property(name);
                    property.is_some_and(|property| property.is_unchanged())
                };
                new.len() == old.len() && new.keys().all(unchanged)
            }
            (new, old) => is_deep_equal(new, old),
        }
    }
}

/// Returns the old item with the same merge keys, or `None` if no item has them or the list is not
/// of type `map`.
pub(super) fn old_item<'a>(schema: &Schema, old: &'a [Json], new: &Json) -> Option<&'a Json> {
    if schema.list_type != Some(ListType::Map) || schema.list_map_keys.is_empty() {
        return None;
    }
    for item in old {
        let (wanted, known) = (key(schema, new)?, key(schema, item));
        if known.is_some_and(|known| {
            known
                .iter()
                .zip(&wanted)
                .all(|(one, two)| is_deep_equal(one, two))
        }) {
            return Some(item);
        }
    }
    None
}

/// Returns the values of an item's merge keys, with defaults for absent ones.
fn key<'a>(schema: &'a Schema, item: &'a Json) -> Option<Vec<&'a Json>> {
    let members = item.as_object()?;
    let value = |name: &String| {
        let default = || {
            let property = schema.items.as_deref()?.properties.get(name)?;
            property.default.as_ref()
        };
        match members.get(name) {
            None => Some(default().unwrap_or(&Json::Null)),
            Some(Json::Null | Json::Array(_) | Json::Object(_)) => None,
            Some(value) => Some(value),
        }
    };
    schema.list_map_keys.iter().map(value).collect()
}
