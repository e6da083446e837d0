//! Object metadata: decoding, and validation of names, labels, owners and finalizers.
//!
//! Call [`decode`] first. The other functions expect decoded metadata.

mod decode;
mod owners;
mod validation;

use genclient_apimachinery::meta::{ZERO, parse_time};
use serde_json::{Map, Value};

pub use self::decode::{Decoded, decode};
pub use self::owners::{DuplicateOwners, remove_duplicate_owners};
pub use self::validation::{finalizer_warnings, validate, validate_manager, validate_update};

/// View of an object's metadata. Its typed methods treat a field of the wrong type as absent.
#[derive(Clone, Copy, Debug)]
pub struct Metadata<'o>(Option<&'o Map<String, Value>>);

impl<'o> Metadata<'o> {
    /// Returns the metadata of an object.
    pub fn from_object(object: &'o Value) -> Self {
        Self(object.get("metadata").and_then(Value::as_object))
    }

    /// Wraps the value of `metadata`.
    pub fn new(metadata: &'o Map<String, Value>) -> Self {
        Self(Some(metadata))
    }

    /// Returns a field, if present.
    pub fn get(self, field: &str) -> Option<&'o Value> {
        self.0?.get(field)
    }

    /// Returns a string field, empty if absent.
    pub fn text(self, field: &str) -> &'o str {
        let value = self.get(field).and_then(Value::as_str);
        value.unwrap_or_default()
    }

    /// Returns an integer field, if present.
    pub fn integer(self, field: &str) -> Option<i64> {
        self.get(field).and_then(Value::as_i64)
    }

    /// Returns a time in seconds since 1970-01-01, or `None` for an absent, invalid or zero time.
    pub fn time(self, field: &str) -> Option<i64> {
        let seconds = parse_time(self.text(field)).ok();
        seconds.filter(|seconds| *seconds != ZERO)
    }

    /// Returns the entries of a map of strings, such as the labels.
    pub fn texts(self, field: &str) -> impl Iterator<Item = (&'o str, &'o str)> {
        let members = self
            .get(field)
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        members.map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default()))
    }

    /// Returns the items of a list field.
    pub fn list(self, field: &str) -> &'o [Value] {
        let items = self.get(field).and_then(Value::as_array);
        items.map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the finalizers.
    pub fn finalizers(self) -> impl Iterator<Item = &'o str> {
        self.list("finalizers").iter().filter_map(Value::as_str)
    }
}
