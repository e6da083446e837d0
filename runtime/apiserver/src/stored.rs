//! [`Stored`]: an object as it is kept, JSON text with what selectors and controllers ask for
//! beside it.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::{Map, Value};

/// An object at a version. Its text has no `apiVersion` and `kind`: each answer puts those of the
/// version that was asked for in front.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    version: u64,
    /// `"metadata":{…},…}`: the object without its first brace.
    text: Bytes,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) is_deleting: bool,
    pub(crate) owners: Box<[OwnerReference]>,
    pub(crate) finalizers: Box<[String]>,
    /// The state of the definition by which it was written; 0 for built-in kinds.
    pub(crate) schema_id: u64,
}

/// A reference to an owner, as the garbage collector reads it.
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
    fn of(reference: &Value) -> Self {
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

    /// Whether the owner's deletion in the foreground waits for the object.
    pub(crate) fn blocks(&self) -> bool {
        self.block_owner_deletion == Some(true)
    }
}

impl Stored {
    /// An object to be kept at a version, which is written into its metadata.
    pub(crate) fn new(object: Value, version: u64, schema_id: u64) -> Self {
        let mut members = match object {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        members.remove("apiVersion");
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
        let finalizers = metadata["finalizers"].as_array().into_iter().flatten();
        let finalizers = finalizers.filter_map(Value::as_str).map(str::to_owned);
        Self {
            version,
            schema_id,
            owners: owners.map(OwnerReference::of).collect(),
            finalizers: finalizers.collect(),
            namespace: text_of("namespace"),
            name: text_of("name"),
            uid: text_of("uid"),
            labels: labels.map(label).collect(),
            is_deleting: metadata["deletionTimestamp"].is_string(),
            text: Bytes::from(Value::Object(members).to_string()).slice(1..),
        }
    }

    /// An object that is answered and not kept; a new one has no version.
    pub(crate) fn dry_run(object: Value, version: u64, schema_id: u64) -> Self {
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

    /// Whether the object is being deleted and has a finalizer.
    pub(crate) fn waits_for(&self, finalizer: &str) -> bool {
        self.is_deleting && self.finalizers.iter().any(|own| own == finalizer)
    }

    /// The same object at another version.
    pub(crate) fn at_version(&self, version: u64) -> Self {
        Self::new(self.value(), version, self.schema_id)
    }

    /// The object, without `apiVersion` and `kind`.
    pub(crate) fn value(&self) -> Value {
        let mut text = Vec::with_capacity(self.text.len() + 1);
        text.push(b'{');
        text.extend_from_slice(&self.text);
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Writes the object with the type in front.
    pub(crate) fn write(&self, out: &mut Vec<u8>, api_version: &str, kind: &str) {
        out.extend_from_slice(b"{\"apiVersion\":\"");
        out.extend_from_slice(api_version.as_bytes());
        out.extend_from_slice(b"\",\"kind\":\"");
        out.extend_from_slice(kind.as_bytes());
        out.extend_from_slice(b"\",");
        out.extend_from_slice(&self.text);
    }

    /// Writes the object without its type, as lists of built-in kinds have it.
    pub(crate) fn write_without_type(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        out.extend_from_slice(&self.text);
    }
}
