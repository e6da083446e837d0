//! Whether a crate has types that kube makes kinds of.

use std::path::Path;

use super::files::Files;

/// True if a Rust file below `dir` has a `#[kube(…)]`. Searching the text is enough to pass over
/// most crates without parsing them.
pub(super) fn are_below(files: &dyn Files, dir: &Path) -> bool {
    let has_one = |text: String| text.contains("#[kube(");
    let sources = files.rust_files(dir);
    sources
        .iter()
        .any(|file| files.read(file).is_ok_and(has_one))
}
