//! Conversion of custom resources between the versions of their CustomResourceDefinition.
//!
//! Source: k8s.io/apiextensions-apiserver/pkg/apiserver/conversion: `converter.go` and
//! `webhook_converter.go`.

mod converted;
mod review;

use genclient_apimachinery::unstructured::str_field;
use serde_json::Value;

use crate::kinds::{ConversionStrategy, ConversionWebhook, DefinedVersions};
use crate::state::ServerState;

/// Converts an object to another version of its CustomResourceDefinition, such as `example.com/v2`.
///
/// With the strategy `Webhook`, calls the conversion function that the test has registered. If the
/// test has registered none, calls the webhook. Each call has one object, since the server reads
/// objects one by one.
///
/// # Errors
///
/// The message for the response, if the CustomResourceDefinition lacks one of the versions, or the
/// conversion fails or returns an invalid object.
pub(crate) async fn convert(
    state: &ServerState,
    versions: &DefinedVersions,
    mut object: Value,
    to: &str,
) -> Result<Value, String> {
    let from = str_field(&object, "apiVersion").to_owned();
    for (direction, version) in [("to", to), ("from", &*from)] {
        if !versions.has(version) {
            return Err(format!(
                "request to convert CR {direction} an invalid group/version: {version}"
            ));
        }
    }
    match &versions.strategy {
        _ if from == to => Ok(object),
        ConversionStrategy::Webhook(webhook) if !has_only_type(&object) => {
            call_function_or_webhook(state, versions, webhook, &object, to).await
        }
        _ => {
            object["apiVersion"] = to.into();
            Ok(object)
        }
    }
}

async fn call_function_or_webhook(
    state: &ServerState,
    versions: &DefinedVersions,
    webhook: &ConversionWebhook,
    object: &Value,
    to: &str,
) -> Result<Value, String> {
    let kind = format!(
        "{}, Kind={}",
        str_field(object, "apiVersion"),
        str_field(object, "kind")
    );
    let converted = match state.conversions.call(&versions.definition, object, to) {
        Some(converted) => {
            converted.map_err(|error| format!("conversion webhook for {kind} failed: {error}"))?
        }
        None => review::call_webhook(state, webhook, &kind, object, to).await?,
    };
    converted::check_converted(&kind, object, converted, to)
}

/// Returns whether an object has only `apiVersion` and `kind`. Such an object needs no webhook
/// (`isEmptyUnstructuredObject`).
fn has_only_type(object: &Value) -> bool {
    let members = object.as_object();
    members.is_some_and(|members| {
        members.len() == 2 && members.contains_key("kind") && members.contains_key("apiVersion")
    })
}
