//! Packages of a run, and their counterparts in other trees of files.

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::files::Files;
use super::manifest::Manifest;
use super::{check_places, normalize, project};
use crate::diagnostic::Diagnostics;
use crate::diff::Allowance;
use crate::project::Project;

/// The packages that a run is about, as they are on disk.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(super) manifests: Vec<Manifest>,
    /// The folder of the package or of the workspace.
    pub(super) root: PathBuf,
    /// True if these are all packages of the workspace that have API types.
    pub(super) all: bool,
}

/// The folder in which a package keeps CRDs.
pub(crate) struct CrdFolder {
    /// The package's name.
    pub(crate) package: String,
    /// The folder, which may not exist.
    pub(crate) path: PathBuf,
}

impl CrdFolder {
    fn of(manifest: &Manifest) -> Self {
        Self {
            package: manifest.name().unwrap_or_default().to_owned(),
            path: config(manifest).join("crd"),
        }
    }
}

impl Chosen {
    /// What each package generates from and into.
    pub(crate) fn projects(&self) -> Result<Vec<Project>, Diagnostics> {
        let projects: Vec<_> = self
            .manifests
            .iter()
            .map(project)
            .collect::<Result<_, _>>()?;
        check_places(&projects)?;
        Ok(projects)
    }

    /// The breaking changes that the packages allow.
    pub(crate) fn allowances(&self) -> Vec<Allowance> {
        let allowed = |manifest: &Manifest| manifest.settings().diff_allow.clone();
        self.manifests.iter().flat_map(allowed).collect()
    }

    /// The folder of the package or of the workspace, which exists.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where the same packages keep CRDs in another tree of files. Its own manifests say which
    /// packages it has: they may have been elsewhere, under other names, and more than there are
    /// now.
    ///
    /// # Errors
    ///
    /// A manifest of that tree that cannot be read.
    pub(crate) fn crd_folders(&self, files: &Rc<dyn Files>) -> Result<Vec<CrdFolder>, Diagnostics> {
        let root = canonical(&self.root);
        let Some(start) = Manifest::nearest(files, &root)? else {
            return Ok(Vec::new());
        };
        let same_root = start.dir() == root;
        let mut found = start.clone().workspace()?.members()?;
        // A package may stand below a workspace without being its member.
        if found.iter().all(|member| member.dir() != start.dir()) {
            found.push(start);
        }
        found.retain(Manifest::has_apis);
        if !(self.all && same_root) {
            found = self.counterparts(found);
        }
        Ok(found.iter().map(CrdFolder::of).collect())
    }

    /// The packages of another tree that have the name of a chosen one, or else its folder.
    fn counterparts(&self, mut found: Vec<Manifest>) -> Vec<Manifest> {
        let same_name = |one: &Manifest, other: &Manifest| one.name() == other.name();
        let same_folder = |one: &Manifest, other: &Manifest| canonical(one.dir()) == other.dir();
        let mut kept = Vec::new();
        for chosen in &self.manifests {
            let by_name = found.iter().position(|other| same_name(chosen, other));
            let at = by_name.or_else(|| found.iter().position(|other| same_folder(chosen, other)));
            kept.extend(at.map(|at| found.remove(at)));
        }
        kept
    }
}

/// The folder above `crd/`.
pub(super) fn config(manifest: &Manifest) -> PathBuf {
    let config = manifest.settings().config.as_deref().unwrap_or("config");
    normalize(&manifest.dir().join(config))
}

/// A folder by the path that git has for it: without links.
fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
