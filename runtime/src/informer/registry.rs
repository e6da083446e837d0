//! Who is told: the queues of the handlers, under one lock with the state that they are told of.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::task::Waker;

use kube::Resource;

use super::backlog::Mark;
use super::event::Event;
use super::queue::EventQueue;
use crate::sync::{Mutex, MutexGuard};

/// The lock is held while the state changes and the change is put into the queues, so that a
/// handler that is added in between misses nothing and hears of nothing twice. Never across an
/// await, and never while a handler runs or is dropped, or a consumer of a queue is woken.
pub(super) struct HandlerRegistry<S, K> {
    inner: Mutex<RegistryState<S, K>>,
}

/// The state and the queues, locked. It is the state, and has the queues beside it.
pub(super) struct Locked<'a, S, K> {
    inner: MutexGuard<'a, RegistryState<S, K>>,
}

pub(super) struct RegistryState<S, K> {
    state: S,
    queues: Queues<K>,
}

/// The queues of the handlers that are told of changes.
pub(super) struct Queues<K> {
    /// By the number of their registration, which is their order.
    queues: BTreeMap<u64, Arc<EventQueue<K>>>,
    next_id: u64,
    /// Whether the state was complete, and handlers were told.
    is_synced: bool,
    is_closed: bool,
}

// === impl HandlerRegistry ===

impl<S, K> HandlerRegistry<S, K> {
    pub(super) fn new(state: S) -> Self {
        Self {
            inner: Mutex::new(RegistryState {
                state,
                queues: Queues {
                    queues: BTreeMap::new(),
                    next_id: 0,
                    is_synced: false,
                    is_closed: false,
                },
            }),
        }
    }

    pub(super) fn lock(&self) -> Locked<'_, S, K> {
        Locked {
            inner: self.inner.lock(),
        }
    }

    /// The queue of that number; `None` once it was removed.
    pub(super) fn queue(&self, id: u64) -> Option<Arc<EventQueue<K>>> {
        self.lock().inner.queues.queues.get(&id).cloned()
    }
}

// === impl Locked ===

impl<S, K> Locked<'_, S, K> {
    pub(super) fn parts(&mut self) -> (&mut S, &mut Queues<K>) {
        let inner = &mut *self.inner;
        (&mut inner.state, &mut inner.queues)
    }

    pub(super) fn queues(&mut self) -> &mut Queues<K> {
        &mut self.inner.queues
    }
}

impl<S, K> Deref for Locked<'_, S, K> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.inner.state
    }
}

impl<S, K> DerefMut for Locked<'_, S, K> {
    fn deref_mut(&mut self) -> &mut S {
        &mut self.inner.state
    }
}

// === impl Queues ===

impl<K> Queues<K> {
    /// Whether there is a queue of that number.
    pub(super) fn has(&self, id: u64) -> bool {
        self.queues.contains_key(&id)
    }

    /// Takes a queue out, to be closed without the lock.
    pub(super) fn remove(&mut self, id: u64) -> Option<Arc<EventQueue<K>>> {
        self.queues.remove(&id)
    }

    /// Takes out all, to be closed without the lock, and takes none any more.
    pub(super) fn close(&mut self) -> impl Iterator<Item = Arc<EventQueue<K>>> + use<K> {
        self.is_closed = true;
        std::mem::take(&mut self.queues).into_values()
    }

    /// Everything that was there at first has been told of. Does nothing the second time. Returns
    /// whom to wake.
    #[must_use]
    pub(super) fn synced(&mut self) -> Vec<Waker> {
        if std::mem::replace(&mut self.is_synced, true) {
            return Vec::new();
        }
        let queues = self.queues.values();
        queues
            .filter_map(|queue| queue.push_mark(Mark::Synced))
            .collect()
    }
}

impl<K: Resource> Queues<K> {
    /// Adds a queue that begins with `initial`, the state as additions. `None` once closed.
    pub(super) fn add(
        &mut self,
        queue: EventQueue<K>,
        initial: &Arc<[Event<K>]>,
    ) -> Option<(u64, Arc<EventQueue<K>>)> {
        if self.is_closed {
            return None;
        }
        // Nobody waits for it yet.
        let _ = queue.push_many(initial);
        if self.is_synced {
            let _ = queue.push_mark(Mark::Synced);
        }
        let (id, queue) = (self.next_id, Arc::new(queue));
        self.next_id += 1;
        self.queues.insert(id, Arc::clone(&queue));
        Some((id, queue))
    }

    /// Tells of one change. `was_cached` says whether the object was in the state before. Returns
    /// whom to wake.
    #[must_use]
    pub(super) fn tell(&self, event: &Event<K>, was_cached: bool) -> Vec<Waker> {
        let is_unchanged = event.is_unchanged();
        let queues = self.queues.values();
        queues
            .filter(|queue| queue.wants_unchanged || !is_unchanged)
            .filter_map(|queue| queue.push(event.clone(), was_cached))
            .collect()
    }

    /// Tells of a whole list. Returns whom to wake.
    #[must_use]
    pub(super) fn tell_all(&self, events: impl FnOnce() -> Arc<[Event<K>]>) -> Vec<Waker> {
        if self.queues.is_empty() {
            return Vec::new();
        }
        let events = events();
        let changed = if events.iter().any(Event::is_unchanged) {
            let changed = events.iter().filter(|event| !event.is_unchanged());
            changed.cloned().collect()
        } else {
            Arc::clone(&events)
        };
        let pushed = self.queues.values().map(|queue| {
            let wanted = if queue.wants_unchanged {
                &events
            } else {
                &changed
            };
            queue.push_many(wanted)
        });
        pushed.flatten().collect()
    }
}
