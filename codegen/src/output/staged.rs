//! Files that are written, but not yet in their places.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::errors::failed;
use crate::diagnostic::Diagnostics;
use crate::parallel;

/// How the names of half-written files start.
const TEMPORARY: &str = ".genclient-";

/// No run needs as long as this to put its files into their places.
const LONGEST_RUN: Duration = Duration::from_secs(60);

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

/// Where a file is written first: no other run, of this process or another, writes there.
fn beside(place: &Path) -> PathBuf {
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);
    let (process, count) = (std::process::id(), WRITTEN.fetch_add(1, Ordering::Relaxed));
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    parent(place).join(format!("{TEMPORARY}{process}-{count}-{name}"))
}

/// True for a file that a run writes before it is put into its place.
pub(super) fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().starts_with(TEMPORARY)
}

/// Removes what interrupted runs left in these folders. What is younger may be another run's, which is about to put it into its place.
pub(super) fn remove_leftovers(folders: &BTreeSet<&Path>) {
    let entries = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok());
    let files = entries.flatten().flatten().map(|entry| entry.path());
    for file in files.filter(|file| is_temporary(file)) {
        let written = file.metadata().and_then(|about| about.modified());
        let age = written.ok().and_then(|written| written.elapsed().ok());
        if age.is_some_and(|age| age > LONGEST_RUN) {
            // The next run tries again; nothing reads such a file.
            let _ = fs::remove_file(file);
        }
    }
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
