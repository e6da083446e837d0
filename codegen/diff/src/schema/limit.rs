//! Limits of numbers, lengths and counts, and the comparison of two limits.

use std::cmp::Ordering;

use genclient_schema::{Schema, values};
use serde_json::{Number, Value};

use super::super::change::Side;

/// A keyword that sets a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Bound {
    Minimum,
    Maximum,
    MinLength,
    MaxLength,
    MinItems,
    MaxItems,
    MinProperties,
    MaxProperties,
}

impl Bound {
    pub(crate) const ALL: [Self; 8] = [
        Self::Minimum,
        Self::Maximum,
        Self::MinLength,
        Self::MaxLength,
        Self::MinItems,
        Self::MaxItems,
        Self::MinProperties,
        Self::MaxProperties,
    ];

    /// The name of the keyword.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::MinLength => "minLength",
            Self::MaxLength => "maxLength",
            Self::MinItems => "minItems",
            Self::MaxItems => "maxItems",
            Self::MinProperties => "minProperties",
            Self::MaxProperties => "maxProperties",
        }
    }

    /// Returns the value of the keyword in a schema.
    pub(super) fn value(self, schema: &Schema) -> Option<Number> {
        match self {
            Self::Minimum => schema.minimum.clone(),
            Self::Maximum => schema.maximum.clone(),
            Self::MinLength => schema.min_length.map(Number::from),
            Self::MaxLength => schema.max_length.map(Number::from),
            Self::MinItems => schema.min_items.map(Number::from),
            Self::MaxItems => schema.max_items.map(Number::from),
            Self::MinProperties => schema.min_properties.map(Number::from),
            Self::MaxProperties => schema.max_properties.map(Number::from),
        }
    }

    /// True for a lower limit, false for an upper one.
    pub(super) const fn is_lower(self) -> bool {
        matches!(
            self,
            Self::Minimum | Self::MinLength | Self::MinItems | Self::MinProperties
        )
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Limit {
    pub(super) value: Number,
    /// True if the value itself is not allowed.
    pub(super) exclusive: bool,
}

impl Limit {
    /// True if this limit allows fewer values than `other`.
    pub(crate) fn is_tighter_than(&self, other: &Self, bound: Bound) -> bool {
        match values::order(&self.value, &other.value) {
            Ordering::Equal => self.exclusive && !other.exclusive,
            Ordering::Greater => bound.is_lower(),
            Ordering::Less => !bound.is_lower(),
        }
    }

    /// True if the value fits into an `i32`.
    pub(crate) fn is_32_bits(&self) -> bool {
        let value = self.value.as_i64();
        value.is_some_and(|value| i32::try_from(value).is_ok())
    }

    /// The value; for an exclusive limit, `above 5` or `below 5`.
    pub(crate) fn shown(&self, bound: Bound) -> Side {
        match (self.exclusive, bound.is_lower()) {
            (false, _) => Value::Number(self.value.clone()).into(),
            (true, true) => format!("above {}", self.value).into(),
            (true, false) => format!("below {}", self.value).into(),
        }
    }

    /// Turns an exclusive limit of integers into the equivalent inclusive one.
    pub(super) fn make_inclusive(&mut self, bound: Bound) {
        let step = if bound.is_lower() { 1 } else { -1 };
        let twin = self
            .value
            .as_i64()
            .and_then(|value| value.checked_add(step));
        if let (true, Some(twin)) = (self.exclusive, twin) {
            self.value = twin.into();
            self.exclusive = false;
        }
    }
}
