//! [`Snapshot`]: the initial list of a collection while it arrives.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

use super::sink::{Listed, Sink, Skipped};
use crate::cache::{ObjectName, parts};

/// Incomplete list. Streamed lists change while they arrive.
pub(super) struct Snapshot<K> {
    /// In the order of arrival; `None` for objects that were deleted meanwhile.
    objects: Vec<Option<Arc<K>>>,
    skipped: BTreeMap<ObjectName, Skipped>,
    /// Built when an object changes for the first time, which happens in few lists.
    positions: Option<HashMap<ObjectName, usize>>,
}

/// Returns the cached object if it is the same as `object`, and otherwise `object`. A relist then
/// takes memory only for changed objects.
///
/// A resource version belongs to one state of one object: if it and the uid are equal, everything
/// is.
pub(super) fn shared<K: Resource>(object: Arc<K>, sink: &impl Sink<K>) -> Arc<K> {
    let (namespace, name) = parts(&*object);
    match sink.cached(namespace, name) {
        Some(cached) if is_same(cached.meta(), object.meta()) => cached,
        _ => object,
    }
}

impl<K: Resource> Snapshot<K> {
    pub(super) fn new() -> Self {
        Self {
            objects: Vec::new(),
            skipped: BTreeMap::new(),
            positions: None,
        }
    }

    /// Whether no object was added yet.
    pub(super) fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Returns the number of objects and of undecodable objects.
    pub(super) fn len(&self) -> usize {
        self.objects.len() + self.skipped.len()
    }

    /// Adds a new object.
    pub(super) fn push(&mut self, object: Arc<K>) {
        if let Some(positions) = &mut self.positions {
            positions.insert(ObjectName::from_object(&*object), self.objects.len());
        }
        self.objects.push(Some(object));
    }

    /// Adds an object, or replaces its earlier state.
    pub(super) fn upsert(&mut self, object: Arc<K>) {
        let name = ObjectName::from_object(&*object);
        self.skipped.remove(&name);
        match self.positions().get(&name) {
            Some(&at) => self.objects[at] = Some(object),
            None => self.push(object),
        }
    }

    pub(super) fn remove(&mut self, name: &ObjectName) {
        self.skipped.remove(name);
        if let Some(at) = self.positions().remove(name) {
            self.objects[at] = None;
        }
    }

    pub(super) fn skip(&mut self, skipped: Skipped) {
        self.skipped.insert(skipped.name.clone(), skipped);
    }

    pub(super) fn finish(self, resource_version: String) -> Listed<K> {
        Listed {
            objects: self.objects.into_iter().flatten().collect(),
            skipped: self.skipped.into_values().collect(),
            resource_version,
        }
    }

    fn positions(&mut self) -> &mut HashMap<ObjectName, usize> {
        let objects = &self.objects;
        self.positions.get_or_insert_with(|| {
            let present = objects.iter().enumerate();
            present
                .filter_map(|(at, object)| Some((ObjectName::from_object(&**object.as_ref()?), at)))
                .collect()
        })
    }
}

fn is_same(one: &ObjectMeta, other: &ObjectMeta) -> bool {
    let is_known = one.uid.is_some() && one.resource_version.is_some();
    is_known && one.uid == other.uid && one.resource_version == other.resource_version
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_is_the_cached_one_by_uid_and_resource_version() {
        let metadata = |uid: &str, version: &str| {
            let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            ObjectMeta {
                uid: text(uid),
                resource_version: text(version),
                ..ObjectMeta::default()
            }
        };
        for (one, other, expected) in [
            (("uid", "1"), ("uid", "1"), true),
            (("uid", "1"), ("uid", "2"), false),
            (("uid", "1"), ("another", "1"), false),
            (("uid", "1"), ("", "1"), false),
            // Not known to be the same.
            (("", "1"), ("", "1"), false),
            (("uid", ""), ("uid", ""), false),
            (("", ""), ("", ""), false),
        ] {
            let is_same = is_same(&metadata(one.0, one.1), &metadata(other.0, other.1));
            assert_eq!(is_same, expected, "{one:?} {other:?}");
        }
    }
}
