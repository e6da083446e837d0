//! Validation of updates to a CustomResourceDefinition: immutable fields and skipped checks.

use genclient_apimachinery::field::Cause;
use genclient_apimachinery::go::{json, quoted};
use genclient_apimachinery::validation::NameRule;
use serde_json::Value;

use super::conversion::{has_known_version, is_valid_bundle};
use super::default_rules::DefaultRules;
use super::internal::{self, Spec};
use super::json_schema_props::Props;
use super::names::{list, text};
use super::options::Options;
use super::{approval, defaulting, lists, names, status_causes, structural, validation};
use crate::meta::{self, Metadata};

/// Returns the API server's errors for an update of a definition. Call
/// [`complete`](super::complete) on both definitions and [`prepare_update`](super::prepare_update)
/// on the new one first.
pub fn validate_update(definition: &Value, old: &Value, rules: &dyn DefaultRules) -> Vec<Cause> {
    let (spec, old_spec) = (Spec::of(definition), Spec::of(old));
    let mut causes = common_causes(definition, old);
    causes.extend(metadata_causes(definition, old));
    let options = options(&spec, &old_spec, old, rules);
    causes.extend(validation::causes(&spec, &options));
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
    causes.extend(names::causes(accepted, "status.acceptedNames"));
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
        old.zip(new)
            .is_some_and(|(old, new)| internal::are_equal(old, new))
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
        atomic_sets: !old_spec.any_schema(|it| lists::granular_items(it).is_some()),
        map_keys: !old_spec.any_schema(|schema| !lists::key_causes(schema, "").is_empty()),
        unchanged: unchanged.map(|version| version.name.to_owned()).collect(),
        any_rule_cost: false,
        any_bundle: !is_established || !is_valid_bundle(bundle),
        many_fields: many_fields(spec, old_spec),
    }
}

/// Returns the versions whose selectable fields exceeded the limit before the update and are
/// unchanged. The empty name stands for the fields that all versions share.
fn many_fields(spec: &Spec<'_>, old_spec: &Spec<'_>) -> std::collections::BTreeSet<String> {
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
