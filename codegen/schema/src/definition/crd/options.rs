//! Options for validating a CustomResourceDefinition. An update skips checks that the old
//! definition fails.

use std::collections::BTreeSet;

use super::default_rules::DefaultRules;

/// The API server's `validationOptions`. Each field names its equivalent there.
#[derive(Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one of the server's options"
)]
pub(super) struct Options<'r> {
    /// Evaluates rules on defaults.
    pub(super) rules: &'r dyn DefaultRules,
    /// `requireRecognizedConversionReviewVersion`
    pub(super) review_version: bool,
    /// `requireImmutableNames`
    pub(super) immutable_names: bool,
    /// `requireOpenAPISchema`
    pub(super) schema: bool,
    /// `requireValidPropertyType`
    pub(super) known_types: bool,
    /// `requireStructuralSchema`
    pub(super) structural: bool,
    /// `requirePrunedDefaults`
    pub(super) pruned_defaults: bool,
    /// `requireAtomicSetType`
    pub(super) atomic_sets: bool,
    /// `requireMapListKeysMapSetValidation`
    pub(super) map_keys: bool,
    /// `versionsWithUnchangedSchemas`
    pub(super) unchanged: BTreeSet<String>,
    /// `suppressPerExpressionCost`
    pub(super) any_rule_cost: bool,
    /// `allowInvalidCABundle`
    pub(super) any_bundle: bool,
    /// `allowTooManySelectableFields`: names of versions. The empty name stands for the fields that
    /// all versions share.
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

    /// Returns the options for a version. If its schema is unchanged, its rules have no cost limit.
    pub(super) fn of_version(&self, version: &str) -> Self {
        let mut options = self.clone();
        options.any_rule_cost |= self.unchanged.contains(version);
        options
    }
}
