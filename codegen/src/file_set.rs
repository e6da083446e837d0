//! Generated files in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Everything that a run generates: files, and the places in which no other generated file may be.
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

    /// Claims a file, or a folder with everything below it: a generated file there that is not in
    /// this set is stale.
    pub fn own(&mut self, place: PathBuf) {
        self.owned.insert(place);
    }

    /// Leaves what is claimed at or below a place.
    pub(crate) fn disown(&mut self, place: &Path) {
        self.owned.retain(|owned| !owned.starts_with(place));
    }

    /// Leaves a file in a claimed folder: it is an input.
    pub(crate) fn keep(&mut self, file: PathBuf) {
        self.kept.insert(file);
    }

    /// Adds another set.
    pub fn extend(&mut self, other: Self) {
        self.files.extend(other.files);
        self.owned.extend(other.owned);
        self.kept.extend(other.kept);
    }

    /// Returns the files, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.files
            .iter()
            .map(|(path, text)| (path.as_path(), text.as_str()))
    }
}
