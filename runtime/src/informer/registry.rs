//! The event queues of handlers, guarded by the lock of the state that their events describe.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::Waker;

use kube::Resource;

use super::backlog::Mark;
use super::event::Event;
use super::queue::EventQueue;

/// Event queues of the handlers and subscribers of one informer.
pub(super) struct Queues<K> {
    /// By registration number, which is their order.
    queues: BTreeMap<u64, Arc<EventQueue<K>>>,
    next_id: u64,
    /// Whether the initial state is complete and the queues have been marked.
    is_synced: bool,
    is_closed: bool,
}

impl<K> Queues<K> {
    pub(super) fn new() -> Self {
        Self {
            queues: BTreeMap::new(),
            next_id: 0,
            is_synced: false,
            is_closed: false,
        }
    }

    /// Returns the queue `id`, or `None` once it was removed.
    pub(super) fn get(&self, id: u64) -> Option<&Arc<EventQueue<K>>> {
        self.queues.get(&id)
    }

    /// Removes a queue and returns it, to be closed without the lock.
    pub(super) fn remove(&mut self, id: u64) -> Option<Arc<EventQueue<K>>> {
        self.queues.remove(&id)
    }

    /// Removes all queues and returns them, to be closed without the lock. Accepts none from now
    /// on.
    pub(super) fn close(&mut self) -> impl Iterator<Item = Arc<EventQueue<K>>> + use<K> {
        self.is_closed = true;
        std::mem::take(&mut self.queues).into_values()
    }

    /// Marks the initial state as delivered, once. Returns the wakers of waiting consumers.
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
    /// Adds a queue that starts with `initial`, the cached objects as additions. `None` once
    /// closed.
    pub(super) fn add(
        &mut self,
        queue: EventQueue<K>,
        initial: &Arc<[Event<K>]>,
    ) -> Option<(u64, Arc<EventQueue<K>>)> {
        if self.is_closed {
            return None;
        }
        // The queue has no waiting consumer yet.
        let _ = queue.push_many(initial);
        if self.is_synced {
            let _ = queue.push_mark(Mark::Synced);
        }
        let (id, queue) = (self.next_id, Arc::new(queue));
        self.next_id += 1;
        self.queues.insert(id, Arc::clone(&queue));
        Some((id, queue))
    }

    /// Enqueues one change. `was_cached` is true if the object was cached before. Returns the
    /// wakers of waiting consumers.
    #[must_use]
    pub(super) fn tell(&self, event: &Event<K>, was_cached: bool) -> Vec<Waker> {
        let is_unchanged = event.is_unchanged();
        let queues = self.queues.values();
        queues
            .filter(|queue| queue.wants_unchanged || !is_unchanged)
            .filter_map(|queue| queue.push(event.clone(), was_cached))
            .collect()
    }

    /// Enqueues the changes of a list. Returns the wakers of waiting consumers.
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
