//! [`Slot`]: schema of a type in a field, list or map, and how serde treats it there.
//! [`Parameters`]: arguments of type and const parameters.

use std::collections::BTreeMap;

use syn::Ident;

use super::union;
use crate::model::Schema;

/// Schema of a field, item or value, with properties that depend on serde.
#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    pub(super) schema: Schema,
    /// True for `Option<T>`: serde may write `null`, and reads an absent field as `None`.
    pub(super) optional: bool,
    /// True if serde refuses unknown fields.
    pub(super) closed: bool,
}

impl Slot {
    pub(super) fn of(schema: Schema) -> Self {
        Self {
            schema,
            ..Self::default()
        }
    }

    /// Returns the schema for a position that is never left out: an item, a map's value, or a field
    /// that serde always writes. If the type is an `Option` or any JSON, `null` is admitted.
    pub(super) fn written(mut self) -> Schema {
        // Arbitrary JSON includes `null`.
        self.optional |= self.schema.is_any();
        self.nullable()
    }

    /// Returns the schema. If the type is an `Option`, `null` is admitted.
    pub(super) fn nullable(mut self) -> Schema {
        if self.optional {
            self.schema.nullable = true;
            union::admit_null(&mut self.schema);
        }
        self.schema
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Parameters {
    pub(super) types: BTreeMap<String, Slot>,
    /// Values of const parameters; `None` for an unknown one.
    pub(super) numbers: BTreeMap<String, Option<u64>>,
}

impl Parameters {
    /// Returns the argument of a type parameter.
    pub(super) fn of_type(&self, name: &Ident) -> Option<&Slot> {
        let mut types = self.types.iter();
        types.find_map(|(known, slot)| (name == known).then_some(slot))
    }

    /// Returns the argument of a const parameter.
    pub(super) fn of_number(&self, name: &Ident) -> Option<Option<u64>> {
        self.numbers.get(&name.to_string()).copied()
    }
}
