//! CEL declarations of a schema: types and maximum sizes of values in one request.
//!
//! The API server estimates the cost of rules from these sizes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::names::RESERVED;
use super::types::Type;

/// Maximum size of a request, in bytes.
pub const REQUEST_BYTES: u64 = 3 * 1024 * 1024;

/// CEL declaration of a value.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Type of the value.
    pub type_: Type,
    /// Maximum number of items, entries or bytes; without meaning for types that have no size.
    pub max: u64,
    /// Minimum number of bytes of the value in a request.
    pub min_bytes: u64,
    /// Declaration of the items of a list or the values of a map.
    pub inner: Option<Box<Self>>,
    /// The keyword that can bound `max`, and whether the schema has the keyword. `None` if there is
    /// no such keyword.
    pub bound: Option<SizeBound>,
    /// Path of the value in a rule, such as `self.names[*]`.
    pub path: String,
    /// The possible strings, if the schema lists them; otherwise empty.
    pub choices: Arc<[String]>,
    /// The pattern of a string, also of a string that may be an integer.
    pub pattern: Option<Arc<str>>,
}

/// Bound of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SizeBound {
    /// The keyword that can bound the size.
    pub keyword: SizeKeyword,
    /// Whether the schema has the keyword.
    pub given: bool,
}

/// A keyword that bounds a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SizeKeyword {
    /// `maxItems`
    MaxItems,
    /// `maxLength`
    MaxLength,
    /// `maxProperties`
    MaxProperties,
}

/// Declaration of an object's field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Declaration of the value.
    pub declared: Declared,
    /// True if every object has the field.
    pub present: bool,
}

/// Declaration of an object in the schema.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// Fields by their escaped CEL names.
    pub fields: BTreeMap<String, Field>,
    /// Fields that rules cannot use, with the origin of their schemas: they have no CEL type or no
    /// escaped name.
    pub hidden: BTreeMap<String, Option<u8>>,
    /// True if the schema preserves unknown fields.
    pub keeps_unknown: bool,
    /// True if `allOf`, `anyOf`, `oneOf` or `not` constrain the fields.
    pub combined: bool,
}

impl Object {
    /// Returns a field by its name in a rule: the escaped name, or an unescaped reserved word.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let escaped = || self.fields.get(&format!("__{name}__"));
        let reserved = RESERVED.contains(&name);
        self.fields
            .get(name)
            .or_else(|| escaped().filter(|_| reserved))
    }
}

/// All objects of a schema; [`Type::Object`] is an index into this list.
pub type Objects = Vec<Object>;

/// Returns the declaration of a value without nested values and without a size bound.
#[must_use]
pub fn simple(type_: Type, max: u64, min_bytes: u64, path: String) -> Declared {
    Declared {
        type_,
        max,
        min_bytes,
        inner: None,
        bound: None,
        path,
        choices: Arc::default(),
        pattern: None,
    }
}
