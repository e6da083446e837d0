//! ValidatingAdmissionPolicyBindings (pkg/apis/admissionregistration/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::str_or_empty;
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::admissionregistration::match_resources::validate_match_resources;
use crate::admissionregistration::warn_static_suffix;
use crate::cells::param_ref_cell;
use crate::field::ObjectField;
use crate::row::Row;
use crate::selectors;
use crate::strategy::{FinalizerRule, Strategy};
use crate::warnings::Warnings;

/// Strategy of ValidatingAdmissionPolicyBindings
/// (pkg/registry/admissionregistration/validatingadmissionpolicybinding, strategy.go).
#[derive(Debug)]
pub(crate) struct ValidatingAdmissionPolicyBindingStrategy;

impl Strategy for ValidatingAdmissionPolicyBindingStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    /// Validates the spec of a binding (`validateValidatingAdmissionPolicyBindingSpec`).
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let spec = ObjectField::spec(object);
        spec.at("policyName")
            .required_named(validation::subdomain, out);
        if spec.at("paramRef").is_set() {
            validate_param_ref(&spec.at("paramRef"), out);
        }
        if spec.at("matchResources").is_set() {
            validate_match_resources(&spec.at("matchResources"), out);
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

    fn warn_on_create(&self, object: &Value, out: &mut Warnings) {
        warn_static_suffix(object, out);
    }

    fn is_enforced(&self) -> bool {
        false
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let spec = row.spec();
        let policy = json!(str_or_empty(&spec["policyName"]));
        let parameter = json!(param_ref_cell(&spec["paramRef"]));
        Some(vec![row.name(), policy, parameter, row.age()])
    }
}

/// Validates the reference to parameters: by name or by selector (`validateParamRef`).
fn validate_param_ref(reference: &ObjectField<'_>, out: &mut field::ErrorList) {
    let (name, selector) = (reference.at("name"), reference.at("selector"));
    name.named_if_filled(validation::path_segment, out);
    selectors::validate_selector(selector.value, &selector.path, out);
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
