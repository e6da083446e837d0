//! Objects of the in-memory API server, with a log of their changes.

use std::collections::{BTreeMap, HashMap};

use genclient::kube::core::SelectorExt;
use genclient::lister::Selector;
use http::Method;
use serde_json::Value;

use super::responses::Target;

type Labels = BTreeMap<String, String>;

/// The state of the in-memory API server.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) version: u64,
    /// Objects by resource, then by namespace and name.
    pub(crate) objects: HashMap<String, BTreeMap<(String, String), Value>>,
    pub(crate) log: Vec<Change>,
    pub(crate) refusals: Vec<Refusal>,
    /// Path and selectors of each list request.
    pub(crate) lists: Vec<String>,
    /// Method, path and query of each write request.
    pub(crate) writes: Vec<String>,
    /// The body of each DELETE request.
    pub(crate) delete_options: Vec<Value>,
    /// The watched resources, one entry for each open watch.
    pub(crate) watched: Vec<String>,
    /// How often a backup was restored. Each restore ends the open watches.
    pub(crate) restores: usize,
}

/// Objects and version at one time.
#[derive(Clone)]
pub(crate) struct Backup {
    version: u64,
    objects: HashMap<String, BTreeMap<(String, String), Value>>,
}

pub(crate) struct Change {
    pub(crate) version: u64,
    kind: &'static str,
    pub(crate) resource: String,
    pub(crate) object: Value,
    /// The labels before the change.
    old: Labels,
}

/// An error for the next requests of a method and a resource.
pub(crate) struct Refusal {
    pub(crate) method: Method,
    pub(crate) resource: String,
    pub(crate) code: u16,
    pub(crate) times: usize,
}

impl State {
    pub(crate) fn backup(&self) -> Backup {
        Backup {
            version: self.version,
            objects: self.objects.clone(),
        }
    }

    /// Goes back to a backup. Later versions are used again.
    pub(crate) fn restore(&mut self, backup: Backup) {
        self.log.retain(|change| change.version <= backup.version);
        self.version = backup.version;
        self.objects = backup.objects;
        self.restores += 1;
    }

    pub(crate) fn object(&self, target: &Target) -> Option<&Value> {
        let namespace = target.namespace.clone().unwrap_or_default();
        self.objects
            .get(&target.resource)?
            .get(&(namespace, target.name.clone()?))
    }

    pub(crate) fn store(
        &mut self,
        resource: &str,
        key: (String, String),
        mut object: Value,
    ) -> Value {
        self.version += 1;
        let all = self.objects.entry(resource.to_owned()).or_default();
        let old = all.get(&key).map(object_labels).unwrap_or_default();
        let known = all.get(&key).map(|known| known["metadata"]["uid"].clone());
        let kind = if known.is_some() { "MODIFIED" } else { "ADDED" };
        let uid = known.unwrap_or_else(|| format!("uid-{}", self.version).into());
        let metadata = &mut object["metadata"];
        metadata["name"] = key.1.clone().into();
        if !key.0.is_empty() {
            metadata["namespace"] = key.0.clone().into();
        }
        metadata["uid"] = uid;
        metadata["resourceVersion"] = self.version.to_string().into();
        all.insert(key, object.clone());
        self.log.push(Change {
            version: self.version,
            kind,
            resource: resource.to_owned(),
            object: object.clone(),
            old,
        });
        object
    }

    pub(crate) fn delete(&mut self, resource: &str, key: &(String, String)) {
        let removed = self
            .objects
            .get_mut(resource)
            .and_then(|all| all.remove(key));
        if let Some(mut object) = removed {
            self.version += 1;
            object["metadata"]["resourceVersion"] = self.version.to_string().into();
            self.log.push(Change {
                version: self.version,
                kind: "DELETED",
                resource: resource.to_owned(),
                old: object_labels(&object),
                object,
            });
        }
    }
}

impl Change {
    /// Returns the type of the event that a watch with a selector gets, if it gets one.
    pub(crate) fn seen_by(&self, selector: &Selector) -> Option<&'static str> {
        let is = selector.matches(&object_labels(&self.object));
        match (self.kind, selector.matches(&self.old), is) {
            ("MODIFIED", true, false) => Some("DELETED"),
            ("MODIFIED", false, true) => Some("ADDED"),
            (kind, _, is) => is.then_some(kind),
        }
    }
}

pub(crate) fn object_labels(object: &Value) -> Labels {
    serde_json::from_value(object["metadata"]["labels"].clone()).unwrap_or_default()
}
