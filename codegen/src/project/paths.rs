//! Paths by their text alone: absolute, normalized, and as messages show them.

use std::path::{Component, Path, PathBuf};

/// An absolute path without `.` and `..`; the parent of a bare file name is empty, and means the current directory.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    normalize(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

/// A path as a message shows it: relative where it is below the current directory.
pub(crate) fn shown(path: &Path) -> String {
    let current = std::env::current_dir().unwrap_or_default();
    let path = absolute(path);
    path.strip_prefix(&current)
        .unwrap_or(&path)
        .display()
        .to_string()
}

/// Resolves `.` and `..` by the text alone, so that a folder that does not exist yet has a path, too.
pub(crate) fn normalize(path: &Path) -> PathBuf {
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
