//! Output of generated and scaffolded files: atomic writes, and comparison with the disk. No other
//! module changes files of a package.

mod compare;
pub mod interrupt;
mod staged;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostics, Sink};
use crate::file_set::FileSet;
use crate::header::is_generated;
use crate::{file_system, parallel};
use compare::is_equivalent;
pub use staged::Staged;
use staged::{blocked_path_error, io_error};

/// A difference between a generated file and the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift<'a> {
    /// The path of the file.
    pub path: PathBuf,
    /// Text on disk; `None` if the file is missing.
    pub found: Option<String>,
    /// Generated text; `None` if the file is stale.
    pub expected: Option<&'a str>,
}

/// Numbers of files that a run changed or kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files created or replaced.
    pub written: usize,
    /// Stale files removed.
    pub removed: usize,
    /// Files that were up to date.
    pub unchanged: usize,
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            written,
            removed,
            unchanged,
        } = self;
        write!(
            f,
            "{written} written, {removed} removed, {unchanged} unchanged"
        )
    }
}

/// Writes files. If the returned value is dropped without a call of [`Staged::keep`], the previous
/// state is restored.
///
/// # Errors
///
/// A file cannot be read or written, or a folder cannot be created. In these cases nothing has
/// changed.
pub fn place_files(files: &BTreeMap<PathBuf, String>) -> Result<Staged, Diagnostics> {
    let texts: Vec<_> = files
        .iter()
        .map(|(path, text)| (path.as_path(), text.as_str()))
        .collect();
    let mut staged = Staged::write(&texts)?;
    staged.put_in_place()?;
    Ok(staged)
}

impl FileSet {
    /// Compares the files with the disk and writes nothing.
    ///
    /// # Errors
    ///
    /// A file or folder cannot be read, or the path of a generated file is blocked by a folder or a
    /// file that is not generated.
    pub fn verify(&self) -> Result<Vec<Drift<'_>>, Diagnostics> {
        let files: Vec<_> = self.iter().collect();
        let mut drift = Vec::new();
        let mut errors = Sink::new();
        for compared in parallel::map(&files, |(path, expected)| compare_file(path, expected)) {
            match compared {
                Ok(found) => drift.extend(found),
                Err(error) => error.iter().for_each(|one| errors.push(one.clone())),
            }
        }
        errors.finish(())?;
        for path in self.stale()? {
            drift.push(Drift {
                found: read_if_exists(&path)?,
                path,
                expected: None,
            });
        }
        Ok(drift)
    }

    /// Writes files that differ and removes stale files. All new text is in temporary files before
    /// the first file is replaced.
    ///
    /// # Errors
    ///
    /// - One of the errors of [`FileSet::verify`] occurs, a file cannot be written, a folder cannot
    ///   be created, or the run is interrupted. In these cases nothing has changed.
    /// - A stale file cannot be removed. In this case all other files are already written.
    pub fn write(&self) -> Result<Summary, Diagnostics> {
        self.write_beside(Staged::write(&[])?)
    }

    /// Writes as [`FileSet::write`] does, and keeps the files in `placed`, which are on disk
    /// already. An error before all files are written restores the previous state of both sets.
    ///
    /// # Errors
    ///
    /// Those of [`FileSet::write`].
    pub fn write_beside(&self, mut placed: Staged) -> Result<Summary, Diagnostics> {
        let drift = self.verify()?;
        staged::remove_leftovers(&self.folders());
        let wanted: Vec<_> = drift.iter().filter_map(Drift::wanted).collect();
        let mut staged = Staged::write(&wanted)?;
        staged.put_in_place()?;
        placed.extend(staged);
        placed.keep()?;
        let written = wanted.len();
        let mut removed = 0;
        for Drift { path, .. } in drift.iter().filter(|drift| drift.expected.is_none()) {
            remove_if_exists(path).map_err(|error| io_error("remove", path, &error))?;
            remove_empty_parents(path, &self.owned);
            removed += 1;
        }
        Ok(Summary {
            written,
            removed,
            unchanged: self.files.len() - written,
        })
    }

    /// Returns the generated files in owned paths that this set neither contains nor keeps.
    fn stale(&self) -> Result<Vec<PathBuf>, Diagnostics> {
        let mut found = Vec::new();
        for path in &self.owned {
            collect_files(path, &mut found)?;
        }
        found.sort();
        found.dedup();
        let mut stale = Vec::new();
        for path in found {
            let known = self.files.contains_key(&path) || self.kept.contains(&path);
            let generated = path.extension().is_some_and(|e| e == "rs" || e == "yaml");
            // Temporary files of an interrupted run are not stale: `write` removes them unreported.
            let leftover = staged::is_temporary(&path);
            if !known
                && !leftover
                && generated
                && read_if_exists(&path)?.is_some_and(|text| is_generated(&text))
            {
                stale.push(path);
            }
        }
        Ok(stale)
    }

    /// Returns the folders of all files.
    fn folders(&self) -> BTreeSet<&Path> {
        let files = self.files.keys();
        files.filter_map(|file| file.parent()).collect()
    }
}

impl Drift<'_> {
    /// Returns the path as messages show it, relative if it is below the working directory.
    pub fn name(&self) -> String {
        file_system::display_path(&self.path)
    }

    /// Returns path and text of a file to write; `None` if it is stale.
    fn wanted(&self) -> Option<(&Path, &str)> {
        Some((&self.path, self.expected?))
    }
}

/// Compares a file with the disk; `None` if it is up to date.
fn compare_file<'a>(path: &Path, expected: &'a str) -> Result<Option<Drift<'a>>, Diagnostics> {
    let found = read_if_exists(path)?;
    if let Some(found) = &found {
        if is_equivalent(path, found, expected) {
            return Ok(None);
        }
        if !found.is_empty() && !is_generated(found) {
            return Err(blocked_path_error(path, "it is not generated"));
        }
    }
    Ok(Some(Drift {
        path: path.to_owned(),
        found,
        expected: Some(expected),
    }))
}

fn read_if_exists(path: &Path) -> Result<Option<String>, Diagnostics> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_error("read", path, &error)),
    }
}

/// Adds the files at and below `path`.
fn collect_files(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Diagnostics> {
    if !path.is_dir() {
        files.extend(path.is_file().then(|| path.to_owned()));
        return Ok(());
    }
    let mut errors = Diagnostics::default();
    files.extend(file_system::list_files(path, &mut |folder, error| {
        errors.extend(io_error("read", folder, &error));
    }));
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

/// Removes a file. A missing file is no error, because another run may have removed it.
fn remove_if_exists(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn remove_empty_parents(path: &Path, owned: &BTreeSet<PathBuf>) {
    let mut at = path.parent();
    while let Some(folder) = at {
        let inside = owned.iter().any(|owned| folder.starts_with(owned));
        // A folder that is not empty cannot be removed, and stays.
        if !inside || fs::remove_dir(folder).is_err() {
            return;
        }
        at = folder.parent();
    }
}
