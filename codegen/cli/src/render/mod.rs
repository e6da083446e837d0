//! Rendering of a deployment for installation: a single text with all objects, or a Helm chart.
//!
//! `emit` generates the kustomize base in `config/`. Like `emit`, this module does no I/O.

mod helm;

use genclient_codegen::manifests::{self, DEFAULT_IMAGE, ObjectManifest, Settled};
use genclient_codegen::yaml;
use genclient_codegen::{Certificates, Deploy, Model};

pub(crate) use helm::build_chart;

/// Objects of a deployment, or definitions of packages, as YAML documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Documents {
    documents: Vec<(&'static str, String)>,
}

/// Kinds of the objects for the program's namespace, account and permissions.
const PERMISSION_KINDS: [&str; 6] = [
    "Namespace",
    "ServiceAccount",
    "ClusterRole",
    "Role",
    "ClusterRoleBinding",
    "RoleBinding",
];

/// Kinds of the objects that may register a webhook with the API server.
const WEBHOOK_KINDS: [&str; 3] = [
    "CustomResourceDefinition",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

impl Documents {
    /// All objects of a deployment, in installation order.
    pub(crate) fn from_deployment(model: &Model, deploy: &Deploy, image: &str) -> Self {
        let objects = manifests::deployment_objects(model, deploy);
        Self::render_objects(&objects, &Settled { deploy, image })
    }

    pub(crate) fn without(mut self, kind: &str) -> Self {
        self.documents.retain(|(other, _)| *other != kind);
        self
    }

    /// Objects for `genclient run --in-process`, which runs the program beside a local API server:
    /// CRDs, namespaces, the service account with its roles, and webhook configurations. There is
    /// no Deployment and no Service, so the API server calls the webhooks at `url`.
    pub(crate) fn for_in_process_run(model: &Model, deploy: &Deploy, url: &str) -> Self {
        let deploy = &Deploy {
            certificates: Certificates::Own,
            ..deploy.clone()
        };
        let mut objects = manifests::deployment_objects(model, deploy);
        objects.retain(|object| PERMISSION_KINDS.contains(&object.kind));
        objects.extend(manifests::role_namespaces(model, deploy));
        let called = manifests::call_webhooks_at_url(url, model, deploy);
        let callers = manifests::deployment_objects(&called, deploy).into_iter();
        objects.extend(callers.filter(|object| WEBHOOK_KINDS.contains(&object.kind)));
        let image = DEFAULT_IMAGE;
        Self::render_objects(&objects, &Settled { deploy, image })
    }

    /// The definitions of the package `name`, as `emit` writes them to `config/crd`.
    pub(crate) fn from_definitions(model: &Model, deploy: Option<&Deploy>, name: &str) -> Self {
        let definitions = model
            .crds
            .iter()
            .map(|crd| manifests::crd_manifest(crd, deploy));
        let objects: Vec<_> = definitions.collect();
        let without = Deploy::new(name);
        let settled = Settled {
            deploy: deploy.unwrap_or(&without),
            image: DEFAULT_IMAGE,
        };
        Self::render_objects(&objects, &settled)
    }

    /// Adds the objects of another package.
    pub(crate) fn extend(&mut self, other: Self) {
        self.documents.extend(other.documents);
    }

    fn render_objects(objects: &[ObjectManifest], settled: &Settled<'_>) -> Self {
        let objects = objects.iter().filter(|object| settled.holds(&object.when));
        let documents = objects.map(|it| (it.kind, yaml::render_document(&it.render(settled))));
        Self {
            documents: documents.collect(),
        }
    }

    /// Reverses the order, for removal.
    pub(crate) fn reversed(mut self) -> Self {
        self.documents.reverse();
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The objects as a multi-document YAML text.
    pub(crate) fn to_yaml(&self) -> String {
        let documents = self.documents.iter();
        documents
            .map(|(_, document)| format!("---\n{document}"))
            .collect()
    }
}
