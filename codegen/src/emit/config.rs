//! `config/`: manifests as YAML, in one folder for each part of a deployment.

use std::collections::{BTreeMap, BTreeSet};

use super::package::PackageFiles;
use crate::manifests::{self, IMAGE, ObjectManifest, Settled, crd, rbac, webhook};
use crate::model::{Artefact, Model};
use crate::parallel;
use crate::project::{Deploy, Project};
use crate::yaml::{self, Yaml, YamlNode};

/// The folders of a deployment, each with the artefact that owns its files.
const FOLDERS: [(&str, Artefact); 8] = [
    ("certmanager", Artefact::Deploy),
    ("crd", Artefact::Crd),
    ("default", Artefact::Deploy),
    ("manager", Artefact::Deploy),
    ("network-policy", Artefact::Deploy),
    ("prometheus", Artefact::Deploy),
    ("rbac", Artefact::Rbac),
    ("webhook", Artefact::Webhook),
];

/// The folder whose kustomization includes all other folders.
const DEFAULT: &str = "default";

/// Claims the folders of the chosen artefacts. In a package with a deployment, every file in them
/// is generated.
pub(super) fn own(artefacts: &BTreeSet<Artefact>, package: &mut PackageFiles<'_>) {
    let written = FOLDERS.iter().filter(|(_, of)| artefacts.contains(of));
    for (folder, _) in written {
        package.files.own(package.project.config.join(folder));
    }
}

/// The YAML of each generated definition.
pub(super) fn definitions(model: &Model, project: &Project) -> Vec<String> {
    let deploy = project.deploy.as_ref();
    parallel::map(&model.crds, |crd| {
        document(&crd::object(crd, deploy), project)
    })
}

pub(super) fn emit(
    model: &Model,
    artefacts: &BTreeSet<Artefact>,
    definitions: &[String],
    package: &mut PackageFiles<'_>,
) {
    let project = package.project;
    let deploy = project.deploy.as_ref();
    if artefacts.contains(&Artefact::Crd) {
        for (crd, document) in model.crds.iter().zip(definitions) {
            package.yaml(&format!("crd/{}", crd.file_name()), &[document]);
        }
    }
    if artefacts.contains(&Artefact::Webhook) && !model.webhooks.is_empty() {
        let objects = model.webhooks.iter().map(|it| webhook::object(it, deploy));
        let documents: Vec<_> = objects.map(|it| document(&it, project)).collect();
        package.yaml(webhook::WEBHOOKS, &documents);
    }
    if artefacts.contains(&Artefact::Rbac) && !model.roles.is_empty() {
        let objects = model.roles.iter().map(|it| rbac::object(it, deploy));
        let documents: Vec<_> = objects.map(|it| document(&it, project)).collect();
        package.yaml(rbac::ROLES, &documents);
    }
    if let Some(deploy) = deploy
        && artefacts.contains(&Artefact::Deploy)
    {
        deployment(model, deploy, package);
    }
}

/// Emits all objects of a deployment, with a kustomization for each folder.
fn deployment(model: &Model, deploy: &Deploy, package: &mut PackageFiles<'_>) {
    let settled = Settled {
        deploy,
        image: IMAGE,
    };
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for object in manifests::objects(model, deploy) {
        if settled.holds(&object.when) {
            let document = yaml::text(&object.render(&settled));
            files.entry(object.file).or_default().push(document);
        }
    }
    let mut folders: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (file, documents) in &files {
        package.yaml(file, documents);
        if let Some((folder, name)) = file.split_once('/') {
            folders.entry(folder).or_default().push(name.to_owned());
        }
    }
    let all = folders
        .keys()
        .map(|folder| format!("../{folder}"))
        .collect();
    folders.insert(DEFAULT, all);
    for (folder, resources) in folders {
        let kustomization = yaml::text(&kustomization(&resources));
        package.yaml(&format!("{folder}/kustomization.yaml"), &[kustomization]);
    }
}

fn kustomization(resources: &[String]) -> YamlNode {
    Yaml::of(|yaml| {
        yaml.text("apiVersion", "kustomize.config.k8s.io/v1beta1");
        yaml.text("kind", "Kustomization");
        yaml.texts("resources", resources);
    })
}

/// The YAML of an object, with default settings if the package has no deployment.
fn document(object: &ObjectManifest, project: &Project) -> String {
    let without = Deploy::new(&project.name);
    let settled = Settled {
        deploy: project.deploy.as_ref().unwrap_or(&without),
        image: IMAGE,
    };
    yaml::text(&object.render(&settled))
}
