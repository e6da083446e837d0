//! cargo, and what it knows about packages.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use genclient_codegen::{Diagnostic, Diagnostics, MessageTarget};
use serde::Deserialize;
use serde_json::{Value, json};

use super::children::{ChildWaiter, spawn_in_own_group};

/// The command `cargo`: the program that the variable `CARGO` names, which cargo sets for
/// `cargo genclient`.
pub(super) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

pub(super) fn cannot_run_cargo(error: &io::Error) -> Diagnostics {
    let finding = Diagnostic::error(format!("cannot run cargo: {error}"));
    let help = "install it (https://rustup.rs), or add its folder to PATH";
    finding.help(help).into()
}

/// A run of `cargo check` or a similar command, which prints its messages in JSON.
pub(crate) struct CargoCheck {
    cargo: Child,
    waiter: ChildWaiter,
}

impl CargoCheck {
    /// Starts cargo. Its progress and errors go to stderr.
    ///
    /// # Errors
    ///
    /// cargo is missing, or no signal handler can be installed.
    pub(crate) fn start(arguments: &[OsString]) -> Result<Self, Diagnostics> {
        let waiter = ChildWaiter::new()?;
        let mut command = cargo();
        // cargo does not know when this process prints a message, which would be mixed with a bar.
        command.env("CARGO_TERM_PROGRESS_WHEN", "never");
        command.args(arguments).stdout(Stdio::piped());
        let cargo = spawn_in_own_group(&mut command).map_err(|error| cannot_run_cargo(&error))?;
        Ok(Self { cargo, waiter })
    }

    /// Passes each line of cargo's stdout to `on_line`, and waits for its end. A signal ends cargo,
    /// then this process.
    ///
    /// # Errors
    ///
    /// The system cannot wait for cargo.
    pub(crate) fn read(mut self, on_line: impl FnMut(String)) -> Result<ExitStatus, Diagnostics> {
        self.waiter.read_lines(&mut self.cargo, on_line);
        let status = self.waiter.wait_for(&mut self.cargo);
        status.map_err(|error| cannot_run_cargo(&error))
    }
}

/// The targets that messages in cargo's format are attributed to. `cargo metadata` runs once for
/// each workspace.
#[derive(Debug, Default)]
pub(crate) struct CargoTargets {
    known: Vec<MessageTarget>,
}

/// The output of `cargo metadata`, reduced to the fields that are used.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    manifest_path: PathBuf,
    targets: Vec<Value>,
}

impl CargoTargets {
    /// Returns the library of the package that a file or folder belongs to, or else the first
    /// target of that package. For the Cargo.toml of a workspace without a package, returns that of
    /// the first member. If cargo cannot read Cargo.toml, the id is made from its folder.
    pub(crate) fn find(&mut self, path: &Path) -> MessageTarget {
        let manifest = find_manifest(path);
        if let Some(known) = self.find_known(&manifest) {
            return known.clone();
        }
        let targets = read_targets(&manifest).unwrap_or_default();
        let first = targets.first().cloned();
        self.known.extend(targets);
        if let Some(known) = self.find_known(&manifest) {
            return known.clone();
        }
        let unknown = match first {
            Some(first) => MessageTarget {
                manifest_path: manifest,
                ..first
            },
            None => unknown_target(manifest),
        };
        self.known.push(unknown.clone());
        unknown
    }

    fn find_known(&self, manifest: &Path) -> Option<&MessageTarget> {
        self.known
            .iter()
            .find(|target| target.manifest_path == manifest)
    }
}

/// Returns the nearest Cargo.toml above a path. It may not exist.
pub(crate) fn find_manifest(path: &Path) -> PathBuf {
    let mut manifests = path.ancestors().map(|folder| folder.join("Cargo.toml"));
    let nearest = manifests.find(|manifest| manifest.is_file());
    nearest.unwrap_or_else(|| path.join("Cargo.toml"))
}

/// Returns a target for each package of the workspace, or `None` if cargo reports an error.
fn read_targets(manifest: &Path) -> Option<Vec<MessageTarget>> {
    let output = cargo()
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .arg("--manifest-path")
        .arg(manifest)
        .output()
        .ok()?;
    let metadata: Metadata = serde_json::from_slice(&output.stdout).ok()?;
    let targets = metadata.packages.into_iter().filter_map(|package| {
        let library = package.targets.iter().position(is_library);
        Some(MessageTarget {
            package_id: package.id,
            manifest_path: package.manifest_path,
            target: package.targets.get(library.unwrap_or(0))?.clone(),
            workspace_root: metadata.workspace_root.clone(),
        })
    });
    Some(targets.collect())
}

fn is_library(target: &Value) -> bool {
    let kinds = target["kind"].as_array().into_iter().flatten();
    kinds
        .filter_map(Value::as_str)
        .any(|kind| kind.ends_with("lib"))
}

/// Returns a target with the fields that cargo writes, for a package that cargo cannot read.
fn unknown_target(manifest: PathBuf) -> MessageTarget {
    let folder = manifest.parent().unwrap_or(Path::new("/")).to_owned();
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    MessageTarget {
        package_id: format!("path+file://{}#0.0.0", folder.display()),
        target: json!({
            "kind": ["lib"],
            "crate_types": ["lib"],
            "name": name,
            "src_path": folder.join("src/lib.rs"),
            "edition": "2024",
            "doc": true,
            "doctest": true,
            "test": true,
        }),
        manifest_path: manifest,
        workspace_root: folder,
    }
}
