//! Objects that an informer caches, and the versions up to which they are complete.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use tokio::time::Instant;

use super::event::{Deleted, Event};
use crate::cache::{
    Indexer, InvalidResourceVersionError, ObjectName, Replaced, Store, compare_resource_versions,
    parts,
};
use crate::reflector::{Listed, ShardFilter, Skipped, WatchEvent};
use crate::scheme::Object;

/// Cache of an informer with its scopes. It has neither a lock nor handlers: the informer's lock
/// guards it, and its methods return the events for the handlers.
pub(crate) struct InformerStore<K: Resource> {
    cache: Store<K>,
    /// One for each reflector, by its number.
    scopes: Vec<Scope>,
    /// Objects that currently cannot be decoded.
    skipped: BTreeMap<ObjectName, Skipped>,
}

/// Namespace of one reflector, and its progress.
struct Scope {
    namespace: Option<String>,
    /// Whether the cache has the first list of this scope.
    is_synced: bool,
    resource_version: String,
    /// When the last list was requested that showed that resource versions had gone back.
    restored: Option<Instant>,
}

// === impl InformerStore ===

impl<K: Resource> InformerStore<K> {
    /// Returns an empty store with one scope for each namespace; `None` means all namespaces.
    pub(crate) fn new(namespaces: &[Option<String>]) -> Self {
        let scopes = namespaces.iter().map(|namespace| Scope {
            namespace: namespace.clone(),
            is_synced: false,
            resource_version: String::new(),
            restored: None,
        });
        Self {
            cache: Store::new(),
            scopes: scopes.collect(),
            skipped: BTreeMap::new(),
        }
    }

    pub(crate) fn indexer(&self) -> Indexer<K> {
        self.cache.indexer()
    }

    /// Returns the objects that currently cannot be decoded, by name.
    pub(super) fn skipped(&self) -> &BTreeMap<ObjectName, Skipped> {
        &self.skipped
    }

    /// Whether the cache has the first list of every scope.
    pub(super) fn is_synced(&self) -> bool {
        self.scopes.iter().all(|scope| scope.is_synced)
    }

    /// Returns the resource version up to which the cache is complete: the oldest version of its
    /// scopes. It is empty until every scope has its first list. Returns `None` if there are no
    /// scopes.
    pub(super) fn oldest_version(&self) -> Option<&str> {
        let versions = self.scopes.iter().map(|scope| &*scope.resource_version);
        // Resource versions are decimal numbers, so a shorter version is smaller than a longer one.
        versions.min_by_key(|version| (version.len(), *version))
    }

    /// Returns whether all scopes that cover `namespace` are complete up to `version`, or `None` if
    /// no scope covers it.
    pub(super) fn has_version(
        &self,
        version: &str,
        namespace: Option<&str>,
    ) -> Option<Result<bool, InvalidResourceVersionError>> {
        let mut scopes = self.covering(namespace).peekable();
        scopes.peek()?;
        // Checks every scope, even if an earlier one is behind: if the version of any scope cannot
        // be compared, the result is an error.
        Some(scopes.try_fold(true, |all, scope| Ok(all & scope.has(version)?)))
    }

    /// Returns when the last list was requested that showed that resource versions had gone back.
    pub(super) fn restored_at(&self, namespace: Option<&str>) -> Option<Instant> {
        self.covering(namespace)
            .filter_map(|scope| scope.restored)
            .max()
    }

    fn covering(&self, namespace: Option<&str>) -> impl Iterator<Item = &Scope> {
        self.scopes
            .iter()
            .filter(move |scope| scope.covers(namespace))
    }
}

impl<K: Object> InformerStore<K> {
    /// Replaces the objects of a scope with a list. Returns a function that creates the events,
    /// including those of unchanged objects. Without handlers, there is no need to call it.
    pub(crate) fn replace(
        &mut self,
        scope: usize,
        listed: Listed<K>,
    ) -> impl FnOnce() -> Arc<[Event<K>]> + use<K> {
        let scope = &mut self.scopes[scope];
        let namespace = scope.namespace.as_deref();
        self.skipped.retain(|name, _| {
            namespace.is_some_and(|namespace| name.namespace() != Some(namespace))
        });
        let mut kept = HashSet::new();
        for skipped in listed.skipped {
            let skipped = skipped_in(namespace, skipped);
            if !is_another(&self.cache, &skipped) {
                kept.insert(skipped.name.clone());
            }
            self.skipped.insert(skipped.name.clone(), skipped);
        }
        let replaced = self.cache.replace_keeping(namespace, listed.objects, &kept);
        let is_initial = !std::mem::replace(&mut scope.is_synced, true);
        scope.resource_version = listed.resource_version;
        scope.restored = listed.restored.or(scope.restored);
        move || events(replaced, is_initial)
    }

    /// Removes the objects of a scope that `filter` excludes.
    pub(crate) fn retain(&mut self, scope: usize, filter: &ShardFilter) {
        let namespace = self.scopes[scope].namespace.as_deref();
        self.cache
            .retain(namespace, |object| filter.includes(object.meta()));
        self.skipped.retain(|name, _| {
            let is_elsewhere = namespace.is_some_and(|it| name.namespace() != Some(it));
            is_elsewhere || filter.includes_name(name)
        });
    }

    /// Adds the objects of a list, except those of which a newer state is cached. Returns the
    /// events. The scope is complete up to the same version as before.
    pub(crate) fn extend(&mut self, scope: usize, listed: Listed<K>) -> Arc<[Event<K>]> {
        let namespace = self.scopes[scope].namespace.as_deref();
        for skipped in listed.skipped {
            let skipped = skipped_in(namespace, skipped);
            self.skipped.insert(skipped.name.clone(), skipped);
        }
        let mut events = Vec::new();
        for new in listed.objects {
            let (namespace, name) = parts(&*new);
            let cached = self.cache.indexer().get_parts(namespace, name);
            if cached.is_some_and(|cached| !has_older_version(&*cached, new.meta())) {
                continue;
            }
            self.forget_skipped(&*new);
            events.push(match self.cache.upsert(Arc::clone(&new)) {
                Some(old) => Event::Updated { old, new },
                None => Event::Added {
                    object: new,
                    is_initial: true,
                },
            });
        }
        events.into()
    }

    /// Applies an event to the cache, which is then complete up to `resource_version`. Returns the
    /// event for handlers, if any, and whether the object was cached before.
    pub(crate) fn apply(
        &mut self,
        scope: usize,
        event: WatchEvent<K>,
        resource_version: &str,
    ) -> Option<(Event<K>, bool)> {
        resource_version.clone_into(&mut self.scopes[scope].resource_version);
        match event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => Some(self.upsert(object)),
            WatchEvent::Deleted(object) => {
                self.forget_skipped(&*object);
                let name = ObjectName::from_object(&*object);
                let was_cached = self.cache.remove(&name).is_some();
                Some((Event::Deleted(Deleted::Known(object)), was_cached))
            }
            WatchEvent::SkippedDeletion(skipped) => {
                self.skipped.remove(&skipped.name);
                Some(self.remove_undecodable(skipped.name))
            }
            WatchEvent::Skipped(skipped) => {
                let skipped = skipped_in(self.scopes[scope].namespace.as_deref(), skipped);
                let is_another = is_another(&self.cache, &skipped);
                let gone = is_another.then(|| self.remove_undecodable(skipped.name.clone()));
                self.skipped.insert(skipped.name.clone(), skipped);
                gone
            }
            WatchEvent::Outside {
                name,
                resource_version,
                ..
            } => self.remove_outside(name, &resource_version),
            WatchEvent::Bookmark { .. } => None,
        }
    }

    fn upsert(&mut self, object: Arc<K>) -> (Event<K>, bool) {
        self.forget_skipped(&*object);
        let new = Arc::clone(&object);
        match self.cache.upsert(object) {
            Some(old) => (Event::Updated { old, new }, true),
            None => {
                let is_initial = false;
                (
                    Event::Added {
                        object: new,
                        is_initial,
                    },
                    false,
                )
            }
        }
    }

    /// Removes an object whose final state is unknown.
    fn remove_undecodable(&mut self, name: ObjectName) -> (Event<K>, bool) {
        let last = self.cache.remove(&name);
        let was_cached = last.is_some();
        (Event::Deleted(Deleted::Unknown { name, last }), was_cached)
    }

    /// Removes an object that another replica caches from `version` on.
    fn remove_outside(&mut self, name: ObjectName, version: &str) -> Option<(Event<K>, bool)> {
        self.skipped.remove(&name);
        let cached = self.cache.indexer().get(&name)?;
        let known = cached
            .meta()
            .resource_version
            .as_deref()
            .unwrap_or_default();
        let is_newer = compare_resource_versions(known, version).is_ok_and(Ordering::is_ge);
        (!is_newer).then(|| self.remove_undecodable(name))
    }

    fn forget_skipped(&mut self, object: &K) {
        if !self.skipped.is_empty() {
            self.skipped.remove(&ObjectName::from_object(object));
        }
    }
}

// === impl Scope ===

impl Scope {
    /// Whether the scope covers `namespace`. Always true for `None`, which selects all scopes.
    fn covers(&self, namespace: Option<&str>) -> bool {
        let here = self.namespace.as_deref();
        here.is_none() || namespace.is_none() || here == namespace
    }

    fn has(&self, version: &str) -> Result<bool, InvalidResourceVersionError> {
        // Returns the error for a malformed version even before the first sync.
        compare_resource_versions(version, version)?;
        if !self.is_synced {
            return Ok(false);
        }
        Ok(compare_resource_versions(&self.resource_version, version)? != Ordering::Less)
    }
}

/// Whether `object` is older than an object with `metadata`. False if they cannot be compared.
fn has_older_version<K: Resource>(object: &K, metadata: &ObjectMeta) -> bool {
    let version = |metadata: &ObjectMeta| metadata.resource_version.clone().unwrap_or_default();
    compare_resource_versions(&version(object.meta()), &version(metadata))
        .is_ok_and(Ordering::is_lt)
}

/// Whether the cached object has the same name as the skipped one, but another uid.
fn is_another<K: Object>(store: &Store<K>, skipped: &Skipped) -> bool {
    let cached = store.indexer().get(&skipped.name);
    let uid = cached
        .as_ref()
        .and_then(|cached| cached.meta().uid.as_ref());
    !skipped.uid.is_empty() && uid.is_some_and(|uid| *uid != skipped.uid)
}

/// If the namespace of a skipped object could not be decoded, sets it to the scope's. Without a
/// namespace, a relist of the scope would not remove the object from `InformerStore::skipped`.
fn skipped_in(namespace: Option<&str>, mut skipped: Skipped) -> Skipped {
    if let Some(namespace) = namespace.filter(|_| skipped.name.namespace().is_none()) {
        skipped.name = ObjectName::namespaced(namespace, skipped.name.name());
    }
    skipped
}

/// Returns the events of a list, ordered as in client-go: deletions first, then the objects in the
/// order of the list.
fn events<K: Object>(replaced: Replaced<K>, is_initial: bool) -> Arc<[Event<K>]> {
    let deleted = replaced.deleted.into_iter().map(|(name, last)| {
        Event::Deleted(Deleted::Unknown {
            name,
            last: Some(last),
        })
    });
    let present = replaced.present.into_iter().map(|(old, new)| match old {
        Some(old) => Event::Updated { old, new },
        None => Event::Added {
            object: new,
            is_initial,
        },
    });
    deleted.chain(present).collect()
}

#[cfg(test)]
mod tests;
