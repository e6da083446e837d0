//! Who is told: the queues of the handlers, under one lock with the state that they are told of.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use kube::Resource;

use super::backlog::Mark;
use super::event::Event;
use super::queue::EventQueue;
use crate::sync::{Mutex, MutexGuard};

/// The lock is held while the state changes and the change is put into the queues, so that a handler that is added in between
/// misses nothing and hears of nothing twice. Never across an await, and never while a handler runs or is dropped.
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

    pub(super) fn is_synced(&self) -> bool {
        self.inner.queues.is_synced
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

    /// Takes a queue out; it is closed.
    pub(super) fn remove(&mut self, id: u64) -> Option<Arc<EventQueue<K>>> {
        let queue = self.queues.remove(&id)?;
        queue.close();
        Some(queue)
    }

    /// Takes out all, closed, and takes none any more.
    pub(super) fn close(&mut self) -> Vec<Arc<EventQueue<K>>> {
        self.is_closed = true;
        let queues = std::mem::take(&mut self.queues);
        let queues: Vec<_> = queues.into_values().collect();
        queues.iter().for_each(|queue| queue.close());
        queues
    }

    /// Everything that was there at first has been told of. Does nothing the second time.
    pub(super) fn synced(&mut self) {
        if !std::mem::replace(&mut self.is_synced, true) {
            self.queues
                .values()
                .for_each(|queue| queue.push_mark(Mark::Synced));
        }
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
        queue.push_many(initial);
        if self.is_synced {
            queue.push_mark(Mark::Synced);
        }
        let (id, queue) = (self.next_id, Arc::new(queue));
        self.next_id += 1;
        self.queues.insert(id, Arc::clone(&queue));
        Some((id, queue))
    }

    /// Tells of one change. `was_cached` says whether the object was in the state before.
    pub(super) fn tell(&self, event: &Event<K>, was_cached: bool) {
        let is_unchanged = event.is_unchanged();
        for queue in self.queues.values() {
            if queue.wants_unchanged || !is_unchanged {
                queue.push(event.clone(), was_cached);
            }
        }
    }

    /// Tells of a whole list.
    pub(super) fn tell_all(&self, events: impl FnOnce() -> Arc<[Event<K>]>) {
        if self.queues.is_empty() {
            return;
        }
        let events = events();
        let changed = if events.iter().any(Event::is_unchanged) {
            let changed = events.iter().filter(|event| !event.is_unchanged());
            changed.cloned().collect()
        } else {
            Arc::clone(&events)
        };
        for queue in self.queues.values() {
            queue.push_many(if queue.wants_unchanged {
                &events
            } else {
                &changed
            });
        }
    }
}
