//! Decoding of `metadata` into an `ObjectMeta`, as with Go's `encoding/json`.
//!
//! The API server decodes the metadata of custom resources and of embedded resources with
//! `schemaobjectmeta.GetObjectMetaWithOptions`. It writes the result back without unknown fields
//! and, except in owner references, without empty ones.

use genclient_apimachinery::go;
use genclient_apimachinery::go::json;
use genclient_apimachinery::meta;
use serde_json::{Map, Value};

/// Result of decoding `metadata`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decoded {
    /// The non-empty fields of `ObjectMeta`.
    pub metadata: Map<String, Value>,
    /// The paths of up to 100 unknown fields, such as `ownerReferences[0].foo`, in the order of the
    /// field names.
    pub unknown: Vec<String>,
}

/// Decodes the value of `metadata`.
///
/// # Errors
///
/// Returns Go's message for the first invalid time. If every time is valid, returns the message for
/// the first value of a wrong type (`json: cannot unmarshal string into Go struct field
/// ObjectMeta.labels of type map[string]string`).
pub fn decode(metadata: &Value) -> Result<Decoded, String> {
    let mut decoder = Decoder::default();
    let value = decoder.value(metadata, &FieldType::Struct(&OBJECT_META));
    match (decoder.fatal, decoder.mismatch) {
        (Some(error), _) | (None, Some(error)) => Err(error),
        _ => {
            let Some(Value::Object(metadata)) = value else {
                return Ok(Decoded::default());
            };
            let mut unknown = decoder.unknown;
            // `sigs.k8s.io/json` reports at most 100 unknown fields.
            unknown.truncate(100);
            Ok(Decoded { metadata, unknown })
        }
    }
}

/// Go type of `ObjectMeta` or of a value in it.
enum FieldType {
    /// A string type, by name.
    Text(&'static str),
    Integer,
    /// A pointer to an integer.
    OptionalInteger,
    OptionalBool,
    Time,
    OptionalTime,
    /// `map[string]string`
    Texts,
    List(&'static str, &'static FieldType),
    Struct(&'static Struct),
    /// Raw JSON.
    Raw,
}

struct Struct {
    name: &'static str,
    /// Name, type, and whether an empty value is omitted.
    fields: &'static [(&'static str, FieldType, bool)],
}

const TEXT: FieldType = FieldType::Text("string");

static OBJECT_META: Struct = Struct {
    name: "ObjectMeta",
    fields: &[
        ("annotations", FieldType::Texts, true),
        ("creationTimestamp", FieldType::Time, true),
        (
            "deletionGracePeriodSeconds",
            FieldType::OptionalInteger,
            true,
        ),
        ("deletionTimestamp", FieldType::OptionalTime, true),
        ("finalizers", FieldType::List("[]string", &TEXT), true),
        ("generateName", TEXT, true),
        ("generation", FieldType::Integer, true),
        ("labels", FieldType::Texts, true),
        (
            "managedFields",
            FieldType::List(
                "[]v1.ManagedFieldsEntry",
                &FieldType::Struct(&MANAGED_FIELDS),
            ),
            true,
        ),
        ("name", TEXT, true),
        ("namespace", TEXT, true),
        (
            "ownerReferences",
            FieldType::List("[]v1.OwnerReference", &FieldType::Struct(&OWNER_REFERENCE)),
            true,
        ),
        ("resourceVersion", TEXT, true),
        ("selfLink", TEXT, true),
        ("uid", FieldType::Text("types.UID"), true),
    ],
};

static OWNER_REFERENCE: Struct = Struct {
    name: "OwnerReference",
    fields: &[
        ("apiVersion", TEXT, false),
        ("blockOwnerDeletion", FieldType::OptionalBool, true),
        ("controller", FieldType::OptionalBool, true),
        ("kind", TEXT, false),
        ("name", TEXT, false),
        ("uid", FieldType::Text("types.UID"), false),
    ],
};

static MANAGED_FIELDS: Struct = Struct {
    name: "ManagedFieldsEntry",
    fields: &[
        ("apiVersion", TEXT, true),
        ("fieldsType", TEXT, true),
        ("fieldsV1", FieldType::Raw, true),
        ("manager", TEXT, true),
        (
            "operation",
            FieldType::Text("v1.ManagedFieldsOperationType"),
            true,
        ),
        ("subresource", TEXT, true),
        ("time", FieldType::OptionalTime, true),
    ],
};

#[derive(Default)]
struct Decoder {
    /// Names of the fields on the path to the current value. `struct_` is the Go struct that has
    /// the last of these fields. Go's message for a wrong `uid` of an owner shows both, as
    /// `OwnerReference.ownerReferences.uid`.
    fields: Vec<&'static str>,
    struct_: Option<&'static str>,
    /// Path to the current value, with list indices.
    path: String,
    unknown: Vec<String>,
    /// Error for the first value of a wrong type. Decoding continues after it.
    mismatch: Option<String>,
    /// Error for an invalid time. Decoding stops after it.
    fatal: Option<String>,
}

impl Decoder {
    /// Returns the value to write back, or `None` if it is omitted or has an error.
    fn value(&mut self, value: &Value, type_: &FieldType) -> Option<Value> {
        match (type_, value) {
            (FieldType::Raw, Value::Null) => None,
            (FieldType::Raw, value) => Some(value.clone()),
            (FieldType::Text(_), Value::Null) => Some("".into()),
            (FieldType::Struct(struct_), Value::Null) => Some(Value::Object(struct_.empty())),
            (_, Value::Null) => None,
            (FieldType::Text(_), Value::String(text)) => Some(text.as_str().into()),
            (FieldType::Integer | FieldType::OptionalInteger, Value::Number(_)) => {
                let text = json(value);
                let number = text.parse::<i64>().ok();
                if number.is_none() {
                    self.mismatches(&format!("number {text}"), "int64");
                }
                let is_none = matches!(type_, FieldType::Integer) && number == Some(0);
                number.filter(|_| !is_none).map(Value::from)
            }
            (FieldType::OptionalBool, Value::Bool(_)) => Some(value.clone()),
            (FieldType::Time | FieldType::OptionalTime, Value::String(text)) => self.time(text),
            (FieldType::Time | FieldType::OptionalTime, other) => {
                let message = self.mismatch_of(go::kind(other), "string");
                self.fatal.get_or_insert(message);
                None
            }
            (FieldType::Texts, Value::Object(members)) => Some(self.texts(members)),
            (FieldType::List(_, items), Value::Array(values)) => Some(self.list(values, items)),
            (FieldType::Struct(struct_), Value::Object(members)) => {
                Some(Value::Object(self.struct_(struct_, members)))
            }
            (type_, other) => {
                self.mismatches(go::kind(other), type_.name());
                None
            }
        }
    }

    fn mismatches(&mut self, found: &str, type_: &str) {
        if self.mismatch.is_none() {
            self.mismatch = Some(self.mismatch_of(found, type_));
        }
    }

    fn mismatch_of(&self, found: &str, type_: &str) -> String {
        let place = match self.struct_ {
            Some(struct_) => format!("struct field {struct_}.{}", self.fields.join(".")),
            None => "value".to_owned(),
        };
        format!("json: cannot unmarshal {found} into Go {place} of type {type_}")
    }

    fn time(&mut self, text: &str) -> Option<Value> {
        match meta::parse_time(text) {
            Ok(meta::ZERO) => None,
            Ok(seconds) => Some(meta::format_time(seconds).into()),
            Err(error) => {
                self.fatal.get_or_insert(error);
                None
            }
        }
    }

    fn texts(&mut self, members: &Map<String, Value>) -> Value {
        let mut texts = Map::new();
        for (name, value) in members {
            let text = self.value(value, &TEXT);
            texts.insert(name.clone(), text.unwrap_or_else(|| "".into()));
        }
        Value::Object(texts)
    }

    fn list(&mut self, values: &[Value], items: &FieldType) -> Value {
        let mut list = Vec::new();
        for (at, value) in values.iter().enumerate() {
            let length = self.path.len();
            self.path.push_str(&format!("[{at}]"));
            list.extend(self.value(value, items));
            self.path.truncate(length);
            if self.fatal.is_some() {
                break;
            }
        }
        Value::Array(list)
    }

    fn struct_(
        &mut self,
        struct_: &'static Struct,
        members: &Map<String, Value>,
    ) -> Map<String, Value> {
        let mut read = struct_.empty();
        let outer = self.struct_;
        for (name, value) in members {
            let length = self.path.len();
            if length > 0 {
                self.path.push('.');
            }
            self.path.push_str(name);
            match struct_.fields.iter().find(|(field, ..)| field == name) {
                None => self.unknown.push(self.path.clone()),
                Some((field, type_, omits_empty)) => {
                    self.fields.push(field);
                    self.struct_ = Some(struct_.name);
                    let value = self.value(value, type_);
                    let is_kept = |value: &Value| !omits_empty || !is_empty(type_, value);
                    if let Some(value) = value.filter(is_kept) {
                        read.insert(name.clone(), value);
                    }
                    self.fields.pop();
                    self.struct_ = outer;
                }
            }
            self.path.truncate(length);
            if self.fatal.is_some() {
                break;
            }
        }
        read
    }
}

impl FieldType {
    fn name(&self) -> &'static str {
        match self {
            Self::Text(name) | Self::List(name, _) => name,
            Self::Integer | Self::OptionalInteger => "int64",
            Self::OptionalBool => "bool",
            Self::Texts => "map[string]string",
            Self::Struct(Struct {
                name: "OwnerReference",
                ..
            }) => "v1.OwnerReference",
            Self::Struct(Struct {
                name: "ManagedFieldsEntry",
                ..
            }) => "v1.ManagedFieldsEntry",
            Self::Struct(_) => "v1.ObjectMeta",
            Self::Time | Self::OptionalTime | Self::Raw => "string",
        }
    }
}

impl Struct {
    /// Returns the fields that are written even if empty.
    fn empty(&self) -> Map<String, Value> {
        let kept = self.fields.iter().filter(|(.., omits_empty)| !omits_empty);
        kept.map(|(name, ..)| ((*name).to_owned(), "".into()))
            .collect()
    }
}

/// Returns whether a value counts as empty, so that Go's `omitempty` omits it. Raw JSON, which Go
/// stores as a pointer, is never empty. [`Decoder::value`] has already omitted a zero time and a
/// `generation` of 0.
fn is_empty(type_: &FieldType, value: &Value) -> bool {
    match value {
        _ if matches!(type_, FieldType::Raw) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}
