//! Files that are written, but not yet in their places.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{TEMPORARY, failed};
use crate::diagnostic::Diagnostics;
use crate::parallel;

/// Written files, each beside the place that it is for. A reader, and an interrupted run, see the old or the new text.
///
/// Dropping it removes what is not in its place.
#[derive(Default)]
pub(super) struct Staged {
    /// The written file and its place.
    files: Vec<(PathBuf, PathBuf)>,
    /// Folders that had to be made, the outer ones before the inner.
    folders: Vec<PathBuf>,
}

impl Staged {
    /// Writes texts beside their places.
    pub(super) fn write(texts: &[(&Path, &str)]) -> Result<Self, Diagnostics> {
        let mut staged = Self::default();
        let folders: BTreeSet<_> = texts.iter().map(|(place, _)| parent(place)).collect();
        for folder in folders {
            staged.make(folder)?;
        }
        let places = texts
            .iter()
            .map(|(place, _)| (beside(place), place.to_path_buf()));
        staged.files = places.collect();
        let files: Vec<_> = texts.iter().zip(&staged.files).collect();
        let written = parallel::map(&files, |((place, text), (file, _))| {
            fs::write(file, text).map_err(|error| failed("write", place, &error))
        });
        written.into_iter().collect::<Result<(), _>>()?;
        Ok(staged)
    }

    /// Makes a folder, and remembers which ones there were not.
    fn make(&mut self, folder: &Path) -> Result<(), Diagnostics> {
        let ancestors = folder.ancestors();
        let new: Vec<_> = ancestors.take_while(|folder| !folder.exists()).collect();
        let outermost_first = new.into_iter().rev();
        self.folders.extend(outermost_first.map(Path::to_owned));
        fs::create_dir_all(folder).map_err(|error| failed("create", folder, &error))
    }

    /// Puts every file into its place, and tells how many.
    pub(super) fn put_in_place(mut self) -> Result<usize, Diagnostics> {
        let count = self.files.len();
        while let Some((file, place)) = self.files.pop() {
            if let Err(error) = fs::rename(&file, &place) {
                self.files.push((file, place.clone()));
                return Err(failed("write", &place, &error));
            }
        }
        self.folders.clear();
        Ok(count)
    }
}

fn parent(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new("."))
}

/// Where a file is written first.
fn beside(place: &Path) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    parent(place).join(format!("{TEMPORARY}{}-{name}", std::process::id()))
}

impl Drop for Staged {
    fn drop(&mut self) {
        for (file, _) in &self.files {
            // The error that led here is the one to report.
            let _ = fs::remove_file(file);
        }
        for folder in self.folders.iter().rev() {
            // One that is not empty stays: removing it fails.
            let _ = fs::remove_dir(folder);
        }
    }
}
