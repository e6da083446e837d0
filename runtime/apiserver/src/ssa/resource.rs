//! The kinds of a custom resource definition: one for each version and endpoint.

use std::sync::Arc;

use genclient_schema::Schema;
use serde_json::Value;

use super::group_version::GroupKind;
use super::kind::{ConversionError, Converter, Endpoint};
use super::scale::ReplicaPaths;
use super::set::Set;
use super::types::{TypeId, Types};

/// A version of a custom resource definition.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    /// `v1`.
    pub name: &'a str,
    /// The structural schema.
    pub schema: Option<&'a Schema>,
    /// True if it has the status subresource.
    pub status: bool,
    /// Where the number of replicas is, if it has the scale subresource: `.spec.replicas`.
    pub replicas: Option<&'a str>,
}

/// A custom resource definition as managing fields needs it.
///
/// Source: apiextensions-apiserver, pkg/apiserver/customresource_handler.go.
#[derive(Clone, Debug)]
pub struct ResourceEndpoints {
    group: String,
    /// By version: the objects, and their status.
    kinds: Vec<(Endpoint, Endpoint)>,
    scale: Endpoint,
    replicas: ReplicaPaths,
}

impl ResourceEndpoints {
    /// Prepares all versions. `convert` is the conversion of the definition; without one, only
    /// the version of an object changes.
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
        let convert = checked(known, convert);
        let base = |version: &Version<'_>| {
            let kind = Endpoint::new(
                api_version(version),
                kind,
                Arc::clone(&types),
                typed.clone(),
            );
            kind.converting(Arc::clone(&convert))
        };
        let main = |version: &Version<'_>| match version.status {
            true => base(version).ignoring(api_version(version), Set::of_fields(&[&["status"]])),
            false => base(version),
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
            scale: Endpoint::new("autoscaling/v1", "Scale", Arc::clone(&types), scales)
                .at_subresource("scale")
                .failing_applies(),
            replicas: ReplicaPaths::new(
                versions
                    .iter()
                    .map(|version| (api_version(version), version.replicas)),
            ),
        }
    }

    /// The kind of the objects in a version.
    pub fn objects(&self, version: &str) -> Option<&Endpoint> {
        self.find(version).map(|(objects, _)| objects)
    }

    /// The kind of their status in a version.
    pub fn status_of(&self, version: &str) -> Option<&Endpoint> {
        self.find(version).map(|(_, status)| status)
    }

    /// The kind of their scale, whatever the version.
    pub fn scale(&self) -> &Endpoint {
        &self.scale
    }

    /// Where the versions have their number of replicas.
    pub fn replicas(&self) -> &ReplicaPaths {
        &self.replicas
    }

    fn find(&self, version: &str) -> Option<&(Endpoint, Endpoint)> {
        let name = format!("{}/{version}", self.group);
        self.kinds.iter().find(|(kind, _)| kind.api_version == name)
    }
}

impl Endpoint {
    /// The kind with another conversion between the versions that it has.
    #[must_use]
    pub fn converted_by(&self, convert: Converter) -> Self {
        let known = self.api_versions().map(str::to_owned).collect();
        self.clone().converting(checked(known, Some(convert)))
    }
}

/// A conversion that refuses versions which the definition does not have.
///
/// Source: apiextensions-apiserver, pkg/apiserver/conversion/converter.go, `ConvertToVersion`.
fn checked(known: Vec<String>, convert: Option<Converter>) -> Converter {
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
            let from = GroupKind::new(from, kind);
            let version = genclient_schema::go::quoted(version);
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
