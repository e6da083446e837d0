//! ValidatingAdmissionWebhook: concurrent webhook calls, each of which can reject the write
//! (k8s.io/apiserver/pkg/admission/plugin/webhook/validating).

use futures::future::join_all;

use super::ask::{ask, is_exempt};
use super::configured;
use super::invocation::Invocation;
use crate::admission::AdmissionRequest;
use crate::failure::Failure;
use crate::plugins::context::Plugins;

/// Calls the validating webhooks that match a write. Of several rejections, the first one in
/// webhook order is returned.
pub(in super::super) async fn validate(
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
