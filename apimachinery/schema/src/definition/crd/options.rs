//! Options for validating a CustomResourceDefinition. If the old definition fails a check, an
//! update skips the check.

use std::collections::BTreeSet;

use genclient_apimachinery::field::Cause;
use serde_json::Value;

use crate::Schema;

/// Options of a validation (the API server's `validationOptions`).
#[derive(Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one of the API server's options"
)]
pub(super) struct Options<'r> {
    /// Evaluates rules on defaults.
    pub rules: &'r dyn DefaultRules,
    /// Conversion webhooks must accept a known `ConversionReview` version
    /// (`requireRecognizedConversionReviewVersion`).
    pub review_version: bool,
    /// Scope and kind must not change (`requireImmutableNames`).
    pub immutable_names: bool,
    /// Every version must have a schema (`requireOpenAPISchema`).
    pub schema: bool,
    /// Types in schemas must be known (`requireValidPropertyType`).
    pub known_types: bool,
    /// Schemas must be structural (`requireStructuralSchema`).
    pub structural: bool,
    /// Defaults must have declared fields only (`requirePrunedDefaults`).
    pub pruned_defaults: bool,
    /// Items of sets must be atomic (`requireAtomicSetType`).
    pub atomic_sets: bool,
    /// Items of sets and map lists must not be nullable; merge keys must not be nullable or
    /// optional (`requireMapListKeysMapSetValidation`).
    pub map_keys: bool,
    /// Versions with an unchanged schema (`versionsWithUnchangedSchemas`).
    pub unchanged: BTreeSet<String>,
    /// Single rules have no cost limit (`suppressPerExpressionCost`).
    pub any_rule_cost: bool,
    /// `caBundle` may be invalid (`allowInvalidCABundle`).
    pub any_bundle: bool,
    /// Versions without a limit on selectable fields (`allowTooManySelectableFields`). If the
    /// versions have equal selectable fields, the API server's internal type has them only once, at
    /// `spec.selectableFields`. The empty name is for these fields.
    pub many_fields: BTreeSet<String>,
}

impl<'r> Options<'r> {
    pub fn create(rules: &'r dyn DefaultRules) -> Self {
        Self {
            rules,
            review_version: true,
            immutable_names: false,
            schema: true,
            known_types: true,
            structural: true,
            pruned_defaults: true,
            atomic_sets: true,
            map_keys: true,
            unchanged: BTreeSet::new(),
            any_rule_cost: false,
            any_bundle: true,
            many_fields: BTreeSet::new(),
        }
    }

    /// Returns the options for a version. If its schema is unchanged, no single rule has a cost
    /// limit.
    pub fn of_version(&self, version: &str) -> Self {
        let mut options = self.clone();
        options.any_rule_cost |= self.unchanged.contains(version);
        options
    }
}

/// Evaluates CEL rules on defaults when a definition is created or updated.
pub trait DefaultRules {
    /// Returns the errors that the rules of the schema report for its default, which is at `path`.
    /// Called only if the default has no other errors. `is_resource` is true if the schema
    /// describes an object with metadata.
    fn causes(&self, schema: &Schema, default: &Value, is_resource: bool, path: &str)
    -> Vec<Cause>;
}
