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

/// The files in `folder` that golden cases expect: `golden/<group>/<case>/expected/<folder>/*`,
/// sorted.
pub fn golden_files(folder: &str) -> Vec<PathBuf> {
    let expected = Path::new("expected").join(folder);
    let mut files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("golden"));
    files.retain(|file| file.parent().is_some_and(|dir| dir.ends_with(&expected)));
    files
}
