//! Validation of ValidatingAdmissionPolicies and their bindings
//! (pkg/apis/admissionregistration/validation). Of the CEL expressions, only those of
//! `matchConditions` and some of `validations` are compiled.

use genclient_schema::cel::evaluate::MatchCondition;
use serde_json::Value;

use crate::builtins::admissionregistration::webhook_configuration;
use crate::builtins::field::ObjectField;
use crate::builtins::findings::Causes;
use crate::builtins::{names, selectors};

const REASONS: [&str; 3] = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

/// Validates the spec of a policy (`validateValidatingAdmissionPolicySpec`).
pub(crate) fn policy(object: &Value, out: &mut Causes) {
    let spec = ObjectField::spec(object);
    spec.at("failurePolicy")
        .required_one_of(&["Fail", "Ignore"], "", out);
    let parameters = spec.at("paramKind");
    for field in [parameters.at("apiVersion"), parameters.at("kind")] {
        if parameters.is_set() && !field.is_filled() {
            field.required("", out);
        }
    }
    let matched = spec.at("matchConstraints");
    match matched.is_set() {
        true => {
            resources(&matched, out);
            if matched.at("resourceRules").has_none() {
                matched.at("resourceRules").required("", out);
            }
        }
        false => matched.required("", out),
    }
    webhook_configuration::conditions(spec.value, "spec.matchConditions", out);
    for variable in spec.at("variables").items() {
        let name = variable.at("name");
        if name.text().trim().is_empty() {
            name.required("name is not specified", out);
        } else if !is_identifier(name.text()) {
            name.invalid("must be a valid CEL identifier", out);
        }
        expression(
            &variable.at("expression"),
            "expression is not specified",
            out,
        );
    }
    let (validations, annotations) = (spec.at("validations"), spec.at("auditAnnotations"));
    if validations.has_none() && annotations.has_none() {
        for list in [&validations, &annotations] {
            let detail = "validations or auditAnnotations must contain at least one item";
            list.required(detail, out);
        }
    }
    let is_alone = !parameters.is_set() && spec.at("variables").has_none();
    for validation in validations.items() {
        one_validation(&validation, is_alone, out);
    }
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    audit_annotations(name, &annotations, out);
}

fn expression(expression: &ObjectField<'_>, detail: &str, out: &mut Causes) {
    if expression.text().trim().is_empty() {
        expression.required(detail, out);
    }
}

fn is_identifier(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(inner) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Validates one item of `validations`. Its expression is compiled only if it does not use
/// `namespaceObject`, and if the policy has neither parameters nor variables (`is_alone`).
fn one_validation(validation: &ObjectField<'_>, is_alone: bool, out: &mut Causes) {
    let rule = validation.at("expression");
    expression(&rule, "expression is not specified", out);
    let is_compiled = is_alone && !rule.text().trim().is_empty();
    if is_compiled
        && !rule.text().contains("namespaceObject")
        && let Err(error) = MatchCondition::compile(rule.text())
    {
        rule.invalid(&error, out);
    }
    let (message, computed) = (validation.at("message"), validation.at("messageExpression"));
    for text in [&computed, &message] {
        if text.is_filled() && text.text().trim().is_empty() {
            text.invalid("must be non-empty if specified", out);
        }
    }
    if message.text().trim().contains(['\n', '\r']) {
        message.invalid("must not contain line breaks", out);
    }
    validation.at("reason").supported_if_set(&REASONS, out);
}

fn audit_annotations(policy: &str, annotations: &ObjectField<'_>, out: &mut Causes) {
    let annotations = annotations.items();
    for (at, annotation) in annotations.iter().enumerate() {
        let key = annotation.at("key");
        let full = format!("{policy}/{}", key.text());
        names::report(&key.path, &full, names::qualified(&full), out);
        let value = annotation.at("valueExpression");
        expression(&value, "valueExpression is not specified", out);
        if annotations[..at]
            .iter()
            .any(|before| before.at("key").text() == key.text())
        {
            key.duplicate(out);
        }
    }
}

/// Validates the resources that a policy or a binding matches (`validateMatchResources`).
fn resources(matched: &ObjectField<'_>, out: &mut Causes) {
    matched
        .at("matchPolicy")
        .required_one_of(&["Equivalent", "Exact"], "", out);
    for selector in [
        matched.at("namespaceSelector"),
        matched.at("objectSelector"),
    ] {
        match selector.is_set() {
            true => selectors::selector(selector.value, &selector.path, out),
            false => selector.required("", out),
        }
    }
    for list in ["resourceRules", "excludeResourceRules"] {
        for rule in matched.at(list).items() {
            let named = rule.at("resourceNames").items();
            for (at, name) in named.iter().enumerate() {
                name.named(names::path_segment, out);
                if named[..at].iter().any(|before| before.value == name.value) {
                    name.duplicate(out);
                }
            }
            webhook_configuration::rule(rule.value, &rule.path, out);
        }
    }
}

/// Validates the spec of a binding (`validateValidatingAdmissionPolicyBindingSpec`).
pub(crate) fn binding(object: &Value, out: &mut Causes) {
    let spec = ObjectField::spec(object);
    spec.at("policyName").required_named(names::subdomain, out);
    if spec.at("paramRef").is_set() {
        parameter(&spec.at("paramRef"), out);
    }
    if spec.at("matchResources").is_set() {
        resources(&spec.at("matchResources"), out);
    }
    let field = spec.at("validationActions");
    let actions = field.items();
    for (at, action) in actions.iter().enumerate() {
        action.supported(&["Audit", "Deny", "Warn"], out);
        if actions[..at]
            .iter()
            .any(|before| before.value == action.value)
        {
            action.duplicate(out);
        }
    }
    let has = |name: &str| actions.iter().any(|action| action.text() == name);
    if has("Deny") && has("Warn") {
        let detail = "must not contain both Deny and Warn (repeating the same validation failure \
             information in the API response and headers serves no purpose)";
        field.invalid(detail, out);
    }
    if actions.is_empty() {
        field.required("at least one validation action is required", out);
    }
}

fn parameter(reference: &ObjectField<'_>, out: &mut Causes) {
    let (name, selector) = (reference.at("name"), reference.at("selector"));
    name.named_if_filled(names::path_segment, out);
    selectors::selector(selector.value, &selector.path, out);
    match (name.is_filled(), selector.is_set()) {
        (true, true) => {
            for field in [&name, &selector] {
                field.forbidden("name and selector are mutually exclusive", out);
            }
        }
        (false, false) => {
            reference.required("one of name or selector must be specified", out);
        }
        _ => {}
    }
    let action = reference.at("parameterNotFoundAction");
    action.required_one_of(&["Deny", "Allow"], "", out);
}
