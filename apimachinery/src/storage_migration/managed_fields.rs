//! Entries of `managedFields` whose version is no longer served.
//!
//! After a version is removed from a definition, every server-side apply to an object with such an
//! entry fails, as kube-apiserver cannot convert the object to the entry's version
//! (kubernetes/kubernetes#111937). Entries are renamed to the storage version before that.

use serde_json::Value;

use super::definition::Definition;
use crate::fieldpath::{decode_set, encode_set};
use crate::unstructured::str_field;

/// Returns the entries with every version that is not served renamed to the storage version.
/// Returns `None` if every entry names a served version.
pub(super) fn rename_unserved(entries: &[Value], definition: &Definition) -> Option<Vec<Value>> {
    if entries.iter().all(|entry| is_served(entry, definition)) {
        return None;
    }
    let version = format!("{}/{}", definition.group, definition.storage);
    let mut renamed: Vec<Value> = Vec::with_capacity(entries.len());
    for mut entry in entries.iter().cloned() {
        if !is_served(&entry, definition) {
            entry["apiVersion"] = version.clone().into();
        }
        match renamed.iter_mut().find(|other| has_same_key(other, &entry)) {
            Some(other) => unite(other, &entry),
            None => renamed.push(entry),
        }
    }
    Some(renamed)
}

fn is_served(entry: &Value, definition: &Definition) -> bool {
    let (group, version) = str_field(entry, "apiVersion")
        .split_once('/')
        .unwrap_or_default();
    // The storage version is the one to which others are renamed, even if it is not served.
    group != definition.group
        || version == definition.storage
        || definition.served.iter().any(|served| served == version)
}

/// Returns whether the API server treats both entries as one (`BuildManagerIdentifier` in
/// apimachinery's managedfields/internal/managedfields.go). A manager has only one entry for its
/// applies of a subresource, but one for its updates in each version.
fn has_same_key(one: &Value, other: &Value) -> bool {
    ["manager", "operation", "apiVersion", "subresource"]
        .iter()
        .all(|field| one[*field] == other[*field])
}

/// Adds the fields of `other`, and takes its time if that is later.
fn unite(entry: &mut Value, other: &Value) {
    if str_field(entry, "time") < str_field(other, "time") {
        entry["time"] = other["time"].clone();
    }
    // The API server has encoded both.
    if let (Ok(fields), Ok(others)) = (
        decode_set(&entry["fieldsV1"]),
        decode_set(&other["fieldsV1"]),
    ) && let Ok(united) = encode_set(&fields.union(&others))
    {
        entry["fieldsV1"] = united;
    }
}
