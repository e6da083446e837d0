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
    /// Returns whether a keyword of a schema has an effect beside the type. The API server accepts
    /// and ignores a keyword beside another type. `format` depends on its value:
    /// [`formats::is_supported`](crate::formats::is_supported).
    ///
    /// Source: `Applies` of the validators in `k8s.io/kube-openapi/pkg/validation/validate`, and
    /// `algorithm.go` in `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning`.
    pub fn has_keyword(self, keyword: &str) -> bool {
        match keyword {
            "exclusiveMaximum" | "exclusiveMinimum" | "maximum" | "minimum" | "multipleOf" => {
                matches!(self, Self::Integer | Self::Number)
            }
            "maxLength" | "minLength" | "pattern" => self == Self::String,
            "items" | "maxItems" | "minItems" => self == Self::Array,
            "additionalProperties"
            | "maxProperties"
            | "minProperties"
            | "properties"
            | "required" => self == Self::Object,
            // On a list, it applies to the items.
            "x-kubernetes-preserve-unknown-fields" => matches!(self, Self::Array | Self::Object),
            _ => true,
        }
    }

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

#[cfg(test)]
mod tests {
    use super::JsonType::{self, Array, Boolean, Integer, Number, Object, String};

    #[test]
    fn keywords_have_an_effect_beside_their_types_only() {
        let all = [Object, Array, String, Integer, Number, Boolean];
        for (keyword, types) in [
            ("maximum", &[Integer, Number][..]),
            ("multipleOf", &[Integer, Number]),
            ("pattern", &[String]),
            ("minItems", &[Array]),
            ("required", &[Object]),
            ("x-kubernetes-preserve-unknown-fields", &[Object, Array]),
            ("enum", &all),
        ] {
            let has_keyword = |type_: &JsonType| type_.has_keyword(keyword);
            let found: Vec<_> = all.into_iter().filter(has_keyword).collect();
            assert_eq!(found, types, "{keyword}");
        }
    }
}
