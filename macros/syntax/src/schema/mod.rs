//! Schema attributes of types and fields: constraints and overrides in `#[crd(…)]` and in
//! attributes of other crates.

pub(crate) mod contradictions;
pub(crate) mod read;
mod validation;

use proc_macro2::Span;

use crate::{Flag, Json, JsonType, ListType, MapType, Number, Reason, Spanned, TypeRef};
pub(crate) use validation::rule;

/// Constraints and overrides of one type, field, list item, map value or map key.
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
    /// A number must be a multiple of this number.
    pub multiple_of: Option<Spanned<Number>>,
    /// Least length of a string, in code points.
    pub min_length: Option<Spanned<u64>>,
    /// Greatest length of a string, in code points.
    pub max_length: Option<Spanned<u64>>,
    /// RE2 expression that must match somewhere in a string.
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
    /// Value that the API server fills in.
    pub default: Option<Json>,
    /// An example for readers.
    pub example: Option<Json>,
    /// A title for readers.
    pub title: Option<Spanned<String>>,
    /// Reference to further documentation.
    pub external_docs: Option<ExternalDocs>,
    /// JSON type, in place of the type derived from the Rust type.
    pub json_type: Option<Spanned<JsonType>>,
    /// The value is an integer or a string.
    pub int_or_string: Flag,
    /// The API server does not prune unknown fields.
    pub preserve_unknown_fields: Flag,
    /// The value is an embedded resource, with `apiVersion`, `kind` and `metadata`.
    pub embedded_resource: Flag,
    /// The Rust type is ignored: the other attributes alone determine the schema.
    pub schemaless: Flag,
    /// The whole schema, in place of the schema of the Rust type.
    pub schema: Option<Json>,
    /// Constraints of the items of a list.
    pub items: Option<Box<SchemaAttrs>>,
    /// Constraints of the values of a map.
    pub values: Option<Box<SchemaAttrs>>,
    /// Constraints of the keys of a map: lengths, pattern, format and enum only.
    pub keys: Option<Box<SchemaAttrs>>,
    /// CEL rules, in source order.
    pub validations: Vec<Validation>,
    /// The value cannot change once it is set. Fields only.
    pub immutable: Flag,
    /// Merge strategy of a list in server-side apply.
    pub list_type: Option<Spanned<ListType>>,
    /// JSON names of the merge keys of a list of type `map`.
    pub list_map_keys: Vec<Spanned<String>>,
    /// Merge strategy of a map in server-side apply.
    pub map_type: Option<Spanned<MapType>>,
    /// Merge strategy of a struct in server-side apply.
    pub struct_type: Option<Spanned<MapType>>,
    /// The API server preserves name, namespace, labels, annotations and finalizers of this
    /// `ObjectMeta`. Fields only.
    pub embedded_metadata: Flag,
    /// The field may be absent. Fields only.
    pub optional: Flag,
    /// The field must be present. Fields only.
    pub required: Flag,
    /// The field may be `null`. Fields only.
    pub nullable: Flag,
    /// serde's default is left out of the CRD. Fields only.
    pub no_default: Flag,
    /// Another type, from which the schema is derived: `#[schemars(with = "..")]`.
    pub with: Option<Spanned<TypeRef>>,
    /// A function that makes the whole schema: `#[schemars(schema_with = "..")]`.
    pub schema_with: Option<Spanned<String>>,
    /// A function that makes the default: `#[schemars(default = "..")]`.
    pub default_with: Option<Spanned<String>>,
    /// Schema keywords that are set after all others: `#[schemars(extend("key" = ..))]`.
    pub extend: Vec<(Spanned<String>, Json)>,
    /// Constraints that do not fit the type are ignored and not reported, because schemars drops
    /// them.
    pub lenient: Flag,
    /// Rules on how many of several fields are set. Types only.
    pub one_of: Vec<OneOf>,
    /// Additional schemas in `allOf`, `anyOf`, `oneOf` or `not`.
    pub junctors: Vec<(Spanned<Junctor>, Json)>,
    /// On a type, `#[crd(skip)]`: the type has no schema. On a field, `#[schemars(skip)]`: the
    /// schema omits the field.
    pub skip: Flag,
}

impl SchemaAttrs {
    /// Returns whether the attributes alone determine the schema, without the Rust type.
    pub fn replaces_type(&self) -> bool {
        let open_object = self.preserve_unknown_fields.is_set() && self.json_type.is_some();
        let stated = self.schema.is_some() || self.schemaless.is_set();
        stated || self.int_or_string.is_set() || open_object
    }

    /// Returns whether the attributes override the Rust type or loosen its schema. The grammar then
    /// checks the other attributes without regard to the type (`Key::OVERRIDES_TYPE`).
    pub fn overrides_type(&self) -> bool {
        let is_loose = self.preserve_unknown_fields.is_set() || self.embedded_resource.is_set();
        is_loose || self.replaces_type() || self.json_type.is_some()
    }

    /// Returns whether the attributes restrict a type that accepts every JSON value, such as
    /// `serde_json::Value`: they replace the type ([`Self::replaces_type`]), or state a JSON type,
    /// a list of allowed values or `embedded_resource`.
    pub fn restricts_any(&self) -> bool {
        self.replaces_type()
            || self.json_type.is_some()
            || self.embedded_resource.is_set()
            || self.enumeration.is_some()
    }
}

/// Reference to documentation of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalDocs {
    /// URL of the documentation.
    pub url: Spanned<String>,
    /// Description of the documentation.
    pub description: Option<Spanned<String>>,
}

/// A CEL rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Validation {
    /// The expression over `self` and `oldSelf`.
    pub rule: Spanned<String>,
    /// Error message of the API server if the rule fails.
    pub message: Option<Spanned<String>>,
    /// CEL expression that evaluates to the message.
    pub message_expression: Option<Spanned<String>>,
    /// The machine-readable reason of the error.
    pub reason: Option<Spanned<Reason>>,
    /// Path of the field that the error names.
    pub field_path: Option<Spanned<String>>,
    /// The rule also runs on creation, where `oldSelf` is `optional.none()`.
    pub optional_old_self: Flag,
}

/// Rule on how many of several fields are set.
#[derive(Clone, Debug)]
pub struct OneOf {
    /// How many of the fields are set.
    pub kind: OneOfKind,
    /// JSON names of the fields.
    pub fields: Vec<Spanned<String>>,
    /// Span of the key.
    pub span: Span,
}

/// Compares the rules and ignores their spans.
impl PartialEq for OneOf {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.fields == other.fields
    }
}

/// How many of several fields a valid value sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OneOfKind {
    /// At most one field is set.
    AtMost,
    /// Exactly one field is set.
    Exactly,
    /// At least one field is set.
    AtLeast,
}

/// Keyword that applies additional schemas to a value.
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
    /// Returns the keyword in a CRD: `allOf`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "allOf",
            Self::Any => "anyOf",
            Self::One => "oneOf",
            Self::Not => "not",
        }
    }
}
