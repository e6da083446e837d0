//! [`ObjectManifest`]: a Kubernetes object of a package, and what all objects of a deployment
//! share.

use super::rendering::Rendering;
use super::settings::Condition;
use super::tree::{Tree, tree};
use crate::model::{Crd, Model, WebhookEndpoint};
use crate::project::Deploy;
use crate::yaml::YamlNode;

/// A Kubernetes object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ObjectManifest {
    /// Its file below the folder of configuration, of which others may be in the same.
    pub(crate) file: String,
    /// Its kind.
    pub(crate) kind: &'static str,
    /// When it is there.
    pub(crate) when: Condition,
    /// All of it.
    pub(crate) tree: Tree,
}

impl ObjectManifest {
    pub(super) fn new(file: impl Into<String>, kind: &'static str, tree: Tree) -> Self {
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

    /// The object as a rendering has it, without regard to the condition that it is there.
    pub(crate) fn render(&self, how: &dyn Rendering) -> YamlNode {
        let nothing = || YamlNode::Map(Vec::new());
        self.tree.render(how).unwrap_or_else(nothing)
    }

    /// The same object in another file.
    pub(super) fn at(mut self, file: impl Into<String>) -> Self {
        self.file = file.into();
        self
    }
}

/// `metadata` of an object of the cluster.
pub(super) fn cluster_metadata(deploy: &Deploy, name: &str) -> Tree {
    tree!({
        "labels": { "app.kubernetes.io/name": (&deploy.name) },
        "name": (deploy.named(name)),
    })
}

/// `metadata` of an object in the namespace of the deployment.
pub(super) fn metadata(deploy: &Deploy, name: &str) -> Tree {
    tree!({
        "labels": { "app.kubernetes.io/name": (&deploy.name) },
        "name": (deploy.named(name)),
        "namespace": (own_namespace()),
    })
}

/// The labels of the Pods.
pub(super) fn pod_labels(deploy: &Deploy) -> Tree {
    tree!({
        "app.kubernetes.io/name": (&deploy.name),
        "control-plane": "controller-manager",
    })
}

/// The namespace of the deployment.
pub(super) fn own_namespace() -> Tree {
    around_namespace("", "")
}

/// The namespace of the deployment, with text around it.
pub(super) fn around_namespace(before: impl Into<String>, after: impl Into<String>) -> Tree {
    Tree::Namespace {
        before: before.into(),
        after: after.into(),
    }
}

/// A namespace, which may be that of the deployment.
pub(super) fn namespace(name: &str, deploy: Option<&Deploy>) -> Tree {
    match deploy {
        Some(deploy) if deploy.namespace == name => own_namespace(),
        _ => name.into(),
    }
}

/// Whether an endpoint is the Service of the deployment.
pub(super) fn is_own(endpoint: &WebhookEndpoint, deploy: &Deploy) -> bool {
    matches!(
        endpoint,
        WebhookEndpoint::Service { namespace, name, .. }
            if *namespace == deploy.namespace && *name == deploy.webhook_service()
    )
}

/// Whether the webhook of the deployment converts a kind.
pub(super) fn converts(crd: &Crd, deploy: &Deploy) -> bool {
    let conversion = crd.conversion.as_ref();
    conversion.is_some_and(|conversion| is_own(&conversion.endpoint, deploy))
}

/// Whether the API server calls webhooks of the deployment.
pub(crate) fn serves_webhooks(model: &Model, deploy: &Deploy) -> bool {
    let mut webhooks = model.webhooks.iter().flat_map(|it| &it.webhooks);
    webhooks.any(|webhook| is_own(&webhook.endpoint, deploy))
        || model.crds.iter().any(|crd| converts(crd, deploy))
}
