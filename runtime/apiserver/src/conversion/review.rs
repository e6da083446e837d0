//! `ConversionReview`: the request to a conversion webhook, and its response
//! (k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go).

use std::time::Duration;

use genclient_apimachinery::go::{self, quoted};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::kinds::ConversionWebhook;
use crate::state::ServerState;
use crate::webhook::{self, CallError};

/// Timeout of a call of a conversion webhook.
const WEBHOOK_TIMEOUT: Duration = Duration::from_secs(30);

const GROUP: &str = "apiextensions.k8s.io";
const KIND: &str = "ConversionReview";

/// Converts an object by a webhook. The review has the first version in `conversionReviewVersions`
/// that the server supports.
///
/// # Errors
///
/// The message for the response, if the server supports none of these versions, the conversion
/// fails, or the webhook does not return exactly one object.
pub(super) async fn call_webhook(
    state: &ServerState,
    webhook: &ConversionWebhook,
    kind: &str,
    object: &Value,
    to: &str,
) -> Result<Value, String> {
    let mut known = webhook.review_versions.iter().map(String::as_str);
    let Some(version) = known.find(|version| ["v1", "v1beta1"].contains(version)) else {
        return Err("no supported conversion review versions".to_owned());
    };
    let failed = |error: String| format!("conversion webhook for {kind} failed: {error}");
    let uid = state.seed.uid();
    let request = json!({
        "kind": KIND,
        "apiVersion": format!("{GROUP}/{version}"),
        "request": { "uid": uid, "desiredAPIVersion": to, "objects": [object] },
        "response": { "uid": "", "convertedObjects": null, "result": { "metadata": {} } },
    });
    let body = webhook::call(state, &webhook.client_config, &request, WEBHOOK_TIMEOUT)
        .await
        .map_err(|error| match error {
            CallError::NoClient(error) | CallError::Failed(error) => failed(error),
        })?;
    let body = String::from_utf8_lossy(&body);
    let objects = converted_objects(&body, version, &uid).map_err(failed)?;
    match &objects[..] {
        [object] => decode_object(object),
        objects => Err(format!(
            "conversion webhook for {kind} returned {} objects, expected 1",
            objects.len()
        )),
    }
}

/// Part of a response: the converted objects as JSON text.
#[derive(Deserialize)]
struct ReviewBody<'a> {
    #[serde(borrow)]
    response: ReviewObjects<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReviewObjects<'a> {
    #[serde(borrow, default)]
    converted_objects: Option<Vec<&'a RawValue>>,
}

/// Checks a response and returns its converted objects (`getConvertedObjectsFromResponse`).
fn converted_objects<'a>(
    body: &'a str,
    version: &str,
    uid: &str,
) -> Result<Vec<&'a RawValue>, String> {
    let review = parse_review(body)?;
    check_type(&review, version)?;
    if review["response"].is_null() {
        return Err("no response provided".to_owned());
    }
    check_types_of_fields(&review["response"], version)?;
    let response = &review["response"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    // A v1beta1 response may omit the uid.
    if version == "v1" && text(&response["uid"]) != uid {
        let (expected, found) = (quoted(uid), quoted(&text(&response["uid"])));
        return Err(format!("expected response.uid={expected}, got {found}"));
    }
    let result = &response["result"];
    let status = text(&result["status"]);
    if status != "Success" {
        let message = text(&result["message"]);
        return Err(if message.is_empty() {
            format!("response.result.status was '{status}', not 'Success'")
        } else {
            message
        });
    }
    let review_body: ReviewBody<'_> =
        serde_json::from_str(body).map_err(|error| error.to_string())?;
    Ok(review_body.response.converted_objects.unwrap_or_default())
}

/// Parses a response as JSON, with the errors of Go's decoder.
fn parse_review(body: &str) -> Result<Value, String> {
    let head = "couldn't get version/kind; json parse error";
    let cannot = |found: &str| {
        format!(
            "{head}: json: cannot unmarshal {found} into Go value of type struct {{ APIVersion \
             string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \
             \"json:\\\"kind,omitempty\\\"\" }}"
        )
    };
    match serde_json::from_str(body) {
        Ok(review @ (Value::Object(_) | Value::Null)) => Ok(review),
        Ok(other) => Err(cannot(go::kind(&other))),
        Err(error) if error.is_eof() => Err(format!("{head}: unexpected end of JSON input")),
        // Go's decoder then parses the text as YAML, which usually yields a string.
        Err(_) => Err(cannot("string")),
    }
}

/// Checks that a response is a review of the version in the request. A v1beta1 response may omit
/// `apiVersion` and `kind`.
fn check_type(review: &Value, version: &str) -> Result<(), String> {
    let text = |field: &str| review[field].as_str().unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let expected = format!("{GROUP}/{version}");
    if (api_version, kind) == (&expected, KIND) {
        return Ok(());
    }
    if api_version.is_empty() || kind.is_empty() {
        let group = if api_version.contains('/') {
            api_version.to_owned()
        } else {
            format!("/{api_version}")
        };
        return match version {
            "v1" => Err(format!(
                "expected webhook response of {expected}, Kind={KIND}, got {group}, Kind={kind}"
            )),
            _ => Ok(()),
        };
    }
    let found = api_version.strip_prefix(&format!("{GROUP}/"));
    match (found, kind) {
        (Some(found @ ("v1" | "v1beta1")), KIND | "CustomResourceDefinition") => Err(format!(
            "converting ({found}.{kind}) to ({version}.{KIND}): unknown conversion"
        )),
        _ if (api_version, kind) == ("v1", "Status") => Err(format!(
            "converting (v1.{kind}) to ({version}.{KIND}): unknown conversion"
        )),
        _ => Err(format!(
            "no kind {} is registered for version {} in scheme \"pkg/runtime/scheme.go:111\"",
            quoted(kind),
            quoted(api_version)
        )),
    }
}

/// Checks that the fields of a response have the types of Go's fields.
fn check_types_of_fields(response: &Value, version: &str) -> Result<(), String> {
    let result = &response["result"];
    let is_text = Value::is_string as fn(&Value) -> bool;
    let of_response = format!("{version}.ConversionResponse");
    let fields = [
        (
            response,
            Value::is_object as fn(&Value) -> bool,
            "ConversionReview.response",
            &*of_response,
        ),
        (
            &response["uid"],
            is_text,
            "ConversionResponse.response.uid",
            "types.UID",
        ),
        (
            &response["convertedObjects"],
            Value::is_array,
            "ConversionResponse.response.convertedObjects",
            "[]runtime.RawExtension",
        ),
        (
            result,
            Value::is_object,
            "ConversionResponse.response.result",
            "v1.Status",
        ),
        (
            &result["status"],
            is_text,
            "Status.response.result.status",
            "string",
        ),
        (
            &result["message"],
            is_text,
            "Status.response.result.message",
            "string",
        ),
    ];
    for (value, is_right, path, type_) in fields {
        if !value.is_null() && !is_right(value) {
            let found = go::kind(value);
            return Err(format!(
                "json: cannot unmarshal {found} into Go struct field {path} of type {type_}"
            ));
        }
    }
    Ok(())
}

/// Decodes a converted object, with the errors of Go's `unstructured` decoder
/// (`getRawExtensionObject`).
fn decode_object(object: &RawValue) -> Result<Value, String> {
    let value: Value = serde_json::from_str(object.get()).map_err(|error| error.to_string())?;
    match &value {
        Value::Null => return Err("unexpected end of JSON input".to_owned()),
        Value::Object(_) => {}
        other => {
            let found = go::kind(other);
            return Err(format!(
                "json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
            ));
        }
    }
    let text = |field: &str| value[field].as_str().unwrap_or_default();
    let is_version = text("apiVersion").matches('/').count() < 2;
    if text("kind").is_empty() || !is_version {
        Err(format!("Object 'Kind' is missing in '{}'", object.get()))
    } else {
        Ok(value)
    }
}
