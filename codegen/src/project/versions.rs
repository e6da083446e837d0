//! Versions of the crates that a package is built with, from Cargo.lock and the manifests.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use genclient_schema::kubernetes::Release;
use serde::Deserialize;

use super::manifest::{CargoManifest, Dependency};
use crate::known;

/// Versions of the crates that types and clients are built with. An unknown version is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// The version of kube that the package itself depends on.
    pub kube: Option<CrateVersion>,
    /// The version of kube that other crates re-export, if the package itself does not depend on
    /// kube: the only version that its dependencies use, except for `genclient`.
    pub reexported_kube: Option<CrateVersion>,
    /// The version of k8s-openapi that the package itself depends on.
    pub k8s_openapi: Option<CrateVersion>,
    /// The version of schemars.
    pub schemars: Option<CrateVersion>,
    /// The release of Kubernetes' types that the package uses, perhaps through another crate.
    pub kubernetes: Release,
    /// Missing dependencies, each with the manifest that lacks it: `genclient` and `serde` of the
    /// package, `genclient` of the clients' package.
    pub missing: BTreeSet<(PathBuf, &'static str)>,
}

/// The version of a crate, as far as Cargo.lock or else the requirement determines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrateVersion {
    /// Major version.
    pub major: u64,
    /// Minor version.
    pub minor: Option<u64>,
    /// Patch version.
    pub patch: Option<u64>,
}

impl Display for CrateVersion {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let parts: Vec<_> = self.parts().map(|part| part.to_string()).collect();
        f.write_str(&parts.join("."))
    }
}

impl CrateVersion {
    /// Parses a version: `1.2.3`, with or without a suffix, or only its first parts.
    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text
            .split(['.', '-', '+'])
            .map(|number| number.parse().ok());
        Some(Self {
            major: numbers.next()??,
            minor: numbers.next().flatten(),
            patch: numbers.next().flatten(),
        })
    }

    /// Returns whether the version may be one of `0.29`, or of other parts that `series` states.
    pub(crate) fn may_be(self, series: &str) -> bool {
        Self::parse(series).is_some_and(|series| {
            self.parts()
                .zip(series.parts())
                .all(|(own, wanted)| own == wanted)
        })
    }

    /// Returns the known parts.
    fn parts(self) -> impl Iterator<Item = u64> {
        [Some(self.major), self.minor, self.patch]
            .into_iter()
            .map_while(|part| part)
    }
}

/// A requirement such as `1.2` or `=1.2.3`.
struct VersionRequirement {
    stated: CrateVersion,
    /// The number of leading parts that every admitted version has in common with `stated`.
    fixed: usize,
}

impl VersionRequirement {
    /// Parses a requirement; `None` for a range such as `>=1, <3`.
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.contains(',') {
            return None;
        }
        let stated = CrateVersion::parse(text.trim_start_matches(['=', '^', '~']).trim_start())?;
        let count = stated.parts().count();
        let fixed = if text.starts_with('=') || text.contains('*') {
            count
        } else if text.starts_with('~') {
            count.min(2)
        } else {
            let first = stated.parts().position(|part| part > 0);
            first.map_or(count, |first| first + 1)
        };
        Some(Self { stated, fixed })
    }

    fn admits(&self, version: CrateVersion) -> bool {
        let fixed = self.stated.parts().take(self.fixed);
        version.parts().take(self.fixed).eq(fixed)
    }

    /// Returns the parts that every admitted version has.
    fn version(&self) -> CrateVersion {
        CrateVersion {
            patch: self.stated.patch.filter(|_| self.fixed == 3),
            ..self.stated
        }
    }
}

/// Cargo.lock, reduced to the fields that are used.
#[derive(Default, Deserialize)]
struct LockFile {
    #[serde(default)]
    package: Vec<LockedPackage>,
}

#[derive(Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
    /// `None` for a package of the workspace or at a path.
    source: Option<String>,
    /// Names, with the version if several versions are locked: `kube 1.1.0`.
    #[serde(default)]
    dependencies: Vec<String>,
}

impl LockFile {
    /// Reads the lock file of a workspace; empty if it is missing or invalid.
    fn load(workspace: &CargoManifest) -> Self {
        let text = workspace
            .files()
            .read_to_string(&workspace.dir().join("Cargo.lock"));
        let read = text.ok().and_then(|text| toml::from_str(&text).ok());
        read.unwrap_or_default()
    }

    /// Returns the dependencies of a package of the workspace, including dev-dependencies.
    fn dependencies(&self, package: &str) -> &[String] {
        self.package
            .iter()
            .find(|locked| locked.source.is_none() && locked.name == package)
            .map_or(&[], |own| &own.dependencies)
    }

    /// Returns the packages that an entry of `dependencies` may name.
    fn named(&self, dependency: &str) -> impl Iterator<Item = &LockedPackage> {
        let (name, version) = split_lock_entry(dependency);
        self.package.iter().filter(move |locked| {
            locked.name == name && version.is_none_or(|version| locked.version == version)
        })
    }

    /// Returns the locked versions of a crate that a package of the workspace depends on. There may
    /// be several, since the entry of the package includes its dev-dependencies.
    fn versions(&self, package: &str, name: &str) -> Vec<CrateVersion> {
        self.dependencies(package)
            .iter()
            .map(|dependency| split_lock_entry(dependency))
            .filter(|(dependency, _)| *dependency == name)
            .filter_map(|(_, version)| match version {
                Some(version) => CrateVersion::parse(version),
                None => self.only(name),
            })
            .collect()
    }

    /// Returns the locked version of a crate, if only one is locked.
    fn only(&self, name: &str) -> Option<CrateVersion> {
        let mut all = self.named(name);
        match (all.next(), all.next()) {
            (Some(one), None) => CrateVersion::parse(&one.version),
            _ => None,
        }
    }

    /// Returns the version of kube that dependencies use, directly or not, if it is only one.
    fn only_kube_below<'a>(&'a self, mut open: Vec<&'a str>) -> Option<CrateVersion> {
        let mut entered = BTreeSet::new();
        let mut versions = BTreeSet::new();
        while let Some(dependency) = open.pop() {
            if !entered.insert(dependency) {
                continue;
            }
            for package in self.named(dependency) {
                if ["kube", "kube-core"].contains(&package.name.as_str()) {
                    versions.insert(package.version.as_str());
                }
                open.extend(package.dependencies.iter().map(String::as_str));
            }
        }
        let version = versions.pop_first().filter(|_| versions.is_empty());
        version.and_then(CrateVersion::parse)
    }
}

/// Splits an entry such as `kube 1.1.0`, or `kube 1.1.0 (registry+https://…)` of an older format.
fn split_lock_entry(dependency: &str) -> (&str, Option<&str>) {
    let mut words = dependency.splitn(3, ' ');
    (words.next().unwrap_or_default(), words.next())
}

impl Versions {
    /// Returns whether the version of schemars is below 1.
    pub(crate) fn has_old_schemars(&self) -> bool {
        self.schemars.is_some_and(|version| version.major == 0)
    }

    /// Forgets which crates are missing, so that generation does not report them. Commands that
    /// add code to a project list them as manual steps.
    pub fn forget_missing(&mut self) {
        self.missing.clear();
    }

    /// Reads the versions of a package. Its clients are generated into the package `clients`.
    pub(super) fn from_manifests(package: &CargoManifest, clients: &CargoManifest) -> Self {
        let workspace = package.workspace_manifest();
        let lock = LockFile::load(&workspace);
        let dependencies = package.dependencies();
        let own = package.name().unwrap_or_default();
        // Other versions may be locked for other packages, and do not matter.
        let direct = |name: &str| {
            let (_, dependency) = dependencies.iter().find(|(key, it)| it.is_of(key, name))?;
            let stated = dependency.version.as_ref();
            let required = stated.and_then(|text| VersionRequirement::parse(text));
            let mut locked = lock.versions(own, name).into_iter().chain(lock.only(name));
            locked
                .find(|locked| required.as_ref().is_none_or(|it| it.admits(*locked)))
                .or(required.map(|required| required.version()))
        };
        // A dependency may re-export the crate.
        let linked = |name: &str| direct(name).or_else(|| lock.only(name));
        let is_kube =
            |(key, it): &(String, Dependency)| KUBE_CRATES.iter().any(|name| it.is_of(key, name));
        let reexported_kube = || {
            // `genclient` re-exports nothing that kube's derive needs.
            let may_reexport = |entry: &&str| {
                let (name, _) = split_lock_entry(entry);
                name != "genclient" && dependencies.iter().any(|(key, it)| it.is_of(key, name))
            };
            let locked = lock.dependencies(own).iter().map(String::as_str);
            lock.only_kube_below(locked.filter(may_reexport).collect())
        };
        let needed = [
            (package, "genclient"),
            (package, "serde"),
            (clients, "genclient"),
        ];
        Self {
            kube: KUBE_CRATES.into_iter().find_map(direct),
            reexported_kube: if dependencies.iter().any(is_kube) {
                None
            } else {
                reexported_kube()
            },
            k8s_openapi: direct("k8s-openapi"),
            schemars: linked("schemars"),
            kubernetes: kubernetes_release(package, workspace, linked("k8s-openapi")),
            missing: needed
                .into_iter()
                .filter(|(manifest, name)| !has_dependency(manifest, name))
                .map(|(manifest, name)| (manifest.dir().join("Cargo.toml"), name))
                .collect(),
        }
    }
}

/// Crates of kube that a package with kube's derive may depend on. All have the same version.
const KUBE_CRATES: [&str; 3] = ["kube", "kube-core", "kube-derive"];

/// Returns whether the sources of a package can name a crate.
fn has_dependency(package: &CargoManifest, name: &str) -> bool {
    package.dependencies().iter().any(|(key, _)| key == name)
}

/// Returns the release of Kubernetes' types in a version of k8s-openapi.
fn kubernetes_release(
    package: &CargoManifest,
    workspace: CargoManifest,
    k8s_openapi: Option<CrateVersion>,
) -> Release {
    // Before 0.26.1, `Quantity` of k8s-openapi accepts only strings.
    let reads_strings = |version: CrateVersion| {
        let [minor, patch] = [version.minor, version.patch].map(|part| part.unwrap_or(u64::MAX));
        (version.major, minor, patch) < (0, 26, 1)
    };
    Release {
        minor: k8s_openapi
            .and_then(|version| kubernetes_minor_version(package, workspace, version)),
        quantities_are_strings: k8s_openapi.is_some_and(reads_strings),
    }
}

/// Returns the minor version of Kubernetes that a feature of k8s-openapi selects: in this package,
/// or else in any other package of the workspace. Without such a feature, returns the newest
/// version that k8s-openapi supports.
fn kubernetes_minor_version(
    package: &CargoManifest,
    workspace: CargoManifest,
    version: CrateVersion,
) -> Option<u64> {
    let (oldest, newest) = known::kubernetes_versions(version.major, version.minor?)?;
    let chosen = |feature: &String| match feature.as_str() {
        "earliest" => Some(oldest),
        "latest" => Some(newest),
        feature => feature.strip_prefix("v1_")?.parse().ok(),
    };
    let chosen_by = |manifest: &CargoManifest| {
        let all = [manifest.dependencies(), manifest.dev_dependencies()].concat();
        let mut all = all
            .into_iter()
            .filter(|(key, it)| it.is_of(key, "k8s-openapi"));
        all.find_map(|(_, it)| it.features.iter().find_map(chosen))
    };
    let others = || workspace.members().ok()?.iter().find_map(chosen_by);
    chosen_by(package).or_else(others).or(Some(newest))
}

impl Dependency {
    /// Returns whether the entry is the crate `name`, which the manifest may rename.
    fn is_of(&self, key: &str, name: &str) -> bool {
        self.package.as_deref().unwrap_or(key) == name
    }
}
