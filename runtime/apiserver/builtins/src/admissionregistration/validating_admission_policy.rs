//! ValidatingAdmissionPolicies (pkg/apis/admissionregistration/validation). Of the CEL expressions,
//! only those of `matchConditions` and some of `validations` are compiled.

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::list_or_empty;
use genclient_apimachinery::validation;
use genclient_cel::evaluate::MatchCondition;
use serde_json::{Value, json};

use crate::accessors::set_default;
use crate::admissionregistration::match_resources::{
    validate_match_conditions, validate_match_resources,
};
use crate::admissionregistration::warn_static_suffix;
use crate::cells::param_kind_cell;
use crate::field::ObjectField;
use crate::names;
use crate::row::Row;
use crate::strategy::{FinalizerRule, Strategy};
use crate::types::Object;
use crate::warnings::Warnings;

const REASONS: [&str; 3] = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

/// Strategy of ValidatingAdmissionPolicies
/// (pkg/registry/admissionregistration/validatingadmissionpolicy, strategy.go).
#[derive(Debug)]
pub(crate) struct ValidatingAdmissionPolicyStrategy;

impl Strategy for ValidatingAdmissionPolicyStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    /// Validates the spec of a policy (`validateValidatingAdmissionPolicySpec`).
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
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
        if matched.is_set() {
            validate_match_resources(&matched, out);
            if matched.at("resourceRules").has_none() {
                matched.at("resourceRules").required("", out);
            }
        } else {
            matched.required("", out);
        }
        validate_match_conditions(spec.value, "spec.matchConditions", out);
        for variable in spec.at("variables").items() {
            let name = variable.at("name");
            if name.text().trim().is_empty() {
                name.required("name is not specified", out);
            } else if !is_identifier(name.text()) {
                name.invalid("must be a valid CEL identifier", out);
            }
            validate_expression(
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
            validate_validation(&validation, is_alone, out);
        }
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        validate_audit_annotations(name, &annotations, out);
    }

    fn warn_on_create(&self, object: &Value, out: &mut Warnings) {
        warn_static_suffix(object, out);
    }

    fn is_enforced(&self) -> bool {
        false
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let spec = row.spec();
        let count = list_or_empty(&spec["validations"]).len();
        Some(vec![
            row.name(),
            json!(count),
            param_kind_cell(spec),
            row.age(),
        ])
    }
}

/// Sets the defaults of the spec.
pub(crate) fn set_spec_defaults(spec: &mut Object) {
    set_default(spec, "failurePolicy", "Fail");
}

fn validate_expression(expression: &ObjectField<'_>, detail: &str, out: &mut field::ErrorList) {
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
fn validate_validation(validation: &ObjectField<'_>, is_alone: bool, out: &mut field::ErrorList) {
    let rule = validation.at("expression");
    validate_expression(&rule, "expression is not specified", out);
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

/// Validates the audit annotations. The key of each, with the name of the policy, must be a
/// qualified name.
fn validate_audit_annotations(
    policy: &str,
    annotations: &ObjectField<'_>,
    out: &mut field::ErrorList,
) {
    let annotations = annotations.items();
    for (at, annotation) in annotations.iter().enumerate() {
        let key = annotation.at("key");
        let full = format!("{policy}/{}", key.text());
        names::report_name_errors(&key.path, &full, validation::label_key(&full), out);
        let value = annotation.at("valueExpression");
        validate_expression(&value, "valueExpression is not specified", out);
        if annotations[..at]
            .iter()
            .any(|before| before.at("key").text() == key.text())
        {
            key.duplicate(out);
        }
    }
}
