//! Entries of `[dependencies]` in Cargo.toml.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// The dependencies of a manifest, by their keys.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "BTreeMap<String, DependencyEntry>")]
pub(super) struct Dependencies(pub(super) BTreeMap<String, Dependency>);

/// One dependency. An entry that cargo would refuse is read as an empty one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct Dependency {
    pub(super) version: Option<String>,
    pub(super) path: Option<String>,
    /// The name of the package, if the manifest renames it.
    pub(super) package: Option<String>,
    /// True for `workspace = true`: `[workspace.dependencies]` has the rest of the entry.
    pub(super) workspace: bool,
    pub(super) optional: bool,
    pub(super) features: Vec<String>,
    #[serde(alias = "default_features")]
    default_features: Option<bool>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum DependencyEntry {
    Version(String),
    Table(Dependency),
    Other(IgnoredAny),
}

impl From<BTreeMap<String, DependencyEntry>> for Dependencies {
    fn from(entries: BTreeMap<String, DependencyEntry>) -> Self {
        let dependency = |entry| match entry {
            DependencyEntry::Version(version) => Dependency {
                version: Some(version),
                ..Dependency::default()
            },
            DependencyEntry::Table(dependency) => dependency,
            DependencyEntry::Other(_) => Dependency::default(),
        };
        let entries = entries.into_iter();
        Self(
            entries
                .map(|(name, entry)| (name, dependency(entry)))
                .collect(),
        )
    }
}

impl Dependencies {
    /// Returns the keys of the dependencies.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }
}

impl Dependency {
    pub(super) fn has_default_features(&self) -> bool {
        self.default_features.unwrap_or(true)
    }

    /// Returns a member's entry with `workspace = true`, completed from the workspace's entry.
    pub(super) fn inherit(mut self, from: &Self) -> Self {
        self.version.clone_from(&from.version);
        self.path.clone_from(&from.path);
        self.package.clone_from(&from.package);
        self.features.extend_from_slice(&from.features);
        // A member can turn default features on, but not off.
        self.default_features =
            Some(from.has_default_features() || self.default_features == Some(true));
        self
    }
}
