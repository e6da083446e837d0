//! Errors in schemas: violated rules of structural schemas and keywords.

use std::fmt;

use genclient_cel::re2::PatternError;
use serde_json::Value;

use super::bounds::Trap;
use crate::JsonType;
use crate::values::Violation;

/// An error in a schema: a violated rule and its location.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaError {
    /// Path to the schema with the error; empty for the root.
    pub path: Vec<SchemaPathStep>,
    /// The violated rule.
    pub kind: SchemaErrorKind,
}

/// One step into a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaPathStep {
    /// Into a schema of `properties`.
    Property(String),
    /// Into the schema of `items`.
    Items,
    /// Into the schema of `additionalProperties`.
    Values,
    /// Into a branch of `allOf`, `anyOf` or `oneOf`, by index.
    Branch(&'static str, usize),
    /// Into the schema of `not`.
    Not,
}

impl fmt::Display for SchemaPathStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Property(name) => write!(f, ".{name}"),
            Self::Items => f.write_str(".items"),
            Self::Values => f.write_str(".additionalProperties"),
            Self::Branch(keyword, at) => write!(f, ".{keyword}[{at}]"),
            Self::Not => f.write_str(".not"),
        }
    }
}

/// A violated rule.
#[derive(Clone, Debug, PartialEq)]
pub enum SchemaErrorKind {
    /// A rule of structural schemas.
    Structure(StructureRule),
    /// A rule for keywords.
    Keyword(KeywordRule),
}

/// A violated rule of structural schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StructureRule {
    /// The schema has no type and is neither int-or-string nor open to unknown fields.
    NoType,
    /// A list has no schema for its items.
    NoItems,
    /// The schema has both `properties` and `additionalProperties`.
    PropertiesAndMap,
    /// `required` names an undeclared property.
    RequiredUndeclared(String),
    /// `x-kubernetes-embedded-resource` on something other than an object.
    EmbeddedNotObject,
    /// An embedded resource that neither declares properties nor preserves unknown fields.
    EmbeddedEmpty,
    /// `x-kubernetes-preserve-unknown-fields` on something other than an object.
    PreserveNotObject,
    /// A keyword inside `allOf`, `anyOf`, `oneOf` or `not` that is permitted only outside of them.
    KeywordInBranch(&'static str),
    /// A property that is declared only in a branch.
    UndeclaredInBranch(String),
    /// `metadata` in a branch.
    MetadataInBranch,
}

/// A violated rule for keywords.
#[derive(Clone, Debug, PartialEq)]
pub enum KeywordRule {
    /// The API server cannot compile `pattern`.
    Pattern(PatternError),
    /// The API server does not know the `format`.
    UnknownFormat(String),
    /// A lower bound is above the upper bound: of a number, a length, or the number of items or
    /// properties.
    CrossedBounds,
    /// A bound that the API server interprets differently than it is written.
    Bound(Trap),
    /// `multipleOf` is zero or below.
    Factor,
    /// `enum` contains the same value twice.
    DuplicateEnumValue,
    /// `enum` has a value that is not of the schema's type.
    EnumValue {
        /// The value.
        value: Value,
        /// The type of the schema.
        type_: JsonType,
    },
    /// A keyword that does not apply to the type of the schema.
    KeywordOfOtherType {
        /// The keyword.
        keyword: &'static str,
        /// The type of the schema.
        type_: JsonType,
    },
    /// The default is not valid.
    Default(Violation),
    /// The list type or map type does not fit the schema.
    Merge(MergeRule),
    /// An error in the fields of a CEL rule.
    Validation(ValidationRule),
}

/// A violated rule for the fields of `x-kubernetes-validations`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValidationRule {
    /// The expression is empty.
    NoRule,
    /// The message consists of white space.
    EmptyMessage,
    /// The message has several lines.
    MessageLines,
    /// An expression of several lines has no message.
    NoMessage,
    /// A reason that the API server does not know.
    UnknownReason(String),
    /// `optionalOldSelf` on a rule whose expression does not use `oldSelf`.
    UnusedOldSelf,
}

/// A violated rule for list types, map types or merge keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeRule {
    /// A list type on something other than a list.
    ListTypeOnNonArray,
    /// A map type on something other than an object.
    MapTypeOnNonObject,
    /// Keys on something other than a map list.
    KeysWithoutMapType,
    /// A map list without keys.
    NoKeys,
    /// A map list of something other than objects.
    NonObjectItems,
    /// A set or a map list of nullable items.
    NullableItems,
    /// A set whose items are granular objects or lists.
    GranularItems,
    /// A key is named twice.
    DuplicateKey(String),
    /// A key is not a property of the items.
    UnknownKey(String),
    /// A key is an object or a list.
    CompoundKey(String),
    /// A key is nullable.
    NullableKey(String),
    /// A key is not required and has no default.
    OptionalKey(String),
}
