//! Conversion of objects between the stored version and the version of a request.
//!
//! Source for custom resources: the codec of `crdConversionRESTOptionsGetter` in
//! apiextensions-apiserver, pkg/apiserver/customresource_handler.go.

use std::sync::Arc;

use genclient_schema::Schema;
use genclient_schema::object;
use serde_json::Value;

use crate::kinds::{CustomVersion, DefinedVersions, Kind};
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::stored::{Encoded, Stored, UNKNOWN_SCHEMA};
use crate::{conversion, go_numbers, metadata};

/// Returns a stored object in the version of a kind. A custom resource is first decoded in the
/// version that it is stored in, with the defaults of that version, and then converted.
///
/// # Errors
///
/// If the conversion fails.
pub(super) async fn decode_stored(
    server: &ServerState,
    kind: &Kind,
    stored: &Stored,
) -> Result<Value, StatusError> {
    let mut object = stored.value();
    object["apiVersion"] = kind.api_version().into();
    object["kind"] = kind.kind.as_str().into();
    let Some(custom) = kind.custom() else {
        if kind.has_another_stored_form() {
            return Ok(kind.decode_stored_form(object));
        }
        kind.set_defaults(&mut object);
        return Ok(object);
    };
    let versions = &custom.versions;
    let from = stored_version(custom, stored);
    object["apiVersion"] = versions.api_version(from).into();
    if stored.schema_id != versions.id
        && let Some(schema) = versions.schema(from)
    {
        prune(schema, &mut object);
        object::fill_in_defaults(schema, &mut object);
    }
    if *from == *kind.version {
        return Ok(object);
    }
    // kube-apiserver converts the object as it is in etcd, without a resource version.
    metadata::set_field(&mut object, "resourceVersion", None);
    let mut object = convert(server, custom, object, &kind.version).await?;
    prune(&custom.schema, &mut object);
    let version = Some(stored.version())
        .filter(|version| *version != 0)
        .map(|version| version.to_string().into());
    metadata::set_field(&mut object, "resourceVersion", version);
    Ok(object)
}

/// Returns a stored object for a response, in the version of a kind.
///
/// # Errors
///
/// If the conversion fails.
pub(super) async fn for_response(
    server: &ServerState,
    kind: &Kind,
    stored: &Arc<Stored>,
) -> Result<Arc<Stored>, StatusError> {
    let Some(custom) = kind.custom() else {
        if !kind.has_another_stored_form() {
            return Ok(Arc::clone(stored));
        }
        let object = decode_stored(server, kind, stored).await?;
        return Ok(Arc::new(Stored::for_response(object, stored.version(), 0)));
    };
    let versions = &custom.versions;
    if stored.schema_id == versions.id && *stored_version(custom, stored) == *kind.version {
        return Ok(Arc::clone(stored));
    }
    let object = decode_stored(server, kind, stored).await?;
    let shown = Stored::for_response(object, stored.version(), versions.id);
    Ok(Arc::new(shown))
}

/// Like [`for_response`], but caches the result of a conversion webhook in `stored`. kube-apiserver
/// has a watch cache for each version instead.
///
/// # Errors
///
/// If the conversion fails.
pub(super) async fn for_watch_cache(
    server: &ServerState,
    kind: &Kind,
    stored: &Arc<Stored>,
) -> Result<Arc<Stored>, StatusError> {
    let Some(versions) = kind.webhook_versions() else {
        return for_response(server, kind, stored).await;
    };
    if let Some(known) = stored.converted.get(versions.id, &kind.version) {
        return Ok(known);
    }
    let object = for_response(server, kind, stored).await?;
    if !Arc::ptr_eq(&object, stored) {
        stored.converted.insert(versions.id, &kind.version, &object);
    }
    Ok(object)
}

/// Converts all objects of a kind with a conversion webhook, as kube-apiserver does when it fills
/// the watch cache of a version for the first time.
///
/// # Errors
///
/// If an object cannot be converted. The callers then fail watches of this version, and lists with
/// a selector or without a limit.
pub(super) async fn initialize_cache(server: &ServerState, kind: &Kind) -> Result<(), StatusError> {
    let Some(versions) = kind.webhook_versions() else {
        return Ok(());
    };
    if versions.is_ready(&kind.version) {
        return Ok(());
    }
    for (_, stored) in &server.store.list(&kind.resource, "").objects {
        let converted = for_watch_cache(server, kind, stored).await;
        converted.map_err(|failure| {
            let (version, kind) = (kind.version_in_messages(), &kind.kind);
            let error = failure.message;
            StatusError::initializing(&format!("failed to list {version}, Kind={kind}: {error}"))
        })?;
    }
    versions.set_ready(&kind.version);
    Ok(())
}

/// If the store has no objects of the kind, marks all its versions as ready: [`initialize_cache`]
/// would have nothing to convert. Objects that are created later do not change this mark.
pub(super) fn observe_empty(server: &ServerState, kind: &Kind) {
    if let Some(versions) = kind.webhook_versions()
        && !versions.is_ready(&kind.version)
        && server.store.is_empty(&kind.resource)
    {
        versions.set_all_ready();
    }
}

impl Encoded {
    /// Returns whether the object equals the stored one, apart from the resource version.
    pub fn is_same(&self, live: &Stored) -> bool {
        let version = self.object["apiVersion"].as_str().unwrap_or_default();
        let written_in = version.rsplit_once('/').map(|(_, version)| version);
        let is_same_version = live.written_in.is_empty() || written_in == Some(&*live.written_in);
        is_same_version && comparable(self.object.clone()) == comparable(live.value())
    }
}

/// Converts an object of a request to the storage version of its kind.
///
/// An object that is already in this version may have empty lists or maps in its metadata. Its
/// schema id is then [`UNKNOWN_SCHEMA`], so that each read decodes it and drops the empty fields.
///
/// # Errors
///
/// If the conversion fails.
pub(super) async fn encode(
    server: &ServerState,
    kind: &Kind,
    mut object: Value,
) -> Result<Encoded, StatusError> {
    go_numbers::convert_to_integers(&mut object);
    let Some(custom) = kind.custom() else {
        return Ok(Encoded {
            object: kind.encode_stored_form(object),
            schema_id: 0,
        });
    };
    let versions = &custom.versions;
    if kind.version == versions.stored {
        let schema_id = if has_empty_metadata(&object) {
            UNKNOWN_SCHEMA
        } else {
            versions.id
        };
        return Ok(Encoded { object, schema_id });
    }
    let version = object["metadata"].get("resourceVersion").cloned();
    metadata::set_field(&mut object, "resourceVersion", None);
    let mut object = convert(server, custom, object, &versions.stored).await?;
    let schema = versions
        .schema(&versions.stored)
        .cloned()
        .unwrap_or_default();
    prune(&schema, &mut object);
    metadata::set_field(&mut object, "resourceVersion", version);
    let schema_id = schema_id(versions, &schema, &object);
    Ok(Encoded { object, schema_id })
}

/// Returns the schema id to store with an object. If the object lacks defaults, the id is
/// [`UNKNOWN_SCHEMA`], so that each read sets the defaults.
pub(super) fn schema_id(versions: &DefinedVersions, schema: &Schema, object: &Value) -> u64 {
    let mut filled = object.clone();
    object::fill_in_defaults(schema, &mut filled);
    if filled == *object {
        versions.id
    } else {
        UNKNOWN_SCHEMA
    }
}

/// Returns whether `metadata` has lists or maps that are empty or null, as an apply or a webhook
/// may leave them. Decoding drops them (`SetObjectMeta` in apiextensions-apiserver,
/// pkg/apiserver/schema/objectmeta).
fn has_empty_metadata(object: &Value) -> bool {
    let metadata = &object["metadata"];
    let fields = ["labels", "annotations", "finalizers", "ownerReferences"];
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    fields
        .iter()
        .filter_map(|field| metadata.get(field))
        .any(is_empty)
}

async fn convert(
    server: &ServerState,
    custom: &CustomVersion,
    object: Value,
    to: &str,
) -> Result<Value, StatusError> {
    let to = custom.versions.api_version(to);
    let converted = conversion::convert(server, &custom.versions, object, &to).await;
    converted.map_err(|message| StatusError::unknown(500, message))
}

/// Returns the version that an object is stored in.
fn stored_version<'a>(custom: &'a CustomVersion, stored: &'a Stored) -> &'a str {
    match &*stored.written_in {
        "" => &custom.versions.stored,
        version => version,
    }
}

/// Decodes an object by a schema, which drops undeclared fields.
pub(super) fn prune(schema: &Schema, object: &mut Value) {
    if let Err(error) = object::decode(schema, object) {
        tracing::debug!(error, "an object cannot be decoded");
    }
}

/// Returns an object without `apiVersion`, `kind` and resource version, for comparison.
fn comparable(mut object: Value) -> Value {
    metadata::set_field(&mut object, "resourceVersion", None);
    if let Some(members) = object.as_object_mut() {
        members.remove("apiVersion");
        members.remove("kind");
    }
    object
}
