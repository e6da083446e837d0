//! Command line tests: output, written files and exit status.
//!
//! `cli/*.md` are transcripts without a package; `cargo xtask bless` rewrites them. The modules
//! below use packages in a temporary folder.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

#[path = "cli/broken.rs"]
mod broken;
#[path = "cli/cluster.rs"]
mod cluster;
#[path = "cli/conversions.rs"]
mod conversions;
#[path = "cli/deploy.rs"]
mod deploy;
#[path = "cli/diff.rs"]
mod diff;
#[path = "cli/dockerfile.rs"]
mod dockerfile;
#[path = "cli/explain.rs"]
mod explain;
#[path = "cli/foreign.rs"]
mod foreign;
#[path = "cli/guides.rs"]
mod guides;
#[path = "cli/import.rs"]
mod import;
#[path = "cli/import_keywords.rs"]
mod import_keywords;
#[path = "cli/kube.rs"]
mod kube;
#[path = "cli/nesting.rs"]
mod nesting;
#[path = "cli/options.rs"]
mod options;
#[path = "cli/other_crates.rs"]
mod other_crates;
#[path = "cli/package.rs"]
mod package;
#[path = "cli/picture.rs"]
mod picture;
#[path = "cli/places.rs"]
mod places;
#[path = "cli/projects.rs"]
mod projects;
#[path = "cli/refusals.rs"]
mod refusals;
#[path = "cli/run.rs"]
mod run;
#[path = "cli/settings.rs"]
mod settings;
#[path = "cli/update.rs"]
mod update;
#[path = "cli/webhooks.rs"]
mod webhooks;
#[path = "cli/workspace.rs"]
mod workspace;

use std::process::Command;

/// The program, under its public name.
fn program(folder: &std::path::Path) -> std::path::PathBuf {
    let path = folder.join("genclient");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_genclient-under-test"), &path).unwrap();
    path
}

#[test]
fn transcripts() {
    let folder = tempfile::tempdir().unwrap();
    let cases = trycmd::TestCases::new();
    cases.register_bin("genclient", program(folder.path()));
    cases.case("../cli/*.md");
}

#[test]
fn a_completion_script_is_bash() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(program(folder.path()))
        .args(["completions", "bash"])
        .output()
        .unwrap();
    assert!(output.status.success());
    let script = folder.path().join("genclient.bash");
    std::fs::write(&script, &output.stdout).unwrap();
    let sourced = Command::new("bash")
        .args(["-c", "source \"$0\" && complete -p genclient"])
        .arg(&script)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&sourced.stdout).into_owned();
    assert!(
        sourced.status.success() && said.contains("_genclient"),
        "{said}"
    );
}
