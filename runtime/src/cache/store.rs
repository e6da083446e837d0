//! [`Store`]: the writing side of a cache.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use kube::Resource;
use parking_lot::RwLock;

use super::indexer::Indexer;
use super::name::{ObjectName, parts};
use super::objects::Objects;
use super::state::State;

/// Writes a cache. There is one per cache, hence neither `Clone` nor writing through `&self`.
///
/// Informers have their own. One made by hand serves code under test that should see its cache change.
///
/// ```
/// use std::sync::Arc;
/// use genclient::cache::{ObjectName, Store};
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// let mut store = Store::new();
/// let reader = store.indexer();
/// let mut map = ConfigMap::default();
/// map.metadata.name = Some("settings".into());
/// store.upsert(Arc::new(map));
/// assert_eq!(reader.keys(), [ObjectName::new("", "settings")]);
/// ```
pub struct Store<K> {
    indexer: Indexer<K>,
}

/// What [`Store::replace`] found: the difference between the cache and the list that took its place.
pub struct Replaced<K> {
    /// Objects that were cached and are not in the list, with their last known state.
    pub deleted: Vec<(ObjectName, Arc<K>)>,
    /// Objects of the list in its order, each with what was cached before.
    pub present: Vec<(Option<Arc<K>>, Arc<K>)>,
}

impl<K> Store<K> {
    /// An empty cache.
    pub fn new() -> Self {
        Self {
            indexer: Indexer {
                state: Arc::new(RwLock::new(State::new())),
            },
        }
    }

    /// The reading side.
    pub fn indexer(&self) -> Indexer<K> {
        self.indexer.clone()
    }

    /// Removes an object. Returns its last state.
    pub fn remove(&mut self, namespace: &str, name: &str) -> Option<Arc<K>> {
        let mut state = self.indexer.state.write();
        let removed = state.objects.remove(namespace, name)?;
        state.unindex(&removed);
        Some(removed)
    }
}

impl<K: Resource> Store<K> {
    /// Adds an object, or puts it in place of the one of the same name, which is returned.
    pub fn upsert(&mut self, object: Arc<K>) -> Option<Arc<K>> {
        let mut state = self.indexer.state.write();
        let (namespace, name) = parts(&*object);
        let before = state.objects.insert(namespace, name, Arc::clone(&object));
        if let Some(before) = &before {
            state.unindex(before);
        }
        state.index(&object);
        before
    }

    /// Puts a list in place of what is cached: of everything, or of one namespace. Of objects of the same name in the list, the
    /// last counts.
    pub fn replace(&mut self, namespace: Option<&str>, objects: Vec<Arc<K>>) -> Replaced<K> {
        self.replace_keeping(namespace, objects, &HashSet::new())
    }

    /// As [`Store::replace`]; objects named in `kept` stay although the list does not have them.
    pub(crate) fn replace_keeping(
        &mut self,
        namespace: Option<&str>,
        objects: Vec<Arc<K>>,
        kept: &HashSet<ObjectName>,
    ) -> Replaced<K> {
        let mut fresh = Objects::new();
        let mut repeated = false;
        for object in &objects {
            let (namespace, name) = parts(&**object);
            repeated |= fresh.insert(namespace, name, Arc::clone(object)).is_some();
        }
        let mut listed = objects;
        if repeated {
            listed.retain(|object| is_in(&fresh, object));
        }
        let replaced = self.difference(namespace, listed, &mut fresh, kept);
        // Freeing the objects that went takes long; it is done after the lock is released.
        drop(self.swap(namespace, fresh));
        replaced
    }

    /// Compares under the reading lock: nobody else writes.
    fn difference(
        &self,
        namespace: Option<&str>,
        listed: Vec<Arc<K>>,
        fresh: &mut Objects<K>,
        kept: &HashSet<ObjectName>,
    ) -> Replaced<K> {
        let state = self.indexer.state.read();
        let mut deleted = Vec::new();
        let cached = state.objects.iter();
        for (space, name, object) in
            cached.filter(|(space, ..)| namespace.is_none_or(|n| n == *space))
        {
            if fresh.get(space, name).is_some() {
                continue;
            }
            let full_name = ObjectName::new(space, name);
            if kept.contains(&full_name) {
                fresh.insert(space, name, Arc::clone(object));
            } else {
                deleted.push((full_name, Arc::clone(object)));
            }
        }
        let present = listed.into_iter().map(|object| {
            let (space, name) = parts(&*object);
            (state.objects.get(space, name).cloned(), object)
        });
        Replaced {
            deleted,
            present: present.collect(),
        }
    }

    /// Returns the objects that were there.
    fn swap(&mut self, namespace: Option<&str>, fresh: Objects<K>) -> Objects<K> {
        let mut state = self.indexer.state.write();
        let before = state.objects.take(namespace);
        if !state.indices.is_empty() {
            before.iter().for_each(|(.., object)| state.unindex(object));
            fresh.iter().for_each(|(.., object)| state.index(object));
        }
        state.objects.put(fresh);
        before
    }
}

fn is_in<K: Resource>(objects: &Objects<K>, object: &Arc<K>) -> bool {
    let (namespace, name) = parts(&**object);
    let found = objects.get(namespace, name);
    found.is_some_and(|found| Arc::ptr_eq(found, object))
}

impl<K> Default for Store<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> fmt::Debug for Store<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.indexer).finish()
    }
}
