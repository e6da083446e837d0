//! Model → what installs a deployment: one text with all objects, or a Helm chart. The base of
//! kustomize is what `emit` writes into `config/`. Pure, as `emit` is.

mod chart;
mod template;

use std::path::Path;

use crate::file_set::FileSet;
use crate::manifests::{self, IMAGE, ObjectManifest, Settled, crd};
use crate::model::Model;
use crate::project::{Certificates, Deploy};
use crate::yaml;

/// Objects of a deployment as one text, in the order in which they are installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Documents {
    documents: Vec<(&'static str, String)>,
}

/// Kinds of the objects that say what the program may do.
const RIGHTS: [&str; 6] = [
    "Namespace",
    "ServiceAccount",
    "ClusterRole",
    "Role",
    "ClusterRoleBinding",
    "RoleBinding",
];

/// Kinds of the objects by which the API server calls webhooks.
const CALLERS: [&str; 3] = [
    "CustomResourceDefinition",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

impl Documents {
    /// Everything that a deployment consists of.
    pub(crate) fn all(model: &Model, deploy: &Deploy, image: &str) -> Self {
        let objects = manifests::objects(model, deploy);
        Self::settled(&objects, &Settled { deploy, image })
    }

    /// The same without the objects of a kind.
    pub(crate) fn without(mut self, kind: &str) -> Self {
        self.documents.retain(|(of, _)| *of != kind);
        self
    }

    /// Objects for an API server on this machine, whose program runs beside it: kinds, the account
    /// with its roles, and webhooks, which are called at a URL in place of the Service.
    pub(crate) fn beside(model: &Model, deploy: &Deploy, url: &str) -> Self {
        let deploy = &Deploy {
            certificates: Certificates::Own,
            ..deploy.clone()
        };
        let mut objects = manifests::objects(model, deploy);
        objects.retain(|object| RIGHTS.contains(&object.kind));
        objects.extend(manifests::rbac::namespaces(model, deploy));
        let called = manifests::called_at(url, model, deploy);
        let callers = manifests::objects(&called, deploy).into_iter();
        objects.extend(callers.filter(|object| CALLERS.contains(&object.kind)));
        let image = IMAGE;
        Self::settled(&objects, &Settled { deploy, image })
    }

    /// The definitions of kinds.
    pub(crate) fn definitions(model: &Model, deploy: &Deploy) -> Self {
        let definitions = model.crds.iter().map(|crd| crd::object(crd, Some(deploy)));
        let objects: Vec<_> = definitions.collect();
        let image = IMAGE;
        Self::settled(&objects, &Settled { deploy, image })
    }

    fn settled(objects: &[ObjectManifest], settled: &Settled<'_>) -> Self {
        let objects = objects.iter().filter(|object| settled.holds(&object.when));
        let documents = objects.map(|it| (it.kind, yaml::text(&it.render(settled))));
        Self {
            documents: documents.collect(),
        }
    }

    /// The same in the order in which they are removed.
    pub(crate) fn reversed(mut self) -> Self {
        self.documents.reverse();
        self
    }

    /// True if there is nothing to install.
    pub(crate) fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The text.
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
    add("Chart.yaml", chart::about(deploy));
    add("values.yaml", chart::values(deploy));
    for (file, text) in template::files(&manifests::objects(model, deploy)) {
        add(&format!("templates/{file}"), text);
    }
    files
}
