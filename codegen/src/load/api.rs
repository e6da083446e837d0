//! Location of the API module: a file, or an inline module of the crate's root file.

use std::path::{Path, PathBuf};

use syn::Item;

use super::place::ModuleDir;
use super::tree::ModuleReader;
use crate::diagnostic::Diagnostic;
use crate::paths::normalize;
use crate::sources::{CrateId, ModuleId, ModuleState};

impl ModuleReader<'_> {
    /// Reads the API module, from its file or from the crate's root file.
    pub(super) fn api_root(&mut self) {
        let project = self.project;
        self.client.clone_from(&project.client.dir);
        let candidates = [
            project.apis.join("mod.rs"),
            project.apis.with_extension("rs"),
            project.apis.join("lib.rs"),
        ];
        if let Some(file) = candidates.iter().find(|file| project.has_file(file)) {
            self.sources.api.file = normalize(file);
            let root = self.root(file.clone(), false);
            self.fill(root);
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
            let root = self.root(candidates[0].clone(), false);
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
        if !root.is_file() {
            return false;
        }
        let (source, mut items) = match self.open(root) {
            Ok(opened) => opened,
            Err(findings) => {
                self.report(findings);
                return true;
            }
        };
        let mut place = ModuleDir::of_file(root, true);
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
            place = place.inside(&name);
            names.push(name);
        }
        self.sources.api.file = normalize(root);
        self.sources.api.inline = names;
        let module = self.root(root.clone(), false);
        self.sources[module].content = ModuleState::Read;
        self.items(module, &source, items, &place);
        true
    }

    /// Returns whether a `mod` item is the API module, which has already been read.
    pub(super) fn is_api_root(
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
