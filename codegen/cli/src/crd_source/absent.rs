//! Diagnostics for missing revisions and definitions.

use std::path::Path;

use genclient_codegen::{Diagnostic, Diagnostics};

use super::{CrdSource, git};

const OTHER_FOLDER_HELP: &str = "if the CRDs are in another folder, name the folder: `genclient diff REVISION:path/from/the/root`";

/// The error for the argument `typed`: its revision `name` is missing in the repository around
/// `dir`, or there is no repository. In a shallow clone, the help has two commands: one fetches the
/// revision, and the other, from `retype`, is the user's command with the fetched revision.
///
/// # Errors
///
/// git fails.
pub(super) fn missing_revision(
    typed: &str,
    name: &str,
    dir: &Path,
    retype: &dyn Fn(&str) -> String,
) -> Result<Diagnostics, Diagnostics> {
    if git::repository_root(dir)?.is_none() {
        let help =
            "name an existing folder or file of CRD YAML, or run this inside a git repository";
        let message = format!("no file or folder `{typed}`, and this is not a git repository");
        return Ok(Diagnostic::error(message).help(help).into());
    }
    if git::is_shallow(dir)?
        && let Some((fetch, fetched)) = fetch_command(name, dir)?
    {
        let message = format!("`{name}` is not in this shallow clone");
        let help = format!(
            "fetch it and compare with it:\n{fetch}\n{}",
            retype(&fetched)
        );
        return Ok(Diagnostic::error(message).help(help).into());
    }
    let what = if typed == name {
        "not".to_owned()
    } else {
        format!("`{name}` is not")
    };
    let finding = Diagnostic::error(format!(
        "`{typed}` is not a file or folder, and {what} a revision of this repository"
    ));
    if let Some(dots) = with_three_dots(name, dir)? {
        let retyped = retype(&dots);
        return Ok(finding
            .help(format!("a merge base has three dots: `{retyped}`"))
            .into());
    }
    Ok(finding
    .help("list revisions with `git branch -a` and `git tag`; if only a remote has the revision, run `git fetch` first")
    .into())
}

/// The merge base `A...B` for the range `A..B`, if both are revisions.
fn with_three_dots(name: &str, dir: &Path) -> Result<Option<String>, Diagnostics> {
    let Some((one, other)) = name.split_once("..").filter(|_| !name.contains("...")) else {
        return Ok(None);
    };
    let other_or_head = if other.is_empty() { "HEAD" } else { other };
    let dots = format!("{one}...{other}");
    let found = git::resolve_commit(dir, &format!("{one}...{other_or_head}"))?;
    Ok(found.map(|_| dots))
}

/// The command that fetches a revision into a shallow clone, and the name of the fetched revision.
/// `None` if there is no remote repository.
fn fetch_command(name: &str, dir: &Path) -> Result<Option<(String, String)>, Diagnostics> {
    let end = name.find(['~', '^']).unwrap_or(name.len());
    let end = name.find("...").map_or(end, |dots| dots.min(end));
    let (base, suffix) = name.split_at(end);
    // The user typed `OLD...`, and `HEAD` was added. The help shows what was typed.
    let suffix = suffix.strip_suffix("HEAD").unwrap_or(suffix);
    let remotes = git::list_remotes(dir)?;
    let tracked = remotes.iter().find_map(|remote| {
        let branch = base.strip_prefix(remote.as_str())?.strip_prefix('/')?;
        Some((remote, branch))
    });
    let Some((remote, branch)) = tracked.or_else(|| Some((remotes.first()?, base))) else {
        return Ok(None);
    };
    Ok(Some(if git::resolve_commit(dir, base)?.is_some() {
        let fetch = format!("git fetch --unshallow {remote}");
        (fetch, format!("{base}{suffix}"))
    } else {
        let depth = match suffix {
            "" => "--depth=1",
            _ => "--unshallow",
        };
        let fetch = format!("git fetch {depth} {remote} {branch}");
        (fetch, format!("FETCH_HEAD{suffix}"))
    }))
}

/// The error for a side without definitions. A revision without a path never gets this error,
/// because it may be older than the first definition.
pub(super) fn missing_definitions(source: &CrdSource) -> Diagnostic {
    match source {
        CrdSource::Current => Diagnostic::error("the types have no CRD")
            .help("name both sides: `genclient diff OLD NEW`"),
        CrdSource::Revision { name, .. } => Diagnostic::error(format!("no CRD in {source}"))
            .help(format!("list its files: git ls-tree -r --name-only {name}")),
        CrdSource::Path(_) | CrdSource::Stdin => Diagnostic::error(format!("no CRD in {source}"))
            .help("a CRD needs `kind: CustomResourceDefinition` and at least one version in `spec.versions`"),
    }
}

/// The error for two revisions without definitions.
pub(crate) fn no_definitions(old: &CrdSource, new: &CrdSource) -> Diagnostics {
    Diagnostic::error(format!("no CRD in {old} or {new}"))
        .help(OTHER_FOLDER_HELP)
        .into()
}

/// The warning for an old revision without definitions.
pub(crate) fn no_old_definitions(old: &CrdSource) -> Diagnostics {
    Diagnostic::warning(format!("no CRD in {old}: every CRD is new"))
        .help(OTHER_FOLDER_HELP)
        .into()
}
