//! Rendering of a deployment for installation: a single text with all objects, or a Helm chart.
//!
//! `emit` generates the kustomize base in `config/`. Like `emit`, this module does no I/O.

mod template;

use std::path::Path;

use genclient_codegen::manifests::{self, AMOUNTS, IMAGE, ObjectManifest, Settled};
use genclient_codegen::yaml::{self, Yaml, YamlNode};
use genclient_codegen::{Certificates, Deploy, FileSet, HEADER, Model};

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
const CALLERS: [&str; 3] = [
    "CustomResourceDefinition",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

impl Documents {
    /// All objects of a deployment, in installation order.
    pub(crate) fn all(model: &Model, deploy: &Deploy, image: &str) -> Self {
        let objects = manifests::objects(model, deploy);
        Self::settled(&objects, &Settled { deploy, image })
    }

    pub(crate) fn without(mut self, kind: &str) -> Self {
        self.documents.retain(|(of, _)| *of != kind);
        self
    }

    /// Objects for `genclient run --in-process`, which runs the program beside a local API server:
    /// CRDs, namespaces, the service account with its roles, and webhook configurations. There is
    /// no Deployment and no Service, so the API server calls the webhooks at `url`.
    pub(crate) fn beside(model: &Model, deploy: &Deploy, url: &str) -> Self {
        let deploy = &Deploy {
            certificates: Certificates::Own,
            ..deploy.clone()
        };
        let mut objects = manifests::objects(model, deploy);
        objects.retain(|object| PERMISSION_KINDS.contains(&object.kind));
        objects.extend(manifests::namespaces(model, deploy));
        let called = manifests::called_at(url, model, deploy);
        let callers = manifests::objects(&called, deploy).into_iter();
        objects.extend(callers.filter(|object| CALLERS.contains(&object.kind)));
        let image = IMAGE;
        Self::settled(&objects, &Settled { deploy, image })
    }

    /// The definitions of the package `name`, as `emit` writes them to `config/crd`.
    pub(crate) fn definitions(model: &Model, deploy: Option<&Deploy>, name: &str) -> Self {
        let definitions = model
            .crds
            .iter()
            .map(|crd| manifests::definition(crd, deploy));
        let objects: Vec<_> = definitions.collect();
        let without = Deploy::new(name);
        let settled = Settled {
            deploy: deploy.unwrap_or(&without),
            image: IMAGE,
        };
        Self::settled(&objects, &settled)
    }

    /// Adds the objects of another package.
    pub(crate) fn extend(&mut self, other: Self) {
        self.documents.extend(other.documents);
    }

    fn settled(objects: &[ObjectManifest], settled: &Settled<'_>) -> Self {
        let objects = objects.iter().filter(|object| settled.holds(&object.when));
        let documents = objects.map(|it| (it.kind, yaml::text(&it.render(settled))));
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
    pub(crate) fn text(&self) -> String {
        let documents = self.documents.iter();
        documents
            .map(|(_, document)| format!("---\n{document}"))
            .collect()
    }
}

/// The Helm chart of a deployment, in a folder.
pub(crate) fn chart(model: &Model, deploy: &Deploy, folder: &Path) -> FileSet {
    let mut files = FileSet::default();
    files.own(folder.to_owned());
    let mut add = |file: &str, text: String| files.insert(folder.join(file), text);
    add("Chart.yaml", about(deploy));
    add("values.yaml", values(deploy));
    for (file, text) in template::files(&manifests::objects(model, deploy)) {
        add(&format!("templates/{file}"), text);
    }
    files
}

/// The chart version; `helm package --version` overrides it.
const VERSION: &str = "0.1.0";

/// `Chart.yaml`.
fn about(deploy: &Deploy) -> String {
    marked(&Yaml::of(|yaml| {
        yaml.text("apiVersion", "v2");
        let description = format!("Deploys {}", deploy.name);
        yaml.text("description", description.as_str());
        yaml.text("name", deploy.name.as_str());
        yaml.text("type", "application");
        yaml.text("version", VERSION);
    }))
}

/// `values.yaml`: the settings of the package, as defaults of an installation.
fn values(deploy: &Deploy) -> String {
    let switch = |yaml: &mut Yaml, name: &str, is_on: bool| {
        yaml.map(name, |yaml| yaml.plain("enabled", Some(is_on)));
    };
    marked(&Yaml::of(|yaml| {
        switch(
            yaml,
            "certManager",
            deploy.certificates == Certificates::CertManager,
        );
        yaml.map("crd", |yaml| {
            yaml.plain("enabled", Some(true));
            yaml.plain("keep", Some(true));
        });
        yaml.text("image", IMAGE);
        switch(yaml, "metrics", deploy.metrics);
        switch(yaml, "networkPolicy", deploy.network_policy);
        switch(yaml, "prometheus", deploy.prometheus);
        yaml.map("rbac", |yaml| {
            yaml.map("helpers", |yaml| yaml.plain("enabled", Some(true)));
        });
        yaml.plain("replicas", Some(deploy.replicas));
        yaml.map("resources", |yaml| {
            for of in ["limits", "requests"] {
                yaml.map(of, |yaml| {
                    for amount in AMOUNTS.iter().filter(|amount| amount.of == of) {
                        yaml.text(amount.resource, amount.default);
                    }
                });
            }
        });
    }))
}

/// A document with the header of generated files.
fn marked(node: &YamlNode) -> String {
    format!("# {HEADER}\n{}", yaml::text(node))
}
