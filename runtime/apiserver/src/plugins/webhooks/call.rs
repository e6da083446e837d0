//! Call of one admission webhook for a write.

use std::time::Duration;

use serde_json::{Value, json};

use super::configured::ConfiguredWebhook;
use super::review::{self, AdmissionResponse, Invocation, ReviewError};
use crate::admission::AdmissionRequest;
use crate::plugins::context::Plugins;
use crate::status_error::StatusError;
use crate::webhook::{self, CallError};

/// Timeout of a webhook without `timeoutSeconds`, in seconds: that of the client in kube-apiserver.
/// Stored configurations have the default 10.
const DEFAULT_TIMEOUT_SECONDS: u64 = 30;

/// Failure of a webhook call, or rejection of the request.
pub(super) enum WebhookCallError {
    /// The call failed. The webhook's `failurePolicy` decides whether the request continues.
    Calling(String),
    /// The request is rejected, whatever the `failurePolicy`.
    Refused(StatusError),
}

impl WebhookCallError {
    /// Returns the error of the request, or `Ok` if the call failed and `failurePolicy` is
    /// `Ignore`.
    pub(super) fn unless_ignored(self, webhook: &ConfiguredWebhook) -> Result<(), StatusError> {
        let name = genclient_apimachinery::go::quoted(webhook.name());
        match self {
            Self::Calling(reason) if webhook.fails_open() => {
                tracing::warn!(
                    webhook = webhook.name(),
                    reason,
                    "ignored a failing webhook"
                );
                Ok(())
            }
            Self::Calling(reason) => Err(StatusError::internal(format!(
                "failed calling webhook {name}: {reason}"
            ))),
            Self::Refused(error) => Err(error),
        }
    }
}

/// Returns whether a write bypasses all webhooks. Writes of webhook configurations and admission
/// policies do.
pub(super) fn is_exempt(admission: &AdmissionRequest) -> bool {
    const KINDS: [&str; 6] = [
        "ValidatingWebhookConfiguration",
        "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
    ];
    admission.kind.group == "admissionregistration.k8s.io" && KINDS.contains(&&*admission.kind.kind)
}

/// Calls a webhook. Even if the request is denied, the client gets the warnings of the webhook.
pub(super) async fn call_webhook(
    plugins: Plugins<'_>,
    webhook: &ConfiguredWebhook,
    invocation: &Invocation,
    admission: &AdmissionRequest,
) -> Result<AdmissionResponse, WebhookCallError> {
    if admission.dry_run && !webhook.takes_dry_runs() {
        let name = genclient_apimachinery::go::quoted(webhook.name());
        let message = format!("admission webhook {name} does not support dry run");
        return Err(WebhookCallError::Refused(StatusError::bad_request(message)));
    }
    let Some(version) = webhook.review_version() else {
        let reason = "could not create admission objects: webhook does not accept known \
                      AdmissionReview versions (v1, v1beta1)";
        return Err(WebhookCallError::Calling(reason.to_owned()));
    };
    let uid = plugins.state.seed.uid();
    let review = review::build_review(&uid, version, invocation, admission);
    let timeout = Duration::from_secs(webhook.timeout().unwrap_or(DEFAULT_TIMEOUT_SECONDS));
    let timeout = match plugins.request.deadline {
        Some(deadline) => timeout.min(deadline.remaining()),
        None => timeout,
    };
    let called = webhook::call(plugins.state, webhook.client_config(), &review, timeout).await;
    let failed = |reason| WebhookCallError::Calling(format!("failed to call webhook: {reason}"));
    let body = called.map_err(|error| match error {
        CallError::NoClient(reason) => {
            WebhookCallError::Calling(format!("could not get REST client: {reason}"))
        }
        CallError::Failed(reason) => failed(reason),
    })?;
    let response =
        review::parse_response(&body, &uid, version, webhook.is_mutating()).map_err(|error| {
            match error {
                ReviewError::Unreadable(reason) => failed(reason),
                ReviewError::Invalid(reason) => WebhookCallError::Calling(format!(
                    "received invalid webhook response: {reason}"
                )),
            }
        })?;
    plugins.request.warn(response.warnings.clone());
    if response.allowed {
        Ok(response)
    } else {
        Err(WebhookCallError::Refused(denial(
            webhook.name(),
            &response.status,
        )))
    }
}

/// Returns the error of a request that a webhook denies. `result` is the Status in the webhook's
/// response (`ToStatusErr`).
fn denial(webhook: &str, result: &Value) -> StatusError {
    let denial = format!(
        "admission webhook {} denied the request",
        genclient_apimachinery::go::quoted(webhook)
    );
    let str_field = |field: &str| result[field].as_str().unwrap_or_default();
    let message = match (str_field("message"), str_field("reason")) {
        ("", "") => format!("{denial} without explanation"),
        ("", reason) => format!("{denial}: {reason}"),
        (message, _) => format!("{denial}: {message}"),
    };
    let mut status = match result {
        Value::Object(_) => result.clone(),
        _ => json!({ "kind": "Status", "apiVersion": "v1", "metadata": {} }),
    };
    status["message"] = message.into();
    status["code"] = result["code"].as_u64().unwrap_or_default().max(400).into();
    if matches!(str_field("status"), "" | "Success") {
        status["status"] = "Failure".into();
    }
    StatusError::from_status(status)
}
