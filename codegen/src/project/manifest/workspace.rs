//! Members of a workspace, and the workspace of a member.

use std::path::{Path, PathBuf};

use super::Manifest;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::paths::normalize;

impl Manifest {
    /// Returns the nearest manifest with a workspace, from this one upwards, or this manifest if
    /// there is none. This package need not be a member of that workspace.
    pub(in crate::project) fn workspace(self) -> Result<Self, Diagnostics> {
        if self.content.workspace.is_some() {
            return Ok(self);
        }
        for dir in self.dir.ancestors().skip(1) {
            let manifest = dir.join("Cargo.toml");
            if !self.files.is_file(&manifest) {
                continue;
            }
            let above = Self::read(&self.files, &manifest)?;
            if above.content.workspace.is_some() {
                return Ok(above);
            }
        }
        Ok(self)
    }

    /// Returns every package of the workspace: first this manifest's own package, then the members,
    /// ordered by folder.
    pub(in crate::project) fn members(self) -> Result<Vec<Self>, Diagnostics> {
        let workspace = self.content.workspace.clone().unwrap_or_default();
        let mut dirs = Vec::new();
        for member in &workspace.members {
            dirs.extend(self.expand(member)?);
        }
        let excluded = |dir: &PathBuf| {
            let outside = |pattern: &String| dir.starts_with(normalize(&self.dir.join(pattern)));
            workspace.exclude.iter().any(outside)
        };
        dirs.retain(|dir| !excluded(dir) && *dir != self.dir);
        dirs.sort();
        dirs.dedup();
        let mut members = Vec::new();
        for dir in dirs {
            members.push(Self::read(&self.files, &dir.join("Cargo.toml"))?);
        }
        if self.content.package.is_some() {
            members.insert(0, self);
        }
        Ok(members)
    }

    /// Returns the folders that a `members` entry names.
    fn expand(&self, member: &str) -> Result<Vec<PathBuf>, Diagnostics> {
        if !member.contains(['*', '?', '[']) {
            return Ok(vec![normalize(&self.dir.join(member))]);
        }
        let root = glob::Pattern::escape(&self.dir.to_string_lossy());
        let pattern = Path::new(&root).join(member).join("Cargo.toml");
        let manifests = self.files.matching(&pattern.to_string_lossy());
        let mut manifests = manifests.map_err(|error| {
            Diagnostic::error(format!(
                "cannot expand the workspace member `{member}`: {error}"
            ))
        })?;
        manifests.retain(|manifest| self.files.is_file(manifest));
        Ok(manifests
            .iter()
            .filter_map(|manifest| manifest.parent().map(normalize))
            .collect())
    }
}
