//! [`Stored`]: an object in the store, as JSON text and with parsed fields for selectors and
//! controllers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Object with its resource version. The text has no `apiVersion` and `kind`: each response writes
/// those of the requested version in front of the text.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    version: u64,
    /// The object without its first brace: `"metadata":{…},…}`.
    text: Bytes,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) is_deleting: bool,
    pub(crate) owners: Box<[OwnerReference]>,
    pub(crate) finalizers: Box<[String]>,
    /// Hash of the CustomResourceDefinition at the time of the write (`DefinedVersions::id`), or
    /// [`UNKNOWN_SCHEMA`]. 0 for built-in kinds.
    pub(crate) schema_id: u64,
    /// Version in which a custom resource is stored; empty for built-in kinds.
    pub(crate) written_in: Box<str>,
    pub(crate) converted: ConvertedForms,
}

/// Schema id of custom resources whose text may differ from what a read returns, so that each read
/// decodes and defaults them again. These are objects of a snapshot file, objects that lack
/// defaults, and objects with empty lists or maps in their metadata, which decoding drops.
pub(crate) const UNKNOWN_SCHEMA: u64 = u64::MAX;

/// Object in the form that the store keeps, before it has a resource version.
#[derive(Clone, Debug)]
pub(crate) struct Encoded {
    pub(crate) object: Value,
    /// See [`Stored::schema_id`].
    pub(crate) schema_id: u64,
}

/// Cache of the conversions of one object to other versions, for lists and watches.
#[derive(Default)]
pub(crate) struct ConvertedForms(Mutex<Vec<ConvertedForm>>);

struct ConvertedForm {
    schema_id: u64,
    version: Box<str>,
    object: Arc<Stored>,
}

impl ConvertedForms {
    /// Returns the object in a version if it was converted under the definition with the hash
    /// `schema_id`.
    pub(crate) fn get(&self, schema_id: u64, version: &str) -> Option<Arc<Stored>> {
        let forms = self.0.lock();
        forms
            .iter()
            .find(|form| form.schema_id == schema_id && *form.version == *version)
            .map(|form| Arc::clone(&form.object))
    }

    /// Caches a converted object. Drops conversions under earlier states of the definition.
    pub(crate) fn insert(&self, schema_id: u64, version: &str, object: &Arc<Stored>) {
        let mut forms = self.0.lock();
        forms.retain(|form| form.schema_id == schema_id && *form.version != *version);
        forms.push(ConvertedForm {
            schema_id,
            version: version.into(),
            object: Arc::clone(object),
        });
    }
}

impl Clone for ConvertedForms {
    /// Returns an empty cache, since the conversions do not match the clone once it is changed.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for ConvertedForms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let forms = self.0.lock();
        f.debug_set()
            .entries(forms.iter().map(|form| &form.version))
            .finish()
    }
}

/// Owner reference with the fields that the garbage collector needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnerReference {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    controller: Option<bool>,
    block_owner_deletion: Option<bool>,
}

impl OwnerReference {
    fn from_value(reference: &Value) -> Self {
        let text = |field: &str| reference[field].as_str().unwrap_or_default().to_owned();
        Self {
            api_version: text("apiVersion"),
            kind: text("kind"),
            name: text("name"),
            uid: text("uid"),
            controller: reference["controller"].as_bool(),
            block_owner_deletion: reference["blockOwnerDeletion"].as_bool(),
        }
    }

    /// Returns whether the reference delays the foreground deletion of the owner
    /// (`blockOwnerDeletion`).
    pub(crate) fn blocks(&self) -> bool {
        self.block_owner_deletion == Some(true)
    }
}

impl Stored {
    /// Returns the object to store, with `version` written into its metadata.
    pub(crate) fn new(object: Value, version: u64, schema_id: u64) -> Self {
        let mut members = match object {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        let api_version = members.remove("apiVersion");
        members.remove("kind");
        let metadata = members
            .entry("metadata")
            .or_insert_with(|| Map::new().into());
        if let Value::Object(metadata) = metadata {
            metadata.insert("resourceVersion".to_owned(), version.to_string().into());
        }
        let text_of = |field: &str| metadata[field].as_str().unwrap_or_default().to_owned();
        let labels = metadata["labels"].as_object().into_iter().flatten();
        let label = |(key, value): (&String, &Value)| {
            let value = value.as_str().unwrap_or_default();
            (key.clone(), value.to_owned())
        };
        let owners = metadata["ownerReferences"].as_array().into_iter().flatten();
        let finalizers = metadata["finalizers"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned);
        Self {
            version,
            schema_id,
            written_in: storage_version(api_version.as_ref(), schema_id),
            converted: ConvertedForms::default(),
            owners: owners.map(OwnerReference::from_value).collect(),
            finalizers: finalizers.collect(),
            namespace: text_of("namespace"),
            name: text_of("name"),
            uid: text_of("uid"),
            labels: labels.map(label).collect(),
            is_deleting: metadata["deletionTimestamp"].is_string(),
            text: Bytes::from(Value::Object(members).to_string()).slice(1..),
        }
    }

    /// Returns an object for a response only. If `version` is 0, as in the dry run of a create, the
    /// metadata has no resource version.
    pub(crate) fn for_response(object: Value, version: u64, schema_id: u64) -> Self {
        let mut stored = Self::new(object, version, schema_id);
        if version == 0 {
            let mut object = stored.value();
            if let Some(metadata) = object["metadata"].as_object_mut() {
                metadata.remove("resourceVersion");
            }
            stored.text = Bytes::from(object.to_string()).slice(1..);
        }
        stored
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Returns whether the object is being deleted and still has this finalizer.
    pub(crate) fn waits_for(&self, finalizer: &str) -> bool {
        self.is_deleting && self.finalizers.iter().any(|own| own == finalizer)
    }

    /// Returns the same object with another version.
    pub(crate) fn at_version(&self, version: u64) -> Self {
        Self {
            written_in: self.written_in.clone(),
            ..Self::new(self.value(), version, self.schema_id)
        }
    }

    /// Returns the object without `apiVersion` and `kind`.
    pub(crate) fn value(&self) -> Value {
        self.deserialize()
    }

    /// Returns whether the text contains a word, such as the name of a field that the object may
    /// have. This is faster than decoding the object, and may find the word elsewhere in it.
    pub(crate) fn text_contains(&self, word: &str) -> bool {
        std::str::from_utf8(&self.text).is_ok_and(|text| text.contains(word))
    }

    /// Deserializes the fields of `T` from the object, or returns the default if that fails.
    pub(crate) fn deserialize<T: DeserializeOwned + Default>(&self) -> T {
        let mut text = Vec::with_capacity(self.text.len() + 1);
        text.push(b'{');
        text.extend_from_slice(&self.text);
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Appends the JSON text to `out`, with `apiVersion` and `kind` in front.
    pub(crate) fn write(&self, out: &mut Vec<u8>, api_version: &str, kind: &str) {
        out.extend_from_slice(b"{\"apiVersion\":\"");
        out.extend_from_slice(api_version.as_bytes());
        out.extend_from_slice(b"\",\"kind\":\"");
        out.extend_from_slice(kind.as_bytes());
        out.extend_from_slice(b"\",");
        out.extend_from_slice(&self.text);
    }

    /// Appends the JSON text to `out` without `apiVersion` and `kind`, as for the items of a list
    /// of a built-in kind.
    pub(crate) fn write_without_type(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        out.extend_from_slice(&self.text);
    }
}

/// Returns the version in an `apiVersion`, or an empty string for a built-in kind.
fn storage_version(api_version: Option<&Value>, schema_id: u64) -> Box<str> {
    let api_version = api_version.and_then(Value::as_str).unwrap_or_default();
    match api_version.rsplit_once('/') {
        Some((_, version)) if schema_id != 0 => version.into(),
        _ => Box::default(),
    }
}
