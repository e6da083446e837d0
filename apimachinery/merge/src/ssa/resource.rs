//! [`ResourceFieldManagers`]: field managers of a CustomResourceDefinition, for its objects and
//! their status in each version, and for the scale.

use std::sync::Arc;

use genclient_apimachinery::fieldpath::Set;
use genclient_schema::Schema;
use serde_json::Value;

use super::field_manager::{ConversionError, Converter, FieldManager};
use super::group_version::GroupVersionKind;
use super::scale::ReplicaPaths;
use super::types::{TypeId, Types};

/// Version of a CustomResourceDefinition.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    /// Name of the version, such as `v1`.
    pub name: &'a str,
    /// Structural schema, if the version has one.
    pub schema: Option<&'a Schema>,
    /// Whether the version has the status subresource.
    pub status: bool,
    /// Path of the replica count, such as `.spec.replicas`. `None` without the scale subresource.
    pub replicas: Option<&'a str>,
}

/// Field managers of a CustomResourceDefinition.
///
/// Source: apiextensions-apiserver, pkg/apiserver/customresource_handler.go.
#[derive(Clone, Debug)]
pub struct ResourceFieldManagers {
    group: String,
    /// Field managers of the objects and of the status subresource, for each version.
    kinds: Vec<(FieldManager, FieldManager)>,
    scale: FieldManager,
    replicas: ReplicaPaths,
}

impl ResourceFieldManagers {
    /// Creates the field managers of all versions. `convert` converts objects between versions.
    /// `None` is the conversion strategy `None`, which changes only `apiVersion`.
    pub fn new(
        group: &str,
        kind: &str,
        versions: &[Version<'_>],
        convert: Option<Converter>,
    ) -> Self {
        let mut types = Types::new();
        let api_version = |version: &Version<'_>| format!("{group}/{}", version.name);
        let typed: Vec<(String, TypeId)> = versions
            .iter()
            .map(|version| (api_version(version), types.custom_resource(version.schema)))
            .collect();
        let scale = types.published_type("io.k8s.api.autoscaling.v1.Scale");
        let types = Arc::new(types);
        let known: Vec<_> = typed.iter().map(|(version, _)| version.clone()).collect();
        let convert = check_versions(known, convert);
        let base = |version: &Version<'_>| {
            let kind = FieldManager::new(
                api_version(version),
                kind,
                Arc::clone(&types),
                typed.clone(),
            );
            kind.converting(Arc::clone(&convert))
        };
        let main = |version: &Version<'_>| {
            if version.status {
                base(version).ignoring(api_version(version), Set::of_fields(&[&["status"]]))
            } else {
                base(version)
            }
        };
        let status = |version: &Version<'_>| {
            let with_status = versions.iter().filter(|version| version.status);
            with_status.fold(base(version).at_subresource("status"), |kind, version| {
                kind.ignoring(
                    api_version(version),
                    Set::of_fields(&[&["metadata"], &["spec"]]),
                )
            })
        };
        let kinds = versions
            .iter()
            .map(|version| (main(version), status(version)));
        let scales = vec![("autoscaling/v1".to_owned(), scale)];
        Self {
            group: group.to_owned(),
            kinds: kinds.collect(),
            scale: FieldManager::new("autoscaling/v1", "Scale", Arc::clone(&types), scales)
                .at_subresource("scale")
                .failing_applies(),
            replicas: ReplicaPaths::new(
                versions
                    .iter()
                    .map(|version| (api_version(version), version.replicas)),
            ),
        }
    }

    /// Returns the field manager of the objects in a version such as `v1`.
    pub fn objects(&self, version: &str) -> Option<&FieldManager> {
        self.find(version).map(|(objects, _)| objects)
    }

    /// Returns the field manager of the status subresource in a version such as `v1`.
    pub fn status_of(&self, version: &str) -> Option<&FieldManager> {
        self.find(version).map(|(_, status)| status)
    }

    /// Returns the field manager of the scale subresource, which all versions share.
    pub fn scale(&self) -> &FieldManager {
        &self.scale
    }

    /// Returns the path of the replica count in each version.
    pub fn replicas(&self) -> &ReplicaPaths {
        &self.replicas
    }

    fn find(&self, version: &str) -> Option<&(FieldManager, FieldManager)> {
        let name = format!("{}/{version}", self.group);
        self.kinds.iter().find(|(kind, _)| kind.api_version == name)
    }
}

impl FieldManager {
    /// Returns the field manager with another conversion between versions.
    #[must_use]
    pub fn converted_by(&self, convert: Converter) -> Self {
        let known = self.api_versions().map(str::to_owned).collect();
        self.clone()
            .converting(check_versions(known, Some(convert)))
    }
}

/// Wraps a conversion so that it fails if the groups differ, or if the source or target version is
/// not in `known`. Without `convert`, the conversion changes only `apiVersion`.
///
/// Source: apiextensions-apiserver, pkg/apiserver/conversion/converter.go, `ConvertToVersion`.
fn check_versions(known: Vec<String>, convert: Option<Converter>) -> Converter {
    Arc::new(move |object, version| {
        let from = object
            .get("apiVersion")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let group = |version: &str| version.split_once('/').map(|(group, _)| group.to_owned());
        if group(from) != group(version) {
            let kind = object
                .get("kind")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let from = GroupVersionKind::new(from, kind);
            let version = genclient_apimachinery::go::quoted(version);
            return Err(ConversionError::Failed(format!(
                "{from} is unstructured and is not suitable for converting to {version}"
            )));
        }
        for (direction, version) in [("to", version), ("from", from)] {
            if !known.iter().any(|known| known == version) {
                return Err(ConversionError::Failed(format!(
                    "request to convert CR {direction} an invalid group/version: {version}"
                )));
            }
        }
        match &convert {
            Some(convert) => convert(object, version),
            None => {
                let mut converted = object.clone();
                if let Value::Object(members) = &mut converted {
                    members.insert("apiVersion".to_owned(), Value::from(version));
                }
                Ok(converted)
            }
        }
    })
}
