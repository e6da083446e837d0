//! The rules that a schema can break.

use std::fmt;

use serde_json::Value;

use super::bounds::Trap;
use crate::JsonType;
use crate::re2::PatternError;
use crate::values::Violation;

/// A rule that a schema breaks.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaError {
    /// Where; empty for the schema itself.
    pub path: Vec<SchemaPathStep>,
    /// Which rule.
    pub kind: SchemaErrorKind,
}

/// One step into a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaPathStep {
    /// Into a schema of `properties`.
    Property(String),
    /// Into that of `items`.
    Items,
    /// Into that of `additionalProperties`.
    Values,
    /// Into one of `allOf`, `anyOf` or `oneOf`, by its number.
    Branch(&'static str, usize),
    /// Into that of `not`.
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

/// A rule for schemas.
#[derive(Clone, Debug, PartialEq)]
pub enum SchemaErrorKind {
    /// A rule of structural schemas.
    Structure(StructureRule),
    /// A rule for one keyword.
    Keyword(KeywordRule),
}

/// A rule of structural schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StructureRule {
    /// It has no type and does not say that it admits anything.
    NoType,
    /// A list does not say what its items are.
    NoItems,
    /// It has both `properties` and `additionalProperties`.
    PropertiesAndMap,
    /// `required` names what `properties` does not have.
    RequiredUndeclared(String),
    /// `x-kubernetes-embedded-resource` on something other than an object.
    EmbeddedNotObject,
    /// An embedded resource without properties, of which everything would be pruned.
    EmbeddedEmpty,
    /// `x-kubernetes-preserve-unknown-fields` on something other than an object.
    PreserveNotObject,
    /// A keyword inside `allOf`, `anyOf`, `oneOf` or `not` that may only stand outside of them.
    KeywordInBranch(&'static str),
    /// A property that only a branch has.
    UndeclaredInBranch(String),
    /// `metadata` in a branch.
    MetadataInBranch,
}

/// A rule for one keyword.
#[derive(Clone, Debug, PartialEq)]
pub enum KeywordRule {
    /// `pattern` is not one that the API server compiles.
    Pattern(PatternError),
    /// The API server does not know the `format`.
    UnknownFormat(String),
    /// The lower bound of a number or a length is above the upper one.
    CrossedBounds,
    /// A bound that the API server does not read as it is written.
    Bound(Trap),
    /// `multipleOf` is zero or below.
    Factor,
    /// `enum` has a value twice.
    DuplicateEnumValue,
    /// `enum` has a value that is none of the type.
    EnumValue {
        /// The value.
        value: Value,
        /// The type.
        type_: JsonType,
    },
    /// A keyword is about values of another type.
    KeywordOfOtherType {
        /// The keyword.
        keyword: &'static str,
        /// The type.
        type_: JsonType,
    },
    /// The default is not valid.
    Default(Violation),
    /// How a list or an object is merged does not fit what it is.
    Merge(MergeRule),
    /// What stands beside a CEL rule, or the text of one.
    Validation(ValidationRule),
}

/// A rule for the parts of `x-kubernetes-validations`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValidationRule {
    /// There is no expression.
    NoRule,
    /// There is a message, and it is empty.
    EmptyMessage,
    /// The message has several lines.
    MessageLines,
    /// An expression of several lines has no message.
    NoMessage,
    /// A reason that the API server does not know.
    UnknownReason(String),
    /// `optionalOldSelf` beside an expression without `oldSelf`.
    UnusedOldSelf,
}

/// A rule for `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and `x-kubernetes-map-type`.
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
    /// A set of objects or lists that are merged part by part.
    GranularItems,
    /// A key is named twice.
    DuplicateKey(String),
    /// A key is no property of the items.
    UnknownKey(String),
    /// A key is an object or a list.
    CompoundKey(String),
    /// A key is nullable.
    NullableKey(String),
    /// A key is neither required nor has a default.
    OptionalKey(String),
}
