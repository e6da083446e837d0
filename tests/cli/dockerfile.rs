//! The Dockerfile of a new project: its COPY and RUN steps in a temporary folder, without a
//! container engine.
//!
//! A stand-in for cargo type-checks instead of building a release, which would take minutes. Cargo
//! decides freshness in the same way, and prints what it compiles.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::package::Package;

/// Target folder that persists, so that dependencies are compiled only once.
const TARGET: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/image");

const CARGO: &str = r#"#!/bin/sh
[ "$1 $2" = "build --release" ] && shift 2 && set -- check "$@"
exec "$REAL_CARGO" "$@" 2>> "$COMPILED"
"#;

const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn the_image_is_built_step_by_step() {
    let package = Package::empty();
    package.write("bin/cargo", CARGO);
    fs::set_permissions(package.path("bin/cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(package.path("project")).unwrap();
    let init = [
        "init",
        "--project-name",
        "guestbook",
        "--genclient-path",
        CHECKOUT,
    ];
    package.run_in("project", &init).expect(0);
    let create = [
        "create",
        "api",
        "--group",
        "webapp",
        "--version",
        "v1",
        "--kind",
        "Guestbook",
    ];
    let answers = ["--resource", "--controller"];
    package
        .run_in("project", &[&create[..], &answers].concat())
        .expect(0);
    // Build output is not sent to the engine.
    package.write("project/target/debug/guestbook", "");

    let image = Image::of(&package);
    assert!(!image.context.join("Cargo.lock").exists());
    let dockerfile = package.read("project/Dockerfile");
    let mut compiled = Vec::new();
    for step in steps(&dockerfile) {
        match step.split_once(' ').unwrap() {
            ("COPY", from_image) if from_image.starts_with("--from=build ") => {
                assert_eq!(
                    from_image,
                    "--from=build /build/target/release/guestbook /manager"
                );
            }
            ("COPY", arguments) => image.copy(arguments),
            ("RUN", script) => compiled.push(image.run(script)),
            _ => {}
        }
    }
    let [dependencies, program] = &compiled[..] else {
        panic!("{compiled:?}");
    };
    assert!(dependencies.contains(&"guestbook".to_owned()));
    assert_eq!(program, &["guestbook"]);
    // From then on Cargo.lock exists and is sent.
    fs::copy(
        image.root.join("Cargo.lock"),
        package.path("project/Cargo.lock"),
    )
    .unwrap();
    let image = Image::of(&package);
    image.copy("Cargo.* ./");
    assert!(image.root.join("Cargo.lock").exists());
}

/// The steps, one per line.
fn steps(dockerfile: &str) -> Vec<String> {
    let lines = dockerfile.lines().filter(|line| !line.starts_with('#'));
    let text = lines.collect::<Vec<_>>().join("\n").replace("\\\n", "");
    let steps = text.lines().filter(|line| !line.is_empty());
    steps.map(str::to_owned).collect()
}

struct Image {
    /// The build context.
    context: PathBuf,
    /// The folder of `WORKDIR`.
    root: PathBuf,
    /// The folder of the cargo stand-in.
    bin: PathBuf,
}

impl Image {
    /// An empty image, with the project files that `.dockerignore` does not exclude as its context.
    fn of(package: &Package) -> Self {
        let image = Self {
            context: package.path("context"),
            root: package.path("build"),
            bin: package.path("bin"),
        };
        for folder in [&image.context, &image.root] {
            let _ = fs::remove_dir_all(folder);
            fs::create_dir(folder).unwrap();
        }
        let ignored = package.read("project/.dockerignore");
        let mut patterns = ignored.lines();
        assert_eq!(patterns.next(), Some("*"));
        for pattern in patterns {
            let name = pattern.strip_prefix('!').unwrap();
            copy(
                &package.path("project").join(name),
                &image.context.join(name),
            );
        }
        image
    }

    /// `COPY FROM TO`, with an optional `*` at the end of `FROM`.
    fn copy(&self, arguments: &str) {
        let (from, to) = arguments.split_once(' ').unwrap();
        let beginning = from.strip_suffix('*');
        let mut count = 0;
        for entry in fs::read_dir(&self.context).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let to = match beginning {
                Some(beginning) if name.starts_with(beginning) => self.root.join(to).join(&name),
                None if name == from => self.root.join(to),
                _ => continue,
            };
            copy(&self.context.join(name), &to);
            count += 1;
        }
        assert!(count > 0, "nothing to copy: {from}");
    }

    /// Runs a script and returns the compiled packages.
    fn run(&self, script: &str) -> Vec<String> {
        let compiled = self.root.join("../compiled");
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", self.bin.display());
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(&self.root);
        command.env("PATH", path).env("REAL_CARGO", env!("CARGO"));
        command
            .env("CARGO_TARGET_DIR", TARGET)
            .env("COMPILED", &compiled);
        let status = command.env("CARGO_NET_OFFLINE", "true").status().unwrap();
        let said = fs::read_to_string(&compiled).unwrap();
        assert!(status.success(), "{said}");
        fs::remove_file(&compiled).unwrap();
        let lines = said
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>());
        let packages = lines.filter_map(|words| match words[..] {
            ["Compiling" | "Checking", package, ..] => Some(package.to_owned()),
            _ => None,
        });
        packages.collect()
    }
}

/// Copies an existing file or folder with its modification times, which cargo compares.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else if from.is_file() {
        fs::copy(from, to).unwrap();
        let modified = fs::metadata(from).unwrap().modified().unwrap();
        let file = fs::File::options().write(true).open(to).unwrap();
        file.set_modified(modified).unwrap();
    }
}
