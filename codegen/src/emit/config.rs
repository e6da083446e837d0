//! `config/`: manifests as YAML, in one folder for each part of a deployment.

use std::collections::{BTreeMap, BTreeSet};

use super::package::PackageFiles;
use crate::manifests::{self, DEFAULT_IMAGE, ObjectManifest, Settled, crd, rbac, webhook};
use crate::model::{Artefact, Model};
use crate::parallel;
use crate::project::{Deploy, Project};
use crate::yaml::{self, Yaml, YamlNode};

/// The folders of a deployment, each with the artefact that owns its files.
const DEPLOYMENT_FOLDERS: [(&str, Artefact); 8] = [
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
const DEFAULT_FOLDER: &str = "default";

/// Claims the folders of the chosen artefacts. In a package with a deployment, every file in them
/// is generated.
pub(super) fn own_folders(artefacts: &BTreeSet<Artefact>, package: &mut PackageFiles<'_>) {
    let written = DEPLOYMENT_FOLDERS
        .iter()
        .filter(|(_, artefact)| artefacts.contains(artefact));
    for (folder, _) in written {
        package.files.own(package.project.config.join(folder));
    }
}

/// Keeps the kustomization in the folder of the definitions: it is part of the deployment, and
/// stays if only the definitions are written.
pub(super) fn keep_kustomization_of_crds(package: &mut PackageFiles<'_>) {
    let path = package.project.config.join("crd/kustomization.yaml");
    package.files.keep(path);
}

/// The YAML of each generated definition.
pub(super) fn render_definitions(model: &Model, project: &Project) -> Vec<String> {
    let deploy = project.deploy.as_ref();
    parallel::map(&model.crds, |crd| {
        render_document(&crd::crd_manifest(crd, deploy), project)
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
        let objects = model
            .webhooks
            .iter()
            .map(|it| webhook::configuration_manifest(it, deploy));
        let documents: Vec<_> = objects.map(|it| render_document(&it, project)).collect();
        package.yaml(webhook::WEBHOOKS_FILE, &documents);
    }
    if artefacts.contains(&Artefact::Rbac) && !model.roles.is_empty() {
        let objects = model.roles.iter().map(|it| rbac::role_manifest(it, deploy));
        let documents: Vec<_> = objects.map(|it| render_document(&it, project)).collect();
        package.yaml(rbac::ROLES_FILE, &documents);
    }
    if let Some(deploy) = deploy
        && artefacts.contains(&Artefact::Deploy)
    {
        emit_deployment(model, deploy, package);
    }
}

/// Emits all objects of a deployment, with a kustomization for each folder.
fn emit_deployment(model: &Model, deploy: &Deploy, package: &mut PackageFiles<'_>) {
    let settled = Settled {
        deploy,
        image: DEFAULT_IMAGE,
    };
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for object in manifests::deployment_objects(model, deploy) {
        if settled.holds(&object.when) {
            let document = yaml::render_document(&object.render(&settled));
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
    let other_folders = folders
        .keys()
        .map(|folder| format!("../{folder}"))
        .collect();
    folders.insert(DEFAULT_FOLDER, other_folders);
    for (folder, resources) in folders {
        let kustomization = yaml::render_document(&kustomization_node(&resources));
        package.yaml(&format!("{folder}/kustomization.yaml"), &[kustomization]);
    }
}

fn kustomization_node(resources: &[String]) -> YamlNode {
    Yaml::build(|yaml| {
        yaml.text("apiVersion", "kustomize.config.k8s.io/v1beta1");
        yaml.text("kind", "Kustomization");
        yaml.texts("resources", resources);
    })
}

/// The YAML of an object, with default settings if the package has no deployment.
fn render_document(object: &ObjectManifest, project: &Project) -> String {
    let without = Deploy::new(&project.name);
    let settled = Settled {
        deploy: project.deploy.as_ref().unwrap_or(&without),
        image: DEFAULT_IMAGE,
    };
    yaml::render_document(&object.render(&settled))
}
