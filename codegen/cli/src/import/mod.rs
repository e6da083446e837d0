//! Import of custom resource definitions: Rust types with genclient's attributes from YAML.
//!
//! ```text
//! FILE… ─ definition ─▶ ImportedCrd ─ kind, types ─▶ ImportedModule ─ items ─▶ NewFiles
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
mod losses;
mod module;
mod names;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use genclient_apimachinery::version::version_order;
use genclient_codegen::paths::normalize;
use genclient_codegen::{Artefact, Diagnostic, Diagnostics, Group, Project, Severity};
use genclient_syntax::names as syntax_names;

use definition::{ImportedCrd, ImportedVersion};
use files::{Layout, NewFiles};
use losses::Note;
use module::ImportedModule;
use types::ModuleTypes;

/// An import: its sources and the target package.
#[derive(Debug)]
pub(crate) struct ImportRequest {
    pub(crate) paths: Vec<PathBuf>,
    /// The folder of the API types.
    pub(crate) apis: PathBuf,
    pub(crate) project: Project,
    /// The groups that the package serves already.
    pub(crate) groups: Vec<Group>,
    /// True for kinds whose CRD is owned by another project.
    pub(crate) client_only: bool,
    /// True if each warning lists all of its paths, not only the first few.
    pub(crate) list_all_paths: bool,
}

impl ImportRequest {
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
pub(crate) fn import_definitions(request: &ImportRequest) -> Result<Imported, Diagnostics> {
    let definitions = definition::read_definitions(&request.paths)?;
    let mut run = ImportRun::new(request);
    for definition in &definitions {
        run.note(&definition.name, definition.notes.iter().cloned());
    }
    let groups: BTreeSet<_> = definitions.iter().map(|one| one.group.as_str()).collect();
    let project = &request.project;
    let chosen = groups::choose_group_modules(
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
        for version in list_versions(&of_group) {
            run.add_version(group, version, &of_group, &folder);
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
    request: &'r ImportRequest,
    files: NewFiles,
    /// Losses by definition name.
    notes: BTreeMap<String, BTreeSet<Note>>,
    kinds: usize,
    fields: usize,
}

/// Definitions, each with one of its versions.
type VersionKinds<'d> = Vec<(&'d ImportedCrd, &'d ImportedVersion)>;

impl<'r> ImportRun<'r> {
    fn new(request: &'r ImportRequest) -> Self {
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
    fn add_version(
        &mut self,
        group: &str,
        version: &str,
        of_group: &[&ImportedCrd],
        folder: &Path,
    ) {
        let of_version: VersionKinds<'_> = of_group
            .iter()
            .filter_map(|one| Some((*one, one.versions.iter().find(|v| v.name == version)?)))
            .collect();
        let title = format!("Version `{version}` of the group `{group}`");
        let version_module = files::module_name(version);
        match files::choose_layout(folder, version, of_version.len()) {
            Layout::File => {
                let path = folder.join(&version_module);
                self.add_module(format!("{title}."), of_version, &path);
            }
            Layout::Folder => {
                let folder = folder.join(&version_module);
                for (definition, version) in of_version {
                    let module = syntax_names::module(&syntax_names::snake_case(&definition.kind));
                    let version_title = format!("{title}.");
                    self.files.declare(&folder, None, &module, &version_title);
                    let header = format!(
                        "The kind `{}` in {}.",
                        definition.kind,
                        title.replacen("Version", "version", 1)
                    );
                    self.add_module(header, vec![(definition, version)], &folder.join(module));
                }
            }
        }
        let title = format!("The group `{group}`.");
        self.files.declare(folder, None, &version_module, &title);
    }

    fn add_module(&mut self, header: String, kinds_of_module: VersionKinds<'_>, path: &Path) {
        let mut types = ModuleTypes::new(self.request.client_only);
        let mut kinds = Vec::new();
        for (definition, version) in kinds_of_module {
            let mut lost = Vec::new();
            kinds.push(kind::import_kind(
                definition, version, &mut types, &mut lost,
            ));
            self.note(&definition.name, lost);
        }
        let module = ImportedModule {
            header,
            kinds,
            types,
        };
        self.kinds += module.kinds.len();
        self.fields += module.field_count();
        // Every package with API types depends on `k8s_openapi`, but not every one on `serde_json`.
        let text = module.render("k8s_openapi::serde_json::Value");
        self.files.add(path.with_extension("rs"), text);
    }

    fn finish(self, aliases: BTreeMap<String, String>) -> Result<Imported, Diagnostics> {
        let mut warnings = warnings_about_notes(&self.notes, self.request.list_all_paths);
        let (files, changed) = self.files.finish()?;
        let project = self.request.after_import(&files, &aliases);
        let new = files
            .keys()
            .filter(|path| !changed.contains(path))
            .map(PathBuf::as_path);
        warnings.extend(predict_update_errors(&project, new));
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
/// a warning, which lists their paths.
fn warnings_about_notes(
    notes: &BTreeMap<String, BTreeSet<Note>>,
    list_all_paths: bool,
) -> Diagnostics {
    let mut warnings = Diagnostics::default();
    for (name, found) in notes {
        let mut by_text: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for note in found {
            by_text.entry(&note.text).or_default().push(&note.path);
        }
        for (text, paths) in by_text {
            let paths = list_paths(&paths, list_all_paths);
            let message = format!("{name}: {text} at {paths}");
            warnings.extend(Diagnostic::warning(message).into());
        }
    }
    warnings
}

/// Paths in a message: the first few, or all on request.
fn list_paths(paths: &[&str], all: bool) -> String {
    const MAX_PATHS: usize = 5;
    let more = paths.len().saturating_sub(MAX_PATHS);
    if all || more == 0 {
        return paths.join(", ");
    }
    format!(
        "{}, and {more} more (`-v` lists them)",
        paths[..MAX_PATHS].join(", ")
    )
}

/// Declares a module in the crate root, if the root is in the same folder as the module. A missing
/// root is created.
fn declare_beside_root(module: &Path, header: &str, request: &ImportRequest, files: &mut NewFiles) {
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

/// The versions of a group, in ascending order of preference.
fn list_versions<'d>(definitions: &[&'d ImportedCrd]) -> Vec<&'d str> {
    let all = definitions.iter().flat_map(|one| &one.versions);
    let names: BTreeSet<_> = all.map(|version| version.name.as_str()).collect();
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort_by_key(|name| version_order(name));
    names
}

/// Runs the generator on a package whose pending files are those of the import. Returns each error
/// in a new file as a warning.
fn predict_update_errors<'f>(
    project: &Project,
    new: impl Iterator<Item = &'f Path>,
) -> Diagnostics {
    let mut warnings = Diagnostics::default();
    let Err(findings) = genclient_codegen::understand(project, &type_artefacts()) else {
        return warnings;
    };
    let new: BTreeSet<_> = new.map(|path| project.shown(path)).collect();
    for error in findings.errors().iter().filter(|error| is_in(error, &new)) {
        warnings.extend(announce_error(error).into());
    }
    warnings
}

/// The artefacts that are made from API types. Those of webhooks and controllers are left out,
/// because an error in these modules would keep the types from being checked.
fn type_artefacts() -> BTreeSet<Artefact> {
    let of_types = |artefact: &Artefact| artefact.is_module() || *artefact == Artefact::Crd;
    Artefact::ALL.into_iter().filter(of_types).collect()
}

/// True if a location of the finding is in one of the files. The error of an existing kind may be
/// a clash with an imported one.
fn is_in(finding: &Diagnostic, files: &BTreeSet<String>) -> bool {
    let labels = finding.labels.iter().map(|label| &label.location);
    let mut locations = finding.location.iter().chain(labels);
    locations.any(|location| files.contains(&location.source.path))
}

fn announce_error(error: &Diagnostic) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        message: format!("`genclient update` will refuse this: {}", error.message),
        ..error.clone()
    }
}
