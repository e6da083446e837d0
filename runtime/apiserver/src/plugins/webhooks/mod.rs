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

use self::call::{CallFailure, ask, is_exempt};
use self::configured::ConfiguredWebhook;
pub(super) use self::configured::are_configured;
use self::review::{AdmissionResponse, Invocation};
use super::context::Plugins;
use crate::admission::AdmissionRequest;
use crate::failure::Failure;

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
    asked: BTreeSet<String>,
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

    fn require(&mut self) {
        self.again.append(&mut self.asked);
    }
}

/// Calls the mutating webhooks that match a write, one after the other, and applies their patches.
pub(super) async fn mutate(
    plugins: Plugins<'_>,
    admission: &mut AdmissionRequest,
    reinvocation: &mut Reinvocation,
) -> Result<(), Failure> {
    if is_exempt(admission) {
        return Ok(());
    }
    let webhooks = configured::all(plugins.state, true);
    if webhooks.is_empty() {
        return Ok(());
    }
    if reinvocation.is_running && reinvocation.output != admission.object {
        reinvocation.require();
    }
    for webhook in &webhooks {
        let Some(invocation) = Invocation::of(plugins, webhook, admission).await? else {
            continue;
        };
        if reinvocation.is_running && !reinvocation.again.contains(&webhook.uid) {
            continue;
        }
        let changed = change(plugins, webhook, &invocation, admission).await;
        if let Ok(true) = changed {
            reinvocation.require();
            reinvocation.is_needed = true;
        }
        if webhook.is_reinvoked() {
            reinvocation.asked.insert(webhook.uid.clone());
        }
        if let Err(failure) = changed {
            failure.unless_ignored(webhook)?;
        }
    }
    reinvocation.output = admission.object.clone();
    Ok(())
}

/// Calls a mutating webhook and applies its patch. Returns whether the object changed.
async fn change(
    plugins: Plugins<'_>,
    webhook: &ConfiguredWebhook,
    invocation: &Invocation,
    admission: &mut AdmissionRequest,
) -> Result<bool, CallFailure> {
    let verdict = ask(plugins, webhook, invocation, admission).await?;
    if is_empty(&verdict)? {
        return Ok(false);
    }
    let Some(shown) = &invocation.object else {
        let name = quoted(webhook.name());
        let reason = format!(
            "admission webhook {name} attempted to modify the object, which is not supported for \
             this operation"
        );
        return Err(CallFailure::Refused(Failure::internal(reason)));
    };
    if verdict.patch_type != "JSONPatch" {
        let reason = format!("unsupported patch type {}", quoted(&verdict.patch_type));
        return Err(CallFailure::Calling(reason));
    }
    let internal = |error: String| CallFailure::Refused(Failure::internal(error));
    let patched =
        patch::json_patch_of_webhook(shown, verdict.patch.as_bytes()).map_err(internal)?;
    let converted = invocation
        .back(patched, plugins, admission)
        .await
        .map_err(CallFailure::Refused)?;
    let decoded = plugins
        .request
        .kind
        .decode_admitted(&admission.subresource, converted)
        .map_err(internal)?;
    let is_other = admission.object.as_ref() != Some(&decoded);
    admission.object = Some(decoded);
    Ok(is_other)
}

/// Returns whether a patch has no operations.
fn is_empty(verdict: &AdmissionResponse) -> Result<bool, CallFailure> {
    if verdict.patch.is_empty() {
        return Ok(true);
    }
    let count = patch::count_operations(verdict.patch.as_bytes()).map_err(|error| {
        let reason = format!("received undecodable patch in webhook response: {error}");
        CallFailure::Calling(reason)
    })?;
    Ok(count == 0)
}

/// Calls all validating webhooks that match a write, at the same time. If several webhooks reject
/// the write, the one that `configured::all` lists first decides the response.
pub(super) async fn validate(
    plugins: Plugins<'_>,
    admission: &AdmissionRequest,
) -> Result<(), Failure> {
    if is_exempt(admission) {
        return Ok(());
    }
    let mut invocations = Vec::new();
    for webhook in configured::all(plugins.state, false) {
        if let Some(invocation) = Invocation::of(plugins, &webhook, admission).await? {
            invocations.push((webhook, invocation));
        }
    }
    let asked = invocations.iter().map(|(webhook, invocation)| async move {
        match ask(plugins, webhook, invocation, admission).await {
            Ok(_allowed) => Ok(()),
            Err(failure) => failure.unless_ignored(webhook),
        }
    });
    join_all(asked).await.into_iter().collect()
}
