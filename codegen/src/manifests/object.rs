//! Kubernetes objects of a package: [`ObjectManifest`], common metadata, and checks whether a
//! webhook belongs to the deployment.

use super::settings::{Condition, Rendering};
use super::value::{ManifestValue, tree};
use crate::model::{Conversion, Crd, Model, WebhookEndpoint};
use crate::project::Deploy;
use crate::yaml::YamlNode;

/// A Kubernetes object.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectManifest {
    /// The file below the configuration folder; several objects may share one.
    pub file: String,
    /// The kind.
    pub kind: &'static str,
    /// The condition under which the deployment contains the object.
    pub when: Condition,
    pub(crate) tree: ManifestValue,
}

impl ObjectManifest {
    pub(super) fn new(file: impl Into<String>, kind: &'static str, tree: ManifestValue) -> Self {
        Self {
            file: file.into(),
            kind,
            when: Condition::default(),
            tree,
        }
    }

    pub(super) fn when(mut self, condition: Condition) -> Self {
        self.when = condition;
        self
    }

    /// Renders the object, whether its condition holds or not.
    pub fn render(&self, rendering: &dyn Rendering) -> YamlNode {
        let nothing = || YamlNode::Map(Vec::new());
        self.tree.render(rendering).unwrap_or_else(nothing)
    }

    /// Moves the object to another file.
    pub(super) fn at(mut self, file: impl Into<String>) -> Self {
        self.file = file.into();
        self
    }
}

/// `metadata` of a cluster-scoped object.
pub(super) fn cluster_metadata(deploy: &Deploy, name: &str) -> ManifestValue {
    tree!({
        "labels": { "app.kubernetes.io/name": (&deploy.name) },
        "name": (deploy.named(name)),
    })
}

/// `metadata` of an object in the namespace of the deployment.
pub(super) fn namespaced_metadata(deploy: &Deploy, name: &str) -> ManifestValue {
    tree!({
        "labels": { "app.kubernetes.io/name": (&deploy.name) },
        "name": (deploy.named(name)),
        "namespace": (deployment_namespace()),
    })
}

pub(super) fn pod_labels(deploy: &Deploy) -> ManifestValue {
    tree!({
        "app.kubernetes.io/name": (&deploy.name),
        "control-plane": "controller-manager",
    })
}

/// The namespace of the deployment.
pub(super) fn deployment_namespace() -> ManifestValue {
    around_namespace("", "")
}

/// The namespace of the deployment, between a prefix and a suffix.
pub(super) fn around_namespace(
    before: impl Into<String>,
    after: impl Into<String>,
) -> ManifestValue {
    ManifestValue::Namespace {
        before: before.into(),
        after: after.into(),
    }
}

/// The namespace `name` in an object. If it is the deployment's, a [`Rendering`] decides its text,
/// such as `{{ .Release.Namespace }}` in a Helm chart. Any other name is fixed text.
pub(super) fn namespace_value(name: &str, deploy: Option<&Deploy>) -> ManifestValue {
    match deploy {
        Some(deploy) if deploy.namespace == name => deployment_namespace(),
        _ => name.into(),
    }
}

/// True if the endpoint is the Service of the deployment.
pub(super) fn is_own_service(endpoint: &WebhookEndpoint, deploy: &Deploy) -> bool {
    matches!(
        endpoint,
        WebhookEndpoint::Service { namespace, name, .. }
            if *namespace == deploy.namespace && *name == deploy.webhook_service()
    )
}

/// True if the webhook of the deployment converts the kind.
pub(super) fn converts_kind(crd: &Crd, deploy: &Deploy) -> bool {
    let conversion = crd.conversion.as_ref();
    conversion.is_some_and(|conversion| is_own_service(&conversion.endpoint, deploy))
}

/// The kinds that the API server converts through a Service, whether of this deployment or not.
pub fn kinds_converted_by_services(model: &Model) -> Vec<String> {
    let is_service = |it: &Conversion| matches!(it.endpoint, WebhookEndpoint::Service { .. });
    let crds = model.crds.iter();
    crds.filter(|crd| crd.conversion.as_ref().is_some_and(is_service))
        .map(|crd| crd.kind.clone())
        .collect()
}

/// True if the API server calls any webhook of the deployment.
pub fn serves_webhooks(model: &Model, deploy: &Deploy) -> bool {
    let mut webhooks = model.webhooks.iter().flat_map(|it| &it.webhooks);
    webhooks.any(|webhook| is_own_service(&webhook.endpoint, deploy))
        || model.crds.iter().any(|crd| converts_kind(crd, deploy))
}
