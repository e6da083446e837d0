//! Whether a crate has types that kube makes kinds of.

use std::fs;
use std::path::Path;

/// True if a Rust file below `dir` has a `#[kube(…)]`. Its text tells, so that most crates are told apart without parsing them.
pub(super) fn are_below(dir: &Path) -> bool {
    let Ok(entries) = fs::read_dir(dir) else {
        return false;
    };
    let mut entries = entries.flatten().map(|entry| entry.path());
    entries.any(|path| {
        if path.is_dir() {
            return are_below(&path);
        }
        path.extension().is_some_and(|extension| extension == "rs")
            && fs::read_to_string(&path).is_ok_and(|text| text.contains("#[kube("))
    })
}
