//! Path dependencies, found from manifests without running cargo.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::files::disk_files;
use super::manifest::{CargoManifest, Dependency};
use crate::file_system;
use crate::known::is_known_crate;
use crate::paths::normalize;

/// A direct or indirect path dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalCrate {
    /// The name of its library.
    pub name: String,
    /// The root file of its library.
    pub root: PathBuf,
    /// Its enabled features.
    pub features: BTreeSet<String>,
    /// Its dependencies.
    pub dependencies: CrateNames,
}

/// Dependencies of a package, by the names that its sources use. Dependencies that only tests or
/// build scripts use are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrateNames {
    /// Path dependencies, as positions in [`Project::local`](super::Project::local).
    pub local: BTreeMap<String, usize>,
    /// Dependencies that only cargo can locate.
    pub elsewhere: BTreeSet<String>,
}

/// Returns the folder of a path dependency or path dev-dependency of the package in a folder.
pub fn path_dependency(package: &Path, name: &str) -> Option<PathBuf> {
    let manifest = CargoManifest::load(&disk_files(file_system::working_dir()), package).ok()?;
    manifest
        .path_dependencies()
        .into_iter()
        .find_map(|(key, path)| (key == name).then_some(path))
}

/// Finds the direct and indirect path dependencies of a package.
pub(super) fn find_path_dependencies(package: &CargoManifest) -> (CrateNames, Vec<LocalCrate>) {
    let mut found = vec![Package::new(package.clone())];
    let mut at = 0;
    while at < found.len() {
        add_dependencies(&mut found, at);
        at += 1;
    }
    // A dependency that a default build uses has the features of that build. Another dependency may
    // be used by a kind behind a feature. It has the features of a build with all features and all
    // optional dependencies of the package.
    let mut any = package.all_features();
    any.extend(found[0].local.iter().map(|edge| edge.key.clone()));
    let by_any = resolve_enabled_features(&found, any);
    let by_default = resolve_enabled_features(&found, package.default_features());
    let features = by_default
        .into_iter()
        .zip(by_any)
        .map(|(by_default, by_any)| by_default.or(by_any).unwrap_or_default());
    let mut found = found.into_iter().zip(features);
    let names = found.next().map(|(package, _)| package.names());
    let local = found.map(|(package, features)| package.library(features));
    (names.unwrap_or_default(), local.collect())
}

/// A package of the dependency graph.
struct Package {
    manifest: CargoManifest,
    local: Vec<Edge>,
    elsewhere: BTreeSet<String>,
}

/// A path dependency: an edge of the graph.
struct Edge {
    /// The name that sources use for it.
    name: String,
    /// The name in the manifest.
    key: String,
    dependency: Dependency,
    to: usize,
}

/// Adds the path dependencies of the package at position `at`.
fn add_dependencies(found: &mut Vec<Package>, at: usize) {
    // The types of a known crate are built in, so its dependencies do not matter.
    if at > 0 && is_known_crate(&found[at].manifest.crate_name()) {
        return;
    }
    for (key, dependency) in found[at].manifest.dependencies() {
        let name = key.replace('-', "_");
        if is_known_crate(&name) {
            continue;
        }
        let path = dependency.path.as_ref();
        let Some(to) = path.and_then(|path| package_at(found, Path::new(path))) else {
            found[at].elsewhere.insert(name);
            continue;
        };
        let name = match &dependency.package {
            Some(_) => name,
            None => found[to].manifest.crate_name(),
        };
        found[at].local.push(Edge {
            name,
            key,
            dependency,
            to,
        });
    }
}

/// Returns the position of the package in a folder, and adds it if it is new. Returns `None` if the
/// package cannot be read or has no library.
fn package_at(found: &mut Vec<Package>, dir: &Path) -> Option<usize> {
    let dir = normalize(dir);
    // Position 0, the package itself, is not searched: Cargo refuses a package that depends on
    // itself, and `Package::names` relies on positions from 1.
    if let Some(at) = found
        .iter()
        .skip(1)
        .position(|package| package.manifest.dir() == dir)
    {
        return Some(at + 1);
    }
    let files = found.first()?.manifest.files();
    let manifest = CargoManifest::load(files, &dir.join("Cargo.toml")).ok()?;
    let root = manifest.crate_root();
    let has_library =
        manifest.name().is_some() && files.is_file(&root) && !root.ends_with("main.rs");
    has_library.then(|| {
        found.push(Package::new(manifest));
        found.len() - 1
    })
}

/// Returns the enabled features of each package, or `None` for a package that is not used. `own`
/// are the features of the first package.
fn resolve_enabled_features(
    found: &[Package],
    own: BTreeSet<String>,
) -> Vec<Option<BTreeSet<String>>> {
    let mut features = vec![None; found.len()];
    features[0] = Some(own);
    // A package may enable features of an earlier package, so the loop repeats until nothing
    // changes.
    let mut is_done = false;
    while !is_done {
        is_done = true;
        for (at, package) in found.iter().enumerate() {
            let Some(on) = features[at].clone() else {
                continue;
            };
            for edge in package.local.iter().filter(|edge| edge.is_used(&on)) {
                let asked = found[edge.to]
                    .manifest
                    .features(edge.requested_features(&on));
                let known = features[edge.to].get_or_insert_default();
                is_done &= asked.is_subset(known);
                known.extend(asked);
            }
        }
    }
    features
}

impl Edge {
    /// Returns whether the dependency is used: it is not optional, or a feature in `on` enables it.
    fn is_used(&self, on: &BTreeSet<String>) -> bool {
        let named = format!("dep:{}", self.key);
        let below = format!("{}/", self.key);
        let turns_on = |feature: &String| {
            *feature == self.key || *feature == named || feature.starts_with(&below)
        };
        !self.dependency.optional || on.iter().any(turns_on)
    }

    /// Returns the features that a package with the features `on` enables in its dependency.
    fn requested_features(&self, on: &BTreeSet<String>) -> BTreeSet<String> {
        let asked = on.iter().filter_map(|feature| {
            let below = feature.strip_prefix(&self.key)?;
            below.strip_prefix('?').unwrap_or(below).strip_prefix('/')
        });
        let default = self.dependency.has_default_features().then_some("default");
        let stated = self.dependency.features.iter().map(String::as_str);
        let all = asked.chain(default).chain(stated);
        all.map(str::to_owned).collect()
    }
}

impl Package {
    fn new(manifest: CargoManifest) -> Self {
        Self {
            manifest,
            local: Vec::new(),
            elsewhere: BTreeSet::new(),
        }
    }

    fn names(self) -> CrateNames {
        // `Project::local` does not contain the package itself, which has position 0 here.
        let local = self.local.into_iter();
        CrateNames {
            local: local.map(|edge| (edge.name, edge.to - 1)).collect(),
            elsewhere: self.elsewhere,
        }
    }

    fn library(self, features: BTreeSet<String>) -> LocalCrate {
        LocalCrate {
            name: self.manifest.crate_name(),
            root: self.manifest.crate_root(),
            features,
            dependencies: self.names(),
        }
    }
}
