//! Generated files in memory, with the paths that they own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Files that a run generates, and the paths that they own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSet {
    pub(crate) files: BTreeMap<PathBuf, String>,
    pub(crate) owned: BTreeSet<PathBuf>,
    pub(crate) kept: BTreeSet<PathBuf>,
}

impl FileSet {
    /// Adds a file.
    pub fn insert(&mut self, path: PathBuf, text: String) {
        self.files.insert(path, text);
    }

    /// Claims a file, or a folder with everything below it. A generated file there is stale if this
    /// set neither contains nor keeps it.
    pub fn own(&mut self, path: PathBuf) {
        self.owned.insert(path);
    }

    /// Removes the claims of `path` and of everything below it.
    pub(crate) fn disown(&mut self, path: &Path) {
        self.owned.retain(|owned| !owned.starts_with(path));
    }

    /// Marks a file as an input, so that it is not stale in an owned folder.
    pub(crate) fn keep(&mut self, file: PathBuf) {
        self.kept.insert(file);
    }

    /// Adds everything in another set.
    pub fn extend(&mut self, other: Self) {
        self.files.extend(other.files);
        self.owned.extend(other.owned);
        self.kept.extend(other.kept);
    }

    /// Returns whether a path is part of the output: a file of this set, or one in an owned folder
    /// that is not kept.
    pub(crate) fn owns(&self, path: &Path) -> bool {
        let is_owned = || path.ancestors().any(|above| self.owned.contains(above));
        self.files.contains_key(path) || is_owned() && !self.kept.contains(path)
    }

    /// Returns the files, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.files
            .iter()
            .map(|(path, text)| (path.as_path(), text.as_str()))
    }
}
