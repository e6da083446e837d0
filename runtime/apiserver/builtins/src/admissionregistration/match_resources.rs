//! Matching of requests, which webhook configurations and admission policies share
//! (pkg/apis/admissionregistration/validation).

use std::collections::HashSet;

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_field, str_field};
use genclient_apimachinery::validation;
use genclient_cel::evaluate::MatchCondition;
use serde_json::{Value, json};

use crate::accessors::set_default;
use crate::field::ObjectField;
use crate::types::Object;
use crate::{names, selectors};

const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

const MAX_CONDITIONS: usize = 64;

/// Validates the resources that a policy or a binding matches (`validateMatchResources`).
pub(crate) fn validate_match_resources(matched: &ObjectField<'_>, out: &mut field::ErrorList) {
    matched
        .at("matchPolicy")
        .required_one_of(&["Equivalent", "Exact"], "", out);
    for selector in [
        matched.at("namespaceSelector"),
        matched.at("objectSelector"),
    ] {
        if selector.is_set() {
            selectors::validate_selector(selector.value, &selector.path, out);
        } else {
            selector.required("", out);
        }
    }
    for list in ["resourceRules", "excludeResourceRules"] {
        for rule in matched.at(list).items() {
            let named = rule.at("resourceNames").items();
            for (at, name) in named.iter().enumerate() {
                name.named(validation::path_segment, out);
                if named[..at].iter().any(|before| before.value == name.value) {
                    name.duplicate(out);
                }
            }
            validate_rule(rule.value, &rule.path, out);
        }
    }
}

/// Validates a rule: operations, groups, versions, resources and scope
/// (`validateRuleWithOperations`).
pub(crate) fn validate_rule(rule: &Value, path: &str, out: &mut field::ErrorList) {
    let operations = format!("{path}.operations");
    validate_wildcard_list(rule, "operations", path, "operations", out);
    for (at, operation) in list_field(rule, "operations").iter().enumerate() {
        if !OPERATIONS.iter().any(|known| operation == known) {
            let field = format!("{operations}[{at}]");
            out.push(field::Error::not_supported(field, operation, &OPERATIONS));
        }
    }
    validate_wildcard_list(rule, "apiGroups", path, "API groups", out);
    validate_wildcard_list(rule, "apiVersions", path, "API versions", out);
    for (at, version) in list_field(rule, "apiVersions").iter().enumerate() {
        if version == "" {
            out.push(field::Error::required(
                format!("{path}.apiVersions[{at}]"),
                "",
            ));
        }
    }
    validate_resources(rule, &format!("{path}.resources"), out);
    validate_one_of(rule, "scope", path, &["*", "Cluster", "Namespaced"], out);
}

/// Checks that a list is not empty, and has no other items if it contains `*`.
fn validate_wildcard_list(
    rule: &Value,
    field: &str,
    path: &str,
    what: &str,
    out: &mut field::ErrorList,
) {
    let found = list_field(rule, field);
    let path = format!("{path}.{field}");
    if found.is_empty() {
        out.push(field::Error::required(path, ""));
    } else if found.len() > 1 && found.iter().any(|it| it == "*") {
        let detail = format!("if '*' is present, must not specify other {what}");
        out.push(field::Error::invalid(path, &rule[field], &detail));
    }
}

/// Validates the resources of a rule (`validateResources`). A resource must not be covered by a
/// wildcard before it; one after it is not noticed.
fn validate_resources(rule: &Value, path: &str, out: &mut field::ErrorList) {
    let found = list_field(rule, "resources");
    if found.is_empty() {
        out.push(field::Error::required(path, ""));
    }
    // Resources with all subresources (`x/*`), and subresources of all resources (`*/x`).
    let mut wildcard_subresources_of = HashSet::new();
    let mut wildcard_resource_with = HashSet::new();
    let mut has_plain = false;
    for (at, item) in found.iter().enumerate() {
        let name = item.as_str().unwrap_or_default();
        let field = format!("{path}[{at}]");
        if name.is_empty() {
            out.push(field::Error::required(field, ""));
            continue;
        }
        let Some((resource, subresource)) = name.split_once('/') else {
            // Go assigns, too, instead of `has_plain |= …`: only the last resource without a
            // subresource counts (`validateResources`).
            has_plain = name != "*";
            continue;
        };
        if wildcard_subresources_of.contains(resource) {
            let detail = format!("if '{resource}/*' is present, must not specify {name}");
            out.push(field::Error::invalid(field.clone(), item, &detail));
        }
        if wildcard_resource_with.contains(subresource) {
            let detail = format!("if '*/{subresource}' is present, must not specify {name}");
            out.push(field::Error::invalid(field, item, &detail));
        }
        if subresource == "*" {
            wildcard_subresources_of.insert(resource);
        }
        if resource == "*" {
            wildcard_resource_with.insert(subresource);
        }
    }
    let has = |name: &str| found.iter().any(|it| it == name);
    if found.len() > 1 && has("*/*") {
        let detail = "if '*/*' is present, must not specify other resources";
        out.push(field::Error::invalid(path, &rule["resources"], detail));
    }
    if has("*") && has_plain {
        let detail = "if '*' is present, must not specify other resources without subresources";
        out.push(field::Error::invalid(path, &rule["resources"], detail));
    }
}

/// Validates the match conditions of a webhook or a policy (`validateMatchConditions`).
pub(crate) fn validate_match_conditions(webhook: &Value, path: &str, out: &mut field::ErrorList) {
    let found = list_field(webhook, "matchConditions");
    if found.len() > MAX_CONDITIONS {
        out.push(field::Error::too_many(
            path,
            found.len(),
            MAX_CONDITIONS as u64,
        ));
    }
    let mut seen = HashSet::new();
    for (at, condition) in found.iter().enumerate() {
        let path = format!("{path}[{at}]");
        let field = format!("{path}.expression");
        let expression = str_field(condition, "expression").trim();
        if expression.is_empty() {
            out.push(field::Error::required(field, ""));
        } else if let Err(error) = MatchCondition::compile(expression) {
            out.push(field::Error::invalid(field, &expression.into(), &error));
        }
        let (name, field) = (str_field(condition, "name"), format!("{path}.name"));
        if name.is_empty() {
            out.push(field::Error::required(field, ""));
            continue;
        }
        names::report_name_errors(&field, name, validation::label_key(name), out);
        if !seen.insert(name) {
            out.push(field::Error::duplicate(field, &name.into()));
        }
    }
}

/// Sets the defaults of the resources that a policy or a binding matches.
pub(crate) fn set_defaults(resources: &mut Object) {
    set_default(resources, "matchPolicy", "Equivalent");
    set_default(resources, "namespaceSelector", json!({}));
    set_default(resources, "objectSelector", json!({}));
}

/// Sets the defaults of a rule.
pub(crate) fn set_rule_defaults(rule: &mut Object) {
    set_default(rule, "scope", "*");
}

/// Checks that a string is one of the known values. An absent string is accepted.
pub(crate) fn validate_one_of(
    webhook: &Value,
    field: &str,
    path: &str,
    known: &[&str],
    out: &mut field::ErrorList,
) {
    let value = &webhook[field];
    if value.as_str().is_some_and(|it| !known.contains(&it)) {
        out.push(field::Error::not_supported(
            format!("{path}.{field}"),
            value,
            known,
        ));
    }
}
