//! Options for validating a CustomResourceDefinition. If the old definition fails a check, an
//! update skips the check.

use std::collections::BTreeSet;

use super::default_rules::DefaultRules;

/// Options of a validation (the API server's `validationOptions`).
#[derive(Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one of the API server's options"
)]
pub(super) struct Options<'r> {
    /// Evaluates rules on defaults.
    pub(super) rules: &'r dyn DefaultRules,
    /// Conversion webhooks must accept a known `ConversionReview` version
    /// (`requireRecognizedConversionReviewVersion`).
    pub(super) review_version: bool,
    /// Scope and kind must not change (`requireImmutableNames`).
    pub(super) immutable_names: bool,
    /// Every version must have a schema (`requireOpenAPISchema`).
    pub(super) schema: bool,
    /// Types in schemas must be known (`requireValidPropertyType`).
    pub(super) known_types: bool,
    /// Schemas must be structural (`requireStructuralSchema`).
    pub(super) structural: bool,
    /// Defaults must have declared fields only (`requirePrunedDefaults`).
    pub(super) pruned_defaults: bool,
    /// Items of sets must be atomic (`requireAtomicSetType`).
    pub(super) atomic_sets: bool,
    /// Items of sets and map lists must not be nullable; merge keys must not be nullable or
    /// optional (`requireMapListKeysMapSetValidation`).
    pub(super) map_keys: bool,
    /// Versions with an unchanged schema (`versionsWithUnchangedSchemas`).
    pub(super) unchanged: BTreeSet<String>,
    /// Single rules have no cost limit (`suppressPerExpressionCost`).
    pub(super) any_rule_cost: bool,
    /// `caBundle` may be invalid (`allowInvalidCABundle`).
    pub(super) any_bundle: bool,
    /// Versions without a limit on selectable fields (`allowTooManySelectableFields`). If the
    /// versions have equal selectable fields, the API server's internal type has them only once, at
    /// `spec.selectableFields`. The empty name is for these fields.
    pub(super) many_fields: BTreeSet<String>,
}

impl<'r> Options<'r> {
    pub(super) fn create(rules: &'r dyn DefaultRules) -> Self {
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
    pub(super) fn of_version(&self, version: &str) -> Self {
        let mut options = self.clone();
        options.any_rule_cost |= self.unchanged.contains(version);
        options
    }
}
