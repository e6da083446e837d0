//! Webhook matching: whether a webhook is called for a write, and with which version of the kind.

use genclient::kube::core::GroupVersionKind;
use serde_json::Value;

use super::configured::ConfiguredWebhook;
use super::invocation::Invocation;
use super::{conditions, rules, selectors};
use crate::admission::AdmissionRequest;
use crate::conversion;
use crate::failure::Failure;
use crate::kinds::equivalents::{self, Equivalent};
use crate::plugins::context::Plugins;

impl Invocation {
    /// Returns the invocation of a webhook, or `None` if it does not match (`ShouldCallHook`).
    ///
    /// # Errors
    ///
    /// If the namespace of the object does not exist, or a match condition fails.
    pub(super) async fn of(
        plugins: Plugins<'_>,
        webhook: &ConfiguredWebhook,
        admission: &AdmissionRequest,
    ) -> Result<Option<Self>, Failure> {
        let selector = webhook.namespace_selector();
        let in_namespace = selectors::takes_namespace(plugins.state, selector, admission);
        if matches!(in_namespace, Ok(false)) {
            return Ok(None);
        }
        if !selectors::takes_object(webhook.object_selector(), admission) {
            return Ok(None);
        }
        let Some(invocation) = Self::by_rules(plugins, webhook, admission).await? else {
            return Ok(None);
        };
        in_namespace?;
        let is_taken = conditions::hold(plugins, webhook, &invocation, admission)?;
        Ok(is_taken.then_some(invocation))
    }

    async fn by_rules(
        plugins: Plugins<'_>,
        webhook: &ConfiguredWebhook,
        admission: &AdmissionRequest,
    ) -> Result<Option<Self>, Failure> {
        let mut rules = webhook.rules().iter();
        if rules.any(|rule| rules::matches(rule, admission, &admission.resource)) {
            return Ok(Some(Self {
                kind: admission.kind.clone(),
                resource: admission.resource.clone(),
                object: admission.object.clone(),
                old_object: admission.old_object.clone(),
            }));
        }
        if !webhook.matches_equivalents() {
            return Ok(None);
        }
        let equivalents = plugins.request.kind.equivalents(&admission.subresource);
        for rule in webhook.rules() {
            for equivalent in &equivalents {
                if rules::matches(rule, admission, &equivalent.resource) {
                    let invocation = Self::as_equivalent(plugins, admission, equivalent).await?;
                    return Ok(Some(invocation));
                }
            }
        }
        Ok(None)
    }

    /// Returns the invocation with the objects converted to an equivalent resource.
    async fn as_equivalent(
        plugins: Plugins<'_>,
        admission: &AdmissionRequest,
        equivalent: &Equivalent,
    ) -> Result<Self, Failure> {
        let Equivalent { resource, kind } = equivalent;
        let mut converted = [admission.object.clone(), admission.old_object.clone()];
        if *kind != admission.kind {
            for object in converted.iter_mut().flatten() {
                *object = convert(plugins, object.take(), kind).await?;
            }
        }
        let [object, old_object] = converted;
        Ok(Self {
            kind: kind.clone(),
            resource: resource.clone(),
            object,
            old_object,
        })
    }

    /// Converts the object that a webhook has patched back to the version of the request.
    pub(super) async fn back(
        &self,
        object: Value,
        plugins: Plugins<'_>,
        admission: &AdmissionRequest,
    ) -> Result<Value, Failure> {
        match self.kind == admission.kind {
            true => Ok(object),
            false => convert(plugins, object, &admission.kind).await,
        }
    }
}

/// Converts an object between the kind of the request and an equivalent one.
async fn convert(
    plugins: Plugins<'_>,
    object: Value,
    to: &GroupVersionKind,
) -> Result<Value, Failure> {
    let Some(custom) = plugins.request.kind.custom() else {
        return Ok(equivalents::converted(object, to));
    };
    let to = custom.versions.api_version(&to.version);
    let converted = conversion::convert(plugins.state, &custom.versions, object, &to).await;
    converted.map_err(Failure::internal)
}
