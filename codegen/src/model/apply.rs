//! Apply configurations of a package: types that state some fields of an object for server-side
//! apply.

use serde::Serialize;

/// A module of apply configurations. It has the path by which the API types are public: the
/// configuration of `crate::apis::falldio::v1::GPUTask` is in `falldio::v1`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApplyModule {
    /// Its path below the module `applyconfiguration`: `["falldio", "v1"]`. The path of that module
    /// itself is empty.
    pub path: Vec<String>,
    /// The `cfg` conditions of the module, without those of the modules above it.
    pub cfg: Vec<String>,
    /// Its configurations: kinds first, then types in the order in which fields lead to them. Empty
    /// for a module that only contains others.
    pub types: Vec<ApplyType>,
}

/// The apply configuration of a Rust type.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApplyType {
    /// Its name: `GPUTaskSpecApply`.
    pub name: String,
    /// The type: `GPUTaskSpec`; for a variant with named fields, `Source::Git`.
    pub of: String,
    /// The first paragraph of the type's documentation, one line each.
    pub summary: Vec<String>,
    /// The `cfg` conditions of the type, without those of its module.
    pub cfg: Vec<String>,
    /// Whether it derives `PartialEq`: every type in it does.
    pub is_comparable: bool,
    /// Whether it names a deprecated type.
    pub names_deprecated: bool,
    /// What it is generated from.
    pub form: ApplyForm,
}

/// Form of an apply configuration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum ApplyForm {
    /// A kind, whose configuration names an object. The fields are those beside `metadata`.
    Kind(ApplyKind, ApplyStruct),
    /// A struct below a kind.
    Struct(ApplyStruct),
    /// An enum with a variant that holds a configuration.
    Union(ApplyUnion),
}

impl ApplyForm {
    /// Returns the types of the fields, or of the variants' contents, each with the conditions of
    /// the field or variant.
    pub fn values(&self) -> Vec<(&ApplyValue, &[String])> {
        match self {
            Self::Kind(_, body) | Self::Struct(body) => body
                .fields
                .iter()
                .map(|field| (&field.value, &*field.cfg))
                .collect(),
            Self::Union(union) => union
                .variants
                .iter()
                .filter_map(|variant| match &variant.content {
                    ApplyContent::Value(value) => Some((value, &*variant.cfg)),
                    ApplyContent::Unit | ApplyContent::Empty => None,
                })
                .collect(),
        }
    }
}

/// Properties of a kind's apply configuration beyond its fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ApplyKind {
    /// The path of the kind's type in generated code: `crate::apis::falldio::v1::GPUTask`.
    pub type_path: String,
    /// Whether its objects live in namespaces.
    pub is_namespaced: bool,
    /// Whether it has a status subresource, and a field `status`.
    pub has_status: bool,
    /// The setters for fields of the metadata: `labels`, `annotations` and `finalizers`, except
    /// those that a field of the kind has the name of.
    pub metadata_setters: Vec<&'static str>,
    /// Paths of structs that the API server merges by field and that contain defaults. A segment is
    /// the name of a field, or `None` for any key of a map.
    pub granular: Vec<Vec<Option<String>>>,
}

/// Fields and constructor of an apply configuration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApplyStruct {
    /// Serde's rule for the names of the fields: `camelCase`.
    pub rename_all: Option<String>,
    /// The fields, in the order of the type.
    pub fields: Vec<ApplyField>,
    /// Parameters of the constructor: the fields that identify an item of a list with
    /// `list_type = "map"`. The configuration implements `Default` only without them.
    pub keys: Vec<ApplyKey>,
}

/// A parameter of a constructor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApplyKey {
    /// The name of the parameter, without `r#`: the identifier of the field, followed by `_` if
    /// another parameter has that name.
    pub name: String,
    /// The identifier of the field, without `r#`.
    pub field: String,
    /// Its type.
    pub value: ApplyValue,
    /// The identifier of the flattened field whose constructor has the parameter. `None` for a
    /// field of the struct itself.
    pub within: Option<String>,
}

/// A field of an apply configuration, with its setter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApplyField {
    /// The identifier, without `r#`.
    pub name: String,
    /// The name of the setter, without `r#`: the identifier, followed by `_` if another function of
    /// the configuration has that name.
    pub setter: String,
    /// The `cfg` conditions of the field.
    pub cfg: Vec<String>,
    /// The name in JSON, if an attribute states it.
    pub rename: Option<String>,
    /// How the field is part of the object.
    pub place: ApplyPlace,
    /// The type that the setter takes.
    pub value: ApplyValue,
    /// The first paragraph of the field's documentation, one line each.
    pub summary: Vec<String>,
    /// Further paragraphs for the setter: what it sends beyond the fields that the caller states.
    pub notes: Vec<String>,
}

/// How a field of an apply configuration is part of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ApplyPlace {
    /// A member: `Option<T>`.
    Member,
    /// The members of a struct, flattened: `T`.
    Flattened,
    /// Flattened members that may be absent together, such as those of a union: `Option<T>`.
    FlattenedOption,
    /// Members of any name, flattened: the map itself.
    FlattenedMap,
}

/// Type of a field: it determines the declaration, the parameter of the setter and its body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum ApplyValue {
    /// `String`.
    Text,
    /// A type that is sent as it is.
    Plain(TypeName),
    /// Another apply configuration.
    Config(TypeName),
    /// An item or a value that may be `null`.
    Option(Box<Self>),
    /// A list or set.
    List {
        /// The collection: `Vec`.
        collection: TypeName,
        /// The type of the items.
        item: Box<Self>,
    },
    /// A map.
    Map {
        /// The collection: `std::collections::BTreeMap`.
        collection: TypeName,
        /// The type of the keys.
        key: Box<Self>,
        /// The type of the values.
        value: Box<Self>,
    },
    /// An array with a length.
    Array(Box<Self>, String),
}

impl ApplyValue {
    /// Returns the types that are sent as they are, with their arguments.
    pub fn plain_types(&self) -> Vec<&TypeName> {
        let mut found = Vec::new();
        let mut open = vec![self];
        let mut arguments: Vec<&TypeArgument> = Vec::new();
        while let Some(value) = open.pop() {
            match value {
                Self::Plain(name) => {
                    found.push(name);
                    arguments.extend(&name.arguments);
                }
                Self::Text | Self::Config(_) => {}
                Self::Option(inner) | Self::Array(inner, _) => open.push(inner),
                Self::List { item, .. } => open.push(item),
                Self::Map { key, value, .. } => open.extend([&**value, key]),
            }
        }
        while let Some(argument) = arguments.pop() {
            match argument {
                TypeArgument::Type(name) => {
                    found.push(name);
                    arguments.extend(&name.arguments);
                }
                TypeArgument::Array(item, _) => arguments.push(item),
                TypeArgument::Other(_) => {}
            }
        }
        found
    }
}

/// A Rust type by its full path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TypeName {
    /// The path: `i32`, `Vec`, `std::collections::BTreeMap`, `crate::apis::falldio::v1::Gpu`. Those
    /// of the prelude and of the language are a single name.
    pub path: String,
    /// The generic arguments.
    pub arguments: Vec<TypeArgument>,
}

/// A generic argument.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum TypeArgument {
    /// A type.
    Type(TypeName),
    /// An array of a type, with its length.
    Array(Box<Self>, String),
    /// A constant or a lifetime, as written.
    Other(String),
}

/// An enum with fields, in one of serde's representations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApplyUnion {
    /// The name of the tag, if the enum is internally or adjacently tagged.
    pub tag: Option<String>,
    /// The name of the content, if the enum is adjacently tagged.
    pub content: Option<String>,
    /// Serde's rule for the names of the variants.
    pub rename_all: Option<String>,
    /// The variants.
    pub variants: Vec<ApplyVariant>,
}

/// A variant of a union.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApplyVariant {
    /// The identifier, without `r#`.
    pub name: String,
    /// The name in JSON, if an attribute states it.
    pub rename: Option<String>,
    /// The `cfg` conditions of the variant.
    pub cfg: Vec<String>,
    /// Whether serde reads unknown variants as this one.
    pub is_other: bool,
    /// The first paragraph of the variant's documentation, one line each.
    pub summary: Vec<String>,
    /// The content.
    pub content: ApplyContent,
}

/// Content of a variant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum ApplyContent {
    /// None: `Off`.
    Unit,
    /// Braces without fields: `Nothing {}`.
    Empty,
    /// A value: `Image(String)`, `Git(SourceGitApply)`.
    Value(ApplyValue),
}
