//! Webhook matching: rules, selectors and conditions that select writes for a webhook, and the
//! version in which the webhook gets the object.
//!
//! Source: k8s.io/apiserver/pkg/admission/plugin/webhook/predicates.

use genclient::kube::core::{GroupVersionKind, GroupVersionResource};
use genclient_apimachinery::labels::{is_empty_label_selector, label_selector_matches};
use serde_json::Value;

use super::conditions;
use super::configured::ConfiguredWebhook;
use super::review::Invocation;
use crate::admission::{AdmissionRequest, Operation};
use crate::conversion;
use crate::kinds::equivalents::{self, Equivalent};
use crate::plugins::context::Plugins;
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::store::Key;

impl Invocation {
    /// Returns the input for a call of a webhook, or `None` if the webhook does not match
    /// (`ShouldCallHook`).
    ///
    /// # Errors
    ///
    /// If the namespace of the object does not exist, the object cannot be converted, or a match
    /// condition cannot be evaluated.
    pub(super) async fn match_webhook(
        plugins: Plugins<'_>,
        webhook: &ConfiguredWebhook,
        admission: &AdmissionRequest,
    ) -> Result<Option<Self>, StatusError> {
        let selector = webhook.namespace_selector();
        let in_namespace = namespace_matches(plugins.state, selector, admission);
        if matches!(in_namespace, Ok(false)) {
            return Ok(None);
        }
        if !object_matches(webhook.object_selector(), admission) {
            return Ok(None);
        }
        let Some(invocation) = Self::match_rules(plugins, webhook, admission).await? else {
            return Ok(None);
        };
        // An error of the namespace counts only for webhooks whose other criteria match.
        in_namespace?;
        let conditions_hold =
            conditions::conditions_hold(plugins, webhook, &invocation, admission)?;
        Ok(conditions_hold.then_some(invocation))
    }

    async fn match_rules(
        plugins: Plugins<'_>,
        webhook: &ConfiguredWebhook,
        admission: &AdmissionRequest,
    ) -> Result<Option<Self>, StatusError> {
        let mut rules = webhook.rules().iter();
        if rules.any(|rule| matches_rule(rule, admission, &admission.resource)) {
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
                if matches_rule(rule, admission, &equivalent.resource) {
                    let invocation =
                        Self::convert_to_equivalent(plugins, admission, equivalent).await?;
                    return Ok(Some(invocation));
                }
            }
        }
        Ok(None)
    }

    /// Returns the input for an equivalent resource, with the new and the old object converted.
    async fn convert_to_equivalent(
        plugins: Plugins<'_>,
        admission: &AdmissionRequest,
        equivalent: &Equivalent,
    ) -> Result<Self, StatusError> {
        let Equivalent { resource, kind } = equivalent;
        let mut converted = [admission.object.clone(), admission.old_object.clone()];
        if *kind != admission.kind {
            for object in converted.iter_mut().flatten() {
                *object = convert_object(plugins, object.take(), kind).await?;
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

    /// Converts an object to the version of the request after a webhook has patched the object.
    pub(super) async fn convert_back(
        &self,
        object: Value,
        plugins: Plugins<'_>,
        admission: &AdmissionRequest,
    ) -> Result<Value, StatusError> {
        if self.kind == admission.kind {
            Ok(object)
        } else {
            convert_object(plugins, object, &admission.kind).await
        }
    }
}

/// Converts an object to an equivalent kind, or back to the kind of the request.
async fn convert_object(
    plugins: Plugins<'_>,
    object: Value,
    to: &GroupVersionKind,
) -> Result<Value, StatusError> {
    let Some(custom) = plugins.request.kind.custom() else {
        return Ok(equivalents::converted(object, to));
    };
    let to = custom.versions.api_version(&to.version);
    let converted = conversion::convert(plugins.state, &custom.versions, object, &to).await;
    converted.map_err(StatusError::internal)
}

/// Returns whether a rule matches a write. `resource` is the resource of the request or an
/// equivalent resource.
fn matches_rule(
    rule: &Value,
    admission: &AdmissionRequest,
    resource: &GroupVersionResource,
) -> bool {
    is_in_scope(rule, admission, resource)
        && contains_or_any(&rule["operations"], admission.operation.as_str())
        && contains_or_any(&rule["apiGroups"], &resource.group)
        && contains_or_any(&rule["apiVersions"], &resource.version)
        && rule_names_resource(rule, &resource.resource, &admission.subresource)
}

fn is_in_scope(
    rule: &Value,
    admission: &AdmissionRequest,
    resource: &GroupVersionResource,
) -> bool {
    // A Namespace is cluster-scoped, though its name is also in `admission.namespace` (`scope` of
    // predicates/rules/rules.go).
    let is_namespace =
        resource.group.is_empty() && resource.version == "v1" && resource.resource == "namespaces";
    let is_namespaced = !is_namespace && !admission.namespace.is_empty();
    match rule["scope"].as_str() {
        None | Some("*") => true,
        Some("Namespaced") => is_namespaced,
        Some("Cluster") => !is_namespaced,
        Some(_) => false,
    }
}

fn contains_or_any(items: &Value, wanted: &str) -> bool {
    str_items(items).any(|item| item == "*" || item == wanted)
}

/// Returns whether an entry in a rule's `resources` matches. Entries are, for example, `pods`,
/// `pods/status`, `*`, `*/scale`, `pods/*` or `*/*`.
fn rule_names_resource(rule: &Value, plural: &str, subresource: &str) -> bool {
    str_items(&rule["resources"]).any(|item| {
        let (resource, sub) = item.split_once('/').unwrap_or((item, ""));
        (resource == "*" || resource == plural) && (sub == "*" || sub == subresource)
    })
}

fn str_items(items: &Value) -> impl Iterator<Item = &str> {
    items
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// Returns whether a `namespaceSelector` matches the namespace of a write. In a write of a
/// Namespace, the selector applies to the Namespace itself. Other cluster-scoped objects match
/// every selector.
///
/// # Errors
///
/// If the namespace does not exist.
fn namespace_matches(
    state: &ServerState,
    selector: &Value,
    admission: &AdmissionRequest,
) -> Result<bool, StatusError> {
    let is_namespace = admission.resource.resource == "namespaces";
    if admission.namespace.is_empty() && !is_namespace || is_empty_label_selector(selector) {
        return Ok(true);
    }
    let is_written = is_namespace
        && admission.subresource.is_empty()
        && admission.operation != Operation::Delete;
    if is_written {
        return Ok(selects(selector, admission.object.as_ref()));
    }
    let name = &admission.namespace;
    let found = state.store.get(&state.namespaces, &Key::new("", name));
    match found {
        Some(namespace) => Ok(selects(selector, Some(&namespace.value()))),
        None => Err(StatusError::not_found("", "namespaces", name)),
    }
}

/// Returns whether an `objectSelector` matches the new or the old object.
fn object_matches(selector: &Value, admission: &AdmissionRequest) -> bool {
    let states = [&admission.object, &admission.old_object];
    let mut states = states.into_iter().flatten();
    is_empty_label_selector(selector) || states.any(|object| selects(selector, Some(object)))
}

/// Returns whether a `LabelSelector` matches the labels of an object.
fn selects(selector: &Value, object: Option<&Value>) -> bool {
    let labels = object.map_or(&Value::Null, |object| &object["metadata"]["labels"]);
    label_selector_matches(selector, labels).unwrap_or(false)
}
