//! Recursive listing of a folder.

use std::fs;
use std::path::{Path, PathBuf};

/// The files in and below `folder`, sorted; none if the folder does not exist.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}
