//! `AdmissionReview`: the request to an admission webhook, and the webhook's response
//! (k8s.io/apiserver/pkg/admission/plugin/webhook/request).

use genclient::kube::core::{GroupVersionKind, GroupVersionResource};
use genclient_apimachinery::go::{self, json_error, quoted};
use genclient_apimachinery::unstructured::str_or_empty;
use serde_json::{Map, Value, json};

use crate::admission::AdmissionRequest;
use crate::decode;

const GROUP: &str = "admission.k8s.io";
const KIND: &str = "AdmissionReview";

/// Input for a call of a webhook: kind, resource and objects of a write, in the version that the
/// webhook's rules match.
#[derive(Clone, Debug)]
pub(super) struct Invocation {
    pub(super) kind: GroupVersionKind,
    pub(super) resource: GroupVersionResource,
    /// New state of the object; `None` for deletions.
    pub(super) object: Option<Value>,
    pub(super) old_object: Option<Value>,
}

/// Decision of a webhook on a write: the `response` of an AdmissionReview.
#[derive(Debug, Default)]
pub(super) struct AdmissionResponse {
    pub(super) allowed: bool,
    /// Status in the response, with the reason of a denial.
    pub(super) status: Value,
    pub(super) warnings: Vec<String>,
    pub(super) patch: String,
    pub(super) patch_type: String,
}

/// Error of a webhook's body that is no valid response.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReviewError {
    /// The response cannot be decoded as an AdmissionReview.
    Unreadable(String),
    /// The response is an AdmissionReview, but not a valid answer to this request.
    Invalid(String),
}

/// Returns an AdmissionReview of a write (`CreateAdmissionObjects`).
pub(super) fn build_review(
    uid: &str,
    version: &str,
    invocation: &Invocation,
    admission: &AdmissionRequest,
) -> Value {
    let request = review_request(uid, invocation, admission);
    json!({ "kind": KIND, "apiVersion": format!("{GROUP}/{version}"), "request": request })
}

/// Returns the `request` of an AdmissionReview.
pub(super) fn review_request(
    uid: &str,
    invocation: &Invocation,
    admission: &AdmissionRequest,
) -> Value {
    let kind = |it: &GroupVersionKind| json!({ "group": it.group, "version": it.version, "kind": it.kind });
    let resource = |it: &GroupVersionResource| json!({ "group": it.group, "version": it.version, "resource": it.resource });
    let mut request = json!({
        "uid": uid,
        "kind": kind(&invocation.kind),
        "resource": resource(&invocation.resource),
        "requestKind": kind(&admission.kind),
        "requestResource": resource(&admission.resource),
        "operation": admission.operation.as_str(),
        "userInfo": user_info(admission),
        "object": invocation.object,
        "oldObject": invocation.old_object,
        "dryRun": admission.dry_run,
        "options": admission.options,
    });
    for (field, text) in [
        ("subResource", &admission.subresource),
        ("requestSubResource", &admission.subresource),
        ("name", &admission.name),
        ("namespace", &admission.namespace),
    ] {
        if !text.is_empty() {
            request[field] = text.as_str().into();
        }
    }
    request
}

fn user_info(admission: &AdmissionRequest) -> Value {
    let user = &admission.user;
    let mut info = Map::new();
    info.insert("username".to_owned(), user.name.as_str().into());
    if !user.uid.is_empty() {
        info.insert("uid".to_owned(), user.uid.as_str().into());
    }
    if !user.groups.is_empty() {
        info.insert("groups".to_owned(), json!(user.groups));
    }
    if !user.extra.is_empty() {
        info.insert("extra".to_owned(), json!(user.extra));
    }
    Value::Object(info)
}

/// Decodes the body of a response and checks it against the request's `uid` and `version`
/// (`VerifyAdmissionResponse`).
pub(super) fn parse_response(
    body: &[u8],
    uid: &str,
    version: &str,
    is_mutating: bool,
) -> Result<AdmissionResponse, ReviewError> {
    let review = parse_json_or_yaml(body).map_err(|what| {
        let reason = format!("couldn't get version/kind; json parse error: {what}");
        ReviewError::Unreadable(reason)
    })?;
    check_type(&review, version)?;
    let response = &review["response"];
    if !response.is_object() {
        return Err(invalid_response("webhook response was absent"));
    }
    let decoded = decode_response(response)?;
    if version == "v1" {
        let found = str_or_empty(&response["uid"]);
        if found != uid {
            let (uid, found) = (quoted(uid), quoted(found));
            return Err(invalid_response(format!(
                "expected response.uid={uid}, got {found}"
            )));
        }
        check_kind(&review)?;
        check_patch(response, &decoded, is_mutating)?;
    }
    Ok(AdmissionResponse {
        // In v1beta1, the patch type is ignored.
        patch_type: match version {
            "v1" => decoded.patch_type,
            _ => "JSONPatch".to_owned(),
        },
        ..decoded
    })
}

/// Parses a response as JSON, or as YAML if it does not start with `{`.
fn parse_json_or_yaml(body: &[u8]) -> Result<Value, String> {
    let is_json = body.trim_ascii_start().starts_with(b"{");
    if is_json {
        return serde_json::from_slice(body).map_err(|error| json_error(&error, body));
    }
    let review = decode::yaml(body)?.value;
    if review.is_object() {
        return Ok(review);
    }
    Err(format!(
        "json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \
         \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
        go::kind(&review)
    ))
}

/// Checks `apiVersion` and `kind` of a response as kube-apiserver's decoder does. The decoder
/// accepts a response without these fields. In v1, [`check_kind`] then rejects the response.
fn check_type(review: &Value, asked: &str) -> Result<(), ReviewError> {
    let (api_version, kind) = (
        str_or_empty(&review["apiVersion"]),
        str_or_empty(&review["kind"]),
    );
    let versions = ["", "admission.k8s.io/v1", "admission.k8s.io/v1beta1"];
    if versions.contains(&api_version) && ["", KIND].contains(&kind) {
        let found = api_version.rsplit('/').next().unwrap_or_default();
        if found.is_empty() || found == asked {
            return Ok(());
        }
        return Err(ReviewError::Unreadable(format!(
            "converting ({found}.{KIND}) to ({asked}.{KIND}): unknown conversion"
        )));
    }
    let api_version = match api_version {
        "" => "admission.k8s.io/v1",
        found => found,
    };
    let kind = if kind.is_empty() { KIND } else { kind };
    let reason = format!(
        "no kind {} is registered for version {} in scheme {}",
        quoted(kind),
        quoted(api_version),
        quoted("pkg/runtime/scheme.go:111")
    );
    Err(ReviewError::Unreadable(reason))
}

fn check_kind(review: &Value) -> Result<(), ReviewError> {
    let (api_version, kind) = (
        str_or_empty(&review["apiVersion"]),
        str_or_empty(&review["kind"]),
    );
    if api_version == "admission.k8s.io/v1" && kind == KIND {
        return Ok(());
    }
    let found = match api_version {
        "" => "/",
        found => found,
    };
    Err(invalid_response(format!(
        "expected webhook response of {GROUP}/v1, Kind={KIND}, got {found}, Kind={kind}"
    )))
}

fn check_patch(
    response: &Value,
    decoded: &AdmissionResponse,
    is_mutating: bool,
) -> Result<(), ReviewError> {
    let (has_patch, has_type) = (!decoded.patch.is_empty(), response["patchType"].is_string());
    let error = match (is_mutating, has_patch, has_type) {
        (true, true, false) => "webhook returned response.patch but not response.patchType",
        (true, false, true) => "webhook returned response.patchType but not response.patch",
        (true, _, true) if decoded.patch_type.is_empty() => {
            "webhook returned invalid response.patchType of \"\""
        }
        (false, true, _) => "validating webhook may not return response.patch",
        (false, _, true) => "validating webhook may not return response.patchType",
        _ => return Ok(()),
    };
    Err(invalid_response(error))
}

/// Decodes the `response` of a review, with the errors of Go's JSON decoder.
fn decode_response(response: &Value) -> Result<AdmissionResponse, ReviewError> {
    let allowed = match &response["allowed"] {
        Value::Bool(allowed) => *allowed,
        Value::Null => false,
        other => return Err(unmarshal_error(other, "allowed", "bool")),
    };
    let mut warnings = Vec::new();
    match &response["warnings"] {
        Value::Null => {}
        Value::Array(items) => {
            for item in items {
                match item {
                    Value::String(text) => warnings.push(text.clone()),
                    Value::Null => warnings.push(String::new()),
                    other => return Err(unmarshal_error(other, "warnings", "string")),
                }
            }
        }
        other => return Err(unmarshal_error(other, "warnings", "[]string")),
    }
    let patch = match &response["patch"] {
        Value::Null => String::new(),
        Value::String(encoded) => {
            let bytes = genclient_builtins::types::decode_base64(encoded).map_err(|at| {
                let reason = format!("illegal base64 data at input byte {at}");
                ReviewError::Unreadable(reason)
            })?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
        other => return Err(unmarshal_error(other, "patch", "[]uint8")),
    };
    Ok(AdmissionResponse {
        allowed,
        status: decode_status(&response["status"])?,
        warnings,
        patch,
        patch_type: str_or_empty(&response["patchType"]).to_owned(),
    })
}

/// Decodes the Status of a response. Unknown fields are dropped.
fn decode_status(sent: &Value) -> Result<Value, ReviewError> {
    let Some(sent) = sent.as_object() else {
        return match sent {
            Value::Null => Ok(Value::Null),
            other => Err(unmarshal_error(other, "status", "v1.Status")),
        };
    };
    let mut status = set_members(sent, &["status", "message", "reason", "code", "details"]);
    if let Some(details) = status.get("details").and_then(Value::as_object) {
        const FIELDS: [&str; 6] = [
            "name",
            "group",
            "kind",
            "uid",
            "causes",
            "retryAfterSeconds",
        ];
        let details = set_members(details, &FIELDS);
        status.insert("details".to_owned(), details.into());
    }
    for field in ["status", "message", "reason"] {
        if let Some(other) = status.get(field).filter(|it| !it.is_string()) {
            return Err(unmarshal_error(other, &format!("status.{field}"), "string"));
        }
    }
    if let Some(other) = status.get("code").filter(|it| !it.is_i64()) {
        return Err(unmarshal_error(other, "status.code", "int32"));
    }
    status.insert("kind".to_owned(), "Status".into());
    status.insert("apiVersion".to_owned(), "v1".into());
    status.insert("metadata".to_owned(), json!({}));
    Ok(Value::Object(status))
}

/// Returns the members with a name in `fields`, without the empty values that Go omits in JSON.
fn set_members(object: &Map<String, Value>, fields: &[&str]) -> Map<String, Value> {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_i64() == Some(0),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    let members = object
        .iter()
        .filter(|(name, value)| fields.contains(&&***name) && !is_empty(value));
    members
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn unmarshal_error(found: &Value, field: &str, type_: &str) -> ReviewError {
    let found = go::kind(found);
    let owner = if field.starts_with("status.") {
        "Status"
    } else {
        "AdmissionResponse"
    };
    ReviewError::Unreadable(format!(
        "json: cannot unmarshal {found} into Go struct field {owner}.response.{field} of type \
         {type_}"
    ))
}

fn invalid_response(reason: impl Into<String>) -> ReviewError {
    ReviewError::Invalid(reason.into())
}
