//! Import of custom resource definitions: YAML becomes Rust types with genclient's attributes.
//!
//! ```text
//! FILE… ─ read ─▶ definitions ─ types ─▶ modules ─ items ─▶ texts ─ files ─▶ what is to be written
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
use std::path::PathBuf;

use genclient_syntax::names as syntax_names;

use crate::diagnostic::{Diagnostic, Diagnostics};
use definition::ImportedCrd;
use files::{Layout, NewFiles};
use module::ImportedModule;
use types::Types;

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
    let mut warnings = Diagnostics::default();
    let mut notes: BTreeMap<&str, BTreeSet<notes::Note>> = BTreeMap::new();
    for definition in definitions.iter().filter(|_| !request.client_only) {
        let of_one = notes.entry(&definition.name).or_default();
        of_one.extend(definition.notes.iter().cloned());
    }
    let (mut kinds, mut fields) = (0, 0);
    let mut files = NewFiles::new();
    let values = if request.has_serde_json {
        "serde_json::Value"
    } else {
        "k8s_openapi::serde_json::Value"
    };
    let groups: BTreeSet<_> = definitions.iter().map(|one| one.group.as_str()).collect();
    let modules = group_modules(&groups, &request.aliases);
    for group in groups {
        let of_group: Vec<_> = definitions
            .iter()
            .filter(|one| one.group == group)
            .collect();
        let name = &modules[group];
        let folder = request.apis.join(name);
        for version in versions(&of_group) {
            let of_version: Vec<_> = of_group
                .iter()
                .filter_map(|one| Some((*one, one.versions.iter().find(|v| v.name == version)?)))
                .collect();
            let about = format!("Version `{version}` of the group `{group}`");
            let version_module = files::module_name(version);
            let layout = files::layout(&folder, version, of_version.len());
            let parts: Vec<Vec<_>> = match layout {
                Layout::File => vec![of_version],
                Layout::Folder => of_version.into_iter().map(|one| vec![one]).collect(),
            };
            for part in parts {
                let (header, path) = match (&layout, part.first()) {
                    (Layout::Folder, Some((definition, _))) => {
                        let module = syntax_names::snake_case(&definition.kind);
                        let folder = folder.join(&version_module);
                        files.declare(&folder, None, &module, &format!("{about}."));
                        let header =
                            format!("The kind `{}` in {}.", definition.kind, lower(&about));
                        (header, folder.join(module))
                    }
                    _ => (format!("{about}."), folder.join(&version_module)),
                };
                let mut types = Types::new(request.client_only);
                let mut made = Vec::new();
                for (definition, version) in part {
                    let mut found = Vec::new();
                    made.push(kind::kind(
                        definition,
                        version,
                        request.client_only,
                        &mut types,
                        &mut found,
                    ));
                    if !request.client_only {
                        notes.entry(&definition.name).or_default().extend(found);
                    }
                }
                let module = ImportedModule {
                    header,
                    kinds: made,
                    types,
                };
                kinds += module.kinds.len();
                fields += module.field_count();
                files.add(path.with_extension("rs"), module.text(values));
            }
            files.declare(
                &folder,
                None,
                &version_module,
                &format!("The group `{group}`."),
            );
        }
        let root = request.crate_root.as_deref();
        files.declare(&request.apis, root, name, "API types.");
    }
    declare_apis(request, &mut files);
    for (name, found) in notes {
        let mut by_text: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for note in &found {
            by_text.entry(&note.text).or_default().push(&note.path);
        }
        for (text, paths) in by_text {
            let places = listed(&paths, request.all_places);
            let message = format!("{name}: {text}: at {places}");
            warnings.extend(Diagnostic::warning(message).into());
        }
    }
    let (files, changed) = files.finish()?;
    Ok(Imported {
        files,
        changed,
        warnings,
        kinds,
        fields,
    })
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
