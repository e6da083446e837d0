//! Command line tests: output, written files and exit status.
//!
//! `cli/*.md` are transcripts without a package; `cargo xtask bless` rewrites them. The modules
//! below use packages in a temporary folder.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod broken;
mod cargo_messages;
mod check;
mod cluster;
mod conversions;
mod deploy;
mod diff;
mod dockerfile;
mod explain;
mod foreign;
mod guides;
mod import;
mod import_keywords;
mod kube;
mod migrate;
mod nesting;
mod options;
mod other_crates;
mod package;
mod picture;
mod places;
mod projects;
mod refusals;
mod run;
mod settings;
mod update;
mod watch;
mod webhooks;
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
