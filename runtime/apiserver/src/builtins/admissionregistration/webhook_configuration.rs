//! Validation of webhook configurations (pkg/apis/admissionregistration/validation).

use std::collections::HashSet;

use genclient_schema::Cause;
use genclient_schema::cel::evaluate::MatchCondition;
use genclient_schema::definition::crd::webhook_client_causes;
use genclient_schema::meta::names::{label_1035, subdomain};
use serde_json::Value;

use crate::builtins::findings::{Causes, items, text};
use crate::builtins::{names, selectors};

const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const VERSIONS: [&str; 2] = ["v1", "v1beta1"];
const NO_SIDE_EFFECTS: [&str; 2] = ["None", "NoneOnDryRun"];
const MAX_CONDITIONS: usize = 64;

/// Requirements to check. A new configuration must meet all of them. An update skips those that
/// the old configuration violates, and skips all match conditions if none has changed.
#[derive(Clone, Copy)]
struct Demands {
    no_side_effects: bool,
    known_version: bool,
    unique_names: bool,
    conditions: bool,
}

/// Validates a new configuration (`ValidateValidatingWebhookConfiguration`,
/// `ValidateMutatingWebhookConfiguration`).
pub(crate) fn configuration(object: &Value, out: &mut Causes) {
    let demands = Demands {
        no_side_effects: true,
        known_version: true,
        unique_names: true,
        conditions: true,
    };
    webhooks(object, demands, out);
}

/// Validates an update of a configuration (`ValidateValidatingWebhookConfigurationUpdate`,
/// `ValidateMutatingWebhookConfigurationUpdate`).
pub(crate) fn updated(new: &Value, old: &Value, out: &mut Causes) {
    let before = items(old, "webhooks");
    let mut names = HashSet::new();
    let conditions = |object| {
        let webhooks = items(object, "webhooks").iter();
        webhooks
            .map(|webhook| &webhook["matchConditions"])
            .collect::<Vec<_>>()
    };
    let demands = Demands {
        no_side_effects: before
            .iter()
            .all(|it| NO_SIDE_EFFECTS.contains(&text(it, "sideEffects"))),
        known_version: before.iter().all(has_known_version),
        unique_names: before.iter().all(|it| names.insert(text(it, "name"))),
        conditions: conditions(new) != conditions(old),
    };
    webhooks(new, demands, out);
}

fn webhooks(object: &Value, demands: Demands, out: &mut Causes) {
    let mut names = HashSet::new();
    for (at, it) in items(object, "webhooks").iter().enumerate() {
        let path = format!("webhooks[{at}]");
        webhook(it, &path, demands, out);
        review_versions(it, &format!("{path}.admissionReviewVersions"), demands, out);
        let name = text(it, "name");
        if demands.unique_names && !name.is_empty() && !names.insert(name) {
            out.push(Cause::duplicate(format!("{path}.name"), &name.into()));
        }
    }
}

fn webhook(webhook: &Value, path: &str, demands: Demands, out: &mut Causes) {
    qualified_name(text(webhook, "name"), &format!("{path}.name"), out);
    for (at, it) in items(webhook, "rules").iter().enumerate() {
        rule(it, &format!("{path}.rules[{at}]"), out);
    }
    known(webhook, "failurePolicy", path, &["Fail", "Ignore"], out);
    known(webhook, "matchPolicy", path, &["Equivalent", "Exact"], out);
    let effects: &[&str] = match demands.no_side_effects {
        true => &NO_SIDE_EFFECTS,
        false => &["None", "NoneOnDryRun", "Some", "Unknown"],
    };
    if webhook["sideEffects"].is_null() {
        let detail = format!("must specify one of {}", effects.join(", "));
        out.push(Cause::required(format!("{path}.sideEffects"), &detail));
    }
    known(webhook, "sideEffects", path, effects, out);
    let timeout = &webhook["timeoutSeconds"];
    if timeout.as_i64().is_some_and(|it| !(1..=30).contains(&it)) {
        let detail = "the timeout value must be between 1 and 30 seconds";
        out.push(Cause::invalid(
            format!("{path}.timeoutSeconds"),
            timeout,
            detail,
        ));
    }
    for field in ["namespaceSelector", "objectSelector"] {
        selectors::selector(&webhook[field], &format!("{path}.{field}"), out);
    }
    known(
        webhook,
        "reinvocationPolicy",
        path,
        &["IfNeeded", "Never"],
        out,
    );
    let client = &webhook["clientConfig"];
    out.extend(webhook_client_causes(
        client,
        &format!("{path}.clientConfig"),
    ));
    if demands.conditions {
        conditions(webhook, &format!("{path}.matchConditions"), out);
    }
}

/// Checks that the name of a webhook is a domain with at least three segments
/// (`IsFullyQualifiedName`).
fn qualified_name(name: &str, path: &str, out: &mut Causes) {
    if name.is_empty() {
        return out.push(Cause::required(path, ""));
    }
    let errors = subdomain(name);
    if !errors.is_empty() {
        out.push(Cause::invalid(path, &name.into(), &errors.join(",")));
    } else if name.split('.').count() < 3 {
        let detail = "should be a domain with at least three segments separated by dots";
        out.push(Cause::invalid(path, &name.into(), detail));
    }
}

/// Checks that a string is one of the known values. An absent string is accepted.
fn known(webhook: &Value, field: &str, path: &str, known: &[&str], out: &mut Causes) {
    let value = &webhook[field];
    if value.as_str().is_some_and(|it| !known.contains(&it)) {
        out.push(Cause::not_supported(
            format!("{path}.{field}"),
            value,
            known,
        ));
    }
}

/// Validates a rule: operations, groups, versions, resources and scope
/// (`validateRuleWithOperations`).
pub(crate) fn rule(rule: &Value, path: &str, out: &mut Causes) {
    let operations = format!("{path}.operations");
    list(rule, "operations", path, "operations", out);
    for (at, operation) in items(rule, "operations").iter().enumerate() {
        if !OPERATIONS.iter().any(|known| operation == known) {
            let field = format!("{operations}[{at}]");
            out.push(Cause::not_supported(field, operation, &OPERATIONS));
        }
    }
    list(rule, "apiGroups", path, "API groups", out);
    list(rule, "apiVersions", path, "API versions", out);
    for (at, version) in items(rule, "apiVersions").iter().enumerate() {
        if version == "" {
            out.push(Cause::required(format!("{path}.apiVersions[{at}]"), ""));
        }
    }
    resources(rule, &format!("{path}.resources"), out);
    known(rule, "scope", path, &["*", "Cluster", "Namespaced"], out);
}

/// Checks that a list is not empty, and has no other items if it contains `*`.
fn list(rule: &Value, field: &str, path: &str, what: &str, out: &mut Causes) {
    let found = items(rule, field);
    let path = format!("{path}.{field}");
    if found.is_empty() {
        out.push(Cause::required(path, ""));
    } else if found.len() > 1 && found.iter().any(|it| it == "*") {
        let detail = format!("if '*' is present, must not specify other {what}");
        out.push(Cause::invalid(path, &rule[field], &detail));
    }
}

/// Validates the resources of a rule (`validateResources`).
fn resources(rule: &Value, path: &str, out: &mut Causes) {
    let found = items(rule, "resources");
    if found.is_empty() {
        out.push(Cause::required(path, ""));
    }
    let (mut all_of_resource, mut of_all_resources) = (HashSet::new(), HashSet::new());
    let mut has_plain = false;
    for (at, item) in found.iter().enumerate() {
        let name = item.as_str().unwrap_or_default();
        let field = format!("{path}[{at}]");
        if name.is_empty() {
            out.push(Cause::required(field, ""));
            continue;
        }
        let Some((resource, subresource)) = name.split_once('/') else {
            has_plain = name != "*";
            continue;
        };
        if all_of_resource.contains(resource) {
            let detail = format!("if '{resource}/*' is present, must not specify {name}");
            out.push(Cause::invalid(field.clone(), item, &detail));
        }
        if of_all_resources.contains(subresource) {
            let detail = format!("if '*/{subresource}' is present, must not specify {name}");
            out.push(Cause::invalid(field, item, &detail));
        }
        if subresource == "*" {
            all_of_resource.insert(resource);
        }
        if resource == "*" {
            of_all_resources.insert(subresource);
        }
    }
    let has = |name: &str| found.iter().any(|it| it == name);
    if found.len() > 1 && has("*/*") {
        let detail = "if '*/*' is present, must not specify other resources";
        out.push(Cause::invalid(path, &rule["resources"], detail));
    }
    if has("*") && has_plain {
        let detail = "if '*' is present, must not specify other resources without subresources";
        out.push(Cause::invalid(path, &rule["resources"], detail));
    }
}

/// Validates `admissionReviewVersions` (`validateAdmissionReviewVersions`).
fn review_versions(webhook: &Value, path: &str, demands: Demands, out: &mut Causes) {
    let found = items(webhook, "admissionReviewVersions");
    if found.is_empty() {
        let detail = format!("must specify one of {}", VERSIONS.join(", "));
        out.push(Cause::required(path, &detail));
        return;
    }
    let mut seen = HashSet::new();
    for (at, item) in found.iter().enumerate() {
        let version = item.as_str().unwrap_or_default();
        let field = format!("{path}[{at}]");
        if !seen.insert(version) {
            out.push(Cause::invalid(field, item, "duplicate version"));
            continue;
        }
        for error in label_1035(version) {
            out.push(Cause::invalid(field.clone(), item, &error));
        }
    }
    if demands.known_version && !has_known_version(webhook) {
        let detail = format!("must include at least one of {}", VERSIONS.join(", "));
        let versions = &webhook["admissionReviewVersions"];
        out.push(Cause::invalid(path, versions, &detail));
    }
}

fn has_known_version(webhook: &Value) -> bool {
    let mut found = items(webhook, "admissionReviewVersions").iter();
    found.any(|it| VERSIONS.iter().any(|known| it == known))
}

/// Validates the match conditions of a webhook or a policy (`validateMatchConditions`).
pub(crate) fn conditions(webhook: &Value, path: &str, out: &mut Causes) {
    let found = items(webhook, "matchConditions");
    if found.len() > MAX_CONDITIONS {
        out.push(Cause::too_many(path, found.len(), MAX_CONDITIONS as u64));
    }
    let mut seen = HashSet::new();
    for (at, condition) in found.iter().enumerate() {
        let path = format!("{path}[{at}]");
        let field = format!("{path}.expression");
        let expression = text(condition, "expression").trim();
        if expression.is_empty() {
            out.push(Cause::required(field, ""));
        } else if let Err(error) = MatchCondition::compile(expression) {
            out.push(Cause::invalid(field, &expression.into(), &error));
        }
        let (name, field) = (text(condition, "name"), format!("{path}.name"));
        if name.is_empty() {
            out.push(Cause::required(field, ""));
            continue;
        }
        names::report(&field, name, names::qualified(name), out);
        if !seen.insert(name) {
            out.push(Cause::duplicate(field, &name.into()));
        }
    }
}
