//! Rendering of the [`Model`] as files in memory. It cannot fail, because `resolve` has reported
//! every error.

mod applyconfiguration;
mod clientset;
mod config;
mod conversion;
mod informers;
mod kind_paths;
mod kinds;
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
use kind_paths::KindPaths;
use package::PackageFiles;
pub use uses::Uses;

/// Renders the chosen artefacts of a model in memory.
pub fn emit(model: &Model, project: &Project, artefacts: &BTreeSet<Artefact>) -> FileSet {
    let kind_paths = KindPaths::new(model, project);
    let mut package = PackageFiles::new(project, &kind_paths);
    let clients = client_modules(artefacts);
    if !model.is_partial {
        own_paths(artefacts, project, &mut package);
    }
    let documents = if artefacts.contains(&Artefact::Crd) || artefacts.contains(&Artefact::Crds) {
        config::render_definitions(model, project)
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
        kinds::emit(&mut package);
    }
    let has = |artefact| clients.contains(&artefact) || project.present.contains(&artefact);
    let input = ModuleInput {
        model,
        cached: &model.cached(),
        documents: &documents,
        has_crds: has(Artefact::Crds),
        has_apply: has(Artefact::ApplyConfiguration),
    };
    let clients: Vec<_> = clients.into_iter().collect();
    let written = parallel::map(&clients, |artefact| {
        let mut package = PackageFiles::new(project, &kind_paths);
        emit_module(*artefact, &input, &mut package);
        package.files
    });
    for files in written {
        package.files.extend(files);
    }
    package.files
}

/// Returns the artefacts that are modules of the client.
fn client_modules(artefacts: &BTreeSet<Artefact>) -> BTreeSet<Artefact> {
    let artefacts = artefacts.iter().copied();
    artefacts.filter(|artefact| artefact.is_module()).collect()
}

/// Claims the paths of the artefacts, so that stale files there are removed. Stated definitions
/// there are inputs, so they are kept.
fn own_paths(artefacts: &BTreeSet<Artefact>, project: &Project, package: &mut PackageFiles<'_>) {
    for artefact in artefacts {
        package.own(*artefact);
    }
    if artefacts.contains(&Artefact::Deploy) {
        config::own_folders(artefacts, package);
    } else if project.deploy.is_some() {
        config::keep_kustomization_of_crds(package);
    }
    if !client_modules(artefacts).is_empty() {
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

/// What the modules of the client are rendered from.
struct ModuleInput<'a> {
    model: &'a Model,
    /// The kinds of the model with list and watch, which have informers and listers.
    cached: &'a Model,
    /// The YAML of each generated definition.
    documents: &'a [String],
    /// Whether the client has the module `crds`.
    has_crds: bool,
    /// Whether the client has the module `applyconfiguration`.
    has_apply: bool,
}

/// Emits a module of the client.
fn emit_module(artefact: Artefact, input: &ModuleInput<'_>, package: &mut PackageFiles<'_>) {
    match artefact {
        Artefact::Clientset => clientset::emit(input.model, input.has_apply, package),
        Artefact::ApplyConfiguration => applyconfiguration::emit(input.model, package),
        Artefact::Listers => informers::emit_listers(input.cached, package),
        Artefact::Informers => informers::emit(input.cached, package),
        Artefact::Scheme => scheme::emit(input.model, package),
        Artefact::Crds => root::emit_crds(input.model, input.documents, package),
        Artefact::Conversion => conversion::emit(input.model, input.has_crds, package),
        // These artefacts are YAML, not modules of the client.
        Artefact::Crd | Artefact::Rbac | Artefact::Webhook | Artefact::Deploy => {}
    }
}
