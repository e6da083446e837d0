//! Subresource `scale`: the `autoscaling/v1` Scale of an object.
//!
//! Source: `ScaleREST` in pkg/registry/customresource of apiextensions-apiserver, and in
//! pkg/registry/apps and pkg/registry/core of Kubernetes.

use std::sync::Arc;

use genclient_apimachinery::field;
use genclient_apimachinery::labels::format_label_selector;
use genclient_builtins::types;
use genclient_builtins::types::GoType;
use genclient_merge::ssa;
use serde_json::{Value, json};

use crate::api_response::ApiResponse;
use crate::decode::Decoded;
use crate::kinds::{CustomVersion, Kind, Origin};
use crate::metadata;
use crate::query::WriteOptions;
use crate::registry::body::BodyError;
use crate::registry::response::Representation;
use crate::registry::write::{Updated, UpdatedObject, Write};
use crate::registry::{codec, patch, response};
use crate::request::ObjectRequest;
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::stored::Stored;

/// Placeholder for `spec.replicas` in the Scale of an object without a replica count: the smallest
/// `int32`.
const ABSENT: i64 = i32::MIN as i64;

/// Reads the scale of the named object.
pub(super) async fn get(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let representation = response::negotiate(request)?;
    let live = server
        .store
        .get(&request.kind.resource, &request.key())
        .ok_or_else(|| request.not_found())?;
    answer(server, request, &live, representation).await
}

/// Replaces the scale by the one in the body.
pub(super) async fn update(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let representation = response::negotiate(request)?;
    let options = WriteOptions::from_query(&request.query, request.verb, false)?;
    let write = Write::new(server, request, &options, representation);
    let mut sent =
        decode(&write, request.parse_scale()?).map_err(|error| error.in_body("Scale", "v1"))?;
    request.check_name_and_namespace(&mut sent)?;
    replace(&write, &ScaleChange::Update(sent)).await
}

/// Patches the scale with the body.
pub(super) async fn patch(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let representation = response::negotiate(request)?;
    patch::check_media_type(request)?;
    let options = patch::parse_options(request)?;
    let write = Write::new(server, request, &options, representation);
    let change = if patch::is_apply(request) {
        ScaleChange::Apply(patch::parse_configuration(request)?.value)
    } else {
        ScaleChange::Patch
    };
    replace(&write, &change).await
}

/// Change of a scale that a request asks for.
enum ScaleChange {
    /// PUT of this scale.
    Update(Value),
    /// PATCH with the body, other than server-side apply.
    Patch,
    /// Server-side apply of this configuration.
    Apply(Value),
}

/// Returns the changed scale, or `None` if an apply changes nothing.
async fn change_scale(
    write: &Write<'_>,
    change: &ScaleChange,
    old: &Value,
) -> Result<Option<Value>, StatusError> {
    match change {
        ScaleChange::Update(scale) => Ok(Some(scale.clone())),
        ScaleChange::Patch => {
            let request = write.request;
            let mut value = patch::apply_patch(request, old, scale_type())?;
            let text = value.to_string();
            request.check_name_and_namespace(&mut value)?;
            let patched = request.check_scale_type(decoded_from(value))?;
            decode(write, patched)
                .map(Some)
                .map_err(|error| error.in_patch(&text))
        }
        ScaleChange::Apply(applied) => {
            let Some(value) = write.apply_configuration(Some(old), applied).await? else {
                return Ok(None);
            };
            decode(write, decoded_from(value))
                .map(Some)
                .map_err(|error| error.in_body("Scale", "v1"))
        }
    }
}

fn decoded_from(value: Value) -> Decoded {
    Decoded {
        value,
        ..Decoded::default()
    }
}

/// Decodes a scale. Unknown and duplicate fields are reported and dropped.
fn decode(write: &Write<'_>, sent: Decoded) -> Result<Value, BodyError> {
    let mut findings = sent.duplicate_fields();
    let Some(type_) = scale_type() else {
        return Ok(sent.value);
    };
    let decoded =
        types::decode(&sent.value, type_).map_err(|error| BodyError(error.to_string()))?;
    findings.extend(decoded.unknown);
    write.report(findings)?;
    Ok(decoded.value)
}

fn scale_type() -> Option<GoType> {
    GoType::of_kind("autoscaling", "v1", "Scale")
}

/// Changes the scale of the live object, and answers with the new scale.
async fn replace(write: &Write<'_>, change: &ScaleChange) -> Result<ApiResponse, StatusError> {
    let (_, stored) = write.update(change).await?;
    answer(write.server, write.request, &stored, write.representation).await
}

impl UpdatedObject for ScaleChange {
    async fn updated_object(
        &self,
        write: &Write<'_>,
        old: Option<&Value>,
    ) -> Result<Updated, StatusError> {
        let request = write.request;
        let object = old.ok_or_else(|| request.not_found())?;
        let old = old_scale(&request.kind, object)?;
        let mut scale = match change_scale(write, self, &old).await? {
            Some(scale) => scale,
            None => old.clone(),
        };
        if !patch::is_apply(request) {
            write.update_managed_fields(Some(&old), &mut scale).await;
        }
        let scale = write.mutate(scale, Some(&old)).await?;
        let is_unconditional = ["", metadata::str_field(&old, "resourceVersion")]
            .contains(&metadata::str_field(&scale, "resourceVersion"));
        Ok(Updated {
            object: set_scale(request, object.clone(), &scale)?,
            is_unconditional,
        })
    }

    async fn admit(
        &self,
        _write: &Write<'_>,
        object: Value,
        _old: Option<&Value>,
    ) -> Result<Value, StatusError> {
        Ok(object)
    }

    fn admission_view(&self, write: &Write<'_>, object: &Value) -> Result<Value, StatusError> {
        scale_of(&write.request.kind, object)
    }
}

async fn answer(
    server: &ServerState,
    request: &ObjectRequest,
    stored: &Stored,
    representation: Representation,
) -> Result<ApiResponse, StatusError> {
    let kind = &request.kind;
    let object = codec::decode_stored(server, kind, stored).await?;
    let scale = scale_of(kind, &object)?;
    if scale["spec"]["replicas"] == ABSENT {
        Err(no_replicas(kind))
    } else {
        Ok(response::scale(kind, without_zero(scale), representation))
    }
}

/// Removes `spec.replicas` if it is 0, which Go omits in JSON.
fn without_zero(mut scale: Value) -> Value {
    if scale["spec"]["replicas"] == 0 {
        scale["spec"] = json!({});
    }
    scale
}

fn no_replicas(kind: &Kind) -> StatusError {
    let path = kind
        .custom()
        .and_then(|custom| custom.scale.as_ref())
        .map_or(".spec.replicas", |scale| &scale.spec_replicas);
    let path = genclient_apimachinery::go::quoted(path);
    StatusError::internal(format!("the spec replicas field {path} does not exist"))
}

/// Returns the scale before a write, with managed fields for the replica count.
fn old_scale(kind: &Kind, object: &Value) -> Result<Value, StatusError> {
    let mut scale = without_zero(scale_of(kind, object)?);
    let fields = Some(&object["metadata"]["managedFields"]).filter(|it| it.is_array());
    let entries = ssa::scale::managed_fields_of_scale(fields, kind.replica_paths())
        .map_err(|error| StatusError::unknown(500, error))?;
    metadata::set_field(&mut scale, "managedFields", entries);
    Ok(scale)
}

/// Returns the scale of an object. If the object has no replica count, `spec.replicas` is
/// [`ABSENT`].
fn scale_of(kind: &Kind, object: &Value) -> Result<Value, StatusError> {
    let counts = match &kind.origin {
        Origin::Custom(custom) => custom_counts(custom, object)?,
        Origin::Builtin(_) => ScaleCounts {
            wanted: object["spec"]["replicas"].as_i64(),
            found: object["status"]["replicas"].as_i64(),
            selector: Some(format_selector(&object["spec"]["selector"])),
        },
    };
    let mut status = json!({ "replicas": counts.found.unwrap_or_default() });
    if let Some(selector) = counts.selector.filter(|selector| !selector.is_empty()) {
        status["selector"] = selector.into();
    }
    let mut scale = json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {},
        "spec": { "replicas": counts.wanted.unwrap_or(ABSENT) },
        "status": status,
    });
    for field in [
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "creationTimestamp",
    ] {
        metadata::set_field(&mut scale, field, object["metadata"].get(field).cloned());
    }
    Ok(scale)
}

/// Scale data of an object: desired and current replicas, and the selector.
struct ScaleCounts {
    wanted: Option<i64>,
    found: Option<i64>,
    selector: Option<String>,
}

fn custom_counts(custom: &CustomVersion, object: &Value) -> Result<ScaleCounts, StatusError> {
    let Some(scale) = &custom.scale else {
        return Ok(ScaleCounts {
            wanted: None,
            found: None,
            selector: None,
        });
    };
    let failed = |error| StatusError::unknown(500, error);
    Ok(ScaleCounts {
        wanted: scale.replicas(object).map_err(failed)?,
        found: scale.status_replicas(object).map_err(failed)?,
        selector: scale.selector(object).map_err(failed)?.map(str::to_owned),
    })
}

/// Formats the selector of a workload as text. That of a ReplicationController is a plain map of
/// labels.
fn format_selector(selector: &Value) -> String {
    if selector.get("matchLabels").is_some() || selector.get("matchExpressions").is_some() {
        format_label_selector(selector)
    } else {
        format_label_selector(&json!({ "matchLabels": selector }))
    }
}

/// Returns the object with the replicas, resource version and managed fields of its changed scale.
fn set_scale(
    request: &ObjectRequest,
    mut object: Value,
    scale: &Value,
) -> Result<Value, StatusError> {
    let kind = &request.kind;
    let replicas = scale["spec"]["replicas"].as_i64().unwrap_or_default();
    match &kind.origin {
        Origin::Custom(custom) => {
            if let Some(paths) = &custom.scale {
                if replicas == ABSENT {
                    let path = genclient_apimachinery::go::quoted(&paths.spec_replicas);
                    let message = format!("the spec replicas field {path} cannot be empty");
                    return Err(StatusError::bad_request(message));
                }
                let written = paths.set_replicas(&mut object, replicas);
                written.map_err(|error| StatusError::unknown(500, error))?;
            }
        }
        Origin::Builtin(_) => {
            if replicas < 0 {
                let detail = "must be greater than or equal to 0";
                let cause = field::Error::invalid("spec.replicas", &replicas.into(), detail);
                let name = &request.target.name;
                return Err(StatusError::invalid(
                    "autoscaling",
                    "Scale",
                    name,
                    vec![cause],
                ));
            }
            check_uid(request, scale, &object)?;
            object["spec"]["replicas"] = replicas.into();
        }
    }
    let version = metadata::str_field(scale, "resourceVersion");
    if !version.is_empty() {
        metadata::set_field(&mut object, "resourceVersion", Some(version.into()));
    }
    let fields = object["metadata"]["managedFields"].take();
    let of_scale = scale["metadata"].get("managedFields");
    let api_version = kind.api_version();
    let before = Some(&fields).filter(|it| it.is_array());
    let entries =
        ssa::scale::managed_fields_of_parent(before, of_scale, &api_version, kind.replica_paths())
            .map_err(|error| StatusError::unknown(500, error))?;
    metadata::set_field(&mut object, "managedFields", entries);
    Ok(object)
}

fn check_uid(request: &ObjectRequest, scale: &Value, object: &Value) -> Result<(), StatusError> {
    let (sent, uid) = (
        metadata::str_field(scale, "uid"),
        metadata::str_field(object, "uid"),
    );
    if sent.is_empty() || sent == uid {
        return Ok(());
    }
    let kind = &request.kind;
    let resource = format!("{}/scale", kind.plural());
    let reason =
        format!("Precondition failed: UID in precondition: {sent}, UID in object meta: {uid}");
    let name = &request.target.name;
    Err(StatusError::conflict(
        kind.group(),
        &resource,
        name,
        &reason,
    ))
}
