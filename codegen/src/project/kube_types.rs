//! Whether a crate has types that kube makes kinds of.

use std::fs;
use std::path::Path;

use crate::folder;

/// True if a Rust file below `dir` has a `#[kube(…)]`. Its text tells, so that most crates are told apart without parsing them.
pub(super) fn are_below(dir: &Path) -> bool {
    let files = folder::rust_files(dir);
    let has_one = |text: String| text.contains("#[kube(");
    files
        .iter()
        .any(|file| fs::read_to_string(file).is_ok_and(has_one))
}
