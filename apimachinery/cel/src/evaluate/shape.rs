//! Shape of a schema: the parts needed to convert data into CEL values
//! (k8s.io/apiserver/pkg/cel/common, `UnstructuredToVal`).

use std::collections::BTreeMap;
use std::sync::Arc;

/// Shape of a value.
#[derive(Debug)]
pub struct Shape {
    /// Kind of the value.
    pub kind: ShapeKind,
    /// Whether null is accepted.
    pub nullable: bool,
}

/// Kind of a value.
#[derive(Debug)]
pub enum ShapeKind {
    /// An integer or a string.
    IntOrString,
    /// An object or a map.
    Object(Fields),
    /// A list, with the shape of its items.
    Array(Option<Arc<Shape>>, ItemMerge),
    /// A string.
    Text(TextFormat),
    /// A float.
    Number,
    /// An integer.
    Integer,
    /// A boolean.
    Boolean,
    /// A value without type whose unknown fields are kept.
    Preserved,
    /// Any other value without type.
    Unknown,
}

/// List type, which determines the sum and the equality of lists.
#[derive(Debug)]
pub enum ItemMerge {
    /// The list is a single value.
    Atomic,
    /// Items are unique.
    Set,
    /// The merge keys, escaped for CEL.
    Map(Vec<String>),
}

/// Formats of strings that have a CEL type of their own.
#[derive(Debug)]
pub enum TextFormat {
    /// Any other format, or none.
    Plain,
    /// `duration`
    Duration,
    /// `date`
    Date,
    /// `date-time`
    DateTime,
    /// `byte`
    Byte,
}

/// Shapes of the members of an object or a map.
#[derive(Debug)]
pub enum Fields {
    /// Properties, by name.
    Properties(BTreeMap<String, Arc<Shape>>),
    /// Values of a map.
    Values(Arc<Shape>),
    /// No declared members.
    None,
}

impl Fields {
    pub(super) fn declares(&self, name: &str) -> bool {
        match self {
            Self::Properties(properties) => properties.contains_key(name),
            Self::Values(_) => true,
            Self::None => false,
        }
    }
}
