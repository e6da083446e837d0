//! Attribute targets, and the shape of a type as derived from its tokens.

use syn::{GenericArgument, PathArguments, Type};

/// Shape of a type, as derived from its tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Any type that no variant below describes, such as a type defined elsewhere.
    Unknown,
    /// `bool`
    Boolean,
    /// `i32`, `u64`, …, up to 64 bits
    Integer,
    /// `f32`, `f64`
    Number,
    /// `String`, `&str`, `char`
    String,
    /// `Vec<T>`, `[T; N]`, a set; with the shape of an item
    List(Box<Shape>),
    /// `BTreeMap<K, V>`, `HashMap<K, V>`, `IndexMap<K, V>`; with the shape of a value
    Map(Box<Shape>),
    /// A struct with named fields.
    Struct,
    /// An enum.
    Enum,
}

/// Where an attribute or key is written: on an item, a field or a variant, or inside another key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// The struct below `#[genclient]`.
    Resource,
    /// Any other struct or enum.
    Type,
    /// A field of a struct or of a variant.
    Field,
    /// A variant with fields.
    Variant,
    /// A variant without fields.
    UnitVariant,
    /// Inside `items(…)`.
    Items,
    /// Inside `values(…)`.
    Values,
    /// Inside `keys(…)`.
    Keys,
    /// An `impl Defaulter` or `impl Validator`.
    Impl,
    /// Any item or method.
    Item,
}

impl Target {
    /// Returns the target in the wording of a message: `on a field`.
    pub(crate) fn on(self) -> &'static str {
        match self {
            Self::Resource => "on a kind",
            Self::Type => "on a type",
            Self::Field => "on a field",
            Self::Variant | Self::UnitVariant => "on a variant",
            Self::Items => "in `items(..)`",
            Self::Values => "in `values(..)`",
            Self::Keys => "in `keys(..)`",
            Self::Impl | Self::Item => "here",
        }
    }
}

/// A target together with the shape of the type there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeTarget {
    /// What the attribute is on.
    pub kind: Target,
    /// Shape of the type.
    pub shape: Shape,
}

impl AttributeTarget {
    /// Returns the target of a kind.
    pub fn resource() -> Self {
        Self {
            kind: Target::Resource,
            shape: Shape::Struct,
        }
    }

    /// Returns the target of an admission webhook's impl.
    pub fn webhook() -> Self {
        Self {
            kind: Target::Impl,
            shape: Shape::Unknown,
        }
    }

    /// Returns the target of a struct. The shape is `Struct` for named fields, the field's shape
    /// for a newtype, and otherwise `Unknown`.
    pub fn of_struct(fields: &syn::Fields) -> Self {
        let shape = match fields {
            syn::Fields::Named(_) => Shape::Struct,
            syn::Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                Shape::from_type(&fields.unnamed[0].ty)
            }
            _ => Shape::Unknown,
        };
        Self {
            kind: Target::Type,
            shape,
        }
    }

    /// Returns the target of an enum.
    pub fn of_enum() -> Self {
        Self {
            kind: Target::Type,
            shape: Shape::Enum,
        }
    }

    /// Returns the target of a variant with these fields.
    pub fn of_variant(fields: &syn::Fields) -> Self {
        let kind = match fields {
            syn::Fields::Unit => Target::UnitVariant,
            _ => Target::Variant,
        };
        Self {
            kind,
            shape: Shape::Unknown,
        }
    }

    /// Returns the target of a field of type `ty`.
    pub fn of_field(ty: &Type) -> Self {
        Self {
            kind: Target::Field,
            shape: Shape::from_type(ty),
        }
    }
}

impl Shape {
    /// Returns the shape in the wording of a message: `list`.
    pub(crate) fn describe(&self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "float",
            Self::String => "string",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Struct => "struct",
            Self::Enum => "enum",
        }
    }

    /// Reads the shape from the tokens of a type, looking through references, `Option`, `Box`,
    /// `Rc`, `Arc` and `Cow`.
    pub fn from_type(ty: &Type) -> Self {
        match ty {
            Type::Array(array) => Self::List(Box::new(Self::from_type(&array.elem))),
            Type::Slice(slice) => Self::List(Box::new(Self::from_type(&slice.elem))),
            Type::Reference(reference) => Self::from_type(&reference.elem),
            Type::Paren(inner) => Self::from_type(&inner.elem),
            Type::Group(inner) => Self::from_type(&inner.elem),
            Type::Path(path) if path.qself.is_none() => Self::of_path(&path.path),
            _ => Self::Unknown,
        }
    }

    fn of_path(path: &syn::Path) -> Self {
        let Some(last) = path.segments.last() else {
            return Self::Unknown;
        };
        let arguments = type_arguments(&last.arguments);
        match (last.ident.to_string().as_str(), arguments.as_slice()) {
            ("Option" | "Box" | "Rc" | "Arc" | "Cow", [inner]) => Self::from_type(inner),
            ("Vec" | "VecDeque" | "HashSet" | "BTreeSet", [item, ..]) => {
                Self::List(Box::new(Self::from_type(item)))
            }
            ("HashMap" | "BTreeMap" | "IndexMap", [_, value, ..]) => {
                Self::Map(Box::new(Self::from_type(value)))
            }
            ("String" | "str" | "char", []) => Self::String,
            ("bool", []) => Self::Boolean,
            ("f32" | "f64", []) => Self::Number,
            (
                "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize",
                [],
            ) => Self::Integer,
            _ => Self::Unknown,
        }
    }
}

fn type_arguments(arguments: &PathArguments) -> Vec<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else {
        return Vec::new();
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}
