//! Built-in kinds of Kubernetes: group, version, plural and scope of the types of `k8s-openapi`.

use genclient_schema::kubernetes;
use genclient_syntax::names::pluralize;

use super::kubernetes::definition_name;
use super::reexports;

/// A built-in kind of Kubernetes in one version.
pub struct BuiltinKind {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// Its plural.
    pub plural: String,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
}

impl BuiltinKind {
    /// Returns every kind in each of its versions.
    pub fn all() -> impl Iterator<Item = Self> {
        let segments = |path: String| path.split("::").map(str::to_owned).collect::<Vec<_>>();
        super::kubernetes::published_paths().filter_map(move |path| Self::at(&segments(path)))
    }

    /// Returns the kind at a path such as `k8s_openapi::api::apps::v1::Deployment`.
    pub fn at(path: &[String]) -> Option<Self> {
        let path = reexports::canonical_path(path);
        let (module, kind) = path.strip_prefix("k8s_openapi::")?.rsplit_once("::")?;
        let (module, version) = module.rsplit_once("::")?;
        let (_, group) = GROUPS.iter().find(|(known, _)| *known == module)?;
        kubernetes::is_kind(&definition_name(&path)?).then(|| Self {
            group,
            version: version.to_owned(),
            namespaced: !CLUSTER_SCOPED.contains(&kind),
            kind: kind.to_owned(),
            plural: match kind {
                // The only word that Kubernetes does not pluralize (`unpluralizedSuffixes` in
                // k8s.io/apimachinery, pkg/api/meta/restmapper.go).
                "Endpoints" => "endpoints".to_owned(),
                kind => pluralize(&kind.to_lowercase()),
            },
        })
    }

    /// Returns the path of the type: `k8s_openapi::api::core::v1::Pod`.
    pub fn path(&self) -> String {
        let module = GROUPS.iter().find(|(_, group)| *group == self.group);
        let (module, _) = module.unwrap_or(&("api", ""));
        format!("k8s_openapi::{module}::{}::{}", self.version, self.kind)
    }
}

/// Modules of `k8s-openapi`, each with its API group.
const GROUPS: [(&str, &str); 23] = [
    ("api::admissionregistration", "admissionregistration.k8s.io"),
    ("api::apiserverinternal", "internal.apiserver.k8s.io"),
    ("api::apps", "apps"),
    ("api::authentication", "authentication.k8s.io"),
    ("api::authorization", "authorization.k8s.io"),
    ("api::autoscaling", "autoscaling"),
    ("api::batch", "batch"),
    ("api::certificates", "certificates.k8s.io"),
    ("api::coordination", "coordination.k8s.io"),
    ("api::core", ""),
    ("api::discovery", "discovery.k8s.io"),
    ("api::events", "events.k8s.io"),
    ("api::flowcontrol", "flowcontrol.apiserver.k8s.io"),
    ("api::networking", "networking.k8s.io"),
    ("api::node", "node.k8s.io"),
    ("api::policy", "policy"),
    ("api::rbac", "rbac.authorization.k8s.io"),
    ("api::resource", "resource.k8s.io"),
    ("api::scheduling", "scheduling.k8s.io"),
    ("api::storage", "storage.k8s.io"),
    ("api::storagemigration", "storagemigration.k8s.io"),
    (
        "apiextensions_apiserver::pkg::apis::apiextensions",
        "apiextensions.k8s.io",
    ),
    (
        "kube_aggregator::pkg::apis::apiregistration",
        "apiregistration.k8s.io",
    ),
];

/// Kinds without a namespace.
const CLUSTER_SCOPED: [&str; 39] = [
    "APIService",
    "CSIDriver",
    "CSINode",
    "CertificateSigningRequest",
    "ClusterRole",
    "ClusterRoleBinding",
    "ClusterTrustBundle",
    "ComponentStatus",
    "CustomResourceDefinition",
    "DeviceClass",
    "DeviceTaintRule",
    "FlowSchema",
    "IPAddress",
    "IngressClass",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "Namespace",
    "Node",
    "PersistentVolume",
    "PriorityClass",
    "PriorityLevelConfiguration",
    "ResourcePoolStatusRequest",
    "ResourceSlice",
    "RuntimeClass",
    "SelfSubjectAccessReview",
    "SelfSubjectReview",
    "SelfSubjectRulesReview",
    "ServiceCIDR",
    "StorageClass",
    "StorageVersion",
    "StorageVersionMigration",
    "SubjectAccessReview",
    "TokenReview",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
    "VolumeAttachment",
    "VolumeAttributesClass",
];

/// Returns whether a group is one of Kubernetes.
pub(crate) fn is_group(group: &str) -> bool {
    GROUPS.iter().any(|(_, known)| *known == group)
}

/// Returns the groups of Kubernetes.
pub(crate) fn groups<'a>() -> impl Iterator<Item = &'a str> {
    GROUPS.iter().map(|(_, group)| *group)
}

/// Returns whether a resource belongs to a cluster-scoped built-in kind.
pub(crate) fn is_cluster_scoped(group: &str, plural: &str) -> bool {
    let mut kinds = CLUSTER_SCOPED.iter();
    is_group(group) && kinds.any(|kind| pluralize(&kind.to_lowercase()) == plural)
}
