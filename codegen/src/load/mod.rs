//! Module trees from source files, by the rules of rustc.
//!
//! The API module is read immediately, and so are the modules of webhooks and controllers. If
//! kube's derive may make kinds elsewhere in the package, the whole package is read. Other files
//! are read when lookups of `resolve` lead to them: see [`load_for_lookups`].
//!
//! `#[cfg(test)]` modules are skipped. Other `cfg`s of kinds and modules are copied to the output.

mod client;
mod features;
mod outside;
mod packages;
mod syntax;
mod tree;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use syn::Item;

use crate::diagnostic::{Diagnostic, Sink};
use crate::inputs;
use crate::paths::normalize;
use crate::project::{Project, RESOURCE};
use crate::sources::{CrateId, ModuleId, ModuleState, Sources};
pub use client::{check_client, check_config};
pub use outside::{load_for_lookups, read_controllers, read_webhooks};
use tree::{ModuleDir, ModuleReader, ParsedFile};

/// Reads the API module of a project and every module below it. If kube's derive may make kinds
/// elsewhere in the package, reads the whole package.
pub fn load(project: &Project, sink: &mut Sink) -> Sources {
    let mut sources = Sources::unloaded(project);
    let mut reader = ModuleReader::eager(project, &mut sources, sink);
    reader.api_root();
    let seen = reader.seen;
    if sources.api.file == normalize(&project.crate_root) && sources.api.inline.is_empty() {
        sources[CrateId::OWN].root = Some(ModuleId::API);
    }
    let read = outside::read_hidden(project, &seen, &mut sources, sink);
    report_strays(project, &(&seen | &read), &sources, sink);
    sources
}

/// Reports files that have kinds, but that no `mod` line reaches. Such files are ignored; rustc
/// reads them only if an `include!` names them. The finding is a warning, or an error if the run
/// would remove clients of the file's kinds.
fn report_strays(project: &Project, seen: &BTreeSet<PathBuf>, sources: &Sources, sink: &mut Sink) {
    // If a file has an error, its `mod` lines are unknown, so files would be reported by mistake.
    if sink.has_errors() {
        return;
    }
    let api = &sources.api.file;
    let mut strays = inputs::list_rust_files(&project.apis);
    strays.sort();
    for file in strays {
        if seen.contains(&normalize(&file)) || is_of_tests(&file, sources) {
            continue;
        }
        let text = inputs::read_text_file(&file).unwrap_or_default();
        if text.contains(RESOURCE) || outside::has_kinds(&text) {
            let message = format!(
                "{} is not part of the module tree: its types are ignored",
                project.shown(&file)
            );
            let below = module_dir(&file);
            let below = below.strip_prefix(&project.apis).unwrap_or(&below);
            let clients = project.client.dir.join("clientset").join(below);
            let finding = if inputs::is_dir(&clients) {
                Diagnostic::error(format!("{message}, and their clients would be removed"))
            } else {
                Diagnostic::warning(message)
            };
            sink.push(finding.help(missing_line(&file, project, seen, api)));
        }
    }
}

/// Returns whether a file belongs to a `#[cfg(test)]` module, or lies below its folder.
fn is_of_tests(file: &Path, sources: &Sources) -> bool {
    let mut tests = sources.tests.iter();
    tests.any(|test| file == test || file.starts_with(module_dir(test)))
}

/// Returns the help that names the missing `mod` line and the file to add it to.
fn missing_line(file: &Path, project: &Project, seen: &BTreeSet<PathBuf>, api: &Path) -> String {
    let dir = module_dir(file);
    let name = dir.file_name().unwrap_or_default().display();
    let outer = dir.parent().unwrap_or(Path::new(""));
    let files = [outer.join("mod.rs"), outer.with_extension("rs")];
    let outer_file = if normalize(outer) == normalize(&project.apis) {
        Some(api)
    } else {
        files
            .iter()
            .find(|file| inputs::is_file(file))
            .map(PathBuf::as_path)
    };
    match outer_file {
        Some(outer) if !seen.contains(&normalize(outer)) && outer != api => {
            missing_line(outer, project, seen, api)
        }
        Some(outer) => format!("add `pub mod {name};` to {}", project.shown(outer)),
        None => format!("add `pub mod {name};` to the parent module"),
    }
}

/// Returns the folder of a module's children: `a` for `a.rs` and for `a/mod.rs`.
fn module_dir(file: &Path) -> PathBuf {
    match file.parent() {
        Some(dir) if file.ends_with("mod.rs") => dir.to_owned(),
        _ => file.with_extension(""),
    }
}

impl ModuleReader<'_> {
    /// Reads the API module, from its file or from the crate's root file.
    fn api_root(&mut self) {
        let project = self.project;
        self.client.clone_from(&project.client.dir);
        let candidates = project.root_candidates();
        if let Some(file) = candidates.iter().find(|file| project.has_file(file)) {
            self.sources.api.file = normalize(file);
            let root = self.add_root(file.clone(), false);
            self.load_file(root);
        } else if !self.inline_root() {
            self.missing_root(&candidates);
        }
    }

    /// Handles a missing API module. A package with webhooks or controllers gets an empty one. The
    /// missing module is an error if the package has neither, or if it sets `apis`.
    fn missing_root(&mut self, candidates: &[PathBuf; 3]) {
        let project = self.project;
        if project.are_apis_set || !project.has_modules_beside() {
            let finding = Diagnostic::error(format!(
                "no API types: neither {} nor {} exists",
                project.shown(&candidates[0]),
                project.shown(&candidates[1])
            ));
            self.report(vec![finding.help(if project.are_apis_set {
                "fix `apis` in `[package.metadata.genclient]`, or create one of them"
            } else {
                "create one of them, with a `pub mod` line for each group"
            })]);
        }
        if project.has_modules_beside() {
            let root = self.add_root(candidates[0].clone(), false);
            self.sources[root].content = ModuleState::Read;
        }
    }

    /// Reads the API module as an inline module of the crate's root file. Returns false if there is
    /// no such module.
    fn inline_root(&mut self) -> bool {
        let project = self.project;
        let root = &project.crate_root;
        let root_dir = root.parent().unwrap_or(Path::new(""));
        let Ok(below) = project.apis.strip_prefix(root_dir) else {
            return false;
        };
        if !inputs::is_file(root) {
            return false;
        }
        let ParsedFile { source, mut items } = match self.parse_file(root) {
            Ok(parsed) => parsed,
            Err(findings) => {
                self.report(findings);
                return true;
            }
        };
        let mut dir = ModuleDir::from_file(root, true);
        let mut names = Vec::new();
        for part in below.components() {
            let name = part.as_os_str().to_string_lossy().into_owned();
            let inline = items.into_iter().find_map(|item| match item {
                Item::Mod(module) if module.ident == name => module.content,
                _ => None,
            });
            let Some((_, content)) = inline else {
                return false;
            };
            items = content;
            dir = dir.inside(&name);
            names.push(name);
        }
        self.sources.api.file = normalize(root);
        self.sources.api.inline = names;
        let module = self.add_root(root.clone(), false);
        self.sources[module].content = ModuleState::Read;
        self.add_items(module, &source, items, &dir);
        true
    }

    /// Returns whether a `mod` item is the API module, which has already been read.
    fn is_api_root(
        &self,
        parent: ModuleId,
        name: &str,
        candidates: &[PathBuf],
        is_inline: bool,
    ) -> bool {
        if self.eager.is_some() || self.krate != CrateId::OWN {
            return false;
        }
        let api = &self.sources.api;
        if api.inline.is_empty() {
            return !is_inline && candidates.iter().any(|file| normalize(file) == api.file);
        }
        let mut path = vec![name];
        let mut at = Some(parent);
        while let Some(id) = at {
            path.insert(0, &self.sources[id].name);
            at = self.sources[id].parent;
        }
        // `path[0]` is the root, which has no name.
        is_inline && path[1..] == api.inline
    }
}
