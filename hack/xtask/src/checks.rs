//! Checks of a change: the public API, and the code without its comments.

use xshell::{Shell, cmd};

use crate::tools;

/// Compares the public API of the published crates with `revision`, or with the last release. Does
/// nothing if there was none.
pub(crate) fn check_public_api(sh: &Shell, revision: Option<String>) -> anyhow::Result<()> {
    let Some(revision) = revision.or_else(|| last_release(sh)) else {
        eprintln!("no release to compare with");
        return Ok(());
    };
    tools::CARGO_SEMVER_CHECKS.run(
        sh,
        &[
            "semver-checks",
            "--workspace",
            "--baseline-rev",
            &revision,
            "--features",
            "k8s-openapi/v1_36",
        ],
    )
}

/// Returns the newest tag.
fn last_release(sh: &Shell) -> Option<String> {
    let newest = cmd!(sh, "git describe --tags --abbrev=0").quiet();
    newest.ignore_stderr().read().ok()
}

/// Compares the tokens of each changed Rust file with those of `revision`.
pub(crate) fn check_same_code(sh: &Shell, revision: &str) -> anyhow::Result<()> {
    Ok(cmd!(
        sh,
        "cargo run --quiet -p genclient-codegen --example same-code -- {revision}"
    )
    .run()?)
}
