//! Import of custom resource definitions: YAML becomes Rust types with genclient's attributes.
//!
//! ```text
//! FILE… ─ read ─▶ definitions ─ types ─▶ modules ─ items ─▶ texts ─ files ─▶ changes
//! ```
//!
//! All is made in memory: whoever asked for it writes the files.

mod attribute;
mod constraints;
mod definition;
mod docs;
mod files;
mod items;
mod keywords;
mod kind;
mod kubernetes;
mod losses;
mod module;
mod modules;
mod names;
mod notes;
mod read;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use genclient_syntax::names as syntax_names;

use crate::diagnostic::{Diagnostic, Diagnostics};
use definition::{ImportedCrd, ImportedVersion};
use files::{Layout, NewFiles};
use module::ImportedModule;
use notes::Note;
use types::ModuleTypes;

/// What is imported, and to where.
#[derive(Debug)]
pub(crate) struct Request {
    /// Files and folders of YAML.
    pub(crate) paths: Vec<PathBuf>,
    /// The folder of the API types.
    pub(crate) apis: PathBuf,
    /// The root file of the crate, which declares the module of the API types.
    pub(crate) crate_root: Option<PathBuf>,
    /// Module names of groups.
    pub(crate) aliases: BTreeMap<String, String>,
    /// True if the package has `serde_json` itself.
    pub(crate) has_serde_json: bool,
    /// True for kinds whose CRD another project owns.
    pub(crate) client_only: bool,
    /// True if warnings list every place that they are about.
    pub(crate) all_places: bool,
}

/// What an import makes.
#[derive(Debug)]
pub(crate) struct Imported {
    /// Files to be written, by path.
    pub(crate) files: BTreeMap<PathBuf, String>,
    /// Those of them that are there and get a `pub mod` line.
    pub(crate) changed: Vec<PathBuf>,
    /// What `update` does not give back.
    pub(crate) warnings: Diagnostics,
    pub(crate) kinds: usize,
    pub(crate) fields: usize,
}

/// Makes types of definitions.
///
/// # Errors
///
/// Files that cannot be read or hold no definition of `apiextensions.k8s.io/v1`, and files that
/// are in the way.
pub(crate) fn import(request: &Request) -> Result<Imported, Diagnostics> {
    let definitions = read::definitions(&request.paths)?;
    let mut run = ImportRun::new(request);
    for definition in &definitions {
        run.note(&definition.name, definition.notes.iter().cloned());
    }
    let groups: BTreeSet<_> = definitions.iter().map(|one| one.group.as_str()).collect();
    let modules = group_modules(&groups, &request.aliases);
    for group in groups {
        let of_group = definitions.iter().filter(|one| one.group == group);
        let of_group: Vec<_> = of_group.collect();
        let name = &modules[group];
        let folder = request.apis.join(name);
        for version in versions(&of_group) {
            run.version(group, version, &of_group, &folder);
        }
        let root = request.crate_root.as_deref();
        run.files.declare(&request.apis, root, name, "API types.");
    }
    declare_apis(request, &mut run.files);
    run.finish()
}

/// An import in the making.
struct ImportRun<'r> {
    request: &'r Request,
    files: NewFiles,
    /// What does not come back, by the name of the definition.
    notes: BTreeMap<String, BTreeSet<Note>>,
    kinds: usize,
    fields: usize,
}

/// Definitions, each with one of its versions.
type VersionKinds<'d> = Vec<(&'d ImportedCrd, &'d ImportedVersion)>;

impl<'r> ImportRun<'r> {
    fn new(request: &'r Request) -> Self {
        Self {
            request,
            files: NewFiles::new(),
            notes: BTreeMap::new(),
            kinds: 0,
            fields: 0,
        }
    }

    fn note(&mut self, definition: &str, notes: impl IntoIterator<Item = Note>) {
        if !self.request.client_only {
            let known = self.notes.entry(definition.to_owned()).or_default();
            known.extend(notes);
        }
    }

    /// The modules of a version of a group.
    fn version(&mut self, group: &str, version: &str, of_group: &[&ImportedCrd], folder: &Path) {
        let of_version: VersionKinds<'_> = of_group
            .iter()
            .filter_map(|one| Some((*one, one.versions.iter().find(|v| v.name == version)?)))
            .collect();
        let about = format!("Version `{version}` of the group `{group}`");
        let version_module = files::module_name(version);
        match files::layout(folder, version, of_version.len()) {
            Layout::File => {
                let path = folder.join(&version_module);
                self.module(format!("{about}."), of_version, &path);
            }
            Layout::Folder => {
                let folder = folder.join(&version_module);
                for (definition, version) in of_version {
                    let module = syntax_names::snake_case(&definition.kind);
                    let about_all = format!("{about}.");
                    self.files.declare(&folder, None, &module, &about_all);
                    let header = format!("The kind `{}` in {}.", definition.kind, lower(&about));
                    self.module(header, vec![(definition, version)], &folder.join(module));
                }
            }
        }
        let about = format!("The group `{group}`.");
        self.files.declare(folder, None, &version_module, &about);
    }

    /// One file.
    fn module(&mut self, header: String, part: VersionKinds<'_>, path: &Path) {
        let client_only = self.request.client_only;
        let mut types = ModuleTypes::new(client_only);
        let mut kinds = Vec::new();
        for (definition, version) in part {
            let mut found = Vec::new();
            kinds.push(kind::kind(
                definition,
                version,
                client_only,
                &mut types,
                &mut found,
            ));
            self.note(&definition.name, found);
        }
        let module = ImportedModule {
            header,
            kinds,
            types,
        };
        self.kinds += module.kinds.len();
        self.fields += module.field_count();
        let values = if self.request.has_serde_json {
            "serde_json::Value"
        } else {
            "k8s_openapi::serde_json::Value"
        };
        let text = module.text(values);
        self.files.add(path.with_extension("rs"), text);
    }

    fn finish(self) -> Result<Imported, Diagnostics> {
        let warnings = warnings(&self.notes, self.request.all_places);
        let (files, changed) = self.files.finish()?;
        Ok(Imported {
            files,
            changed,
            warnings,
            kinds: self.kinds,
            fields: self.fields,
        })
    }
}

/// A warning for each thing that a definition loses, with its places.
fn warnings(notes: &BTreeMap<String, BTreeSet<Note>>, all_places: bool) -> Diagnostics {
    let mut warnings = Diagnostics::default();
    for (name, found) in notes {
        let mut by_text: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for note in found {
            by_text.entry(&note.text).or_default().push(&note.path);
        }
        for (text, paths) in by_text {
            let places = listed(&paths, all_places);
            let message = format!("{name}: {text}: at {places}");
            warnings.extend(Diagnostic::warning(message).into());
        }
    }
    warnings
}

/// Places in a message: the first few, unless all are asked for.
fn listed(paths: &[&str], all: bool) -> String {
    const FEW: usize = 5;
    let more = paths.len().saturating_sub(FEW);
    if all || more == 0 {
        return paths.join(", ");
    }
    format!(
        "{}, and {more} more (`-v` lists them)",
        paths[..FEW].join(", ")
    )
}

/// Declares the module of the API types in the root of its crate, beside which it is.
fn declare_apis(request: &Request, files: &mut NewFiles) {
    let Some(root) = request.crate_root.as_deref().filter(|root| root.exists()) else {
        return;
    };
    let folder = request.apis.parent();
    let name = request.apis.file_name().and_then(|name| name.to_str());
    if let (Some(folder), Some(name)) =
        (folder.filter(|folder| root.parent() == Some(folder)), name)
    {
        files.declare(folder, Some(root), name, "API types.");
    }
}

fn lower(about: &str) -> String {
    about.replacen("Version", "version", 1)
}

/// The versions of a group, oldest first.
fn versions<'d>(definitions: &[&'d ImportedCrd]) -> Vec<&'d str> {
    let all = definitions.iter().flat_map(|one| &one.versions);
    let names: BTreeSet<_> = all.map(|version| version.name.as_str()).collect();
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort_by(|one, other| syntax_names::compare_versions(one, other));
    names
}

/// The module of each group: its alias or its first label, or the whole name if that is another's.
fn group_modules<'g>(
    groups: &BTreeSet<&'g str>,
    aliases: &BTreeMap<String, String>,
) -> BTreeMap<&'g str, String> {
    let mut taken = BTreeSet::new();
    let mut modules = BTreeMap::new();
    for group in groups {
        let mut name = match aliases.get(*group) {
            Some(alias) => alias.clone(),
            None => syntax_names::group_module(group),
        };
        if taken.contains(&name) {
            name = group.replace(['.', '-'], "_");
        }
        if syn::parse_str::<syn::Ident>(&name).is_err() {
            name.push('_');
        }
        taken.insert(name.clone());
        modules.insert(*group, name);
    }
    modules
}
