//! MutatingWebhookConfigurations and ValidatingWebhookConfigurations
//! (pkg/apis/admissionregistration/validation).

use std::collections::HashSet;

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_field, list_or_empty, str_field};
use genclient_apimachinery::validation::{label_1035, subdomain};
use genclient_schema::definition::crd::validate_webhook_client;
use serde_json::{Value, json};

use crate::accessors::set_default;
use crate::admissionregistration::match_resources::{
    validate_match_conditions, validate_one_of, validate_rule,
};
use crate::admissionregistration::warn_static_suffix;
use crate::row::Row;
use crate::selectors;
use crate::strategy::{FinalizerRule, Strategy};
use crate::types::Object;
use crate::warnings::Warnings;

const VERSIONS: [&str; 2] = ["v1", "v1beta1"];

const NO_SIDE_EFFECTS: [&str; 2] = ["None", "NoneOnDryRun"];

/// Requirements to check. A new configuration must meet all of them. An update skips those that
/// the old configuration violates, and skips all match conditions if none has changed.
#[derive(Clone, Copy)]
struct Demands {
    no_side_effects: bool,
    known_version: bool,
    unique_names: bool,
    conditions: bool,
}

/// Strategy of webhook configurations
/// (pkg/registry/admissionregistration/validatingwebhookconfiguration and
/// mutatingwebhookconfiguration, strategy.go).
#[derive(Debug)]
pub(crate) struct WebhookConfigurationStrategy;

impl Strategy for WebhookConfigurationStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    /// Validates a new configuration (`ValidateValidatingWebhookConfiguration`,
    /// `ValidateMutatingWebhookConfiguration`).
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let demands = Demands {
            no_side_effects: true,
            known_version: true,
            unique_names: true,
            conditions: true,
        };
        validate_webhooks(object, demands, out);
    }

    /// Validates an update of a configuration (`ValidateValidatingWebhookConfigurationUpdate`,
    /// `ValidateMutatingWebhookConfigurationUpdate`).
    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        let before = list_field(old, "webhooks");
        let mut names = HashSet::new();
        let conditions = |object| {
            let webhooks = list_field(object, "webhooks").iter();
            webhooks
                .map(|webhook| &webhook["matchConditions"])
                .collect::<Vec<_>>()
        };
        let demands = Demands {
            no_side_effects: before
                .iter()
                .all(|it| NO_SIDE_EFFECTS.contains(&str_field(it, "sideEffects"))),
            known_version: before.iter().all(has_known_version),
            unique_names: before.iter().all(|it| names.insert(str_field(it, "name"))),
            conditions: conditions(new) != conditions(old),
        };
        validate_webhooks(new, demands, out);
    }

    fn warn_on_create(&self, object: &Value, out: &mut Warnings) {
        warn_static_suffix(object, out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let count = list_or_empty(&row.object["webhooks"]).len();
        Some(vec![row.name(), json!(count), row.age()])
    }
}

/// Sets the defaults of a webhook of either kind.
pub(crate) fn set_webhook_defaults(webhook: &mut Object) {
    set_default(webhook, "failurePolicy", "Fail");
    set_default(webhook, "matchPolicy", "Equivalent");
    set_default(webhook, "namespaceSelector", json!({}));
    set_default(webhook, "objectSelector", json!({}));
    set_default(webhook, "timeoutSeconds", 10);
}

/// Sets the defaults of a mutating webhook.
pub(crate) fn set_mutating_webhook_defaults(webhook: &mut Object) {
    set_webhook_defaults(webhook);
    set_default(webhook, "reinvocationPolicy", "Never");
}

/// Sets the defaults of a reference to a Service.
pub(crate) fn set_service_defaults(service: &mut Object) {
    set_default(service, "port", 443);
}

fn validate_webhooks(object: &Value, demands: Demands, out: &mut field::ErrorList) {
    let mut names = HashSet::new();
    for (at, it) in list_field(object, "webhooks").iter().enumerate() {
        let path = format!("webhooks[{at}]");
        validate_webhook(it, &path, demands, out);
        validate_review_versions(it, &format!("{path}.admissionReviewVersions"), demands, out);
        let name = str_field(it, "name");
        if demands.unique_names && !name.is_empty() && !names.insert(name) {
            out.push(field::Error::duplicate(
                format!("{path}.name"),
                &name.into(),
            ));
        }
    }
}

/// Validates a webhook of either kind (`validateValidatingWebhook`, `validateMutatingWebhook`).
fn validate_webhook(webhook: &Value, path: &str, demands: Demands, out: &mut field::ErrorList) {
    validate_qualified_name(str_field(webhook, "name"), &format!("{path}.name"), out);
    for (at, it) in list_field(webhook, "rules").iter().enumerate() {
        validate_rule(it, &format!("{path}.rules[{at}]"), out);
    }
    validate_one_of(webhook, "failurePolicy", path, &["Fail", "Ignore"], out);
    validate_one_of(webhook, "matchPolicy", path, &["Equivalent", "Exact"], out);
    let effects: &[&str] = if demands.no_side_effects {
        &NO_SIDE_EFFECTS
    } else {
        &["None", "NoneOnDryRun", "Some", "Unknown"]
    };
    if webhook["sideEffects"].is_null() {
        let detail = format!("must specify one of {}", effects.join(", "));
        out.push(field::Error::required(
            format!("{path}.sideEffects"),
            &detail,
        ));
    }
    validate_one_of(webhook, "sideEffects", path, effects, out);
    let timeout = &webhook["timeoutSeconds"];
    if timeout.as_i64().is_some_and(|it| !(1..=30).contains(&it)) {
        let detail = "the timeout value must be between 1 and 30 seconds";
        out.push(field::Error::invalid(
            format!("{path}.timeoutSeconds"),
            timeout,
            detail,
        ));
    }
    for field in ["namespaceSelector", "objectSelector"] {
        selectors::validate_selector(&webhook[field], &format!("{path}.{field}"), out);
    }
    validate_one_of(
        webhook,
        "reinvocationPolicy",
        path,
        &["IfNeeded", "Never"],
        out,
    );
    let client = &webhook["clientConfig"];
    out.extend(validate_webhook_client(
        client,
        &format!("{path}.clientConfig"),
    ));
    if demands.conditions {
        validate_match_conditions(webhook, &format!("{path}.matchConditions"), out);
    }
}

/// Checks that the name of a webhook is a domain with at least three segments
/// (`IsFullyQualifiedName`).
fn validate_qualified_name(name: &str, path: &str, out: &mut field::ErrorList) {
    if name.is_empty() {
        return out.push(field::Error::required(path, ""));
    }
    let errors = subdomain(name);
    if !errors.is_empty() {
        out.push(field::Error::invalid(path, &name.into(), &errors.join(",")));
    } else if name.split('.').count() < 3 {
        let detail = "should be a domain with at least three segments separated by dots";
        out.push(field::Error::invalid(path, &name.into(), detail));
    }
}

/// Validates `admissionReviewVersions` (`validateAdmissionReviewVersions`).
fn validate_review_versions(
    webhook: &Value,
    path: &str,
    demands: Demands,
    out: &mut field::ErrorList,
) {
    let found = list_field(webhook, "admissionReviewVersions");
    if found.is_empty() {
        let detail = format!("must specify one of {}", VERSIONS.join(", "));
        out.push(field::Error::required(path, &detail));
        return;
    }
    let mut seen = HashSet::new();
    for (at, item) in found.iter().enumerate() {
        let version = item.as_str().unwrap_or_default();
        let field = format!("{path}[{at}]");
        if !seen.insert(version) {
            out.push(field::Error::invalid(field, item, "duplicate version"));
            continue;
        }
        for error in label_1035(version) {
            out.push(field::Error::invalid(field.clone(), item, &error));
        }
    }
    if demands.known_version && !has_known_version(webhook) {
        let detail = format!("must include at least one of {}", VERSIONS.join(", "));
        let versions = &webhook["admissionReviewVersions"];
        out.push(field::Error::invalid(path, versions, &detail));
    }
}

fn has_known_version(webhook: &Value) -> bool {
    let mut found = list_field(webhook, "admissionReviewVersions").iter();
    found.any(|it| VERSIONS.iter().any(|known| it == known))
}
