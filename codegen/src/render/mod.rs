//! Model → what installs a deployment: one text with all objects, or a Helm chart. The base of
//! kustomize is what `emit` writes into `config/`. Pure, as `emit` is.

mod chart;
mod template;

use std::path::Path;

use crate::file_set::FileSet;
use crate::manifests::{self, IMAGE, ObjectManifest, Settled, crd};
use crate::model::Model;
use crate::project::Deploy;
use crate::yaml;

/// Objects of a deployment as one text, in the order in which they are installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Documents {
    documents: Vec<String>,
}

impl Documents {
    /// Everything that a deployment consists of.
    pub(crate) fn all(model: &Model, deploy: &Deploy, image: &str) -> Self {
        let objects = manifests::objects(model, deploy);
        Self::settled(&objects, &Settled { deploy, image })
    }

    /// Everything but the definitions of kinds.
    pub(crate) fn without_definitions(model: &Model, deploy: &Deploy) -> Self {
        let mut objects = manifests::objects(model, deploy);
        objects.retain(|object| object.kind != "CustomResourceDefinition");
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
        let documents = objects.map(|object| yaml::text(&object.render(settled)));
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
            .map(|document| format!("---\n{document}"))
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
