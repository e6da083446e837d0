//! [`Store`]: the writer of a cache.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Arc;

use kube::Resource;
use parking_lot::RwLock;

use super::indexer::Indexer;
use super::name::{ObjectName, parts};
use super::state::{CacheState, Index, Objects};

/// Writer of a cache. A cache has exactly one, so `Store` is not `Clone` and writes take
/// `&mut self`.
///
/// Informers create their own store. Create one only in tests of code that reads a changing cache.
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
/// assert_eq!(reader.keys(), [ObjectName::cluster("settings")]);
/// ```
pub struct Store<K> {
    indexer: Indexer<K>,
}

/// Result of [`Store::replace`]: the differences between the cache and the list.
#[non_exhaustive]
pub struct Replaced<K> {
    /// Objects that were cached but are not in the list, in their last cached state.
    pub deleted: Vec<(ObjectName, Arc<K>)>,
    /// Pairs in the order of the list: the previously cached object of that name, if any, and the
    /// object of the list.
    pub present: Vec<(Option<Arc<K>>, Arc<K>)>,
}

impl<K> Store<K> {
    /// Returns the writer of a new, empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self {
            indexer: Indexer {
                state: Arc::new(RwLock::new(CacheState::new())),
            },
        }
    }

    /// Returns a reader of the cache.
    #[must_use]
    pub fn indexer(&self) -> Indexer<K> {
        self.indexer.clone()
    }

    /// Removes the object `name`. Returns its last state if it was cached.
    pub fn remove(&mut self, name: &ObjectName) -> Option<Arc<K>> {
        let (namespace, name) = name.parts();
        let mut state = self.indexer.state.write();
        let removed = state.objects.remove(namespace, name)?;
        state.unindex(&removed);
        Some(removed)
    }
}

impl<K: Resource> Store<K> {
    /// Adds an object. If it replaces an object of the same name, returns the replaced object.
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

    /// Replaces all cached objects, or those of one namespace, with a list. If the list repeats a
    /// name, the last object with that name counts. Objects of other namespaces in the list are
    /// ignored.
    pub fn replace(&mut self, namespace: Option<&str>, objects: Vec<Arc<K>>) -> Replaced<K> {
        self.replace_keeping(namespace, objects, &HashSet::new())
    }

    /// Like [`Store::replace`], but objects named in `kept` stay cached even if the list lacks
    /// them.
    pub(crate) fn replace_keeping(
        &mut self,
        namespace: Option<&str>,
        mut objects: Vec<Arc<K>>,
        kept: &HashSet<ObjectName>,
    ) -> Replaced<K> {
        // Ignores objects of other namespaces. Otherwise they would replace all cached objects of
        // their namespaces, while the indices keep the replaced objects.
        if let Some(namespace) = namespace {
            objects.retain(|object| parts(&**object).0 == namespace);
        }
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
        self.swap(namespace, fresh);
        replaced
    }

    /// Compares the list with the cache. If the list lacks a cached object that `kept` names, adds
    /// the object to `fresh`. The result stays valid after the lock is released, since the store is
    /// the only writer.
    fn difference(
        &self,
        namespace: Option<&str>,
        listed: Vec<Arc<K>>,
        fresh: &mut Objects<K>,
        kept: &HashSet<ObjectName>,
    ) -> Replaced<K> {
        let state = self.indexer.state.read();
        let mut deleted = Vec::new();
        for (space, name, object) in state.objects.within(namespace) {
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

    /// Replaces the objects of `namespace`, or all objects. Index entries are computed first, while
    /// readers can read the cache. Readers wait only while the entries are put in place: one by one
    /// if objects of other namespaces stay, else as whole indices, which is faster.
    fn swap(&mut self, namespace: Option<&str>, fresh: Objects<K>) {
        let namespace = namespace.filter(|namespace| {
            let state = self.indexer.state.read();
            let mut namespaces = state.objects.namespaces();
            namespaces.any(|other| other != *namespace)
        });
        let mut indices = self.reindexed(namespace, &fresh);
        let mut state = self.indexer.state.write();
        let before = state.objects.take(namespace);
        for (name, index) in &mut state.indices {
            match indices.get_mut(name) {
                Some([_, new]) if namespace.is_none() => std::mem::swap(index, new),
                Some([gone, new]) => index.exchange(gone, new),
                // The index was added after `reindexed`. It has entries for the replaced objects,
                // and none for those of `fresh`.
                None => {
                    let before = before.iter();
                    before.for_each(|(.., object)| index.remove(name, object));
                    let fresh = fresh.iter();
                    fresh.for_each(|(.., object)| index.insert(name, object));
                }
            }
        }
        state.objects.put(fresh);
        drop(state);
        // Dropped after the lock is released, since it may take long to free the old objects.
        drop((before, indices));
    }

    /// Returns two sets of entries for each index: those to remove for the objects of `namespace`,
    /// and those to add for `fresh`. Index functions are user code, so they run without the lock.
    /// Without a namespace, the caller replaces the whole index, so the first set is empty.
    fn reindexed(
        &self,
        namespace: Option<&str>,
        fresh: &Objects<K>,
    ) -> BTreeMap<String, [Index<K>; 2]> {
        let state = self.indexer.state.read();
        let indices = state.indices.iter().map(|(name, index)| {
            let empty = || Index::new(Arc::clone(index.func()));
            (name.clone(), [empty(), empty()])
        });
        let mut indices: BTreeMap<_, _> = indices.collect();
        let before: Vec<_> = match namespace.filter(|_| !indices.is_empty()) {
            Some(_) => {
                let objects = state.objects.within(namespace);
                objects.map(|(.., object)| Arc::clone(object)).collect()
            }
            None => Vec::new(),
        };
        drop(state);
        for (name, [gone, new]) in &mut indices {
            before.iter().for_each(|object| gone.insert(name, object));
            let fresh = fresh.iter();
            fresh.for_each(|(.., object)| new.insert(name, object));
        }
        indices
    }
}

/// Collects objects into a cache, for tests.
impl<K: Resource> FromIterator<K> for Indexer<K> {
    fn from_iter<I: IntoIterator<Item = K>>(objects: I) -> Self {
        let mut store = Store::new();
        for object in objects {
            store.upsert(Arc::new(object));
        }
        store.indexer()
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

impl<K: Resource> fmt::Debug for Replaced<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let deleted = self.deleted.iter().map(|(name, _)| name.to_string());
        let present = self.present.iter();
        let present = present.map(|(_, object)| ObjectName::from_object(&**object).to_string());
        f.debug_struct("Replaced")
            .field("deleted", &deleted.collect::<Vec<_>>())
            .field("present", &present.collect::<Vec<_>>())
            .finish()
    }
}
