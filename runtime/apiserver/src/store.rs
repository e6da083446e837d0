//! Versioned store of objects in memory: a table and a change log for each resource, and one
//! version counter for all.
//!
//! A list or watch at an older version uses the log. The state at version *n* is the current state
//! with every change after *n* undone. Compaction drops changes from the log, so that the versions
//! before them are no longer available.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::stored::Stored;

/// Time for which the log keeps a change: kube-apiserver's interval of etcd compaction.
const LOG_RETENTION: Duration = Duration::from_secs(300);

/// Resource of an API group, regardless of its version.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct GroupResource {
    pub(crate) group: String,
    pub(crate) plural: String,
}

impl GroupResource {
    pub(crate) fn new(group: &str, plural: &str) -> Self {
        Self {
            group: group.to_owned(),
            plural: plural.to_owned(),
        }
    }
}

/// Key of an object in its resource: `namespace/name`, or the name of a cluster-scoped object.
/// Lists are in byte order of keys, as in etcd.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key(String);

impl Key {
    pub(crate) fn new(namespace: &str, name: &str) -> Self {
        match namespace {
            "" => Self(name.to_owned()),
            namespace => Self(format!("{namespace}/{name}")),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name of the object, without its namespace.
    pub(crate) fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }
}

/// Committed write of one object, as an entry of the log.
#[derive(Debug)]
pub(crate) struct StoreEvent {
    pub(crate) version: u64,
    pub(crate) key: Key,
    /// State before the change; `None` for a new object.
    pub(crate) old: Option<Arc<Stored>>,
    /// State after the change. For a deletion it is the last state, with the version of the
    /// deletion.
    pub(crate) new: Arc<Stored>,
    pub(crate) is_deletion: bool,
    at: Instant,
    /// Time from which watches see the change.
    pub(crate) due: Instant,
}

/// Reason why a list or watch at a version is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unavailable {
    /// The version is compacted; `oldest` is the oldest available one.
    TooOld { oldest: u64 },
    /// The version is not reached yet; `current` is the newest one.
    Future { current: u64 },
}

/// Error of a write: the object has been changed since the write read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Raced;

/// Result of a list: objects in key order, as of a version of the store.
pub(crate) struct Listing {
    pub(crate) version: u64,
    pub(crate) objects: Vec<(Key, Arc<Stored>)>,
}

#[derive(Default)]
struct Table {
    objects: BTreeMap<Key, Arc<Stored>>,
    log: VecDeque<Arc<StoreEvent>>,
    /// Oldest version at which a list or watch is possible.
    compacted: u64,
    changed: watch::Sender<u64>,
    /// Whether [`Store::preload`] or [`Store::replace`] was called. Later preloads have no effect.
    is_preloaded: bool,
}

#[derive(Default)]
struct Tables {
    version: u64,
    tables: HashMap<GroupResource, Table>,
}

/// Versioned store of objects.
#[derive(Default)]
pub(crate) struct Store {
    state: Mutex<Tables>,
}

impl Store {
    /// Returns the version of the newest write.
    pub(crate) fn version(&self) -> u64 {
        self.state.lock().version
    }

    pub(crate) fn get(&self, resource: &GroupResource, key: &Key) -> Option<Arc<Stored>> {
        let state = self.state.lock();
        state.tables.get(resource)?.objects.get(key).cloned()
    }

    /// Writes or deletes an object if its current state is still `live`, that is, has the same
    /// version.
    ///
    /// `write` gets the new version and returns the new state, or `None` to delete the object. A
    /// deleted object's last state is `live` with the new version. `observe` is called with the
    /// event while the store is still locked, so that changes are observed in the order of their
    /// versions. `lag` is the delay after which watches see the change.
    ///
    /// # Errors
    ///
    /// [`Raced`] if another write has changed the object in the meantime, or if a deletion finds
    /// no object.
    pub(crate) fn commit(
        &self,
        resource: &GroupResource,
        key: &Key,
        live: Option<&Arc<Stored>>,
        write: impl FnOnce(u64) -> Option<Stored>,
        lag: Duration,
        observe: impl FnOnce(&StoreEvent),
    ) -> Result<Arc<Stored>, Raced> {
        let mut state = self.state.lock();
        let state = &mut *state;
        let table = state.tables.entry(resource.clone()).or_default();
        let found = table.objects.get(key);
        if found.map(|it| it.version()) != live.map(|it| it.version()) {
            return Err(Raced);
        }
        let version = state.version + 1;
        let written = write(version);
        let is_deletion = written.is_none();
        let Some(new) = written.or_else(|| live.map(|live| live.at_version(version))) else {
            return Err(Raced);
        };
        let new = Arc::new(new);
        state.version = version;
        let old = if is_deletion {
            table.objects.remove(key)
        } else {
            table.objects.insert(key.clone(), Arc::clone(&new))
        };
        let now = Instant::now();
        let event = table.append(StoreEvent {
            version,
            key: key.clone(),
            old,
            new: Arc::clone(&new),
            is_deletion,
            at: now,
            due: now + lag,
        });
        observe(&event);
        Ok(new)
    }

    /// Returns all objects with their resources and keys.
    pub(crate) fn all_objects(&self) -> Vec<(GroupResource, Key, Arc<Stored>)> {
        let state = self.state.lock();
        let mut tables: Vec<_> = state.tables.iter().collect();
        tables.sort_by_key(|(resource, _)| *resource);
        tables
            .into_iter()
            .flat_map(|(resource, table)| {
                let objects = table.objects.iter();
                objects.map(|(key, object)| (resource.clone(), key.clone(), Arc::clone(object)))
            })
            .collect()
    }

    /// Replaces all objects by `objects`, which keep their versions. The store's new version
    /// exceeds its old version and the versions of `objects`. Older versions become unavailable.
    pub(crate) fn replace(&self, objects: Vec<(GroupResource, Key, Arc<Stored>)>) {
        let mut state = self.state.lock();
        let newest = objects.iter().map(|(_, _, stored)| stored.version()).max();
        let version = state.version.max(newest.unwrap_or_default()) + 1;
        state.version = version;
        for table in state.tables.values_mut() {
            table.objects.clear();
        }
        for (resource, key, stored) in objects {
            let table = state.tables.entry(resource).or_default();
            table.objects.insert(key, stored);
        }
        for table in state.tables.values_mut() {
            table.log.clear();
            table.compacted = version;
            table.is_preloaded = true;
            table.changed.send_replace(version);
        }
    }

    /// Returns the resources with at least one object in a namespace, sorted.
    pub(crate) fn resources_in(&self, namespace: &str) -> Vec<GroupResource> {
        let prefix = format!("{namespace}/");
        let state = self.state.lock();
        let mut resources: Vec<_> = state
            .tables
            .iter()
            .filter(|(_, table)| table.has_prefix(&prefix))
            .map(|(resource, _)| resource.clone())
            .collect();
        resources.sort();
        resources
    }

    /// Adds initial objects of a resource, without a new version and without watch events. Does
    /// nothing if the objects of the resource were preloaded or replaced before.
    pub(crate) fn preload(
        &self,
        resource: &GroupResource,
        objects: impl FnOnce() -> Vec<(Key, Stored)>,
    ) {
        let mut state = self.state.lock();
        let table = state.tables.entry(resource.clone()).or_default();
        if !table.is_preloaded {
            table.is_preloaded = true;
            let objects = objects()
                .into_iter()
                .map(|(key, object)| (key, Arc::new(object)));
            table.objects.extend(objects);
        }
    }

    pub(crate) fn is_empty(&self, resource: &GroupResource) -> bool {
        let state = self.state.lock();
        let table = state.tables.get(resource);
        table.is_none_or(|table| table.objects.is_empty())
    }

    /// Returns the current objects with keys that begin with `prefix`.
    pub(crate) fn list(&self, resource: &GroupResource, prefix: &str) -> Listing {
        let state = self.state.lock();
        let table = state.tables.get(resource);
        let objects = table.map(|table| table.range(prefix)).unwrap_or_default();
        Listing {
            version: state.version,
            objects,
        }
    }

    /// Returns the objects with keys that begin with `prefix`, as they were at a version.
    ///
    /// # Errors
    ///
    /// If that version is compacted or in the future.
    pub(crate) fn list_at(
        &self,
        resource: &GroupResource,
        prefix: &str,
        version: u64,
    ) -> Result<Listing, Unavailable> {
        let state = self.state.lock();
        if version > state.version {
            let current = state.version;
            return Err(Unavailable::Future { current });
        }
        let Some(table) = state.tables.get(resource) else {
            return Ok(Listing {
                version,
                objects: Vec::new(),
            });
        };
        if version < table.compacted {
            let oldest = table.compacted;
            return Err(Unavailable::TooOld { oldest });
        }
        let mut objects: BTreeMap<_, _> = table.range(prefix).into_iter().collect();
        // Undoes the later events, newest first.
        let later = table.log.iter().rev();
        for event in later.take_while(|event| event.version > version) {
            if !event.key.as_str().starts_with(prefix) {
                continue;
            }
            match &event.old {
                Some(old) => objects.insert(event.key.clone(), Arc::clone(old)),
                None => objects.remove(&event.key),
            };
        }
        Ok(Listing {
            version,
            objects: objects.into_iter().collect(),
        })
    }

    /// Returns the changes of a resource after a version, oldest first.
    ///
    /// # Errors
    ///
    /// If some of these changes are compacted.
    pub(crate) fn changes(
        &self,
        resource: &GroupResource,
        after: u64,
    ) -> Result<Vec<Arc<StoreEvent>>, Unavailable> {
        let state = self.state.lock();
        let Some(table) = state.tables.get(resource) else {
            return Ok(Vec::new());
        };
        if after < table.compacted {
            let oldest = table.compacted;
            return Err(Unavailable::TooOld { oldest });
        }
        let first = table.log.partition_point(|event| event.version <= after);
        Ok(table.log.range(first..).cloned().collect())
    }

    /// Returns a receiver of the version of a resource's newest change.
    pub(crate) fn subscribe(&self, resource: &GroupResource) -> watch::Receiver<u64> {
        let mut state = self.state.lock();
        let table = state.tables.entry(resource.clone()).or_default();
        table.changed.subscribe()
    }

    /// Wakes the subscribers of a resource although nothing has changed.
    pub(crate) fn wake(&self, resource: &GroupResource) {
        if let Some(table) = self.state.lock().tables.get(resource) {
            table.changed.send_modify(|_| {});
        }
    }

    /// Compacts all changes of all resources.
    pub(crate) fn compact(&self) {
        let mut state = self.state.lock();
        let version = state.version;
        for table in state.tables.values_mut() {
            table.log.clear();
            table.compacted = version;
        }
    }
}

impl Table {
    fn has_prefix(&self, prefix: &str) -> bool {
        let from = Bound::Included(Key(prefix.to_owned()));
        let first = self.objects.range((from, Bound::Unbounded)).next();
        first.is_some_and(|(key, _)| key.as_str().starts_with(prefix))
    }

    fn range(&self, prefix: &str) -> Vec<(Key, Arc<Stored>)> {
        let from = Bound::Included(Key(prefix.to_owned()));
        let range = self.objects.range((from, Bound::Unbounded));
        range
            .take_while(|(key, _)| key.as_str().starts_with(prefix))
            .map(|(key, object)| (key.clone(), Arc::clone(object)))
            .collect()
    }

    /// Appends an event to the log, drops old ones, and wakes the subscribers. Delays are random,
    /// but watches see events in the order of their versions: none is due before an earlier one.
    fn append(&mut self, mut event: StoreEvent) -> Arc<StoreEvent> {
        if let Some(last) = self.log.back() {
            event.due = event.due.max(last.due);
        }
        let event = Arc::new(event);
        self.log.push_back(Arc::clone(&event));
        while let Some(oldest) = self.log.front()
            && event.at.duration_since(oldest.at) > LOG_RETENTION
        {
            self.compacted = oldest.version;
            self.log.pop_front();
        }
        self.changed.send_replace(event.version);
        event
    }
}
