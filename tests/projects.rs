//! Projects of every shape that the scaffolding commands can produce: groups, versions,
//! controllers, webhooks and scopes.
//!
//! All of them are written and edited. Twelve, which cover every pair of choices, are compiled,
//! linted and tested as one workspace, together with kubebuilder's tutorials. Two of the twelve
//! also run their test on the real API server. The guestbook of the tutorials also contains the
//! Rust files that the pages of the book show.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod book;
mod check;
mod editor;
mod edits;
mod interrupted;
mod lsp;
mod samples;
mod shape;
mod tutorials;
mod written;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use shape::Shape;
use tutorials::TUTORIALS;
use written::Written;

/// The shapes that are compiled.
const COMPILED: &str = include_str!("projects/compiled.txt");

/// Those of the compiled shapes that are tested on the real API server.
const ON_REAL_SERVER: [&str; 2] = [
    "one-group one-version controller none namespaced all-namespaces ssa",
    "two-groups two-versions controller all namespaced own-namespace no-ssa",
];

fn compiled() -> Vec<Shape> {
    let lines = COMPILED.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.parse().unwrap()).collect()
}

#[test]
fn every_pair_of_choices_is_compiled() {
    let pairs =
        |shapes: Vec<Shape>| -> BTreeSet<_> { shapes.iter().flat_map(Shape::pairs).collect() };
    let missing: Vec<_> = pairs(Shape::all())
        .difference(&pairs(compiled()))
        .cloned()
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_project_shape_keeps_user_edits() {
    let shapes = Shape::all();
    let next = std::sync::Mutex::new(shapes.iter().enumerate());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().unwrap().get() {
            scope.spawn(|| {
                while let Some((number, shape)) = { next.lock().unwrap().next() } {
                    let folder = tempfile::tempdir().unwrap();
                    let mut written = Written::new(folder.path(), &shape.commands());
                    written.assert_formatted();
                    edits::survive(&mut written, shape, number as u64);
                }
            });
        }
    });
}

#[test]
fn twelve_shapes_and_the_tutorials_pass_their_own_tests() {
    let workspace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("projects");
    let members = workspace.join("members");
    // Build output of earlier runs is kept.
    let _ = fs::remove_dir_all(&members);
    fs::create_dir_all(&members).unwrap();
    fs::write(workspace.join("Cargo.toml"), WORKSPACE).unwrap();
    // Pins the versions that this repository is tested with.
    fs::copy("../../Cargo.lock", workspace.join("Cargo.lock")).unwrap();
    let add = |name: &str, commands: &[String]| {
        let folder = members.join(name);
        fs::create_dir(&folder).unwrap();
        let written = Written::new(&folder, commands);
        written.assert_formatted();
        written
    };
    for shape in compiled() {
        add(&shape.name(), &shape.commands());
    }
    let tutorials = TUTORIALS.map(|tutorial| {
        let commands: Vec<_> = tutorial
            .commands
            .iter()
            .map(|command| (*command).to_owned())
            .collect();
        let project = add(tutorial.name, &commands);
        (tutorial, project)
    });
    book::add_tests(&members.join("guestbook"));
    let with_server = ON_REAL_SERVER.map(|line| {
        let shape: Shape = line.parse().unwrap();
        assert!(compiled().contains(&shape), "{line}");
        format!("{}/e2e", shape.name())
    });
    let features = with_server.join(",");
    let mut test = vec!["test", "--workspace", "--no-fail-fast"];
    test.extend(["--features", &features]);
    let has_server = e2e::suite::has_assets();
    if !has_server {
        test.extend(["--", "--skip", "samples_are_admitted_and_reconciled"]);
    }
    // Linting while compiling takes one build instead of two.
    cargo(&workspace, &test);
    if !has_server {
        eprintln!(
            "the tutorials, and the tests on the real API server, are not run; \
             `hack/control-plane.sh` has the API server for that"
        );
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for (tutorial, project) in &tutorials {
        let programs = workspace.join("target/debug");
        runtime.block_on(tutorials::run(tutorial, project, &programs));
    }
}

const WORKSPACE: &str = "\
[workspace]
members = [\"members/*\"]
resolver = \"3\"

[profile.dev]
debug = false
";

fn cargo(workspace: &Path, arguments: &[&str]) {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(workspace)
        .env("CARGO_TARGET_DIR", workspace.join("target"))
        .env("RUSTC_WORKSPACE_WRAPPER", clippy_driver())
        .env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings")
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "cargo {}\n{}{}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// clippy's compiler driver, which is next to cargo.
fn clippy_driver() -> PathBuf {
    Path::new(env!("CARGO")).with_file_name("clippy-driver")
}
