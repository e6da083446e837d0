//! From what a reflector saw to the cache, and from the cache to the queues of the handlers.

use std::collections::HashSet;
use std::sync::Arc;

use super::event::{Deleted, Event};
use super::hub::{Hub, State};
use super::listener::Message;
use super::sync::Status;
use crate::cache::{ObjectName, Replaced};
use crate::reflector::{Change, Error, Listed, Sink, Skipped};
use crate::scheme::Object;

/// Where the reflector of one namespace, or the only one, writes to.
pub(super) struct ScopeSink<K: Object> {
    pub(super) hub: Arc<Hub<K>>,
    pub(super) scope: usize,
}

impl<K: Object> Sink<K> for ScopeSink<K> {
    fn replace(&self, listed: Listed<K>) {
        let mut state = self.hub.state.lock();
        state.replace(self.scope, listed);
        let is_synced = state.scopes.iter().all(|scope| scope.is_synced);
        if is_synced && !state.is_synced {
            state.is_synced = true;
            for queue in state.queues.values() {
                queue.send(Message::Synced);
            }
        }
        let skipped = state.skipped.len();
        // Under the lock, so that what another scope found since is not taken back.
        self.hub
            .status
            .send_if_modified(|status| status.replaced(is_synced, skipped));
    }

    fn changed(&self, change: Change<K>, resource_version: &str) {
        let mut state = self.hub.state.lock();
        if let Some(event) = state.apply(self.scope, change) {
            state.tell(event);
        }
        let scope = &mut state.scopes[self.scope];
        resource_version.clone_into(&mut scope.resource_version);
    }

    fn failed(&self, error: Error) {
        self.hub
            .status
            .send_modify(|status| status.failed(self.scope, error));
    }

    fn hindered(&self, error: Error) {
        self.hub
            .status
            .send_modify(|status| status.hindered(self.scope, error));
    }

    fn answered(&self) {
        self.hub
            .status
            .send_if_modified(|status: &mut Status| status.answered(self.scope));
    }

    fn cached(&self, namespace: &str, name: &str) -> Option<Arc<K>> {
        self.hub.indexer.get_parts(namespace, name)
    }
}

impl<K: Object> State<K> {
    fn replace(&mut self, scope: usize, listed: Listed<K>) {
        let scope = &mut self.scopes[scope];
        let namespace = scope.namespace.as_deref();
        self.skipped
            .retain(|name, _| namespace.is_some_and(|namespace| name.namespace != namespace));
        let mut kept = HashSet::new();
        for skipped in listed.skipped {
            let skipped = skipped_in(namespace, skipped);
            kept.insert(skipped.name.clone());
            self.skipped.insert(skipped.name.clone(), skipped);
        }
        let replaced = self.store.replace_keeping(namespace, listed.objects, &kept);
        let is_initial = !std::mem::replace(&mut scope.is_synced, true);
        scope.resource_version = listed.resource_version;
        self.tell_replaced(replaced, is_initial);
    }

    fn tell_replaced(&self, replaced: Replaced<K>, is_initial: bool) {
        if self.queues.is_empty() {
            return;
        }
        let events = events(replaced, is_initial);
        let changed = if events.iter().any(Event::is_unchanged) {
            let changed = events.iter().filter(|event| !event.is_unchanged());
            changed.cloned().collect()
        } else {
            Arc::clone(&events)
        };
        for queue in self.queues.values() {
            let events = if queue.wants_unchanged {
                &events
            } else {
                &changed
            };
            if !events.is_empty() {
                queue.send(Message::Many(Arc::clone(events)));
            }
        }
    }

    /// Changes the cache. `None` if there is nothing to tell.
    fn apply(&mut self, scope: usize, change: Change<K>) -> Option<Event<K>> {
        match change {
            Change::Upserted(object) => {
                self.is_readable(&*object);
                let new = Arc::clone(&object);
                Some(match self.store.upsert(object) {
                    Some(old) => Event::Updated { old, new },
                    None => Event::Added {
                        object: new,
                        is_initial: false,
                    },
                })
            }
            Change::Deleted(object) => {
                self.is_readable(&*object);
                let name = ObjectName::from_object(&*object);
                self.store.remove(&name.namespace, &name.name);
                Some(Event::Deleted(Deleted::Known(object)))
            }
            Change::Vanished(name) => {
                self.skipped.remove(&name);
                let last = self.store.remove(&name.namespace, &name.name);
                Some(Event::Deleted(Deleted::Unknown { name, last }))
            }
            Change::Skipped(skipped) => {
                let skipped = skipped_in(self.scopes[scope].namespace.as_deref(), skipped);
                self.skipped.insert(skipped.name.clone(), skipped);
                None
            }
            Change::Bookmark => None,
        }
    }

    fn is_readable(&mut self, object: &K) {
        if !self.skipped.is_empty() {
            self.skipped.remove(&ObjectName::from_object(object));
        }
    }

    fn tell(&self, event: Event<K>) {
        let is_unchanged = event.is_unchanged();
        for queue in self.queues.values() {
            if queue.wants_unchanged || !is_unchanged {
                queue.send(Message::One(event.clone()));
            }
        }
    }
}

/// An object whose name cannot be read is in the namespace that was asked for all the same, and goes when that is listed again.
fn skipped_in(namespace: Option<&str>, mut skipped: Skipped) -> Skipped {
    if let Some(namespace) = namespace.filter(|_| skipped.name.namespace.is_empty()) {
        namespace.clone_into(&mut skipped.name.namespace);
    }
    skipped
}

/// client-go's order: what has gone, then what is there, in the order of the list.
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
