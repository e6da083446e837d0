//! Model → files. Pure, and cannot fail: whatever could be wrong was found in `resolve`.

mod clientset;
mod crd;
mod crds;
mod extension;
mod informers;
mod layout;
mod listers;
mod methods;
mod modules;
mod order;
mod root;
mod schema;
mod scheme;
mod template;
mod uses;
mod wrap;
mod yaml;

use std::collections::BTreeSet;
use std::path::PathBuf;

use genclient_syntax::names;

use crate::file_set::FileSet;
use crate::model::{Artefact, Group, Model, Resource, Scope, Version};
use crate::parallel;
use crate::project::Project;
use layout::Source;

/// Writes the chosen artefacts of a model, in memory.
pub fn emit(model: &Model, project: &Project, artefacts: &BTreeSet<Artefact>) -> FileSet {
    let mut package = Package::new(project);
    let clients: BTreeSet<_> = artefacts
        .iter()
        .copied()
        .filter(|artefact| *artefact != Artefact::Crd)
        .collect();
    for artefact in artefacts {
        package.own(*artefact);
    }
    if !clients.is_empty() {
        package.own_root();
    }
    let documents = if artefacts.contains(&Artefact::Crd) || artefacts.contains(&Artefact::Crds) {
        parallel::map(&model.crds, crd::document)
    } else {
        Vec::new()
    };
    if artefacts.contains(&Artefact::Crd) {
        for (crd, document) in model.crds.iter().zip(&documents) {
            package.yaml(&crd.file_name(), document);
        }
    }
    // Without clients there is no module that could reach their files.
    if model.groups.is_empty() {
        return package.files;
    }
    if !clients.is_empty() {
        root::emit(model, &clients, &mut package);
    }
    let cached = model.cached();
    let parts: Vec<_> = clients
        .iter()
        .filter_map(|artefact| part(*artefact, model, &cached, &documents))
        .collect();
    let written = parallel::map(&parts, |part| {
        let mut package = Package::new(project);
        part(&mut package);
        package.files
    });
    for files in written {
        package.files.extend(files);
    }
    package.files
}

/// Emits some files without a look at others.
type Part<'a> = Box<dyn Fn(&mut Package<'_>) + Sync + 'a>;

fn part<'a>(
    artefact: Artefact,
    model: &'a Model,
    cached: &'a Model,
    documents: &'a [String],
) -> Option<Part<'a>> {
    Some(match artefact {
        Artefact::Clientset => Box::new(|package| clientset::emit(model, package)),
        Artefact::Listers => Box::new(|package| listers::emit(cached, package)),
        Artefact::Informers => Box::new(|package| informers::emit(cached, package)),
        Artefact::Scheme => Box::new(|package| scheme::emit(model, package)),
        Artefact::Crds => Box::new(|package| crds::emit(model, documents, package)),
        // Not a module of the client.
        Artefact::Crd => return None,
    })
}

/// The output of one package while it is written.
struct Package<'a> {
    project: &'a Project,
    files: FileSet,
}

impl<'a> Package<'a> {
    fn new(project: &'a Project) -> Self {
        Self {
            project,
            files: FileSet::default(),
        }
    }

    /// Adds a Rust file at `file` below the client folder.
    fn rust(&mut self, file: &str, source: &Source<'_>) {
        let path = self.project.client.dir.join(file);
        let text = layout::file(&self.project.boilerplate, source);
        self.files.insert(path, text);
    }

    /// Adds a YAML file at `file` below the CRD folder.
    fn yaml(&mut self, file: &str, document: &str) {
        let header = layout::header("#", &self.project.boilerplate);
        let text = format!("{header}---\n{document}");
        self.files.insert(self.crd_dir().join(file), text);
    }

    fn crd_dir(&self) -> PathBuf {
        self.project.config.join("crd")
    }

    /// The path of a module of the client: `crate::client::listers`.
    fn module(&self, below: &str) -> String {
        format!("{}::{below}", self.project.client.path)
    }

    /// Claims the client module's root file.
    fn own_root(&mut self) {
        let client = &self.project.client;
        self.files.own(client.dir.join(&client.root_file));
    }

    /// Claims the place where an artefact's files are, so that stale ones there are removed.
    fn own(&mut self, artefact: Artefact) {
        let client = &self.project.client.dir;
        match artefact {
            Artefact::Crd => self.files.own(self.crd_dir()),
            Artefact::Scheme | Artefact::Crds => {
                self.files
                    .own(client.join(format!("{}.rs", artefact.module())));
            }
            _ => self.files.own(client.join(artefact.module())),
        }
    }
}

/// An identifier, raw where the name is a keyword, with an underscore where it cannot be raw.
fn ident(name: &str) -> String {
    names::ident(name).to_string()
}

/// The attributes that keep an item's conditions.
fn cfg(conditions: &[String]) -> String {
    conditions
        .iter()
        .map(|condition| format!("#[cfg({condition})]\n"))
        .collect()
}

/// The lines of a doc comment.
fn docs<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    lines
        .into_iter()
        .map(|line| format!("/// {line}").trim_end().to_owned() + "\n")
        .collect()
}

/// `V1beta1` for `v1beta1`.
fn version_type(version: &Version) -> String {
    let mut name = version.module.replace('_', "");
    name[..1].make_ascii_uppercase();
    name
}

/// `Falldio` for `falldio`, `Group3scale` for `_3scale`.
fn group_type(group: &Group) -> String {
    let name = heck::AsUpperCamelCase(&group.module).to_string();
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        format!("Group{name}")
    } else {
        name
    }
}

/// `FalldioV1`.
fn version_client(group: &Group, version: &Version) -> String {
    format!("{}{}", group_type(group), version_type(version))
}

/// `falldio.com/v1`, and `v1` in the core group.
fn api_version(group: &Group, version: &Version) -> String {
    if group.name.is_empty() {
        version.name.clone()
    } else {
        format!("{}/{}", group.name, version.name)
    }
}

/// The conditions that hold for all of `resources`: what a module above them is compiled under.
fn common_cfg<'a>(resources: impl IntoIterator<Item = &'a Resource>) -> Vec<String> {
    let mut resources = resources.into_iter();
    let Some(first) = resources.next() else {
        return Vec::new();
    };
    let mut common = first.cfg.clone();
    for resource in resources {
        common.retain(|condition| resource.cfg.contains(condition));
    }
    common
}

/// True if methods of the kind's client take a namespace.
fn namespaced(resource: &Resource) -> bool {
    resource.scope == Scope::Namespaced
}
