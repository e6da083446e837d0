//! [`ScopeStore`]: applies the changes of a reflector to the cache, and enqueues events for
//! handlers.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Waker;

use tokio::time::Instant;

use super::core::{Core, CoreState};
use super::event::{Deleted, Event};
use super::status::Status;
use crate::cache::{ObjectName, Replaced, Store};
use crate::reflector::{Change, ListWatchError, Listed, ReflectorStore, Skipped};
use crate::scheme::{GroupVersionResource, Object};

/// [`ReflectorStore`] of one reflector, which covers one namespace or all of them.
pub(super) struct ScopeStore<K: Object> {
    pub(super) core: Arc<Core<K>>,
    pub(super) scope: usize,
}

impl<K: Object> ReflectorStore<K> for ScopeStore<K> {
    fn replace(&self, listed: Listed<K>) {
        let begun = self.begin();
        let mut state = self.core.state.lock();
        let (replaced, is_initial) = state.replace(self.scope, listed);
        let woken = state.queues.push_many(|| events(replaced, is_initial));
        let is_synced = state.is_synced();
        self.end(begun, &state);
        drop(state);
        woken.into_iter().for_each(Waker::wake);
        if is_synced {
            self.core.synced();
        }
        self.core.progress.notify_waiters();
    }

    fn changed(&self, change: Change<K>, resource_version: &str) {
        let begun = self.begin();
        let mut state = self.core.state.lock();
        let change = state.apply(self.scope, change);
        let woken = change.map(|(event, was_cached)| state.queues.push(&event, was_cached));
        let scope = &mut state.scopes[self.scope];
        resource_version.clone_into(&mut scope.resource_version);
        self.end(begun, &state);
        drop(state);
        woken.into_iter().flatten().for_each(Waker::wake);
        self.core.progress.notify_waiters();
    }

    fn failed(&self, error: ListWatchError) {
        let on_error = self.core.state.lock().on_error.clone();
        // The callback is user code, so call it without the lock and catch its panics.
        if let Some(on_error) = on_error
            && catch_unwind(AssertUnwindSafe(|| on_error(&error))).is_err()
        {
            tracing::error!(resource = %self.core.resource, "watch error handler panicked");
        }
        self.note(|status, resource| status.failed(self.scope, error, resource));
    }

    fn streaming_failed(&self, error: ListWatchError) {
        self.note(|status, resource| status.streaming_failed(self.scope, error, resource));
    }

    fn answered(&self) {
        self.core
            .status
            .send_if_modified(|status: &mut Status| status.answered(self.scope));
    }

    fn cached(&self, namespace: &str, name: &str) -> Option<Arc<K>> {
        self.core.indexer.get_parts(namespace, name)
    }
}

impl<K: Object> ScopeStore<K> {
    /// Records a failure in the status, and logs its hint, if any. `wait_for_cache_sync` returns
    /// the hint, too, but not every program calls that method.
    fn note(&self, failure: impl FnOnce(&mut Status, &GroupVersionResource) -> Option<String>) {
        let resource = &self.core.resource;
        let mut hint = None;
        self.core
            .status
            .send_modify(|status| hint = failure(status, resource));
        if let Some(hint) = hint {
            tracing::warn!(%resource, "cannot be cached: {hint}");
        }
    }

    /// Returns the current time, or `None` without metrics.
    fn begin(&self) -> Option<Instant> {
        self.core.meter.as_ref().map(|_| Instant::now())
    }

    fn end(&self, begun: Option<Instant>, state: &CoreState<K>) {
        if let (Some(meter), Some(begun)) = (&self.core.meter, begun) {
            meter.processed(begun, state.oldest_version());
        }
    }
}

impl<K: Object> CoreState<K> {
    /// Replaces the objects of a scope with a list. Returns the deleted objects and all listed
    /// ones, even unchanged ones, and whether this is the first list of the scope.
    fn replace(&mut self, scope: usize, listed: Listed<K>) -> (Replaced<K>, bool) {
        let scope = &mut self.scopes[scope];
        let namespace = scope.namespace.as_deref();
        self.skipped.retain(|name, _| {
            namespace.is_some_and(|namespace| name.namespace() != Some(namespace))
        });
        let mut kept = HashSet::new();
        for skipped in listed.skipped {
            let skipped = skipped_in(namespace, skipped);
            if !is_another(&self.store, &skipped) {
                kept.insert(skipped.name.clone());
            }
            self.skipped.insert(skipped.name.clone(), skipped);
        }
        let replaced = self.store.replace_keeping(namespace, listed.objects, &kept);
        let is_initial = !std::mem::replace(&mut scope.is_synced, true);
        scope.resource_version = listed.resource_version;
        scope.restored = listed.restored.or(scope.restored);
        (replaced, is_initial)
    }

    /// Applies a change to the cache. Returns its event, if any, and whether the object was cached
    /// before.
    fn apply(&mut self, scope: usize, change: Change<K>) -> Option<(Event<K>, bool)> {
        match change {
            Change::Upserted(object) => Some(self.upsert(object)),
            Change::Deleted(object) => {
                self.forget_skipped(&*object);
                let name = ObjectName::from_object(&*object);
                let was_cached = self.store.remove(&name).is_some();
                Some((Event::Deleted(Deleted::Known(object)), was_cached))
            }
            Change::Vanished(name) => {
                self.skipped.remove(&name);
                Some(self.vanish(name))
            }
            Change::Skipped(skipped) => {
                let skipped = skipped_in(self.scopes[scope].namespace.as_deref(), skipped);
                let is_another = is_another(&self.store, &skipped);
                let gone = is_another.then(|| self.vanish(skipped.name.clone()));
                self.skipped.insert(skipped.name.clone(), skipped);
                gone
            }
            Change::Bookmark => None,
        }
    }

    fn upsert(&mut self, object: Arc<K>) -> (Event<K>, bool) {
        self.forget_skipped(&*object);
        let new = Arc::clone(&object);
        match self.store.upsert(object) {
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

    fn vanish(&mut self, name: ObjectName) -> (Event<K>, bool) {
        let last = self.store.remove(&name);
        let was_cached = last.is_some();
        (Event::Deleted(Deleted::Unknown { name, last }), was_cached)
    }

    fn forget_skipped(&mut self, object: &K) {
        if !self.skipped.is_empty() {
            self.skipped.remove(&ObjectName::from_object(object));
        }
    }
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
/// namespace, a relist of the scope would not remove the object from `CoreState::skipped`.
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
