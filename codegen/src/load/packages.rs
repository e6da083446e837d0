//! Where the sources of other crates are: cargo knows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::diagnostic::Diagnostic;
use crate::project::Project;
use crate::sources::{CargoAnswer, Crate, CrateId, Sources};

/// What `cargo metadata` prints, of which this much matters.
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
    deps: Vec<Dependency>,
    features: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Dependency {
    /// The name that the package uses for it.
    name: String,
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

/// Asks cargo for the crates that a package depends on, once.
pub(super) fn ask(sources: &mut Sources, project: &Project) {
    let names = match &mut sources.packages {
        CargoAnswer::Unasked(names) => std::mem::take(names),
        CargoAnswer::Told | CargoAnswer::Failed(..) => return,
    };
    sources.packages = match metadata(project) {
        Ok(metadata) => {
            add(sources, metadata, project);
            CargoAnswer::Told
        }
        Err(failure) => CargoAnswer::Failed(names, failure.diagnostic()),
    };
}

/// Why cargo did not say it.
enum Failure {
    /// There is no such program, or it cannot be started.
    NotRun(std::io::Error),
    /// What it said instead.
    Said(String),
}

impl Failure {
    fn diagnostic(&self) -> Diagnostic {
        let (words, help) = match self {
            Self::NotRun(error) => (
                format!("cannot run it: {error}"),
                "install cargo, or say where it is: `CARGO=/path/to/cargo`",
            ),
            Self::Said(words) => (without_flags(words), "run `cargo fetch`, and this again"),
        };
        Diagnostic::error(format!(
            "cargo does not say where the sources of this crate are: {words}"
        ))
        .help(format!(
            "{help}; or state the schema at the field: `#[crd(schema = {{ … }})]`"
        ))
    }
}

/// The error of cargo, but for what is about the flags that it was given here.
fn without_flags(words: &str) -> String {
    // What it waited for stands before.
    let words = words
        .split_once("error: ")
        .map_or(words, |(_, error)| error);
    let words = words.trim();
    let words: Vec<&str> = words
        .lines()
        .filter(|line| !line.trim_start().starts_with("help: "))
        .map(|line| line.split(" because --frozen").next().unwrap_or(line))
        .collect();
    words.join("\n")
}

/// Runs cargo, which neither writes `Cargo.lock` nor goes online.
///
/// It is asked for the packages of this platform first, as those of another one need not be on the disk; a cargo that does not know
/// this name of the platform is asked for all.
fn metadata(project: &Project) -> Result<CargoMetadata, Failure> {
    let json = run(project, &["--filter-platform", "host-tuple"]).or_else(|_| run(project, &[]))?;
    serde_json::from_slice(&json).map_err(|error| Failure::Said(error.to_string()))
}

fn run(project: &Project, more: &[&str]) -> Result<Vec<u8>, Failure> {
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

/// Adds every library. The package with the API types is there already.
fn add(sources: &mut Sources, metadata: CargoMetadata, project: &Project) {
    let mut ids = BTreeMap::new();
    for package in &metadata.packages {
        if is_own(package, project) {
            ids.insert(package.id.as_str(), CrateId::OWN);
            continue;
        }
        let Some(library) = package.targets.iter().find(|target| target.is_library()) else {
            continue;
        };
        let id = sources.add_crate(Crate {
            name: library.name.replace('-', "_"),
            file: library.src_path.clone(),
            foreign: package.source.is_some(),
            dependencies: BTreeMap::new(),
            features: BTreeSet::new(),
            root: None,
        });
        ids.insert(package.id.as_str(), id);
    }
    for node in metadata
        .resolve
        .into_iter()
        .flat_map(|resolve| resolve.nodes)
    {
        let Some(krate) = ids.get(node.id.as_str()) else {
            continue;
        };
        sources[*krate].features = node.features;
        let normal = node.deps.iter().filter(|dependency| dependency.is_normal());
        sources[*krate].dependencies = normal
            .filter_map(|dependency| {
                let id = ids.get(dependency.pkg.as_str())?;
                Some((dependency.name.clone(), *id))
            })
            .collect();
    }
}

fn is_own(package: &CargoPackage, project: &Project) -> bool {
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    canonical(&package.manifest_path) == canonical(&project.dir.join("Cargo.toml"))
}

impl CargoTarget {
    fn is_library(&self) -> bool {
        let kinds = ["lib", "rlib", "dylib", "cdylib", "staticlib"];
        self.kind.iter().any(|kind| kinds.contains(&kind.as_str()))
    }
}

impl Dependency {
    /// True unless it is for tests or build scripts alone.
    fn is_normal(&self) -> bool {
        self.dep_kinds.iter().any(|kind| kind.kind.is_none())
    }
}
