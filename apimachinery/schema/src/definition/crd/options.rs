//! Options for validating a CustomResourceDefinition. An update skips a check that the old
//! definition fails.

use std::collections::BTreeSet;

use genclient_apimachinery::field;
use serde_json::Value;

use crate::Schema;

/// Options of a validation, with the names that they have in the API server (`validationOptions`).
#[derive(Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one of the API server's options"
)]
pub(super) struct ValidationOptions<'r> {
    /// Evaluates rules on defaults.
    pub rules: &'r dyn DefaultRules,
    /// Conversion webhooks must accept a known `ConversionReview` version.
    pub require_recognized_conversion_review_version: bool,
    /// Scope and kind must not change.
    pub require_immutable_names: bool,
    /// Every version must have a schema.
    pub require_open_api_schema: bool,
    /// Types in schemas must be known.
    pub require_valid_property_type: bool,
    /// Schemas must be structural.
    pub require_structural_schema: bool,
    /// Defaults must have declared fields only.
    pub require_pruned_defaults: bool,
    /// Items of sets must be atomic.
    pub require_atomic_set_type: bool,
    /// Items of sets and map lists must not be nullable; merge keys must not be nullable or
    /// optional.
    pub require_map_list_keys_map_set_validation: bool,
    /// Versions with an unchanged schema.
    pub versions_with_unchanged_schemas: BTreeSet<String>,
    /// Single rules have no cost limit.
    pub suppress_per_expression_cost: bool,
    /// `caBundle` may be invalid.
    pub allow_invalid_ca_bundle: bool,
    /// Versions without a limit on selectable fields. If the versions have equal selectable fields,
    /// the API server's internal type has them only once, at `spec.selectableFields`. The empty
    /// name is for these fields.
    pub allow_too_many_selectable_fields: BTreeSet<String>,
}

impl<'r> ValidationOptions<'r> {
    pub fn create(rules: &'r dyn DefaultRules) -> Self {
        Self {
            rules,
            require_recognized_conversion_review_version: true,
            require_immutable_names: false,
            require_open_api_schema: true,
            require_valid_property_type: true,
            require_structural_schema: true,
            require_pruned_defaults: true,
            require_atomic_set_type: true,
            require_map_list_keys_map_set_validation: true,
            versions_with_unchanged_schemas: BTreeSet::new(),
            suppress_per_expression_cost: false,
            allow_invalid_ca_bundle: true,
            allow_too_many_selectable_fields: BTreeSet::new(),
        }
    }

    /// Returns the options for a version. If its schema is unchanged, no single rule has a cost
    /// limit.
    pub fn of_version(&self, version: &str) -> Self {
        let mut options = self.clone();
        options.suppress_per_expression_cost |=
            self.versions_with_unchanged_schemas.contains(version);
        options
    }
}

/// Evaluates CEL rules on defaults when a definition is created or updated.
pub trait DefaultRules {
    /// Returns the errors that the rules of the schema report for its default, which is at `path`.
    /// Called only if the default has no other errors. `is_resource` is true if the schema
    /// describes an object with metadata.
    fn validate_default(
        &self,
        schema: &Schema,
        default: &Value,
        is_resource: bool,
        path: &str,
    ) -> field::ErrorList;
}
