//! PATCH of an object: merge patches, JSON patches, strategic merge patches and server-side apply.

use std::sync::Arc;

use genclient_apimachinery::go;
use genclient_builtins::types::GoType;
use genclient_merge::patch;
use serde_json::Value;

use super::body::{self, BodyError};
use super::response;
use super::write::{Updated, UpdatedObject, Write};
use crate::api_response::ApiResponse;
use crate::decode::{self, Decoded};
use crate::go_numbers;
use crate::metadata;
use crate::query::WriteOptions;
use crate::request::ObjectRequest;
use crate::state::ServerState;
use crate::status_error::StatusError;

const STRATEGIC: &str = "application/strategic-merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

const ACCEPTED: &[&str] = &[
    "application/json-patch+json",
    "application/merge-patch+json",
    APPLY,
];

/// Patches the object with the body.
pub(super) async fn patch(
    server: &Arc<ServerState>,
    request: &ObjectRequest,
) -> Result<ApiResponse, StatusError> {
    let representation = response::negotiate(request)?;
    if request.target.name.is_empty() {
        return Err(StatusError::bad_request("name must be provided"));
    }
    check_media_type(request)?;
    let options = parse_options(request)?;
    let write = Write::new(server, request, &options, representation);
    let (code, stored) = if is_apply(request) {
        let source = AppliedObject(parse_configuration(request)?);
        write.update(&source).await?
    } else {
        write.update(&PatchedObject).await?
    };
    write.answer(code, &stored).await
}

/// Checks the media type of a patch. Custom resources do not support strategic merge patches.
pub(super) fn check_media_type(request: &ObjectRequest) -> Result<(), StatusError> {
    let media_type = request.media_type();
    let is_strategic = request.kind.custom().is_none() && media_type == STRATEGIC;
    if is_strategic || ACCEPTED.contains(&&*media_type) {
        Ok(())
    } else {
        Err(StatusError::unsupported_media_type(ACCEPTED))
    }
}

pub(super) fn parse_options(request: &ObjectRequest) -> Result<WriteOptions, StatusError> {
    WriteOptions::from_query(&request.query, request.verb, is_apply(request))
}

/// Returns whether a patch is a server-side apply.
pub(super) fn is_apply(request: &ObjectRequest) -> bool {
    request.media_type() == APPLY
}

/// Live object, changed by a patch other than an apply.
struct PatchedObject;

impl UpdatedObject for PatchedObject {
    async fn updated_object(
        &self,
        write: &Write<'_>,
        old: Option<&Value>,
    ) -> Result<Updated, StatusError> {
        let request = write.request;
        let kind = &request.kind;
        let old = old.ok_or_else(|| request.not_found())?;
        let patched = apply_patch(request, old, kind.go_type())?;
        let version = |object: &Value| object["metadata"]["resourceVersion"].clone();
        let is_unconditional = version(&patched) == version(old);
        let mut decoded = Decoded {
            value: patched.clone(),
            ..Decoded::default()
        };
        if kind.custom().is_some() {
            body::check_patched_type(&patched)
                .map_err(|error| BodyError(error).in_patch(&patched.to_string()))?;
        } else {
            decoded = request.check_object_type(decoded)?;
        }
        let mut object = write
            .decode_value(decoded)
            .map_err(|error| undecodable(request, &patched, error))?;
        request.check_name_and_namespace(&mut object)?;
        write.update_managed_fields(Some(old), &mut object).await;
        Ok(Updated {
            object,
            is_unconditional,
        })
    }
}

/// Returns the failure of a patch whose result cannot be decoded. The cause quotes the result. For
/// a strategic merge patch, the cause quotes the patch instead.
fn undecodable(request: &ObjectRequest, patched: &Value, error: BodyError) -> StatusError {
    if request.media_type() != STRATEGIC {
        return error.in_patch(&patched.to_string());
    }
    let patch = decode::json(&request.body).unwrap_or_default();
    let error = if error.0.starts_with("illegal base64") {
        BodyError(format!("error decoding from json: {}", error.0))
    } else {
        error
    };
    error.in_patch(&go::printed(&patch.value))
}

/// Live object, changed by the application of a configuration. A missing object is created.
struct AppliedObject(Decoded);

impl UpdatedObject for AppliedObject {
    fn creates(&self, write: &Write<'_>) -> bool {
        write.request.target.subresource.is_empty()
    }

    async fn updated_object(
        &self,
        write: &Write<'_>,
        old: Option<&Value>,
    ) -> Result<Updated, StatusError> {
        let (request, applied) = (write.request, &self.0.value);
        let object = write.apply_configuration(old, applied).await?;
        write.report_repeated_keys(&self.0.repeated_keys)?;
        let mut object = match (object, old) {
            (Some(object), _) => write.decode_applied(object, applied)?,
            (None, Some(old)) => old.clone(),
            (None, None) => write.decode_applied(applied.clone(), applied)?,
        };
        request.check_name_and_namespace(&mut object)?;
        if old.is_none() {
            check_no_uid(request, &object)?;
            write.check_namespace_lifecycle(&object)?;
        }
        Ok(Updated {
            object,
            is_unconditional: metadata::str_field(applied, "resourceVersion").is_empty(),
        })
    }
}

/// Returns the configuration in the body of an apply.
pub(super) fn parse_configuration(request: &ObjectRequest) -> Result<Decoded, StatusError> {
    let unreadable =
        |error: String| StatusError::bad_request(format!("error decoding YAML: error {error}"));
    let decoded = decode::yaml(&request.body)
        .map_err(|error| unreadable(format!("converting YAML to JSON: {error}")))?;
    match &decoded.value {
        Value::Object(_) | Value::Null => Ok(decoded),
        other => Err(unreadable(format!(
            "unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} into Go value of \
             type map[string]interface {{}}",
            go::kind(other)
        ))),
    }
}

/// Rejects a uid in an apply that creates an object.
fn check_no_uid(request: &ObjectRequest, object: &Value) -> Result<(), StatusError> {
    let uid = metadata::str_field(object, "uid");
    if uid.is_empty() {
        return Ok(());
    }
    let (kind, name) = (&request.kind, &request.target.name);
    let reason = format!(
        "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
    );
    Err(StatusError::conflict(
        kind.group(),
        kind.plural(),
        name,
        &reason,
    ))
}

/// Applies the patch in the body to an object or a Scale. A strategic merge patch needs `go_type`,
/// the Go type of `object`.
pub(super) fn apply_patch(
    request: &ObjectRequest,
    object: &Value,
    go_type: Option<GoType>,
) -> Result<Value, StatusError> {
    let parsed = || match decode::json(&request.body) {
        Ok(decoded) => Ok(decoded.value),
        Err(error) => {
            let error = go::json_error(&error, &request.body);
            Err(StatusError::bad_request(format!(
                "error decoding patch: {error}"
            )))
        }
    };
    let mut patched = match (&*request.media_type(), go_type) {
        ("application/merge-patch+json", _) => patch::merge_patch(object, &parsed()?),
        ("application/json-patch+json", _) => patch::json_patch(object, &request.body),
        (STRATEGIC, Some(type_)) => patch::strategic_merge_patch(object, &parsed()?, type_),
        _ => return Err(StatusError::unsupported_media_type(ACCEPTED)),
    }
    .map_err(|error| StatusError::from_patch(error.code, error.reason, error.message))?;
    go_numbers::convert_large_integers(&mut patched);
    Ok(patched)
}
