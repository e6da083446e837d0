//! Lexical operations on paths, which also work for folders that do not exist yet.

use std::path::{Component, Path, PathBuf};

/// The absolute form of `path`. A relative path starts at the folder `from`.
pub fn absolute(path: &Path, from: &Path) -> PathBuf {
    normalize(&from.join(path))
}

/// A path as shown in messages: relative if it is below `working_dir`.
pub(crate) fn display_path(path: &Path, working_dir: &Path) -> String {
    let path = absolute(path, working_dir);
    let below = path.strip_prefix(working_dir).unwrap_or(&path);
    below.display().to_string()
}

/// Resolves `.` and `..` lexically.
pub fn normalize(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if parts.file_name().is_some() => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts
}

/// The path relative to a folder; both must be absolute.
pub fn relative(path: &Path, folder: &Path) -> PathBuf {
    let mut above = PathBuf::new();
    for folder in folder.ancestors() {
        if let Ok(below) = path.strip_prefix(folder) {
            return above.join(below);
        }
        above.push("..");
    }
    path.to_owned()
}
