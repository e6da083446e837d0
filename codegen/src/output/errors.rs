//! Errors for files and folders that cannot be read or written.

use std::io::{Error, ErrorKind};
use std::path::Path;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::folder::shown;

/// The error for a file or folder that could not be read, written or removed.
pub(super) fn failed(what: &str, path: &Path, error: &Error) -> Diagnostics {
    if error.kind() == ErrorKind::IsADirectory {
        return in_the_way(path, "it is a folder");
    }
    let above = path
        .ancestors()
        .filter(|_| error.kind() == ErrorKind::NotADirectory);
    if let Some(file) = above.into_iter().find(|above| above.is_file()) {
        return in_the_way(file, "it is not a folder");
    }
    let folder = shown(path.parent().unwrap_or(path));
    Diagnostic::error(format!("cannot {what} {}: {error}", shown(path)))
        .help(format!(
            "make {folder} a folder that you may write to, with files of text in it"
        ))
        .into()
}

/// The error for a file or folder that blocks the path of a generated one.
pub(super) fn in_the_way(path: &Path, why: &str) -> Diagnostics {
    Diagnostic::error(format!("{} is in the way: {why}", shown(path)))
    .help("move or remove it, or choose another folder: `client` or `config` in `[package.metadata.genclient]`")
    .into()
}
