//! Admission plug-ins MutatingAdmissionWebhook and ValidatingAdmissionWebhook
//! (k8s.io/apiserver/pkg/admission/plugin/webhook).

mod call;
mod conditions;
mod configured;
mod matching;
mod review;

use std::collections::BTreeSet;

use futures::future::join_all;
use genclient_apimachinery::go::quoted;
use genclient_merge::patch;
use serde_json::Value;

use self::call::{WebhookCallError, call_webhook, is_exempt};
use self::configured::ConfiguredWebhook;
pub(super) use self::configured::are_configured;
use self::review::{AdmissionResponse, Invocation};
use super::context::Plugins;
use crate::admission::AdmissionRequest;
use crate::status_error::StatusError;

/// Reinvocation state of one write: the webhooks to call a second time, because the object has
/// changed after their first call.
#[derive(Debug, Default)]
pub(super) struct Reinvocation {
    is_needed: bool,
    is_running: bool,
    /// Object after the first pass of the webhooks. If their second pass starts with a different
    /// object, a plug-in that runs before webhooks has changed the object.
    output: Option<Value>,
    /// Webhooks with `reinvocationPolicy: IfNeeded` that were called since the last change.
    called: BTreeSet<String>,
    /// Webhooks to call in the second pass.
    again: BTreeSet<String>,
}

impl Reinvocation {
    /// Returns whether a second pass is needed, since a webhook has changed the object.
    pub(super) fn is_needed(&self) -> bool {
        self.is_needed
    }

    /// Starts the second pass over all mutating plug-ins.
    pub(super) fn begin(&mut self) {
        self.is_running = true;
    }

    /// Requires a second call of the webhooks that were called before a change
    /// (`RequireReinvokingPreviouslyInvokedPlugins` in reinvocationcontext.go).
    fn require_again(&mut self) {
        self.again.append(&mut self.called);
    }
}

/// Calls the mutating webhooks that match a write, one after the other, and applies their patches.
pub(super) async fn mutate(
    plugins: Plugins<'_>,
    admission: &mut AdmissionRequest,
    reinvocation: &mut Reinvocation,
) -> Result<(), StatusError> {
    if is_exempt(admission) {
        return Ok(());
    }
    let webhooks = configured::configured_webhooks(plugins.state, true);
    if webhooks.is_empty() {
        return Ok(());
    }
    if reinvocation.is_running && reinvocation.output != admission.object {
        reinvocation.require_again();
    }
    for webhook in &webhooks {
        // Matching comes first, as in `mutatingDispatcher.Dispatch`: its errors reject the write
        // even if the webhook is not called again.
        let Some(invocation) = Invocation::match_webhook(plugins, webhook, admission).await? else {
            continue;
        };
        if reinvocation.is_running && !reinvocation.again.contains(&webhook.uid) {
            continue;
        }
        let changed = call_and_patch(plugins, webhook, &invocation, admission).await;
        if let Ok(true) = changed {
            reinvocation.require_again();
            reinvocation.is_needed = true;
        }
        if webhook.is_reinvoked() {
            reinvocation.called.insert(webhook.uid.clone());
        }
        if let Err(error) = changed {
            error.unless_ignored(webhook)?;
        }
    }
    reinvocation.output = admission.object.clone();
    Ok(())
}

/// Calls a mutating webhook and applies its patch. Returns whether the object changed.
async fn call_and_patch(
    plugins: Plugins<'_>,
    webhook: &ConfiguredWebhook,
    invocation: &Invocation,
    admission: &mut AdmissionRequest,
) -> Result<bool, WebhookCallError> {
    let response = call_webhook(plugins, webhook, invocation, admission).await?;
    if has_no_patch(&response)? {
        return Ok(false);
    }
    let Some(sent_object) = &invocation.object else {
        let name = quoted(webhook.name());
        let reason = format!(
            "admission webhook {name} attempted to modify the object, which is not supported for \
             this operation"
        );
        return Err(WebhookCallError::Refused(StatusError::internal(reason)));
    };
    if response.patch_type != "JSONPatch" {
        let reason = format!("unsupported patch type {}", quoted(&response.patch_type));
        return Err(WebhookCallError::Calling(reason));
    }
    let internal = |error: String| WebhookCallError::Refused(StatusError::internal(error));
    let patched =
        patch::json_patch_of_webhook(sent_object, response.patch.as_bytes()).map_err(internal)?;
    let converted = invocation
        .convert_back(patched, plugins, admission)
        .await
        .map_err(WebhookCallError::Refused)?;
    let decoded = plugins
        .request
        .kind
        .decode_admitted(&admission.subresource, converted)
        .map_err(internal)?;
    let has_changed = admission.object.as_ref() != Some(&decoded);
    admission.object = Some(decoded);
    Ok(has_changed)
}

/// Returns whether a patch has no operations.
fn has_no_patch(response: &AdmissionResponse) -> Result<bool, WebhookCallError> {
    if response.patch.is_empty() {
        return Ok(true);
    }
    let count = patch::count_operations(response.patch.as_bytes()).map_err(|error| {
        let reason = format!("received undecodable patch in webhook response: {error}");
        WebhookCallError::Calling(reason)
    })?;
    Ok(count == 0)
}

/// Calls all validating webhooks that match a write, at the same time. If several webhooks reject
/// the write, the one that `configured_webhooks` lists first decides the response.
pub(super) async fn validate(
    plugins: Plugins<'_>,
    admission: &AdmissionRequest,
) -> Result<(), StatusError> {
    if is_exempt(admission) {
        return Ok(());
    }
    let mut invocations = Vec::new();
    for webhook in configured::configured_webhooks(plugins.state, false) {
        if let Some(invocation) = Invocation::match_webhook(plugins, &webhook, admission).await? {
            invocations.push((webhook, invocation));
        }
    }
    let asked = invocations.iter().map(|(webhook, invocation)| async move {
        match call_webhook(plugins, webhook, invocation, admission).await {
            Ok(_allowed) => Ok(()),
            Err(error) => error.unless_ignored(webhook),
        }
    });
    join_all(asked).await.into_iter().collect()
}
