//! Files that are written, but not yet in their places.

use std::fs;
use std::path::{Path, PathBuf};

use super::{TEMPORARY, failed};
use crate::diagnostic::Diagnostics;

/// Written files, each beside the place that it is for. A reader, and an interrupted run, see the old or the new text.
///
/// Dropping it removes what is not in its place.
#[derive(Default)]
pub(super) struct Staged {
    /// The written file and its place.
    files: Vec<(PathBuf, PathBuf)>,
    /// Folders that had to be made.
    folders: Vec<PathBuf>,
}

impl Staged {
    /// Writes a file beside its place.
    pub(super) fn add(&mut self, place: &Path, text: &str) -> Result<(), Diagnostics> {
        let folder = place.parent().unwrap_or(Path::new("."));
        let new = folder.ancestors().take_while(|folder| !folder.exists());
        self.folders.extend(new.map(Path::to_owned));
        fs::create_dir_all(folder).map_err(|error| failed("create", folder, &error))?;
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let file = folder.join(format!("{TEMPORARY}{}-{name}", std::process::id()));
        self.files.push((file.clone(), place.to_owned()));
        fs::write(&file, text).map_err(|error| failed("write", place, &error))
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
        Ok(count)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        for (file, _) in &self.files {
            // The error that led here is the one to report.
            let _ = fs::remove_file(file);
        }
        if !self.files.is_empty() {
            for folder in &self.folders {
                // One that is not empty stays: removing it fails.
                let _ = fs::remove_dir(folder);
            }
        }
    }
}
