//! Defaulting and validation of CustomResourceDefinitions, as in the API server.
//!
//! Follows `k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation`. Definitions have the
//! version `apiextensions.k8s.io/v1`, with defaults filled in by [`complete`]. Paths in causes
//! refer to the API server's internal type, in which a schema that all versions share is at
//! `spec.validation.openAPIV3Schema`.

mod approval;
mod cel;
mod columns;
mod compiled;
mod conversion;
mod default_rules;
mod defaulting;
mod dump;
#[cfg(feature = "evaluate")]
mod evaluated;
mod field_path;
mod go_fields;
mod internal;
mod json_schema_props;
mod lists;
mod names;
mod options;
mod place;
mod root;
mod schema;
mod strategy;
mod structural;
mod update;
mod validation;
mod versions;

pub use self::approval::{
    APPROVAL, ApprovalState, approval_state, is_approved, is_protected_group,
};
pub use self::conversion::webhook_client_causes;
pub use self::default_rules::{DefaultRules, Unevaluated};
#[cfg(feature = "evaluate")]
pub use self::evaluated::EvaluatedRules;
pub use self::strategy::{complete, format_warnings, prepare_create, prepare_update};
pub use self::update::{validate_status, validate_update};

use genclient_apimachinery::field::Cause;
use genclient_apimachinery::validation::NameRule;
use serde_json::Value;

use self::internal::Spec;
use self::options::Options;
use crate::meta::{self, Metadata};

/// Returns the API server's errors for the creation of a definition. Call [`complete`] and
/// [`prepare_create`] first.
pub fn validate_create(definition: &Value, rules: &dyn DefaultRules) -> Vec<Cause> {
    let spec = Spec::of(definition);
    let mut causes = name_causes(definition, &spec);
    causes.extend(validation::causes(&spec, &Options::create(rules)));
    causes.extend(status_causes(definition, &spec));
    causes.extend(approval::causes(definition, None));
    causes
}

/// Checks the metadata. `name` and `generateName` must be the plural and the group, with a dot.
fn name_causes(definition: &Value, spec: &Spec<'_>) -> Vec<Cause> {
    let metadata = Metadata::of(definition);
    let mut causes = meta::validate(metadata, false, NameRule::Subdomain, "metadata");
    let expected = format!("{}.{}", names::text(spec.names, "plural"), spec.group);
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
    let mut causes = names::causes(accepted, "status.acceptedNames");
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
