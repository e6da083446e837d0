//! [`Definition`]: what a migration needs to know about a CustomResourceDefinition.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::meta::parse_time;
use crate::unstructured::{bool_field, list_field, str_field, str_or_empty};
use crate::version::version_order;

/// A CustomResourceDefinition whose objects can be migrated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name of the definition, such as `gputasks.falldio.com`.
    pub name: String,
    /// The API group.
    pub group: String,
    /// The plural name of the kind, as in paths.
    pub plural: String,
    /// The kind.
    pub kind: String,
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.resourceVersion`.
    pub resource_version: String,
    /// `metadata.generation`, which every change of `spec` increments.
    pub generation: i64,
    /// The version that objects are stored as.
    pub storage: String,
    /// The served versions: the storage version first if it is served, then the others by priority.
    /// Requests use the first one.
    pub served: Vec<String>,
    /// `status.storedVersions`: the versions that objects may be stored as.
    pub stored: Vec<String>,
    /// The versions that have the status subresource.
    pub with_status: BTreeSet<String>,
    /// When `spec.versions` was changed last, since the Unix epoch. `None` if `managedFields` do
    /// not tell.
    pub versions_changed: Option<Duration>,
}

/// Why a definition cannot be migrated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The cluster has no such definition.
    NotInstalled,
    /// The definition is being deleted, and its objects with it.
    BeingDeleted,
    /// The condition `NamesAccepted` or `Established` is not true. Has its message.
    NotEstablished(String),
    /// No version is served.
    NothingServed,
    /// The cluster stores another version than the types of the caller.
    OtherStorage {
        /// The storage version in the cluster.
        cluster: String,
        /// The storage version of the types.
        types: String,
    },
}

impl Definition {
    /// Reads a CustomResourceDefinition.
    ///
    /// # Errors
    ///
    /// The definition cannot be migrated in its current state.
    pub fn from_object(object: &Value) -> Result<Self, Refusal> {
        let (metadata, spec, status) = (&object["metadata"], &object["spec"], &object["status"]);
        if metadata["deletionTimestamp"].is_string() {
            return Err(Refusal::BeingDeleted);
        }
        for condition in ["NamesAccepted", "Established"] {
            check_condition(list_field(status, "conditions"), condition)?;
        }
        let versions = list_field(spec, "versions");
        let names = |field| {
            let marked = versions.iter().filter(move |it| bool_field(it, field));
            marked.map(|it| str_field(it, "name").to_owned())
        };
        let storage = names("storage").next().unwrap_or_default();
        let mut served: Vec<_> = names("served").collect();
        served.sort_by_key(|it| (*it != storage, Reverse(version_order(it))));
        if served.is_empty() {
            return Err(Refusal::NothingServed);
        }
        let has_status = |it: &&Value| it["subresources"]["status"].is_object();
        let stored = list_field(status, "storedVersions").iter();
        Ok(Self {
            name: str_field(metadata, "name").to_owned(),
            group: str_field(spec, "group").to_owned(),
            plural: str_field(&spec["names"], "plural").to_owned(),
            kind: str_field(&spec["names"], "kind").to_owned(),
            uid: str_field(metadata, "uid").to_owned(),
            resource_version: str_field(metadata, "resourceVersion").to_owned(),
            generation: metadata["generation"].as_i64().unwrap_or_default(),
            storage,
            served,
            stored: stored.map(|it| str_or_empty(it).to_owned()).collect(),
            with_status: versions
                .iter()
                .filter(has_status)
                .map(|it| str_field(it, "name").to_owned())
                .collect(),
            versions_changed: last_change_of_versions(list_field(metadata, "managedFields")),
        })
    }

    /// Returns the version that requests use.
    #[must_use]
    pub fn working_version(&self) -> &str {
        self.served.first().unwrap_or(&self.storage)
    }

    /// Returns whether objects may be stored as another version than the storage version.
    #[must_use]
    pub fn has_old_stored_versions(&self) -> bool {
        self.stored.iter().any(|version| *version != self.storage)
    }

    /// Returns the path of all objects in a served version.
    pub(super) fn all_objects_path(&self, version: &str) -> String {
        format!("/apis/{}/{version}/{}", self.group, self.plural)
    }
}

/// Checks that a condition is true. One that is absent is not set yet.
fn check_condition(conditions: &[Value], name: &str) -> Result<(), Refusal> {
    let condition = conditions.iter().find(|it| it["type"] == name);
    match condition {
        Some(condition) if condition["status"] == "True" => Ok(()),
        Some(condition) => {
            let message = str_field(condition, "message");
            Err(Refusal::NotEstablished(message.to_owned()))
        }
        None => Err(Refusal::NotEstablished(format!(
            "the condition {name} is not set"
        ))),
    }
}

/// Returns the newest time of the entries that own `spec.versions`.
fn last_change_of_versions(managed_fields: &[Value]) -> Option<Duration> {
    let owners = managed_fields
        .iter()
        .filter(|entry| !entry["fieldsV1"]["f:spec"]["f:versions"].is_null());
    let seconds = owners.filter_map(|entry| parse_time(str_field(entry, "time")).ok());
    let newest = seconds.max()?;
    u64::try_from(newest).ok().map(Duration::from_secs)
}
