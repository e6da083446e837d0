//! Schema attributes: constraints and overrides in `#[crd(…)]` on any type or field.

mod contradictions;
mod fits;
pub(crate) mod read;
mod validation;

pub(crate) use validation::rule;

use proc_macro2::Span;

use crate::{Flag, Json, JsonType, ListType, MapType, Number, Reason, Spanned, TypeRef};

/// What `#[crd(…)]` says about one type, field, list item, map value or map key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SchemaAttrs {
    /// Least value of a number.
    pub minimum: Option<Spanned<Number>>,
    /// Greatest value of a number.
    pub maximum: Option<Spanned<Number>>,
    /// The minimum itself is not allowed.
    pub exclusive_minimum: Flag,
    /// The maximum itself is not allowed.
    pub exclusive_maximum: Flag,
    /// A number is a multiple of this one.
    pub multiple_of: Option<Spanned<Number>>,
    /// Least length of a string, in code points.
    pub min_length: Option<Spanned<u64>>,
    /// Greatest length of a string, in code points.
    pub max_length: Option<Spanned<u64>>,
    /// RE2 expression that a string matches.
    pub pattern: Option<Spanned<String>>,
    /// Format of a value, such as `date-time`.
    pub format: Option<Spanned<String>>,
    /// Least length of a list.
    pub min_items: Option<Spanned<u64>>,
    /// Greatest length of a list.
    pub max_items: Option<Spanned<u64>>,
    /// Least number of entries of a map or an object.
    pub min_properties: Option<Spanned<u64>>,
    /// Greatest number of entries of a map or an object.
    pub max_properties: Option<Spanned<u64>>,
    /// The only values allowed.
    pub enumeration: Option<Spanned<Vec<Json>>>,
    /// What the API server fills in.
    pub default: Option<Json>,
    /// An example for readers.
    pub example: Option<Json>,
    /// A title for readers.
    pub title: Option<Spanned<String>>,
    /// Where to read more.
    pub external_docs: Option<ExternalDocs>,
    /// JSON type that overrides what the Rust type says.
    pub json_type: Option<Spanned<JsonType>>,
    /// An integer or a string.
    pub int_or_string: Flag,
    /// Members that the schema does not know are kept.
    pub preserve_unknown_fields: Flag,
    /// A whole object with `apiVersion`, `kind` and `metadata`.
    pub embedded_resource: Flag,
    /// The Rust type is not looked at.
    pub schemaless: Flag,
    /// The whole schema, in place of what the Rust type says.
    pub schema: Option<Json>,
    /// Constraints of the items of a list.
    pub items: Option<Box<SchemaAttrs>>,
    /// Constraints of the values of a map.
    pub values: Option<Box<SchemaAttrs>>,
    /// Constraints of the keys of a map: lengths, pattern, format and enum only.
    pub keys: Option<Box<SchemaAttrs>>,
    /// CEL rules, in the order of writing.
    pub validations: Vec<Validation>,
    /// The value does not change once it is set. Fields only.
    pub immutable: Flag,
    /// Topology of a list for server-side apply.
    pub list_type: Option<Spanned<ListType>>,
    /// JSON names of the members that tell the items of a `map` list apart.
    pub list_map_keys: Vec<Spanned<String>>,
    /// Topology of a map for server-side apply.
    pub map_type: Option<Spanned<MapType>>,
    /// Topology of a struct for server-side apply.
    pub struct_type: Option<Spanned<MapType>>,
    /// An `ObjectMeta` field keeps what a template needs. Fields only.
    pub embedded_metadata: Flag,
    /// The member may be absent. Fields only.
    pub optional: Flag,
    /// The member must be present. Fields only.
    pub required: Flag,
    /// The member may be `null`. Fields only.
    pub nullable: Flag,
    /// The default that serde uses is not promised by the CRD. Fields only.
    pub no_default: Flag,
    /// Another type that describes this one: `#[schemars(with = "..")]`.
    pub with: Option<Spanned<TypeRef>>,
    /// A function that makes the whole schema: `#[schemars(schema_with = "..")]`.
    pub schema_with: Option<Spanned<String>>,
    /// A function that makes the default: `#[schemars(default = "..")]`.
    pub default_with: Option<Spanned<String>>,
    /// Keys of the finished schema that are set last: `#[schemars(extend("key" = ..))]`.
    pub extend: Vec<(Spanned<String>, Json)>,
    /// Constraints that do not fit the type have no effect: so schemars has them.
    pub lenient: Flag,
    /// How many of some fields may be set. Types only.
    pub one_of: Vec<OneOf>,
    /// Schemas that have to fit as well, or may not.
    pub junctors: Vec<(Spanned<Junctor>, Json)>,
    /// A type has no schema; of a field, `#[schemars(skip)]`: it is left out.
    pub skip: Flag,
}

impl SchemaAttrs {
    /// True if the Rust type is not looked at: the schema is what the keys say.
    pub fn replaces_type(&self) -> bool {
        let open_object = self.preserve_unknown_fields.is_set() && self.json_type.is_some();
        let stated = self.schema.is_some() || self.schemaless.is_set();
        stated || self.int_or_string.is_set() || open_object
    }

    /// True if the keys say which of all JSON values are meant, where the Rust type takes any.
    pub fn restricts_any(&self) -> bool {
        self.replaces_type()
            || self.json_type.is_some()
            || self.embedded_resource.is_set()
            || self.enumeration.is_some()
    }
}

/// Where to read more about a value.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalDocs {
    /// Address of the text.
    pub url: Spanned<String>,
    /// What is found there.
    pub description: Option<Spanned<String>>,
}

/// A CEL rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Validation {
    /// The expression over `self` and `oldSelf`.
    pub rule: Spanned<String>,
    /// What the API server says when it does not hold.
    pub message: Option<Spanned<String>>,
    /// A CEL expression that makes the message.
    pub message_expression: Option<Spanned<String>>,
    /// The machine-readable cause.
    pub reason: Option<Spanned<Reason>>,
    /// The member that is blamed.
    pub field_path: Option<Spanned<String>>,
    /// `oldSelf` is optional, so that the rule runs on creation, too.
    pub optional_old_self: Flag,
}

/// How many of some fields may be set.
#[derive(Clone, Debug)]
pub struct OneOf {
    /// How many.
    pub kind: OneOfKind,
    /// JSON names of the fields.
    pub fields: Vec<Spanned<String>>,
    /// The key.
    pub span: Span,
}

/// Equal rules are equal wherever they stand.
impl PartialEq for OneOf {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.fields == other.fields
    }
}

/// The three rules over a set of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OneOfKind {
    /// None or one is set.
    AtMost,
    /// One is set.
    Exactly,
    /// One or more are set.
    AtLeast,
}

/// A logical junctor: how schemas beside the one of the type are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Junctor {
    /// `allOf`
    All,
    /// `anyOf`
    Any,
    /// `oneOf`
    One,
    /// `not`
    Not,
}

impl Junctor {
    /// Its name in a CRD.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "allOf",
            Self::Any => "anyOf",
            Self::One => "oneOf",
            Self::Not => "not",
        }
    }
}
