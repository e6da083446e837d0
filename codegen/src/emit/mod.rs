//! Rendering of the [`Model`] as files in memory. It cannot fail, because `resolve` has reported
//! every error.

mod clientset;
mod config;
mod conversion;
mod informers;
mod methods;
mod names;
mod package;
mod root;
mod scheme;
mod uses;
mod wrap;

use std::collections::BTreeSet;

use super::parallel;
use crate::file_set::FileSet;
use crate::model::{Artefact, Model};
use crate::project::Project;
use package::PackageFiles;
pub use uses::Uses;

/// Renders the chosen artefacts of a model in memory.
pub fn emit(model: &Model, project: &Project, artefacts: &BTreeSet<Artefact>) -> FileSet {
    let mut package = PackageFiles::new(project);
    let clients = modules(artefacts);
    if !model.is_partial {
        own(artefacts, project, &mut package);
    }
    let documents = if artefacts.contains(&Artefact::Crd) || artefacts.contains(&Artefact::Crds) {
        config::definitions(model, project)
    } else {
        Vec::new()
    };
    config::emit(model, artefacts, &documents, &mut package);
    // Without groups there is no client module.
    if model.groups.is_empty() {
        return package.files;
    }
    if !clients.is_empty() {
        root::emit(model, &clients, &mut package);
    }
    let has_crds = clients.contains(&Artefact::Crds) || project.present.contains(&Artefact::Crds);
    let cached = model.cached();
    let clients: Vec<_> = clients.into_iter().collect();
    let written = parallel::map(&clients, |artefact| {
        let mut package = PackageFiles::new(project);
        part(
            *artefact,
            model,
            &cached,
            &documents,
            has_crds,
            &mut package,
        );
        package.files
    });
    for files in written {
        package.files.extend(files);
    }
    package.files
}

/// Returns the artefacts that are modules of the client.
fn modules(artefacts: &BTreeSet<Artefact>) -> BTreeSet<Artefact> {
    let artefacts = artefacts.iter().copied();
    artefacts.filter(|artefact| artefact.is_module()).collect()
}

/// Claims the places of the artefacts, so that stale files there are removed. Stated definitions
/// there are inputs, so they are kept.
fn own(artefacts: &BTreeSet<Artefact>, project: &Project, package: &mut PackageFiles<'_>) {
    for artefact in artefacts {
        package.own(*artefact);
    }
    if artefacts.contains(&Artefact::Deploy) {
        config::own(artefacts, package);
    }
    if !modules(artefacts).is_empty() {
        package.own_root();
    }
    let definitions = project
        .kinds
        .iter()
        .filter_map(|kind| kind.definition.as_ref());
    for definition in definitions {
        package.files.keep(definition.path.clone());
    }
}

fn part(
    artefact: Artefact,
    model: &Model,
    cached: &Model,
    documents: &[String],
    has_crds: bool,
    package: &mut PackageFiles<'_>,
) {
    match artefact {
        Artefact::Clientset => clientset::emit(model, package),
        Artefact::Listers => informers::emit_listers(cached, package),
        Artefact::Informers => informers::emit(cached, package),
        Artefact::Scheme => scheme::emit(model, package),
        Artefact::Crds => root::emit_crds(model, documents, package),
        Artefact::Conversion => conversion::emit(model, has_crds, package),
        // These artefacts are YAML, not modules of the client.
        Artefact::Crd | Artefact::Rbac | Artefact::Webhook | Artefact::Deploy => {}
    }
}
