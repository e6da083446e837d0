//! Rust types that an import declares.

use serde_json::Value;

use crate::import::attribute::KeyArgument;

/// The type of a field.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::import) enum RustType {
    /// An existing type, by its path.
    Path(String),
    /// A type of this module, by its index.
    Own(usize),
    List(Box<RustType>),
    Map(Box<RustType>),
    Option(Box<RustType>),
}

/// A struct or an enum of this module.
#[derive(Clone, Debug)]
pub(in crate::import) struct OwnType {
    pub(in crate::import) body: Body,
    /// The description that the CRD shows where the type is a list item, a map value, or a field
    /// without a description of its own. It is `Some(None)` if the CRD has no description there,
    /// and `None` if the type is used at no such place.
    pub(in crate::import) description: Option<Option<String>>,
    /// The places that use the type, each as the kind and the fields of its path: `Shop`, `Spec`,
    /// `Size`.
    pub(in crate::import) places: Vec<Vec<String>>,
    /// The first of these places as a path, with the version: `v1.spec.size`.
    pub(in crate::import) path: String,
    /// The defaults of the places that use the type.
    pub(in crate::import) defaults: Vec<Value>,
}

impl OwnType {
    /// The default of an enum: the value that is the default of every place with a default.
    pub(in crate::import) fn default_value(&self) -> Option<&str> {
        match (&self.body, &self.defaults[..]) {
            (Body::Enum(values), [Value::String(default)]) if values.contains(default) => {
                Some(default)
            }
            _ => None,
        }
    }
}

/// The fields or variants of a type.
#[derive(Clone, Debug)]
pub(in crate::import) enum Body {
    Struct(Struct),
    /// An enum, by its values.
    Enum(Vec<String>),
}

/// The fields of a struct, and its attributes.
#[derive(Clone, Debug, Default)]
pub(in crate::import) struct Struct {
    pub(in crate::import) fields: Vec<Field>,
    pub(in crate::import) arguments: Vec<KeyArgument>,
    /// True if the struct preserves unknown fields.
    pub(in crate::import) open: bool,
}

#[derive(Clone, Debug)]
pub(in crate::import) struct Field {
    /// The name in JSON.
    pub(in crate::import) name: String,
    pub(in crate::import) description: Option<String>,
    pub(in crate::import) type_: RustType,
    /// True if serde omits the field when it is `None`.
    pub(in crate::import) optional: bool,
    pub(in crate::import) arguments: Vec<KeyArgument>,
}
