//! Versions of the crates that a package is built with, from Cargo.lock and the manifests.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use genclient_schema::kubernetes::Release;
use serde::Deserialize;

use super::dependencies::Dependency;
use super::manifest::Manifest;
use crate::known;

/// Versions of the crates that types and clients are built with. An unknown version is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// The version of kube that the package itself depends on.
    pub kube: Option<CrateVersion>,
    /// The version of k8s-openapi that the package itself depends on.
    pub k8s_openapi: Option<CrateVersion>,
    /// The version of schemars.
    pub schemars: Option<CrateVersion>,
    /// The release of Kubernetes' types that the package uses, perhaps through another crate.
    pub kubernetes: Release,
    /// The manifest of the clients' package, if it does not depend on `genclient`.
    pub without_genclient: Option<PathBuf>,
    /// Those of `genclient` and `serde` that the package does not depend on.
    pub missing: BTreeSet<&'static str>,
}

/// The version of a crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrateVersion {
    /// Major version.
    pub major: u64,
    /// Minor version.
    pub minor: u64,
    /// Patch version; `None` if Cargo.lock does not tell the version and the requirement is not
    /// exact.
    pub patch: Option<u64>,
}

impl Display for CrateVersion {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        self.patch.map_or(Ok(()), |patch| write!(f, ".{patch}"))
    }
}

impl CrateVersion {
    /// Parses a locked version: `1.2.3`, with or without a suffix.
    fn locked(text: &str) -> Option<Self> {
        let mut numbers = text
            .split(['.', '-', '+'])
            .map(|number| number.parse().ok());
        Some(Self {
            major: numbers.next()??,
            minor: numbers.next()??,
            patch: Some(numbers.next()??),
        })
    }

    /// Parses a requirement such as `1.2` or `=1.2.3`; `None` for a range such as `>=1, <3`.
    fn required(text: &str) -> Option<Self> {
        let text = text.trim();
        let (is_exact, text) = match text.strip_prefix('=') {
            Some(text) => (true, text),
            None => (false, text.trim_start_matches(['^', '~'])),
        };
        let mut numbers = text.trim().split('.');
        let mut next = || numbers.next().map(str::parse).transpose().ok();
        let (major, minor, patch) = (next()??, next()?, next()?);
        Some(Self {
            major,
            minor: minor.unwrap_or(0),
            patch: patch.filter(|_| is_exact),
        })
    }

    /// Returns whether this requirement admits a locked version.
    fn admits(self, locked: Self) -> bool {
        match self.major {
            0 => (locked.major, locked.minor) == (0, self.minor),
            major => locked.major == major,
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
    fn of(workspace: &Manifest) -> Self {
        let text = workspace.files().read(&workspace.dir().join("Cargo.lock"));
        let read = text.ok().and_then(|text| toml::from_str(&text).ok());
        read.unwrap_or_default()
    }

    /// Returns the locked versions of a crate that a package of the workspace depends on. There may
    /// be several, since the entry of the package includes its dev-dependencies.
    fn versions(&self, package: &str, name: &str) -> Vec<CrateVersion> {
        let mut packages = self.package.iter();
        let own = packages.find(|locked| locked.source.is_none() && locked.name == package);
        let named = own.into_iter().flat_map(|own| &own.dependencies);
        let versions = named.filter_map(|dependency| {
            let mut words = dependency.split(' ');
            match (words.next() == Some(name), words.next()) {
                (true, Some(version)) => CrateVersion::locked(version),
                (true, None) => self.only(name),
                (false, _) => None,
            }
        });
        versions.collect()
    }

    /// Returns the locked version of a crate, if only one is locked.
    fn only(&self, name: &str) -> Option<CrateVersion> {
        let mut all = self.package.iter().filter(|locked| locked.name == name);
        match (all.next(), all.next()) {
            (Some(one), None) => CrateVersion::locked(&one.version),
            _ => None,
        }
    }
}

impl Versions {
    /// Returns whether the version of schemars is below 1.
    pub(crate) fn has_old_schemars(&self) -> bool {
        self.schemars.is_some_and(|version| version.major == 0)
    }

    /// Forgets which crates are missing, so that generation does not report them. Commands that
    /// add code to a project list them as manual steps.
    pub(crate) fn forget_missing(&mut self) {
        self.missing.clear();
        self.without_genclient = None;
    }

    /// Reads the versions of a package. Its clients are generated into the package `clients`.
    pub(super) fn of(package: &Manifest, clients: &Manifest) -> Self {
        let workspace = package.above();
        let lock = LockFile::of(&workspace);
        let dependencies = package.dependencies();
        let own = package.name().unwrap_or_default();
        // Other versions may be locked for other packages, and do not matter.
        let direct = |name: &str| {
            let (_, dependency) = dependencies.iter().find(|(key, it)| it.is_of(key, name))?;
            let stated = dependency.version.as_ref();
            let required = stated.and_then(|text| CrateVersion::required(text));
            let mut locked = lock.versions(own, name).into_iter().chain(lock.only(name));
            locked
                .find(|locked| required.is_none_or(|required| required.admits(*locked)))
                .or(required)
        };
        // A dependency may re-export the crate.
        let linked = |name: &str| direct(name).or_else(|| lock.only(name));
        Self {
            kube: ["kube", "kube-core", "kube-derive"]
                .into_iter()
                .find_map(direct),
            k8s_openapi: direct("k8s-openapi"),
            schemars: linked("schemars"),
            kubernetes: release(package, workspace, linked("k8s-openapi")),
            without_genclient: (!has_dependency(clients, "genclient"))
                .then(|| clients.dir().join("Cargo.toml")),
            missing: ["genclient", "serde"]
                .into_iter()
                .filter(|name| !has_dependency(package, name))
                .collect(),
        }
    }
}

/// Returns whether the sources of a package can name a crate.
fn has_dependency(package: &Manifest, name: &str) -> bool {
    package.dependencies().iter().any(|(key, _)| key == name)
}

/// Returns the release of Kubernetes' types in a version of k8s-openapi.
fn release(package: &Manifest, workspace: Manifest, k8s_openapi: Option<CrateVersion>) -> Release {
    // Before 0.26.1, `Quantity` of k8s-openapi accepts only strings.
    let reads_strings = |version: CrateVersion| {
        let patch = version.patch.unwrap_or(u64::MAX);
        (version.major, version.minor, patch) < (0, 26, 1)
    };
    Release {
        minor: k8s_openapi.and_then(|version| kubernetes(package, workspace, version)),
        quantities_are_strings: k8s_openapi.is_some_and(reads_strings),
    }
}

/// Returns the minor version of Kubernetes that a feature of k8s-openapi selects: in this package,
/// or else in any other package of the workspace. Without such a feature, returns the newest
/// version that k8s-openapi supports.
fn kubernetes(package: &Manifest, workspace: Manifest, version: CrateVersion) -> Option<u64> {
    let (oldest, newest) = known::kubernetes_versions(version.major, version.minor)?;
    let chosen = |feature: &String| match feature.as_str() {
        "earliest" => Some(oldest),
        "latest" => Some(newest),
        feature => feature.strip_prefix("v1_")?.parse().ok(),
    };
    let chosen_by = |manifest: &Manifest| {
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
