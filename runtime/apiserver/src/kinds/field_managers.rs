//! Field managers of the objects of a kind and of its subresources, with the types that managed
//! fields need.

use std::sync::{Arc, OnceLock};

use genclient_apimachinery::fieldpath::Set;
use genclient_builtins::kind::BuiltinKind;
use genclient_builtins::strategy_flags::StatusKeeps;
use genclient_builtins::types;
use genclient_builtins::types::GoType;
use genclient_merge::ssa::{self, ConversionError, ResourceFieldManagers, Types};
use genclient_schema::Schema;
use serde_json::{Value, json};

/// Field managers of a kind. They are built when they are first used.
#[derive(Debug)]
pub(crate) enum FieldManagers {
    Builtin(&'static BuiltinKind, OnceLock<Box<BuiltinFieldManagers>>),
    /// Field managers that all versions of a definition share.
    Custom(Arc<CustomFieldManagers>),
}

/// Field managers of a built-in kind and of its subresources.
#[derive(Debug)]
pub(crate) struct BuiltinFieldManagers {
    objects: ssa::FieldManager,
    /// Field managers of the subresources, by name.
    subresources: Vec<(&'static str, ssa::FieldManager)>,
    replicas: ssa::scale::ReplicaPaths,
}

/// Field managers of the custom resources of a CustomResourceDefinition.
#[derive(Debug)]
pub(crate) struct CustomFieldManagers {
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) versions: Vec<CustomVersionFields>,
    pub(super) resource: OnceLock<ResourceFieldManagers>,
}

/// Data from which the field managers of one version of a definition are built.
#[derive(Debug)]
pub(crate) struct CustomVersionFields {
    pub(super) name: String,
    pub(super) schema: Arc<Schema>,
    pub(super) has_status: bool,
    pub(super) replicas: Option<String>,
}

impl CustomFieldManagers {
    fn resource(&self) -> &ResourceFieldManagers {
        self.resource.get_or_init(|| {
            let versions: Vec<_> = self
                .versions
                .iter()
                .map(|version| ssa::Version {
                    name: &version.name,
                    schema: Some(&version.schema),
                    status: version.has_status,
                    replicas: version.replicas.as_deref(),
                })
                .collect();
            ResourceFieldManagers::new(&self.group, &self.kind, &versions, None)
        })
    }
}

impl FieldManagers {
    /// Returns the field managers of a built-in kind without building them.
    pub(super) fn of(kind: &'static BuiltinKind) -> Self {
        Self::Builtin(kind, OnceLock::new())
    }

    /// Returns the field manager of a kind's objects, or of a subresource if `subresource` is not
    /// empty.
    pub(super) fn get(&self, version: &str, subresource: &str) -> Option<&ssa::FieldManager> {
        match self {
            Self::Custom(field_managers) => match subresource {
                "" => field_managers.resource().objects(version),
                "status" => field_managers.resource().status_of(version),
                "scale" => Some(field_managers.resource().scale()),
                _ => None,
            },
            Self::Builtin(kind, field_managers) => {
                let field_managers =
                    field_managers.get_or_init(|| Box::new(BuiltinFieldManagers::of(kind)));
                let mut subresources = field_managers.subresources.iter();
                match subresource {
                    "" => Some(&field_managers.objects),
                    name => subresources
                        .find(|(known, _)| *known == name)
                        .map(|(_, kind)| kind),
                }
            }
        }
    }

    /// Returns the path of the replica count in each version of the kind.
    pub(super) fn replica_paths(&self) -> &ssa::scale::ReplicaPaths {
        match self {
            Self::Custom(field_managers) => field_managers.resource().replicas(),
            Self::Builtin(kind, field_managers) => {
                let field_managers =
                    field_managers.get_or_init(|| Box::new(BuiltinFieldManagers::of(kind)));
                &field_managers.replicas
            }
        }
    }
}

impl BuiltinFieldManagers {
    fn of(kind: &'static BuiltinKind) -> Self {
        let mut types = Types::new();
        let api_version = kind.api_version();
        let type_ = types.published_type(&published_name(kind));
        let scale = types.published_type("io.k8s.api.autoscaling.v1.Scale");
        let mut versions = vec![(api_version.clone(), type_)];
        for other in versions_of(kind).filter(|other| other.version != kind.version) {
            versions.push((
                other.api_version(),
                types.published_type(&published_name(other)),
            ));
        }
        let ignoring = |field_manager: ssa::FieldManager, fields: &[&[&str]]| {
            versions
                .iter()
                .fold(field_manager, |field_manager, (version, _)| {
                    field_manager.ignoring(&**version, Set::of_fields(fields))
                })
        };
        let types = Arc::new(types);
        let mut base = ssa::FieldManager::new(
            &*api_version,
            kind.kind,
            Arc::clone(&types),
            versions.clone(),
        )
        .starting_from(zero(kind));
        if versions.len() > 1 {
            base = base.converting(Arc::new(move |object: &Value, to: &str| {
                convert_to_version(kind, object, to)
            }));
        }
        let objects = match kept_by_objects(kind) {
            [] => base.clone(),
            kept => ignoring(base.clone(), kept),
        };
        let subresources = kind.subresources.iter().map(|subresource| {
            let name = subresource.name;
            let field_manager = match name {
                "scale" => {
                    let scales = vec![("autoscaling/v1".to_owned(), scale)];
                    ssa::FieldManager::new("autoscaling/v1", "Scale", Arc::clone(&types), scales)
                        .at_subresource("scale")
                        .starting_from(zero_scale())
                }
                "approval" | "status" => {
                    ignoring(base.clone().at_subresource(name), kept_by_status(kind))
                }
                "token" => token_request(),
                name => base.clone().at_subresource(name),
            };
            (name, field_manager)
        });
        let replicas = [(api_version.clone(), Some(".spec.replicas"))];
        Self {
            objects,
            subresources: subresources.collect(),
            replicas: ssa::scale::ReplicaPaths::new(replicas),
        }
    }
}

/// Returns the versions of a kind whose objects are converted between versions.
fn versions_of(kind: &'static BuiltinKind) -> impl Iterator<Item = &'static BuiltinKind> {
    kind.equivalents().filter(|other| other.group == kind.group)
}

/// Converts an object to another version of its kind.
fn convert_to_version(
    kind: &'static BuiltinKind,
    object: &Value,
    to: &str,
) -> Result<Value, ConversionError> {
    let version = versions_of(kind).find(|version| version.api_version() == to);
    let version = version.ok_or(ConversionError::NoSuchVersion)?;
    Ok(version.strategy.convert_from_equivalent(object.clone()))
}

/// Returns the field manager of the subresource `token` of service accounts.
fn token_request() -> ssa::FieldManager {
    let mut types = Types::new();
    let type_ = types.published_type("io.k8s.api.authentication.v1.TokenRequest");
    let (api_version, kind) = ("authentication.k8s.io/v1", "TokenRequest");
    let versions = vec![(api_version.to_owned(), type_)];
    let go_type = GoType::of_kind("authentication.k8s.io", "v1", kind);
    ssa::FieldManager::new(api_version, kind, Arc::new(types), versions)
        .at_subresource("token")
        .starting_from(zero_of(go_type, api_version, kind))
}

/// Returns the fields that a write of an object does not change (`GetResetFields` of the kind's
/// strategy).
fn kept_by_objects(kind: &BuiltinKind) -> &'static [&'static [&'static str]] {
    if kind.subresource("status").is_some() {
        &[&["status"]]
    } else {
        &[]
    }
}

/// Returns the fields that a write of the status does not change (`GetResetFields` of the kind's
/// strategy).
fn kept_by_status(kind: &BuiltinKind) -> &'static [&'static [&'static str]] {
    match kind.flags.status_keeps {
        StatusKeeps::Nothing => &[&["spec"]],
        StatusKeeps::Labels => &[&["spec"], &["metadata", "labels"]],
        StatusKeeps::Owners => &[
            &["spec"],
            &["metadata", "deletionTimestamp"],
            &["metadata", "ownerReferences"],
        ],
        StatusKeeps::Metadata => &[&["spec"], &["metadata"]],
    }
}

/// Returns the zero value of a kind's Go type, with `apiVersion` and `kind`.
fn zero(kind: &BuiltinKind) -> Value {
    zero_of(kind.type_, &kind.api_version(), kind.kind)
}

fn zero_of(type_: Option<GoType>, api_version: &str, kind: &str) -> Value {
    let decoded = type_.and_then(|type_| types::decode(&json!({}), type_).ok());
    let mut zero = decoded.map_or_else(|| json!({}), |decoded| decoded.value);
    zero["apiVersion"] = api_version.into();
    zero["kind"] = kind.into();
    zero
}

fn zero_scale() -> Value {
    json!({
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {},
        "spec": {},
        "status": { "replicas": 0 },
    })
}

/// Returns the name of a kind's schema in the published OpenAPI definitions.
fn published_name(kind: &BuiltinKind) -> String {
    let (version, name) = (kind.version, kind.kind);
    let group = kind.group.split('.').next().unwrap_or_default();
    let package = match group {
        "" => "io.k8s.api.core".to_owned(),
        "apiextensions" => "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions".to_owned(),
        "apiregistration" => "io.k8s.kube-aggregator.pkg.apis.apiregistration".to_owned(),
        group => format!("io.k8s.api.{group}"),
    };
    format!("{package}.{version}.{name}")
}

#[cfg(test)]
mod tests {
    use genclient_schema::kubernetes;

    use super::*;
    use genclient_builtins::kind;

    #[test]
    fn every_stable_kind_has_a_published_type() {
        let reviews = ["authentication.k8s.io", "authorization.k8s.io"];
        let stable = kind::all_kinds().filter(|kind| !reviews.contains(&kind.group));
        let unknown = stable.map(published_name);
        let unknown: Vec<_> = unknown.filter(|name| !kubernetes::contains(name)).collect();
        assert_eq!(unknown, Vec::<String>::new());
    }
}
