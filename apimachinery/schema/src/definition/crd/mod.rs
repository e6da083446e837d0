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
pub use self::conversion::webhook_client_causes;
#[cfg(feature = "evaluate")]
pub use self::defaulting::EvaluatedRules;
pub use self::defaulting::Unevaluated;
pub use self::options::DefaultRules;
pub use self::strategy::{complete, format_warnings, prepare_create, prepare_update};

use std::collections::BTreeSet;

use genclient_apimachinery::field::Cause;
use genclient_apimachinery::go::{json, quoted};
use genclient_apimachinery::validation::NameRule;
use serde_json::Value;

use self::conversion::{has_known_version, is_valid_bundle};
use self::internal::{Spec, are_equal, list, text};
use self::json_schema_props::Props;
use self::options::Options;
use crate::meta::{self, Metadata};

/// Returns the API server's errors for the creation of a definition. Call [`complete`] and
/// [`prepare_create`] first.
pub fn validate_create(definition: &Value, rules: &dyn DefaultRules) -> Vec<Cause> {
    let spec = Spec::of(definition);
    let mut causes = name_causes(definition, &spec);
    causes.extend(validation::validate_spec(&spec, &Options::create(rules)));
    causes.extend(status_causes(definition, &spec));
    causes.extend(approval::causes(definition, None));
    causes
}

/// Returns the API server's errors for an update of a definition. Call [`complete`] on both
/// definitions and [`prepare_update`] on the new one first.
pub fn validate_update(definition: &Value, old: &Value, rules: &dyn DefaultRules) -> Vec<Cause> {
    let (spec, old_spec) = (Spec::of(definition), Spec::of(old));
    let mut causes = common_causes(definition, old);
    causes.extend(metadata_causes(definition, old));
    let options = options(&spec, &old_spec, old, rules);
    causes.extend(validation::validate_spec(&spec, &options));
    immutable(&spec, &old_spec, &options, &mut causes);
    causes.extend(status_causes(definition, &spec));
    causes.extend(approval::causes(definition, Some(old)));
    causes
}

/// Returns the API server's errors for a status update, which leaves the spec unchanged.
pub fn validate_status(definition: &Value, old: &Value) -> Vec<Cause> {
    let status = definition.get("status").unwrap_or(&Value::Null);
    let accepted = status.get("acceptedNames").unwrap_or(&Value::Null);
    let mut causes = common_causes(definition, old);
    causes.extend(metadata_causes(definition, old));
    causes.extend(validation::validate_names(accepted, "status.acceptedNames"));
    causes
}

/// Checks the metadata. `name` and `generateName` must be the plural and the group, with a dot.
fn name_causes(definition: &Value, spec: &Spec<'_>) -> Vec<Cause> {
    let metadata = Metadata::of(definition);
    let mut causes = meta::validate(metadata, false, NameRule::Subdomain, "metadata");
    let expected = format!("{}.{}", text(spec.names, "plural"), spec.group);
    for field in ["generateName", "name"] {
        let name = metadata.text(field);
        if !name.is_empty() && name != expected {
            causes.push(Cause::invalid(
                format!("metadata.{field}"),
                &name.into(),
                "must be spec.names.plural+\".\"+spec.group",
            ));
        }
    }
    causes
}

fn status_causes(definition: &Value, spec: &Spec<'_>) -> Vec<Cause> {
    let status = definition.get("status").unwrap_or(&Value::Null);
    let accepted = status.get("acceptedNames").unwrap_or(&Value::Null);
    let mut causes = validation::validate_names(accepted, "status.acceptedNames");
    causes.extend(stored_version_causes(status, spec));
    causes
}

/// Checks that `status.storedVersions` includes the storage version and names only versions of the
/// spec (`ValidateCustomResourceDefinitionStoredVersions`).
fn stored_version_causes(status: &Value, spec: &Spec<'_>) -> Vec<Cause> {
    const FIELD: &str = "status.storedVersions";
    let stored = status.get("storedVersions").unwrap_or(&Value::Null);
    let names: Vec<_> = stored.as_array().into_iter().flatten().collect();
    if names.is_empty() {
        let detail = "must have at least one stored version";
        return vec![Cause::invalid(FIELD, stored, detail)];
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
            causes.push(Cause::invalid(FIELD, stored, &detail));
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
        causes.push(Cause::invalid(format!("{FIELD}[{at}]"), name, &detail));
    }
    causes
}

/// Checks the metadata as for an update of any resource (`rest.validateCommonFields`).
fn common_causes(definition: &Value, old: &Value) -> Vec<Cause> {
    let rule = NameRule::PathSegment;
    let mut causes = meta::validate(Metadata::of(definition), false, rule, "metadata");
    causes.extend(metadata_causes(definition, old));
    causes
}

fn metadata_causes(definition: &Value, old: &Value) -> Vec<Cause> {
    meta::validate_update(Metadata::of(definition), Metadata::of(old), "metadata")
}

fn options<'r>(
    spec: &Spec<'_>,
    old_spec: &Spec<'_>,
    old: &Value,
    rules: &'r dyn DefaultRules,
) -> Options<'r> {
    let known = ["array", "boolean", "integer", "number", "object", "string"];
    let has_unknown_type = |schema: Props<'_>| {
        let type_ = schema.type_();
        !type_.is_empty() && !known.contains(&type_)
    };
    let is_structural = |schema: Props<'_>| {
        structural::conversion_error(schema).is_none() && structural::causes(schema, "").is_empty()
    };
    let reviews = old_spec
        .value
        .pointer("/conversion/webhook")
        .unwrap_or(&Value::Null);
    let reviews = list(reviews, "conversionReviewVersions");
    let has_schemas = old_spec.common.open_api().is_some()
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
        .pointer("/conversion/webhook/clientConfig/caBundle");
    let bundle = bundle.and_then(Value::as_str).unwrap_or_default();
    Options {
        rules,
        review_version: reviews.is_empty() || has_known_version(reviews),
        immutable_names: is_established,
        schema: has_schemas,
        known_types: !old_spec.any_schema(has_unknown_type),
        structural: old_spec.schemas().all(is_structural),
        pruned_defaults: !old_spec
            .schemas()
            .any(|schema| is_structural(schema) && defaulting::has_unknown_fields(schema)),
        atomic_sets: !old_spec.any_schema(|it| schema::granular_items(it).is_some()),
        map_keys: !old_spec.any_schema(|schema| !schema::key_causes(schema, "").is_empty()),
        unchanged: unchanged.map(|version| version.name.to_owned()).collect(),
        any_rule_cost: false,
        any_bundle: !is_established || !is_valid_bundle(bundle),
        many_fields: many_fields(spec, old_spec),
    }
}

/// Returns the versions whose selectable fields exceeded the limit before the update and are
/// unchanged. The empty name stands for the fields that all versions share.
fn many_fields(spec: &Spec<'_>, old_spec: &Spec<'_>) -> BTreeSet<String> {
    let is_many = |fields: Option<&Value>| {
        let fields = fields.and_then(Value::as_array);
        fields.is_some_and(|fields| fields.len() > 8)
    };
    let common = old_spec.common.selectable;
    let is_common = is_many(common) && spec.common.selectable == common;
    let of_versions = spec.versions.iter().filter(|version| {
        let mut olds = old_spec.versions.iter();
        let old = olds.find(|old| old.name == version.name);
        let old = old.and_then(|old| old.parts.selectable);
        is_many(old) && version.parts.selectable == old
    });
    let names = of_versions.map(|version| version.name.to_owned());
    names.chain(is_common.then(String::new)).collect()
}

fn is_established(definition: &Value) -> bool {
    let status = definition.get("status").unwrap_or(&Value::Null);
    let mut conditions = list(status, "conditions").iter();
    let established = conditions.find(|condition| text(condition, "type") == "Established");
    established.is_some_and(|condition| text(condition, "status") == "True")
}

fn immutable(spec: &Spec<'_>, old: &Spec<'_>, options: &Options<'_>, causes: &mut Vec<Cause>) {
    let mut check = |field: &str, new: &str, old: &str, printed: String| {
        if new != old {
            causes.push(Cause::invalid_text(field, &printed, "field is immutable"));
        }
    };
    let (names, old_names) = (spec.names, old.names);
    let name = |names, field| text(names, field);
    if options.immutable_names {
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
