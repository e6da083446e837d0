//! A type in its place: a schema, and what serde does with it there.

use super::union;
use crate::model::Schema;

/// A type as it stands in a field, a list or a map.
#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    pub(super) schema: Schema,
    /// True for `Option<T>`: serde may write `null`, and reads an absent field.
    pub(super) optional: bool,
    /// True if serde refuses an object with other members.
    pub(super) closed: bool,
}

impl Slot {
    pub(super) fn of(schema: Schema) -> Self {
        Self {
            schema,
            ..Self::default()
        }
    }

    /// The schema in a place that is always written: an item, a map's value, a field that is not left out.
    pub(super) fn written(mut self) -> Schema {
        // One of any JSON values is `null`.
        self.optional |= self.schema.is_any();
        self.nullable()
    }

    /// The schema in a place where serde writes `None` as `null`.
    pub(super) fn nullable(mut self) -> Schema {
        if self.optional {
            self.schema.nullable = true;
            union::let_null_pass(&mut self.schema);
        }
        self.schema
    }
}
