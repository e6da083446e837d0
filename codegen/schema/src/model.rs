//! A structural schema, as `apiextensions.k8s.io/v1` has it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};

/// What a value looks like: `JSONSchemaProps`, of which an unset part is left out.
///
/// The schemas of fields, items and values are shared by all places that a type is used in, so that a clone copies one level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the names are those of JSONSchemaProps")]
pub struct Schema {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_: Option<JsonType>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    #[serde(skip_serializing_if = "is_false")]
    pub nullable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_docs: Option<Value>,
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub enum_: Vec<Value>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Number>,
    #[serde(skip_serializing_if = "is_false")]
    pub exclusive_minimum: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub exclusive_maximum: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiple_of: Option<Number>,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,

    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_shared",
        deserialize_with = "read_shared"
    )]
    pub items: Option<Arc<Schema>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,

    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        serialize_with = "write_properties",
        deserialize_with = "read_properties"
    )]
    pub properties: BTreeMap<String, Arc<Schema>>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub required: BTreeSet<String>,
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_shared",
        deserialize_with = "additional_properties"
    )]
    pub additional_properties: Option<Arc<Schema>>,
    /// A `type` that does not exist, in a definition that is yet to be refused.
    #[serde(skip)]
    pub unknown_type: Option<String>,
    /// A boolean in the place of a schema, as the API server takes it for `additionalProperties`.
    #[serde(skip)]
    pub boolean: Option<bool>,
    /// What the keys of a map are, of which a CRD says nothing.
    #[serde(skip)]
    pub keys: Option<Box<Schema>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_properties: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_properties: Option<u64>,

    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub all_of: Vec<Schema>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub any_of: Vec<Schema>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<Schema>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not: Option<Box<Schema>>,

    #[serde(
        rename = "x-kubernetes-int-or-string",
        skip_serializing_if = "is_false"
    )]
    pub int_or_string: bool,
    #[serde(
        rename = "x-kubernetes-preserve-unknown-fields",
        skip_serializing_if = "is_false"
    )]
    pub preserve_unknown_fields: bool,
    #[serde(
        rename = "x-kubernetes-embedded-resource",
        skip_serializing_if = "is_false"
    )]
    pub embedded_resource: bool,
    #[serde(
        rename = "x-kubernetes-list-type",
        skip_serializing_if = "Option::is_none"
    )]
    pub list_type: Option<ListType>,
    #[serde(
        rename = "x-kubernetes-list-map-keys",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub list_map_keys: Vec<String>,
    #[serde(
        rename = "x-kubernetes-map-type",
        skip_serializing_if = "Option::is_none"
    )]
    pub map_type: Option<MapType>,
    #[serde(
        rename = "x-kubernetes-validations",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub validations: Vec<Validation>,
}

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
    /// The type as a schema writes it: `object`.
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

    /// True for a type whose values have no parts.
    pub fn is_scalar(self) -> bool {
        !matches!(self, Self::Object | Self::Array)
    }
}

impl fmt::Display for JsonType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How the items of a list are merged: `x-kubernetes-list-type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListType {
    /// The list has one owner.
    Atomic,
    /// Items are unique scalars.
    Set,
    /// Items are objects, identified by their merge keys.
    Map,
}

impl ListType {
    /// The list type as a schema writes it: `atomic`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Atomic => "atomic",
            Self::Set => "set",
            Self::Map => "map",
        }
    }
}

/// How the entries of a map or the fields of an object are merged: `x-kubernetes-map-type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MapType {
    /// Each entry has its own owner.
    Granular,
    /// The map has one owner.
    Atomic,
}

impl MapType {
    /// The map type as a schema writes it: `granular`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Granular => "granular",
            Self::Atomic => "atomic",
        }
    }
}

/// A CEL rule.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the names are those of ValidationRule")]
pub struct Validation {
    /// The expression.
    pub rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_expression: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional_old_self: Option<bool>,
    /// Where the rule was written, to whoever made the schema.
    #[serde(skip)]
    pub source: Option<SourceId>,
}

/// Id of a place in source: opaque here, and given by whoever makes the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceId(pub usize);

/// Two rules that say the same are equal, wherever they were written.
impl PartialEq for Validation {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            rule,
            message,
            message_expression,
            reason,
            field_path,
            optional_old_self,
            source: _,
        } = self;
        *rule == other.rule
            && *message == other.message
            && *message_expression == other.message_expression
            && *reason == other.reason
            && *field_path == other.field_path
            && *optional_old_self == other.optional_old_self
    }
}

impl Eq for Validation {}

#[expect(clippy::ref_option, reason = "serde asks for it")]
fn write_shared<S: Serializer>(
    schema: &Option<Arc<Schema>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    schema.as_deref().serialize(serializer)
}

fn read_shared<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Arc<Schema>>, D::Error> {
    Ok(Option::<Schema>::deserialize(deserializer)?.map(Arc::new))
}

fn write_properties<S: Serializer>(
    properties: &BTreeMap<String, Arc<Schema>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let properties = properties.iter();
    serializer.collect_map(properties.map(|(name, schema)| (name, &**schema)))
}

fn read_properties<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Arc<Schema>>, D::Error> {
    let properties = BTreeMap::<String, Schema>::deserialize(deserializer)?.into_iter();
    Ok(properties
        .map(|(name, schema)| (name, schema.into()))
        .collect())
}

/// A schema; the booleans that the API server takes as well say nothing that a schema cannot say.
fn additional_properties<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Arc<Schema>>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Bool(_) => Err(D::Error::custom("`additionalProperties` is a boolean")),
        schema => Schema::deserialize(schema)
            .map(|schema| Some(Arc::new(schema)))
            .map_err(D::Error::custom),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Schema {
    /// A schema of a type.
    pub fn typed(type_: JsonType) -> Self {
        Self {
            type_: Some(type_),
            ..Self::default()
        }
    }

    /// A schema of a type and a format.
    pub fn formatted(type_: JsonType, format: &str) -> Self {
        Self {
            format: Some(format.to_owned()),
            ..Self::typed(type_)
        }
    }

    /// A list of `items`.
    pub fn array(items: Self) -> Self {
        Self {
            items: Some(Arc::new(items)),
            ..Self::typed(JsonType::Array)
        }
    }

    /// True for what a mistake has left behind: everything else has a type, or says that it may be anything.
    pub fn is_unknown(&self) -> bool {
        self.type_.is_none() && !self.preserve_unknown_fields && !self.int_or_string
    }

    /// True for a schema of any JSON value, which keeps what stands in it.
    pub fn is_any(&self) -> bool {
        self.preserve_unknown_fields && self.type_.is_none() && !self.int_or_string
    }

    /// Cuts every description that has more than `length` characters, as controller-gen does: after the last whole sentence, or else
    /// the last whole word; 0 removes them.
    pub fn shorten_descriptions(&mut self, length: usize) {
        if let Some(description) = &mut self.description {
            shorten(description, length);
        }
        self.description
            .take_if(|description| description.is_empty());
        for schema in self.nested_mut() {
            schema.shorten_descriptions(length);
        }
    }

    /// The schemas of fields, items and values, each this schema's own from now on.
    pub fn nested_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        let of_values = self.items.iter_mut().chain(&mut self.additional_properties);
        let nested = self.properties.values_mut().chain(of_values);
        nested.map(Arc::make_mut)
    }

    /// A map of `values`.
    pub fn map(values: Self) -> Self {
        Self {
            additional_properties: Some(Arc::new(values)),
            ..Self::typed(JsonType::Object)
        }
    }
}

fn shorten(text: &mut String, length: usize) {
    let Some((end, _)) = text.char_indices().nth(length) else {
        return;
    };
    text.truncate(end);
    if let Some(sentence) = text.rfind(SENTENCE_ENDS) {
        let end = sentence + text[sentence..].chars().next().map_or(0, char::len_utf8);
        text.truncate(end);
    } else if length > 0 {
        let word = text.rfind(char::is_whitespace);
        text.truncate(word.unwrap_or(text.len()));
        text.push_str("...");
    }
}

/// What ends a sentence, in a few scripts.
const SENTENCE_ENDS: [char; 9] = [
    '.', '!', '?', '\u{3002}', '\u{ff01}', '\u{ff1f}', '\u{61f}', '\u{964}', '\u{589}',
];
