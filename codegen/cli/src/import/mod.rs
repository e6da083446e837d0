//! Import of custom resource definitions: Rust types with genclient's attributes from YAML.
//!
//! ```text
//! FILE… ─ read ─▶ definitions ─ types ─▶ modules ─ items ─▶ texts ─ files ─▶ changes
//! ```
//!
//! The import runs in memory, and the caller writes the files.

mod attribute;
mod constraints;
mod definition;
mod docs;
mod files;
mod groups;
mod items;
mod keywords;
mod kind;
mod kubernetes;
mod lints;
mod losses;
mod module;
mod names;
mod read;
mod refusals;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use genclient_codegen::paths::normalize;
use genclient_codegen::{Diagnostic, Diagnostics, Group, Project};
use genclient_syntax::names as syntax_names;

use definition::{ImportedCrd, ImportedVersion};
use files::{Layout, NewFiles};
use losses::Note;
use module::ImportedModule;
use types::ModuleTypes;

/// An import: its sources and the target package.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) paths: Vec<PathBuf>,
    /// The folder of the API types.
    pub(crate) apis: PathBuf,
    pub(crate) project: Project,
    /// The groups that the package serves already.
    pub(crate) groups: Vec<Group>,
    /// True for kinds whose CRD is owned by another project.
    pub(crate) client_only: bool,
    /// True if each warning lists all of its places, not only the first few.
    pub(crate) all_places: bool,
}

impl Request {
    /// Returns the package with the files of the import, and with the settings that the user has to
    /// add.
    fn after_import(
        &self,
        files: &BTreeMap<PathBuf, String>,
        aliases: &BTreeMap<String, String>,
    ) -> Project {
        let mut project = self.project.clone();
        project.apis.clone_from(&self.apis);
        project.group_aliases.extend(aliases.clone());
        project.pending = files
            .iter()
            .map(|(path, text)| (normalize(path), text.clone()))
            .collect();
        project
    }
}

/// The results of an import.
#[derive(Debug)]
pub(crate) struct Imported {
    /// Files to write, by path.
    pub(crate) files: BTreeMap<PathBuf, String>,
    /// The paths in `files` that exist already. These files get a `pub mod` line.
    pub(crate) changed: Vec<PathBuf>,
    /// The parts of the definitions that `update` does not reproduce, and the errors that it is
    /// going to report in the new files.
    pub(crate) warnings: Diagnostics,
    /// Aliases that Cargo.toml must declare, by group.
    pub(crate) aliases: BTreeMap<String, String>,
    pub(crate) kinds: usize,
    pub(crate) fields: usize,
}

/// Converts definitions into types.
///
/// # Errors
///
/// A file cannot be read or parsed, a definition is invalid or occurs twice, there is no definition
/// at all, or the file of an imported kind exists already.
pub(crate) fn import(request: &Request) -> Result<Imported, Diagnostics> {
    let definitions = read::definitions(&request.paths)?;
    let mut run = ImportRun::new(request);
    for definition in &definitions {
        run.note(&definition.name, definition.notes.iter().cloned());
    }
    let groups: BTreeSet<_> = definitions.iter().map(|one| one.group.as_str()).collect();
    let project = &request.project;
    let chosen = groups::choose(
        &groups,
        &request.groups,
        &project.group_aliases,
        &project.types,
    );
    for group in groups {
        let of_group: Vec<_> = definitions
            .iter()
            .filter(|one| one.group == group)
            .collect();
        let name = &chosen.modules[group];
        let folder = request.apis.join(name);
        for version in versions(&of_group) {
            run.version(group, version, &of_group, &folder);
        }
        let root = Some(project.crate_root.as_path());
        run.files.declare(&request.apis, root, name, "API types.");
    }
    declare_beside_root(&request.apis, "API types.", request, &mut run.files);
    if request.apis == project.apis && project.client.root_file == "mod.rs" {
        declare_beside_root(&project.client.dir, "Clients.", request, &mut run.files);
    }
    run.finish(chosen.aliases)
}

/// The state of a running import.
struct ImportRun<'r> {
    request: &'r Request,
    files: NewFiles,
    /// Losses by definition name.
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

    /// Adds the modules of one version of a group.
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
                    let module = syntax_names::module(&syntax_names::snake_case(&definition.kind));
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
        // Every package with API types depends on `k8s_openapi`, but not every one on `serde_json`.
        let text = module.text("k8s_openapi::serde_json::Value");
        self.files.add(path.with_extension("rs"), text);
    }

    fn finish(self, aliases: BTreeMap<String, String>) -> Result<Imported, Diagnostics> {
        let mut warnings = warnings(&self.notes, self.request.all_places);
        let (files, changed) = self.files.finish()?;
        let project = self.request.after_import(&files, &aliases);
        let new = files
            .keys()
            .filter(|path| !changed.contains(path))
            .map(PathBuf::as_path);
        warnings.extend(refusals::warnings(&project, new));
        Ok(Imported {
            files,
            changed,
            warnings,
            aliases,
            kinds: self.kinds,
            fields: self.fields,
        })
    }
}

/// Returns a warning for each definition and each text in its notes. Notes with the same text share
/// a warning, which lists their places.
fn warnings(notes: &BTreeMap<String, BTreeSet<Note>>, all_places: bool) -> Diagnostics {
    let mut warnings = Diagnostics::default();
    for (name, found) in notes {
        let mut by_text: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for note in found {
            by_text.entry(&note.text).or_default().push(&note.path);
        }
        for (text, paths) in by_text {
            let places = listed(&paths, all_places);
            let message = format!("{name}: {text} at {places}");
            warnings.extend(Diagnostic::warning(message).into());
        }
    }
    warnings
}

/// Places in a message: the first few, or all on request.
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

/// Declares a module in the crate root, if the root is in the same folder as the module. A missing
/// root is created.
fn declare_beside_root(module: &Path, header: &str, request: &Request, files: &mut NewFiles) {
    let root = &request.project.crate_root;
    let name = module.file_name().and_then(|name| name.to_str());
    let folder = module
        .parent()
        .filter(|folder| root.parent() == Some(folder));
    if let (Some(folder), Some(name)) = (folder, name) {
        let header = if root.exists() {
            header.to_owned()
        } else {
            format!("API types and clients of `{}`.", request.project.name)
        };
        files.declare(folder, Some(root), name, &header);
    }
}

fn lower(about: &str) -> String {
    about.replacen("Version", "version", 1)
}

/// The versions of a group, in ascending order of preference.
fn versions<'d>(definitions: &[&'d ImportedCrd]) -> Vec<&'d str> {
    let all = definitions.iter().flat_map(|one| &one.versions);
    let names: BTreeSet<_> = all.map(|version| version.name.as_str()).collect();
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort_by(|one, other| syntax_names::compare_versions(one, other));
    names
}
