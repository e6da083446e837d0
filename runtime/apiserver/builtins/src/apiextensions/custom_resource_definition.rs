//! CustomResourceDefinitions, whose rules are those of `genclient_schema`.

use genclient_apimachinery::field;
use genclient_schema::definition::crd;
use serde_json::Value;

use crate::strategy::{Creation, DeletionRule, Strategy};
use crate::warnings::Warnings;

/// Strategy of CustomResourceDefinitions (pkg/registry/customresourcedefinition, strategy.go, of
/// apiextensions-apiserver).
#[derive(Debug)]
pub(crate) struct CustomResourceDefinitionStrategy;

impl Strategy for CustomResourceDefinitionStrategy {
    fn convert(&self, definition: &mut Value) {
        crd::complete(definition);
    }

    /// The error about an empty list of versions differs from that about an absent list.
    fn kept_empty_lists(&self) -> &'static [&'static str] {
        &["spec.versions"]
    }

    fn resets_status(&self) -> bool {
        false
    }

    fn prepare_for_create(&self, definition: &mut Value, _creation: &mut Creation<'_>) {
        crd::prepare_create(definition);
    }

    fn prepare_for_update(&self, new: &mut Value, old: &Value) {
        crd::prepare_update(new, old);
    }

    fn deletion_rule(&self) -> DeletionRule {
        DeletionRule::CustomResourceDefinition
    }

    fn validates_metadata(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        out.extend(crd::validate_create(object, &crd::EvaluatedRules));
    }

    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        out.extend(crd::validate_update(new, old, &crd::EvaluatedRules));
    }

    fn validate_status_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        out.extend(crd::validate_status(new, old));
    }

    fn warn_unvalidated(&self, new: &Value, old: Option<&Value>, out: &mut Warnings) {
        out.extend(crd::format_warnings(new, old));
    }
}
