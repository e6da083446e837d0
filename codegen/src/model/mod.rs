//! Model of a package, between `resolve` and `emit`: clients, CRDs, webhooks and roles as data.

mod apply;
mod artefact;
mod client;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use genclient_syntax::names;
use serde::Serialize;
use serde_json::Value;

pub use genclient_schema::{JsonType, ListType, MapType, Origin, Schema, SourceId, Validation};
pub use genclient_syntax::{MethodVerb, Scope, Verb};

pub use apply::{
    ApplyContent, ApplyField, ApplyForm, ApplyKey, ApplyKind, ApplyModule, ApplyPlace, ApplyStruct,
    ApplyType, ApplyUnion, ApplyValue, ApplyVariant, TypeArgument, TypeName,
};
pub use artefact::Artefact;
use client::serialize_scope;
pub use client::{Group, Method, Names, Resource, Version};

/// Group and kind, which identify a custom resource definition (`schema.GroupKind`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct GroupKind {
    /// The API group; empty if it is not known.
    pub group: String,
    /// The kind; or the type's name, if its kind is not known.
    pub kind: String,
}

impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group, kind } = self;
        if group.is_empty() {
            write!(f, "{kind}")
        } else {
            write!(f, "{kind} ({group})")
        }
    }
}

/// Clients, CRDs, webhooks and roles of one package.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Model {
    /// The API groups, sorted by name.
    pub groups: Vec<Group>,
    /// The modules of apply configurations, sorted by path. They include every module that contains
    /// another. Empty unless the setting `apply-configurations` is on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub apply: Vec<ApplyModule>,
    /// The custom resource definitions, sorted by file name.
    pub crds: Vec<Crd>,
    /// The CRDs that the package's own program writes, sorted by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<ExternalDefinition>,
    /// The webhook configurations: the mutating ones by name, then the validating ones by name.
    pub webhooks: Vec<WebhookConfiguration>,
    /// The roles of the controllers: first ClusterRoles by name, then Roles by namespace and name.
    pub roles: Vec<Role>,
    /// True if an unreadable module was skipped. Stale files are then kept, since an earlier run
    /// may have generated them for kinds in that module.
    #[serde(skip)]
    pub is_partial: bool,
}

impl Model {
    /// Returns every version with its group.
    pub fn versions(&self) -> impl Iterator<Item = (&Group, &Version)> {
        let groups = self.groups.iter();
        groups.flat_map(|group| group.versions.iter().map(move |version| (group, version)))
    }

    /// Returns every kind that has a client, with its group and version.
    pub fn resources(&self) -> impl Iterator<Item = (&Group, &Version, &Resource)> {
        self.versions().flat_map(|(group, version)| {
            let resources = version.resources.iter();
            resources.map(move |resource| (group, version, resource))
        })
    }

    /// Returns the names of the conversion functions for `kind`, each after its group.
    ///
    /// There is a function for every group in which a webhook converts this kind. `group` is
    /// included even if no webhook converts its kind yet, so that a scaffold can name the function.
    /// For `GPUTask`, the name is `gpu_tasks`, or `falldio_com_gpu_tasks` if there are several
    /// groups.
    pub fn conversions(&self, group: &str, kind: &str) -> Vec<(String, String)> {
        let is_one = |crd: &&Crd| crd.kind == kind && !crd.converted.is_empty();
        let groups: BTreeSet<_> = self
            .crds
            .iter()
            .filter(is_one)
            .map(|crd| crd.group.as_str())
            .chain([group])
            .collect();
        let accessor = names::accessor(kind);
        let is_alone = groups.len() == 1;
        let functions = groups.into_iter().map(|group| {
            let function = if is_alone {
                names::ident(&accessor).to_string()
            } else {
                let group = names::snake_case(&group.replace(['.', '-'], "_"));
                format!("{group}_{accessor}")
            };
            (group.to_owned(), function)
        });
        functions.collect()
    }

    /// Returns a model with only the clients of cached kinds: those with informer and lister.
    pub fn cached(&self) -> Self {
        let mut groups = self.groups.clone();
        for group in &mut groups {
            for version in &mut group.versions {
                version.resources.retain(Resource::is_cached);
            }
            group
                .versions
                .retain(|version| !version.resources.is_empty());
        }
        groups.retain(|group| !group.versions.is_empty());
        Self {
            groups,
            ..Self::default()
        }
    }
}

/// A custom resource definition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Crd {
    /// The API group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// Its plural.
    pub plural: String,
    /// Its singular.
    pub singular: String,
    /// Short names for the command line.
    pub short_names: Vec<String>,
    /// Categories for the command line, such as `all`.
    pub categories: Vec<String>,
    /// Whether objects live in namespaces.
    #[serde(serialize_with = "serialize_scope")]
    pub scope: Scope,
    /// Annotations of the definition.
    pub annotations: BTreeMap<String, String>,
    /// Labels of the definition.
    pub labels: BTreeMap<String, String>,
    /// Conversion by a webhook; `None` without conversion.
    pub conversion: Option<Conversion>,
    /// The versions in the API server's order of preference: the newest stable one first.
    pub versions: Vec<CrdVersion>,
    /// The `cfg` condition that holds if at least one version is compiled; `None` if a version is
    /// always compiled.
    pub cfg: Option<String>,
    /// The types of the versions, the stored one first; empty unless a webhook converts between
    /// several versions.
    pub converted: Vec<VersionType>,
}

/// A custom resource definition from a file that the package's own program writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExternalDefinition {
    /// Its group and kind.
    #[serde(flatten)]
    pub name: GroupKind,
    /// The content of the file.
    pub document: Value,
}

/// The Rust type of one version of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VersionType {
    /// `v1`.
    pub version: String,
    /// The path of the type in generated code: `crate::apis::falldio::v1::GPUTask`.
    pub path: String,
    /// The `cfg` conditions of the type, outermost first.
    pub cfg: Vec<String>,
}

impl Crd {
    /// Returns the name of its file: `falldio.com_gputasks.yaml`.
    pub fn file_name(&self) -> String {
        format!("{}_{}.yaml", self.group, self.plural)
    }
}

/// Conversion by a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conversion {
    /// The endpoint that the API server calls.
    pub endpoint: WebhookEndpoint,
    /// Versions of `ConversionReview` that the webhook reads.
    pub review_versions: Vec<String>,
}

/// One version of a custom resource definition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrdVersion {
    /// `v1`.
    pub name: String,
    /// Whether the API server serves it.
    pub served: bool,
    /// Whether it is the storage version.
    pub storage: bool,
    /// Whether the API server warns of its use.
    pub deprecated: bool,
    /// The text of that warning; `None` for the API server's default text.
    pub deprecation_warning: Option<String>,
    /// The schema of objects.
    pub schema: Schema,
    /// Whether there is a status subresource.
    pub status: bool,
    /// The scale subresource.
    pub scale: Option<Scale>,
    /// Columns of `kubectl get`.
    pub columns: Vec<PrinterColumn>,
    /// JSON paths of the fields for field selectors.
    pub selectable_fields: Vec<String>,
}

/// JSON paths of the scale subresource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Scale {
    /// `.spec.replicas`.
    pub spec_replicas_path: String,
    /// `.status.replicas`.
    pub status_replicas_path: String,
    /// `.status.selector`.
    pub label_selector_path: Option<String>,
}

/// A column of `kubectl get`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PrinterColumn {
    /// Its heading.
    pub name: String,
    /// Its type, as `OpenAPI` names it, or `date`.
    #[serde(rename = "type")]
    pub type_: String,
    /// The JSON path of its value.
    pub json_path: String,
    /// Its description.
    pub description: Option<String>,
    /// Its format.
    pub format: Option<String>,
    /// Columns of priority 0 or `None` are always shown, others only with `-o wide`.
    pub priority: Option<i32>,
}

/// A configuration of admission webhooks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WebhookConfiguration {
    /// Whether its webhooks are mutating; otherwise they are validating.
    pub mutating: bool,
    /// Its name: `validating-webhook-configuration`.
    pub name: String,
    /// The webhooks, sorted by name. The API server calls mutating webhooks in this order.
    pub webhooks: Vec<Webhook>,
}

/// An admission webhook. The API server has a default for each field that is `None`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Webhook {
    /// Its name: `validation.gputask.falldio.com`.
    pub name: String,
    /// The endpoint that the API server calls.
    pub endpoint: WebhookEndpoint,
    /// Versions of `AdmissionReview` that the webhook reads.
    pub review_versions: Vec<String>,
    /// `Fail` or `Ignore`.
    pub failure_policy: &'static str,
    /// CEL expressions with names. The API server calls the webhook if all are true.
    pub match_conditions: Vec<MatchCondition>,
    /// `Equivalent` or `Exact`.
    pub match_policy: Option<&'static str>,
    /// A label selector of namespaces.
    pub namespace_selector: Option<Value>,
    /// A label selector of objects.
    pub object_selector: Option<Value>,
    /// `Never` or `IfNeeded`.
    pub reinvocation_policy: Option<&'static str>,
    /// The API groups that it matches; the core group is `""`.
    pub groups: Vec<String>,
    /// The API versions that it matches.
    pub versions: Vec<String>,
    /// The operations that it matches: `CREATE`.
    pub operations: Vec<String>,
    /// The resources that it matches: `gputasks`.
    pub resources: Vec<String>,
    /// `None` or `NoneOnDryRun`.
    pub side_effects: &'static str,
    /// Timeout of a call, in seconds.
    pub timeout: Option<u8>,
}

/// Endpoint of a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum WebhookEndpoint {
    /// A service of the cluster.
    Service {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// The path of requests.
        path: String,
        /// Its port; `None` for 443.
        port: Option<u16>,
    },
    /// A URL.
    Url(String),
}

/// A CEL expression that must be true for a webhook to be called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatchCondition {
    /// Its name.
    pub name: String,
    /// The expression.
    pub expression: String,
}

/// A ClusterRole, or a Role of a namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Role {
    /// Its namespace; `None` for a ClusterRole.
    pub namespace: Option<String>,
    /// Its name: `manager-role`.
    pub name: String,
    /// Its rules, merged and ordered as controller-gen does.
    pub rules: Vec<PolicyRule>,
    /// The inferred rules before they were merged, each with its origin.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inferred: Vec<InferredRule>,
}

/// A rule that follows from a declaration of a controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InferredRule {
    /// The rule.
    #[serde(flatten)]
    pub rule: PolicyRule,
    /// The declaration: `type Object = Application`.
    pub declaration: String,
    /// File and line: `pkg/controller/mod.rs:34`.
    pub place: String,
}

/// A rule of a role, about resources or about non-resource URLs.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PolicyRule {
    /// The API groups of the resources.
    pub groups: BTreeSet<String>,
    /// The resources, by their plurals.
    pub resources: BTreeSet<String>,
    /// The names of the objects; empty for all.
    pub names: BTreeSet<String>,
    /// Non-resource URLs.
    pub urls: BTreeSet<String>,
    /// The verbs that it allows.
    pub verbs: BTreeSet<String>,
}
