//! Diagnostics for revisions and definitions that are not there.

use std::path::Path;

use super::git;
use super::source::Source;
use crate::diagnostic::{Diagnostic, Diagnostics};

const ELSEWHERE: &str =
    "if they were elsewhere, name the folder: `genclient diff REVISION:path/from/the/root`";

/// The revision `name` of what was typed.
pub(super) fn revision(typed: &str, name: &str, dir: &Path) -> Result<Diagnostics, Diagnostics> {
    if git::root(dir)?.is_none() {
        let help =
            "name an existing folder or file of CRD YAML, or run this inside a git repository";
        let message = format!("there is no file or folder `{typed}`, and no git repository here");
        return Ok(Diagnostic::error(message).help(help).into());
    }
    Ok(Diagnostic::error(format!(
        "`{typed}` is no file or folder, and `{name}` no revision of this repository"
    ))
    .help("`git branch -a` and `git tag` list what can be named; a clone without history needs `git fetch` first")
    .into())
}

/// The definitions of a side that must have some.
pub(super) fn definitions(source: &Source) -> Diagnostic {
    match source {
        Source::Current => Diagnostic::error("the types have no CRD")
            .help("name what to compare with: `genclient diff OLD NEW`"),
        Source::Revision { name, .. } => Diagnostic::error(format!("no CRD in {source}"))
            .help(format!("list its files: git ls-tree -r --name-only {name}")),
        Source::Path(_) => Diagnostic::error(format!("no CRD in {source}"))
            .help("a CRD has `kind: CustomResourceDefinition` and at least one of `spec.versions`"),
    }
}

/// The definitions of two revisions.
pub(crate) fn on_both_sides(old: &Source, new: &Source) -> Diagnostics {
    Diagnostic::error(format!("no CRD in {old}, nor in {new}"))
        .help(ELSEWHERE)
        .into()
}

/// The definitions of the old revision.
pub(crate) fn before(old: &Source) -> Diagnostics {
    Diagnostic::warning(format!("no CRD in {old}: every CRD is new"))
        .help(ELSEWHERE)
        .into()
}
