//! Types in a schema: JSON types, and the list and map types of server-side apply.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Type of a JSON value: `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names are those of JSON Schema")]
pub enum JsonType {
    Object,
    Array,
    String,
    Integer,
    Number,
    Boolean,
}

impl JsonType {
    /// Returns the type as written in a schema: `object`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }

    /// Returns whether values of the type have no items or fields.
    pub fn is_scalar(self) -> bool {
        !matches!(self, Self::Object | Self::Array)
    }
}

impl fmt::Display for JsonType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Merge strategy of a list: `x-kubernetes-list-type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListType {
    /// The list is replaced as a whole.
    Atomic,
    /// Items are unique and are merged one by one.
    Set,
    /// Items are objects, identified by their merge keys.
    Map,
}

impl ListType {
    /// Returns the list type as written in a schema: `atomic`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Atomic => "atomic",
            Self::Set => "set",
            Self::Map => "map",
        }
    }
}

/// Merge strategy of a map or an object: `x-kubernetes-map-type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MapType {
    /// Each entry is merged on its own.
    Granular,
    /// The map is replaced as a whole.
    Atomic,
}

impl MapType {
    /// Returns the map type as written in a schema: `granular`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Granular => "granular",
            Self::Atomic => "atomic",
        }
    }
}
