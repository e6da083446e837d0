//! [`DefinedVersions`]: the versions of a CustomResourceDefinition, and how objects are converted.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use genclient_apimachinery::unstructured::str_or_empty;
use genclient_schema::Schema;
use serde_json::Value;

/// How objects are converted between versions: `spec.conversion` of a definition.
#[derive(Debug)]
pub(crate) enum ConversionStrategy {
    /// Only the `apiVersion` changes.
    None,
    Webhook(ConversionWebhook),
}

/// Conversion webhook: `spec.conversion.webhook` of a definition.
#[derive(Debug)]
pub(crate) struct ConversionWebhook {
    pub(crate) client_config: Value,
    /// Supported versions of `ConversionReview`, such as `v1`, in order of preference.
    pub(crate) review_versions: Vec<String>,
}

/// Versions of a CustomResourceDefinition. Every write of the definition creates a new value.
#[derive(Debug)]
pub(crate) struct DefinedVersions {
    pub(crate) definition: String,
    group: String,
    pub(crate) stored: String,
    pub(crate) strategy: ConversionStrategy,
    /// Hash of the definition's uid, spec and accepted names.
    pub(crate) id: u64,
    known: Vec<DefinedVersion>,
}

#[derive(Debug)]
struct DefinedVersion {
    name: String,
    schema: Arc<Schema>,
    /// Whether all objects that were in the store at some time have been converted to this version.
    /// From that time on, kube-apiserver's watch cache of the version is filled.
    is_ready: AtomicBool,
}

impl DefinedVersions {
    /// Returns the versions of a definition. `schemas` has the name and the schema of each version.
    pub(super) fn of(definition: &Value, schemas: Vec<(String, Arc<Schema>)>) -> Self {
        let spec = &definition["spec"];
        let versions = spec["versions"].as_array().map_or(&[][..], Vec::as_slice);
        let stored = versions
            .iter()
            .find(|version| version["storage"] == true)
            .map(|version| str_or_empty(&version["name"]).to_owned());
        let known = schemas.into_iter().map(|(name, schema)| DefinedVersion {
            name,
            schema,
            is_ready: AtomicBool::new(false),
        });
        Self {
            definition: str_or_empty(&definition["metadata"]["name"]).to_owned(),
            group: str_or_empty(&spec["group"]).to_owned(),
            stored: stored.unwrap_or_default(),
            strategy: strategy(&spec["conversion"]),
            id: id(definition),
            known: known.collect(),
        }
    }

    /// Returns the `apiVersion` of a version.
    pub(crate) fn api_version(&self, version: &str) -> String {
        format!("{}/{version}", self.group)
    }

    /// Returns whether an `apiVersion` names a version of the definition.
    pub(crate) fn has(&self, api_version: &str) -> bool {
        api_version
            .strip_prefix(&self.group)
            .and_then(|rest| rest.strip_prefix('/'))
            .is_some_and(|version| self.find(version).is_some())
    }

    pub(crate) fn schema(&self, version: &str) -> Option<&Arc<Schema>> {
        self.find(version).map(|known| &known.schema)
    }

    pub(crate) fn has_webhook(&self) -> bool {
        matches!(self.strategy, ConversionStrategy::Webhook(_))
    }

    /// Returns whether [`Self::set_ready`] or [`Self::set_all_ready`] was called for a version. A
    /// version that the definition lacks counts as ready.
    pub(crate) fn is_ready(&self, version: &str) -> bool {
        let known = self.find(version);
        known.is_none_or(|known| known.is_ready.load(Ordering::Relaxed))
    }

    /// Records that all stored objects have been converted to a version.
    pub(crate) fn set_ready(&self, version: &str) {
        if let Some(known) = self.find(version) {
            known.is_ready.store(true, Ordering::Relaxed);
        }
    }

    /// Records that every version is ready. The caller has found no objects to convert.
    pub(crate) fn set_all_ready(&self) {
        for known in &self.known {
            known.is_ready.store(true, Ordering::Relaxed);
        }
    }

    fn find(&self, version: &str) -> Option<&DefinedVersion> {
        self.known.iter().find(|known| known.name == version)
    }
}

fn strategy(conversion: &Value) -> ConversionStrategy {
    if conversion["strategy"] != "Webhook" {
        return ConversionStrategy::None;
    }
    let webhook = &conversion["webhook"];
    let versions = webhook["conversionReviewVersions"].as_array();
    ConversionStrategy::Webhook(ConversionWebhook {
        client_config: webhook["clientConfig"].clone(),
        review_versions: versions
            .into_iter()
            .flatten()
            .map(|text| str_or_empty(text).to_owned())
            .collect(),
    })
}

/// Hashes the uid, the spec and the accepted names. If an update of the definition changes the
/// hash, the watches of its objects end.
fn id(definition: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    definition["metadata"]["uid"].as_str().hash(&mut hasher);
    definition["spec"].to_string().hash(&mut hasher);
    let accepted = &definition["status"]["acceptedNames"];
    accepted.to_string().hash(&mut hasher);
    hasher.finish()
}
