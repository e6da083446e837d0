//! Locations of other crates, from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::diagnostic::Diagnostic;
use crate::project::Project;
use crate::sources::{CargoAnswer, Crate, CrateId, Sources};

/// Output of `cargo metadata`, reduced to the fields that are used.
#[derive(Deserialize)]
struct CargoMetadata {
    packages: Vec<CargoPackage>,
    resolve: Option<Resolve>,
}

#[derive(Deserialize)]
struct CargoPackage {
    id: String,
    /// `None` for a package of the workspace or at a path.
    source: Option<String>,
    manifest_path: PathBuf,
    targets: Vec<CargoTarget>,
}

#[derive(Deserialize)]
struct CargoTarget {
    kind: Vec<String>,
    name: String,
    src_path: PathBuf,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<ResolveNode>,
}

#[derive(Deserialize)]
struct ResolveNode {
    id: String,
    deps: Vec<NodeDependency>,
    features: BTreeSet<String>,
}

#[derive(Deserialize)]
struct NodeDependency {
    /// The name that the package uses for the dependency.
    name: String,
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

/// Runs cargo to find the dependencies of a package. The first call covers the default
/// features, the second one all features. Further calls do nothing.
pub(super) fn load_packages(sources: &mut Sources, project: &Project) {
    let (features, answer): (&[&str], _) = match sources.packages {
        CargoAnswer::Unasked => (&[], CargoAnswer::OfDefaultFeatures),
        CargoAnswer::OfDefaultFeatures => (&["--all-features"], CargoAnswer::OfAllFeatures),
        CargoAnswer::OfAllFeatures | CargoAnswer::Failed(_) => return,
    };
    sources.packages = match load_metadata(project, features) {
        Ok(metadata) => {
            add_packages(sources, metadata, project);
            answer
        }
        Err(failure) => CargoAnswer::Failed(failure.diagnostic()),
    };
}

/// Reason why cargo reported no packages.
enum Failure {
    /// Cargo is missing or cannot be started.
    NotRun(std::io::Error),
    /// Standard error of cargo, or the error of parsing its output.
    Said(String),
}

impl Failure {
    fn diagnostic(&self) -> Diagnostic {
        let (words, help) = match self {
            Self::NotRun(error) => (
                format!("cannot run cargo: {error}"),
                "install cargo, or set its path: `CARGO=/path/to/cargo`".to_owned(),
            ),
            Self::Said(words) => {
                let words = extract_cargo_error(words);
                let help = match toolchain_to_install(&words) {
                    Some(name) => format!(
                        "run `rustup toolchain install {name}`, or choose an installed toolchain: \
                         `RUSTUP_TOOLCHAIN=stable genclient ..`"
                    ),
                    None => "run `cargo fetch`, then try again".to_owned(),
                };
                (words, help)
            }
        };
        Diagnostic::error(format!("cannot find the sources of this crate: {words}")).help(format!(
            "{help}; or give the schema on the field: `#[crd(schema = {{ … }})]`"
        ))
    }
}

/// Returns the error of cargo without backtraces, and without hints about the flags that
/// [`run_cargo_metadata`] passes.
fn extract_cargo_error(words: &str) -> String {
    // Progress messages come before the error.
    let words = words
        .split_once("error: ")
        .map_or(words, |(_, error)| error)
        .trim();
    let is_of_flags = |line: &str| {
        let line = line.trim_start();
        line.starts_with("help: ") || line.starts_with("As a reminder, you're using offline mode")
    };
    let words: Vec<&str> = words
        .lines()
        .take_while(|line| line.trim() != "Stack backtrace:")
        .filter(|line| !is_of_flags(line))
        .map(|line| line.split(" because --frozen").next().unwrap_or(line))
        .collect();
    words.join("\n").trim_end().to_owned()
}

/// Returns the toolchain that rustup reports as not installed.
fn toolchain_to_install(words: &str) -> Option<&str> {
    let (_, after) = words.split_once("toolchain '")?;
    let (name, after) = after.split_once('\'')?;
    after.starts_with(" is not installed").then_some(name)
}

/// Runs `cargo metadata --frozen`, which neither writes `Cargo.lock` nor goes online.
///
/// The first call asks only for packages of this platform, since packages of other platforms may
/// not be on disk. If that call fails, for example because cargo does not know `host-tuple`, a
/// second call asks for all packages.
fn load_metadata(project: &Project, features: &[&str]) -> Result<CargoMetadata, Failure> {
    let of_platform = [features, &["--filter-platform", "host-tuple"]].concat();
    let json = run_cargo_metadata(project, &of_platform)
        .or_else(|_| run_cargo_metadata(project, features))?;
    serde_json::from_slice(&json).map_err(|error| Failure::Said(error.to_string()))
}

fn run_cargo_metadata(project: &Project, more: &[&str]) -> Result<Vec<u8>, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--frozen"])
        .args(["--color", "never"])
        .args(more)
        .current_dir(&project.dir)
        .output()
        .map_err(Failure::NotRun)?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        let words = String::from_utf8_lossy(&output.stderr);
        Err(Failure::Said(words.into_owned()))
    }
}

/// Adds the libraries that `sources` does not have yet, and the dependencies of each package.
fn add_packages(sources: &mut Sources, metadata: CargoMetadata, project: &Project) {
    let known: BTreeMap<_, _> = sources
        .crates()
        .map(|(id, krate)| (canonicalize(&krate.file), id))
        .collect();
    let mut ids = BTreeMap::new();
    let mut new = BTreeSet::new();
    for package in &metadata.packages {
        if is_own_package(package, project) {
            ids.insert(package.id.as_str(), CrateId::OWN);
            continue;
        }
        let Some(library) = package.targets.iter().find(|target| target.is_library()) else {
            continue;
        };
        if let Some(id) = known.get(&canonicalize(&library.src_path)) {
            ids.insert(package.id.as_str(), *id);
            continue;
        }
        let id = sources.add_crate(Crate {
            name: library.name.replace('-', "_"),
            file: library.src_path.clone(),
            foreign: package.source.is_some(),
            dependencies: BTreeMap::new(),
            elsewhere: BTreeSet::new(),
            features: BTreeSet::new(),
            root: None,
        });
        ids.insert(package.id.as_str(), id);
        new.insert(id);
    }
    let nodes = metadata.resolve.into_iter();
    for node in nodes.flat_map(|resolve| resolve.nodes) {
        let Some(id) = ids.get(node.id.as_str()) else {
            continue;
        };
        let krate = &mut sources[*id];
        // The features of path dependencies are already known from the manifests.
        if new.contains(id) {
            krate.features = node.features;
        }
        for dependency in node.deps.iter().filter(|dependency| dependency.is_normal()) {
            if let Some(id) = ids.get(dependency.pkg.as_str()) {
                krate.elsewhere.remove(&dependency.name);
                krate
                    .dependencies
                    .entry(dependency.name.clone())
                    .or_insert(*id);
            }
        }
    }
}

/// Returns a path without symbolic links, for comparison.
fn canonicalize(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn is_own_package(package: &CargoPackage, project: &Project) -> bool {
    canonicalize(&package.manifest_path) == canonicalize(&project.dir.join("Cargo.toml"))
}

impl CargoTarget {
    fn is_library(&self) -> bool {
        let kinds = ["lib", "rlib", "dylib", "cdylib", "staticlib"];
        self.kind.iter().any(|kind| kinds.contains(&kind.as_str()))
    }
}

impl NodeDependency {
    /// Returns false for a dependency that only tests or build scripts use.
    fn is_normal(&self) -> bool {
        self.dep_kinds.iter().any(|kind| kind.kind.is_none())
    }
}
