//! Defaulting and validation of CustomResourceDefinitions, as in the API server.
//!
//! Follows `k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation`. Definitions have the
//! version `apiextensions.k8s.io/v1`, with defaults filled in by [`complete`]. Paths in causes
//! refer to the API server's internal type, in which a schema that all versions share is at
//! `spec.validation.openAPIV3Schema`. If the old definition fails a check, an update skips the
//! check.

mod approval;
mod cel;
mod columns;
mod conversion;
mod defaulting;
mod internal;
mod json_schema_props;
mod options;
mod schema;
mod strategy;
mod structural;
mod validation;

pub use self::approval::{
    APPROVAL, ApprovalState, approval_state, is_approved, is_protected_group,
};
pub use self::conversion::validate_webhook_client;
#[cfg(feature = "evaluate")]
pub use self::defaulting::EvaluatedRules;
pub use self::defaulting::Unevaluated;
pub use self::options::DefaultRules;
pub use self::strategy::{complete, format_warnings, prepare_create, prepare_update};

use std::collections::BTreeSet;

use genclient_apimachinery::field;
use genclient_apimachinery::go::{json, quoted};
use genclient_apimachinery::unstructured::{list_field, str_field};
use genclient_apimachinery::validation::NameRule;
use serde_json::Value;

use self::conversion::{has_known_version, is_valid_bundle};
use self::internal::{Spec, are_equal};
use self::json_schema_props::JsonSchemaProps;
use self::options::ValidationOptions;
use crate::meta::{self, Metadata};

/// Returns the API server's errors for the creation of a definition. Call [`complete`] and
/// [`prepare_create`] first.
pub fn validate_create(definition: &Value, rules: &dyn DefaultRules) -> field::ErrorList {
    let spec = Spec::from_definition(definition);
    let mut causes = validate_definition_name(definition, &spec);
    causes.extend(validation::validate_spec(
        &spec,
        &ValidationOptions::create(rules),
    ));
    causes.extend(validate_names_and_versions_of_status(definition, &spec));
    causes.extend(approval::validate_approval(definition, None));
    causes
}

/// Returns the API server's errors for an update of a definition. Call [`complete`] on both
/// definitions and [`prepare_update`] on the new one first.
pub fn validate_update(
    definition: &Value,
    old: &Value,
    rules: &dyn DefaultRules,
) -> field::ErrorList {
    let (spec, old_spec) = (
        Spec::from_definition(definition),
        Spec::from_definition(old),
    );
    let mut causes = validate_common_fields(definition, old);
    causes.extend(validate_metadata_update(definition, old));
    let options = update_options(&spec, &old_spec, old, rules);
    causes.extend(validation::validate_spec(&spec, &options));
    validate_immutable_fields(&spec, &old_spec, &options, &mut causes);
    causes.extend(validate_names_and_versions_of_status(definition, &spec));
    causes.extend(approval::validate_approval(definition, Some(old)));
    causes
}

/// Returns the API server's errors for a status update, which leaves the spec unchanged.
pub fn validate_status(definition: &Value, old: &Value) -> field::ErrorList {
    let status = definition.get("status").unwrap_or(&Value::Null);
    let accepted = status.get("acceptedNames").unwrap_or(&Value::Null);
    let mut causes = validate_common_fields(definition, old);
    causes.extend(validate_metadata_update(definition, old));
    causes.extend(validation::validate_names(accepted, "status.acceptedNames"));
    causes
}

/// Checks the metadata. `name` and `generateName` must be the plural and the group, with a dot.
fn validate_definition_name(definition: &Value, spec: &Spec<'_>) -> field::ErrorList {
    let metadata = Metadata::from_object(definition);
    let mut causes = meta::validate(metadata, false, NameRule::Subdomain, "metadata");
    let expected = format!("{}.{}", str_field(spec.names, "plural"), spec.group);
    for field in ["generateName", "name"] {
        let name = metadata.text(field);
        if !name.is_empty() && name != expected {
            causes.push(field::Error::invalid(
                format!("metadata.{field}"),
                &name.into(),
                "must be spec.names.plural+\".\"+spec.group",
            ));
        }
    }
    causes
}

fn validate_names_and_versions_of_status(definition: &Value, spec: &Spec<'_>) -> field::ErrorList {
    let status = definition.get("status").unwrap_or(&Value::Null);
    let accepted = status.get("acceptedNames").unwrap_or(&Value::Null);
    let mut causes = validation::validate_names(accepted, "status.acceptedNames");
    causes.extend(validate_stored_versions(status, spec));
    causes
}

/// Checks that `status.storedVersions` includes the storage version and names only versions of the
/// spec (`ValidateCustomResourceDefinitionStoredVersions`).
fn validate_stored_versions(status: &Value, spec: &Spec<'_>) -> field::ErrorList {
    const FIELD: &str = "status.storedVersions";
    let stored = status.get("storedVersions").unwrap_or(&Value::Null);
    let names: Vec<_> = stored.as_array().into_iter().flatten().collect();
    if names.is_empty() {
        let detail = "must have at least one stored version";
        return vec![field::Error::invalid(FIELD, stored, detail)];
    }
    let mut causes = Vec::new();
    for (at, version) in spec.versions.iter().enumerate() {
        // The API server collects the stored versions in a map, and each version of the spec
        // removes its name. If two versions have the same name, only the first finds it there.
        let mut before = spec.versions[..at].iter();
        let is_first = before.all(|other| other.name != version.name);
        let is_stored = is_first && names.contains(&&version.name.into());
        if version.storage && !is_stored {
            let detail = format!("must have the storage version {}", version.name);
            causes.push(field::Error::invalid(FIELD, stored, &detail));
        }
    }
    for (at, name) in names.iter().enumerate() {
        let is_known = spec.versions.iter().any(|version| **name == version.name);
        let is_repeated = names[at + 1..].contains(name);
        if is_known || is_repeated {
            continue;
        }
        let text = name.as_str().unwrap_or_default();
        let detail = format!(
            "missing from spec.versions; {text} was previously a storage version, and must remain \
             in spec.versions until a storage migration ensures no data remains persisted in \
             {text} and removes {text} from status.storedVersions"
        );
        causes.push(field::Error::invalid(
            format!("{FIELD}[{at}]"),
            name,
            &detail,
        ));
    }
    causes
}

/// Checks the metadata as for an update of any resource (`rest.validateCommonFields`).
fn validate_common_fields(definition: &Value, old: &Value) -> field::ErrorList {
    let rule = NameRule::PathSegment;
    let mut causes = meta::validate(Metadata::from_object(definition), false, rule, "metadata");
    causes.extend(validate_metadata_update(definition, old));
    causes
}

fn validate_metadata_update(definition: &Value, old: &Value) -> field::ErrorList {
    meta::validate_update(
        Metadata::from_object(definition),
        Metadata::from_object(old),
        "metadata",
    )
}

fn update_options<'r>(
    spec: &Spec<'_>,
    old_spec: &Spec<'_>,
    old: &Value,
    rules: &'r dyn DefaultRules,
) -> ValidationOptions<'r> {
    let has_unknown_type = |schema: JsonSchemaProps<'_>| {
        let type_ = schema.type_();
        !type_.is_empty() && !schema::TYPES.contains(&type_)
    };
    let is_structural = |schema: JsonSchemaProps<'_>| {
        structural::conversion_error(schema).is_none()
            && structural::validate_structural(schema, "").is_empty()
    };
    let reviews = old_spec
        .value
        .pointer("/conversion/webhook")
        .unwrap_or(&Value::Null);
    let reviews = list_field(reviews, "conversionReviewVersions");
    let has_schemas = old_spec.shared.open_api().is_some()
        || old_spec
            .versions
            .iter()
            .all(|it| it.parts.open_api().is_some());
    let unchanged = spec.versions.iter().filter(|version| {
        let old = old_spec.schema_of(version.name);
        let new = spec.schema_of(version.name);
        old.zip(new).is_some_and(|(old, new)| are_equal(old, new))
    });
    let is_established = is_established(old);
    let bundle = old_spec
        .value
        .pointer("/conversion/webhook/clientConfig/caBundle")
        .and_then(Value::as_str)
        .unwrap_or_default();
    ValidationOptions {
        rules,
        require_recognized_conversion_review_version: reviews.is_empty()
            || has_known_version(reviews),
        require_immutable_names: is_established,
        require_open_api_schema: has_schemas,
        require_valid_property_type: !old_spec.any_schema(has_unknown_type),
        require_structural_schema: old_spec.schemas().all(is_structural),
        require_pruned_defaults: !old_spec
            .schemas()
            .any(|schema| is_structural(schema) && defaulting::has_unknown_fields(schema)),
        require_atomic_set_type: !old_spec.any_schema(|it| schema::granular_items(it).is_some()),
        require_map_list_keys_map_set_validation: !old_spec
            .any_schema(|schema| !schema::validate_map_list_keys(schema, "").is_empty()),
        versions_with_unchanged_schemas: unchanged.map(|version| version.name.to_owned()).collect(),
        suppress_per_expression_cost: false,
        allow_invalid_ca_bundle: !is_established || !is_valid_bundle(bundle),
        allow_too_many_selectable_fields: versions_with_too_many_selectable_fields(spec, old_spec),
    }
}

/// Returns the versions whose selectable fields exceeded the limit before the update and are
/// unchanged. The empty name stands for the fields that all versions share.
fn versions_with_too_many_selectable_fields(
    spec: &Spec<'_>,
    old_spec: &Spec<'_>,
) -> BTreeSet<String> {
    let is_many = |fields: Option<&Value>| {
        let fields = fields.and_then(Value::as_array);
        fields.is_some_and(|fields| fields.len() > 8)
    };
    let shared = old_spec.shared.selectable;
    let is_shared = is_many(shared) && spec.shared.selectable == shared;
    let of_versions = spec.versions.iter().filter(|version| {
        let mut olds = old_spec.versions.iter();
        let old = olds.find(|old| old.name == version.name);
        let old = old.and_then(|old| old.parts.selectable);
        is_many(old) && version.parts.selectable == old
    });
    let names = of_versions.map(|version| version.name.to_owned());
    names.chain(is_shared.then(String::new)).collect()
}

fn is_established(definition: &Value) -> bool {
    let status = definition.get("status").unwrap_or(&Value::Null);
    let mut conditions = list_field(status, "conditions").iter();
    let established = conditions.find(|condition| str_field(condition, "type") == "Established");
    established.is_some_and(|condition| str_field(condition, "status") == "True")
}

fn validate_immutable_fields(
    spec: &Spec<'_>,
    old: &Spec<'_>,
    options: &ValidationOptions<'_>,
    causes: &mut field::ErrorList,
) {
    let mut check = |field: &str, new: &str, old: &str, printed: String| {
        if new != old {
            causes.push(field::Error::invalid_text(
                field,
                &printed,
                "field is immutable",
            ));
        }
    };
    let (names, old_names) = (spec.names, old.names);
    let name = |names, field| str_field(names, field);
    if options.require_immutable_names {
        check(
            "spec.scope",
            spec.scope,
            old.scope,
            json(&spec.scope.into()),
        );
        let (new, old) = (name(names, "kind"), name(old_names, "kind"));
        check("spec.names.kind", new, old, quoted(new));
    }
    check("spec.group", spec.group, old.group, quoted(spec.group));
    let (new, old) = (name(names, "plural"), name(old_names, "plural"));
    check("spec.names.plural", new, old, quoted(new));
}
