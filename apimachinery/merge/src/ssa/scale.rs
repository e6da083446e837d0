//! Managed fields of the scale subresource, derived from the owners of the replica count.
//!
//! Source: apimachinery, pkg/util/managedfields/scalehandler.go.

use genclient_apimachinery::fieldpath::{PathElement, Set};
use serde_json::{Value, json};

use super::managers::{self, Manager, ManagerIdentity, Managers};

const SCALE_API_VERSION: &str = "autoscaling/v1";

/// Paths of the replica count by API version; `None` for a version without the scale subresource.
#[derive(Clone, Debug, Default)]
pub struct ReplicaPaths(Vec<(String, Option<Vec<PathElement>>)>);

impl ReplicaPaths {
    /// Parses paths such as `.spec.replicas`, each given with its API version.
    pub fn new<'a>(paths: impl IntoIterator<Item = (String, Option<&'a str>)>) -> Self {
        let elements = |path: &str| {
            let path = path.strip_prefix('.').unwrap_or(path);
            path.split('.').map(PathElement::field).collect()
        };
        let paths = paths.into_iter();
        Self(
            paths
                .map(|(version, path)| (version, path.map(elements)))
                .collect(),
        )
    }

    /// Returns the path in a version. Returns `None` if the version is unknown, and `Some(None)` if
    /// it lacks the scale subresource.
    fn get(&self, version: &str) -> Option<Option<&[PathElement]>> {
        let path = self.0.iter().find(|(known, _)| known == version);
        path.map(|(_, path)| path.as_deref())
    }
}

fn scale_replicas_path() -> Vec<PathElement> {
    ["spec", "replicas"].map(PathElement::field).to_vec()
}

fn single_path_set(path: &[PathElement]) -> Set {
    let mut set = Set::default();
    set.insert(path);
    set
}

/// Returns an entry with the identity of `entry`, another set and another version.
fn with_set(entry: &Manager, set: Set, api_version: &str) -> Manager {
    Manager {
        identity: entry.identity.clone(),
        set,
        api_version: api_version.to_owned(),
    }
}

fn decode_entries(managed: Option<&Value>) -> Result<Managers, String> {
    let object = json!({"metadata": {"managedFields": managed}});
    managers::decode_managers(&managers::listed_entries(&object).unwrap_or_default())
}

fn encode_entries(managers: &Managers) -> Result<Option<Value>, String> {
    managers::encode_managers(managers).map_err(|_| "invalid PathElement".to_owned())
}

/// Returns `managedFields` for the scale of an object: an entry for each owner of the replica
/// count. `managed` is `metadata.managedFields` of the object.
///
/// # Errors
///
/// If the entries cannot be decoded or encoded.
pub fn managed_fields_of_scale(
    managed: Option<&Value>,
    paths: &ReplicaPaths,
) -> Result<Option<Value>, String> {
    let parent = decode_entries(managed)?;
    let mut scale = Managers::default();
    for entry in &parent.entries {
        let path = paths.get(&entry.api_version).flatten();
        if path.is_some_and(|path| entry.set.has(path)) {
            scale.put(with_set(
                entry,
                single_path_set(&scale_replicas_path()),
                SCALE_API_VERSION,
            ));
            scale.set_time(&entry.identity, parent.time(&entry.identity));
        }
    }
    encode_entries(&scale)
}

/// Returns `metadata.managedFields` of an object after a write to its scale. `managed` is the
/// object's list before the write, `scale` the list of the written scale.
///
/// An owner of the replica count that has no entry in `scale` loses this field. An owner that is
/// only in `scale` gets an entry in the version `api_version`. As in Kubernetes, this entry has no
/// time. Entries in versions that `paths` does not contain are dropped.
///
/// # Errors
///
/// If the entries cannot be decoded or encoded.
pub fn managed_fields_of_parent(
    managed: Option<&Value>,
    scale: Option<&Value>,
    api_version: &str,
    paths: &ReplicaPaths,
) -> Result<Option<Value>, String> {
    let parent = decode_entries(managed)?;
    let mut scale = decode_entries(scale)?;
    let mut result = Managers::default();
    let mut keep = |entry: Manager| {
        let identity: ManagerIdentity = entry.identity.clone();
        result.set_time(&identity, parent.time(&identity));
        result.put(entry);
    };
    for entry in &parent.entries {
        // The version no longer exists: its entry is dropped.
        let Some(path) = paths.get(&entry.api_version) else {
            continue;
        };
        // The manager does not own the replica count: its entry stays.
        let Some(path) = path.filter(|path| entry.set.has(path)) else {
            keep(entry.clone());
            continue;
        };
        // The manager still owns it. Owners of the scale that remain are new ones.
        if scale.get(&entry.identity).is_some() {
            scale.remove(&entry.identity);
            keep(entry.clone());
            continue;
        }
        let rest = entry.set.difference(&single_path_set(path));
        if !rest.is_empty() {
            keep(with_set(entry, rest, &entry.api_version));
        }
    }
    let path = paths.get(api_version).flatten().unwrap_or_default();
    for entry in &scale.entries {
        if entry.set.has(&scale_replicas_path()) {
            keep(with_set(entry, single_path_set(path), api_version));
        }
    }
    encode_entries(&result)
}
