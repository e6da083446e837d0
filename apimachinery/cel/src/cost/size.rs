//! Size ranges of values, and the schema locations that bound them.

use crate::declare::{Declared, Objects};
use crate::types::Type;

/// Range of a size in characters, bytes, items or entries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Size {
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Size {
    pub(super) const UNKNOWN: Self = Self {
        min: 0,
        max: u64::MAX,
    };

    pub(super) fn exactly(size: u64) -> Self {
        Self {
            min: size,
            max: size,
        }
    }

    pub(super) fn up_to(max: u64) -> Self {
        Self { min: 0, max }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_add(other.min),
            max: self.max.saturating_add(other.max),
        }
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_mul(other.min),
            max: self.max.saturating_mul(other.max),
        }
    }

    /// Returns the smallest range that includes both ranges.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }
}

/// Size ranges of the keys and values of a map. In a list, the keys are the indices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    /// True for a list.
    pub(super) list: bool,
    pub(super) key: Size,
    pub(super) value: Size,
}

impl Entries {
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            list: self.list,
            key: self.key.or(other.key),
            value: self.value.or(other.value),
        }
    }
}

/// Location of a value in the schema, which bounds the value's size.
#[derive(Clone, Copy, Debug)]
pub(super) enum Site<'d> {
    /// The rule created the value.
    Made,
    At(&'d Declared),
    /// The value comes from an unknown location in the schema.
    Lost,
}

/// A step from a value to a part of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum SchemaStep<'n> {
    Field(&'n str),
    Values,
    Keys,
    Indices,
}

/// Declarations in which [`SchemaMap::step`] looks up fields, items and keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct SchemaMap<'d> {
    pub(super) root: &'d Declared,
    pub(super) keys: &'d Declared,
    pub(super) objects: &'d Objects,
}

impl<'d> SchemaMap<'d> {
    /// Returns the location of a field, item or key of the value at `from`. For a part of a value
    /// that the rule created, returns the location of CEL's `self`, as the API server's estimate
    /// does.
    pub(super) fn step(&self, from: Site<'d>, step: SchemaStep<'_>) -> Site<'d> {
        let declared = match from {
            Site::Made => return Site::At(self.root),
            Site::Lost => return Site::Lost,
            Site::At(declared) => declared,
        };
        let found = match step {
            SchemaStep::Values => declared.inner.as_deref(),
            SchemaStep::Keys if matches!(declared.type_, Type::Map(..)) => Some(self.keys),
            SchemaStep::Field(name) => match declared.type_ {
                Type::Object(place) => self.objects[place]
                    .fields
                    .get(name)
                    .map(|field| &field.declared),
                _ => None,
            },
            SchemaStep::Keys | SchemaStep::Indices => None,
        };
        found.map_or(Site::Lost, Site::At)
    }
}

/// Returns a number times a factor, rounded up.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the API server counts in floating point, too, and the conversion back saturates"
)]
pub(super) fn scale_up(count: u64, factor: f64) -> u64 {
    (count as f64 * factor).ceil() as u64
}
