//! Data model of structural schemas: `JSONSchemaProps` of `apiextensions.k8s.io/v1`.

mod keyword;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};

pub use keyword::{KEYWORDS, Keyword, KeywordForm};
pub use types::{JsonType, ListType, MapType};

/// Structural schema of a value: `JSONSchemaProps`. Unset keywords are not serialized.
///
/// The schemas of fields, items and values are shared between all uses of a type. Cloning does not
/// copy them.
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
    /// An unknown `type`. Validation of the definition rejects it.
    #[serde(skip)]
    pub unknown_type: Option<String>,
    /// Value of a boolean schema, which the API server accepts for `additionalProperties`.
    #[serde(skip)]
    pub boolean: Option<bool>,
    /// Schema of the keys of a map. A CRD cannot express it.
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
    /// The declaration of the schema in the source.
    #[serde(skip)]
    pub origin: Origin,
}

/// Tag of a declaration, assigned by the creator of the schema. It has no meaning in this crate,
/// and all tags are equal: schemas with the same constraints are equal, whatever declares them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin(pub Option<u8>);

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origin {}

/// A CEL rule.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the names are those of ValidationRule")]
pub struct Validation {
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
    /// Location of the rule in the source. Only the creator of the schema can interpret it.
    #[serde(skip)]
    pub source: Option<SourceId>,
}

/// Id of a source location, assigned by the creator of the schema. It has no meaning in this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceId(pub usize);

/// Compares all fields except `source`.
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

/// Reads a schema. Unlike [`Schema::of_definition`] and the API server, rejects a boolean.
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
    /// Returns a schema of a type.
    pub fn typed(type_: JsonType) -> Self {
        Self {
            type_: Some(type_),
            ..Self::default()
        }
    }

    /// Returns a schema of a type and a format.
    pub fn formatted(type_: JsonType, format: &str) -> Self {
        Self {
            format: Some(format.to_owned()),
            ..Self::typed(type_)
        }
    }

    /// Returns the schema of a list of `items`.
    pub fn array(items: Self) -> Self {
        Self {
            items: Some(Arc::new(items)),
            ..Self::typed(JsonType::Array)
        }
    }

    /// Returns whether the schema has no type, is not int-or-string and does not preserve unknown
    /// fields. The generator uses such a schema as a placeholder after an error.
    pub fn is_unknown(&self) -> bool {
        self.type_.is_none() && !self.preserve_unknown_fields && !self.int_or_string
    }

    /// Returns whether the schema accepts any JSON value and preserves its fields.
    pub fn is_any(&self) -> bool {
        self.preserve_unknown_fields && self.type_.is_none() && !self.int_or_string
    }

    /// Shortens every description longer than `length` characters, as controller-gen does. The
    /// whole sentences that fit are kept. If no sentence fits, the whole words that fit are kept,
    /// followed by `...`. A length of 0 removes descriptions.
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

    /// Returns mutable schemas of fields, items and values. A shared schema is cloned first.
    pub fn nested_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        let of_values = self.items.iter_mut().chain(&mut self.additional_properties);
        let nested = self.properties.values_mut().chain(of_values);
        nested.map(Arc::make_mut)
    }

    /// Returns the schema of a map of `values`.
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

/// Sentence terminators of several scripts.
const SENTENCE_ENDS: [char; 9] = [
    '.', '!', '?', '\u{3002}', '\u{ff01}', '\u{ff1f}', '\u{61f}', '\u{964}', '\u{589}',
];

impl Schema {
    /// Returns the schema of a member, possibly a boolean schema.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        let property = self.properties.get(name);
        let schema = property.or(self.additional_properties.as_ref());
        schema.map(|schema| &**schema)
    }

    /// Returns the schema itself, or `None` for a boolean schema, which declares nothing.
    pub(crate) fn declared(&self) -> Option<&Self> {
        self.boolean.is_none().then_some(self)
    }

    /// Returns the schema of a member, or `None` for an undeclared member or a boolean schema.
    pub(crate) fn declared_member(&self, name: &str) -> Option<&Self> {
        self.member(name).and_then(Self::declared)
    }
}
