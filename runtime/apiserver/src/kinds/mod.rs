//! Kinds that a server serves: the built-in ones and those of CustomResourceDefinitions.

pub(crate) mod custom;
pub(crate) mod known;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use genclient_schema::Schema;
use parking_lot::RwLock;

use crate::store::Resource;

/// One version of a kind, and how its objects behave.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) resource: Resource,
    pub(crate) version: String,
    /// Version that objects are validated and kept in.
    pub(crate) storage_version: String,
    pub(crate) kind: String,
    pub(crate) list_kind: String,
    pub(crate) singular: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) is_namespaced: bool,
    pub(crate) has_status: bool,
    pub(crate) strategy: Strategy,
    /// What a CustomResourceDefinition says; none of built-in kinds.
    pub(crate) custom: Option<CustomVersion>,
}

/// How the API server treats the objects of a kind on writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Strategy {
    /// PUT of an object that does not exist creates it.
    pub(crate) creates_on_update: bool,
    /// PUT without a resourceVersion overwrites.
    pub(crate) updates_unconditionally: bool,
    /// `metadata.generation` counts changes outside of metadata and status.
    pub(crate) has_generation: bool,
    /// Deletions answer with the object, not with a Status.
    pub(crate) returns_deleted: bool,
    /// Deletions leave dependents alone unless they say otherwise.
    pub(crate) orphans_by_default: bool,
}

/// A version of a CustomResourceDefinition.
#[derive(Debug)]
pub(crate) struct CustomVersion {
    pub(crate) schema: Arc<Schema>,
    pub(crate) scale: Option<ScalePaths>,
    /// JSON paths of fields that selectors may name, without the first dot.
    pub(crate) selectable_fields: Vec<String>,
    /// Warning of every request for a deprecated version.
    pub(crate) deprecation: Option<String>,
    /// Differs between versions and between states of the definition.
    pub(crate) id: u64,
    pub(crate) is_terminating: bool,
}

/// Fields that the scale subresource shows.
#[derive(Clone, Debug)]
pub(crate) struct ScalePaths {
    pub(crate) spec_replicas: String,
    pub(crate) status_replicas: String,
    pub(crate) label_selector: Option<String>,
}

impl Kind {
    /// `v1`, or `group/version`.
    pub(crate) fn api_version(&self) -> String {
        match &*self.resource.group {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }

    pub(crate) fn group(&self) -> &str {
        &self.resource.group
    }

    pub(crate) fn plural(&self) -> &str {
        &self.resource.plural
    }
}

/// All kinds of a server. Lookups are cheap; kinds come and go with their definitions.
#[derive(Default)]
pub(crate) struct Kinds(RwLock<Table>);

#[derive(Default)]
struct Table {
    kinds: HashMap<(String, String, String), Arc<Kind>>,
    /// Versions of each group, in the order in which they were added.
    groups: BTreeMap<String, Vec<String>>,
}

impl Kinds {
    pub(crate) fn get(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Kind>> {
        let key = (group.to_owned(), version.to_owned(), plural.to_owned());
        self.0.read().kinds.get(&key).cloned()
    }

    /// The version that objects of a resource are kept in.
    pub(crate) fn stored(&self, resource: &Resource) -> Option<Arc<Kind>> {
        let table = self.0.read();
        let mut kinds = table.kinds.values();
        let kind =
            kinds.find(|kind| kind.resource == *resource && kind.version == kind.storage_version);
        kind.cloned()
    }

    /// Whether a group has this version.
    pub(crate) fn has_version(&self, group: &str, version: &str) -> bool {
        let table = self.0.read();
        let versions = table.groups.get(group);
        versions.is_some_and(|versions| versions.iter().any(|known| known == version))
    }

    /// The kinds of a group and version, by their plurals.
    pub(crate) fn of_version(&self, group: &str, version: &str) -> Vec<Arc<Kind>> {
        let table = self.0.read();
        let mut kinds: Vec<_> = table
            .kinds
            .values()
            .filter(|kind| kind.group() == group && kind.version == version)
            .cloned()
            .collect();
        kinds.sort_by(|a, b| a.plural().cmp(b.plural()));
        kinds
    }

    /// Groups with their versions.
    pub(crate) fn groups(&self) -> Vec<(String, Vec<String>)> {
        let table = self.0.read();
        let groups = table.groups.iter();
        groups
            .map(|(group, versions)| (group.clone(), versions.clone()))
            .collect()
    }

    /// Every kind that objects are kept in, by resource.
    pub(crate) fn all_stored(&self) -> Vec<Arc<Kind>> {
        let table = self.0.read();
        let kinds = table.kinds.values();
        let mut kinds: Vec<_> = kinds
            .filter(|kind| kind.version == kind.storage_version)
            .cloned()
            .collect();
        kinds.sort_by(|a, b| a.resource.cmp(&b.resource));
        kinds
    }

    /// Serves these versions of a resource and no other.
    pub(crate) fn replace(&self, resource: &Resource, kinds: Vec<Kind>) {
        let mut table = self.0.write();
        table.kinds.retain(|_, kind| kind.resource != *resource);
        for kind in kinds {
            let key = (
                kind.group().to_owned(),
                kind.version.clone(),
                kind.plural().to_owned(),
            );
            table.kinds.insert(key, Arc::new(kind));
        }
        table.groups = table.versions();
    }
}

impl Table {
    fn versions(&self) -> BTreeMap<String, Vec<String>> {
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for kind in self.kinds.values() {
            let versions = groups.entry(kind.group().to_owned()).or_default();
            if !versions.contains(&kind.version) {
                versions.push(kind.version.clone());
            }
        }
        for versions in groups.values_mut() {
            versions.sort_by_key(|version| std::cmp::Reverse(priority(version)));
        }
        groups
    }
}

/// Order of versions: `v2`, `v1`, `v1beta2`, `v1beta1`, `v1alpha1`, then others by name
/// (k8s.io/apimachinery/pkg/version).
fn priority(version: &str) -> (u8, u64, u64, std::cmp::Reverse<String>) {
    let other = (0, 0, 0, std::cmp::Reverse(version.to_owned()));
    let Some(rest) = version.strip_prefix('v') else {
        return other;
    };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (major, rest) = rest.split_at(digits);
    let Ok(major) = major.parse() else {
        return other;
    };
    let (level, minor) = match rest {
        "" => (3, Ok(0)),
        rest => match (rest.strip_prefix("beta"), rest.strip_prefix("alpha")) {
            (Some(minor), _) => (2, minor.parse()),
            (_, Some(minor)) => (1, minor.parse()),
            _ => return other,
        },
    };
    match minor {
        Ok(minor) => (level, major, minor, std::cmp::Reverse(String::new())),
        Err(_) => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_kubernetes_order() {
        let expected = [
            "v10",
            "v2",
            "v1",
            "v11beta2",
            "v10beta3",
            "v3beta1",
            "v12alpha1",
            "v11alpha2",
            "foo1",
            "foo10",
        ];
        let mut sorted = expected;
        sorted.sort();
        sorted.sort_by_key(|version| std::cmp::Reverse(priority(version)));
        assert_eq!(sorted, expected);
    }
}
