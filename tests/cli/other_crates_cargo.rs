//! Runs of cargo that locate a crate, and their errors.

use super::{add_thing, with_field};
use crate::cli::package::Package;

#[test]
fn missing_crate_sources_are_an_error_with_help() {
    let package = with_field(
        "no-such-crate-here = \"1\"",
        "",
        "no_such_crate_here::Thing",
    );
    package.refuses(&[
        "error: cannot find the sources of this crate: ",
        "pkg/apis/mod.rs:13:",
        "help: run `cargo fetch`, then try again; or give the schema on the field",
    ]);
    assert!(!package.exists("Cargo.lock"));
    // Clients do not depend on schemas.
    package
        .run(&["update", "--only", "clientset,listers,informers"])
        .expect(0);
}

/// A failure of cargo is reported once, however many paths depend on it.
#[test]
fn globs_into_missing_crates_report_one_error() {
    let package = with_field("no-such-crate-here = \"1\"", "", "Thing");
    package.edit(
        "pkg/apis/mod.rs",
        "pub thing: Thing",
        "pub thing: Thing, pub other: Option<Other>",
    );
    package.edit(
        "pkg/apis/mod.rs",
        "use genclient::prelude::*;",
        "use genclient::prelude::*; use no_such_crate_here::*;",
    );
    let said = package.run(&["update"]).expect(2).stderr;
    let cause = "error: cannot find the sources of this crate: ";
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
    assert!(said.starts_with(cause), "{said}");
}

/// A cargo stand-in that prints `words` and fails.
fn failing_cargo(package: &Package, words: &str) -> String {
    package.write(
        "cargo",
        format!("#!/bin/sh\necho \"{words}\" >&2\nexit 1\n"),
    );
    let cargo = package.path("cargo");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&cargo, executable).unwrap();
    cargo.display().to_string()
}

#[test]
fn cargo_failures_are_reported_without_noise() {
    for (words, told, help) in [
        (
            "error: toolchain '1.70.0-x86_64-unknown-linux-gnu' is not installed\n\
             help: run \\`rustup toolchain install\\` to install it\n\nStack backtrace:\n   0: main",
            "this crate: toolchain '1.70.0-x86_64-unknown-linux-gnu' is not installed\n  --> pkg/apis",
            "help: run `rustup toolchain install 1.70.0-x86_64-unknown-linux-gnu`, or choose an installed toolchain: \
             `RUSTUP_TOOLCHAIN=stable genclient ..`; or give",
        ),
        (
            "error: no matching package named \\`other\\` found\nlocation searched: crates.io index\n\
             As a reminder, you're using offline mode (--frozen) which can be confusing.",
            "this crate: no matching package named `other` found\n       location searched: crates.io index\n  --> pkg/apis",
            "help: run `cargo fetch`, then try again; or give",
        ),
    ] {
        let package = with_field("other = \"1\"", "", "other::Thing");
        let cargo = failing_cargo(&package, words);
        let run = package.run_with("CARGO", &cargo, &["update"]);
        run.expect(2).says(&[told, help]);
    }
}

/// Most packages need only their own types, types of path dependencies, and well-known ones.
#[test]
fn cargo_metadata_runs_only_when_needed() {
    let package = with_field(
        "shared-types = { path = \"shared\" }\nother = \"1\"",
        "",
        "std::collections::BTreeMap<String, shared_types::Thing>",
    );
    add_thing(&package);
    let cargo = failing_cargo(&package, "asked");
    let run = |package: &Package| package.run_with("CARGO", &cargo, &["update"]);
    run(&package).expect(0);
    package.edit("pkg/apis/mod.rs", "shared_types::Thing", "other::Thing");
    run(&package).expect(2).says(&["this crate: asked"]);
}
