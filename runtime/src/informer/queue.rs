//! Event queues of handlers: [`EventQueue`] is the queue of one handler, with its own lock.
//! [`Queues`] holds the queues of all handlers of an informer, and is guarded by the informer's
//! lock.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use kube::Resource;

use super::backlog::{Backlog, Delivery, Mark};
use super::event::Event;
use crate::metrics::Gauge;
use crate::sync::Mutex;

/// Queue with many producers and one consumer. A push never waits. Coalescing bounds the queue,
/// unless [`every_event`](super::HandlerOptions::every_event) is set.
///
/// A push returns the waker of the blocked consumer. Call the waker after releasing the informer's
/// lock: it may run or drop the consumer, and dropping a subscription takes that lock.
pub(super) struct EventQueue<K> {
    /// Held for one push or pop. It may be taken while the informer's lock is held.
    inner: Mutex<EventQueueState<K>>,
    /// Whether the handler has a resync period, and so also receives unchanged objects of a relist.
    pub(super) wants_unchanged: bool,
}

struct EventQueueState<K> {
    backlog: Backlog<K>,
    waker: Option<Waker>,
    is_closed: bool,
    /// Gauge of pending events, and the depth that this queue has contributed to it.
    gauge: Option<(Arc<dyn Gauge>, usize)>,
}

/// Event queues of the handlers and subscribers of one informer.
pub(super) struct Queues<K> {
    /// Queues by id. Ids are in the order of registration.
    queues: BTreeMap<u64, Arc<EventQueue<K>>>,
    next_id: u64,
    /// Whether the initial list is complete, and [`Mark::Synced`] was added to all queues.
    is_synced: bool,
    is_closed: bool,
}

// === impl EventQueue ===

impl<K> EventQueue<K> {
    pub(super) fn new(
        coalesce_above: usize,
        wants_unchanged: bool,
        gauge: Option<Arc<dyn Gauge>>,
    ) -> Self {
        Self {
            inner: Mutex::new(EventQueueState {
                backlog: Backlog::new(coalesce_above),
                waker: None,
                is_closed: false,
                gauge: gauge.map(|gauge| (gauge, 0)),
            }),
            wants_unchanged,
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.inner.lock().backlog.len()
    }

    #[must_use]
    pub(super) fn push_mark(&self, mark: Mark) -> Option<Waker> {
        self.change(|backlog| backlog.push_mark(mark))
    }

    /// Closes the queue to new entries, and wakes the consumer. Pending entries can still be
    /// popped, but no longer count in the gauge.
    pub(super) fn close(&self) {
        let mut inner = self.inner.lock();
        inner.is_closed = true;
        inner.measure(0);
        inner.gauge = None;
        let waker = inner.waker.take();
        drop(inner);
        waker.into_iter().for_each(Waker::wake);
    }

    pub(super) fn try_pop(&self) -> Option<Delivery<K>> {
        self.inner.lock().pop()
    }

    /// Polls for the next entry; `None` once the queue is closed and empty. An entry is only
    /// removed if it is returned.
    pub(super) fn poll_pop(&self, ctx: &mut Context<'_>) -> Poll<Option<Delivery<K>>> {
        let mut inner = self.inner.lock();
        if let Some(delivery) = inner.pop() {
            return Poll::Ready(Some(delivery));
        }
        if inner.is_closed {
            return Poll::Ready(None);
        }
        if !inner
            .waker
            .as_ref()
            .is_some_and(|waker| waker.will_wake(ctx.waker()))
        {
            inner.waker = Some(ctx.waker().clone());
        }
        Poll::Pending
    }

    fn change(&self, change: impl FnOnce(&mut Backlog<K>)) -> Option<Waker> {
        let mut inner = self.inner.lock();
        if inner.is_closed {
            return None;
        }
        change(&mut inner.backlog);
        let depth = inner.backlog.len();
        inner.measure(depth);
        inner.waker.take()
    }
}

impl<K> EventQueueState<K> {
    fn pop(&mut self) -> Option<Delivery<K>> {
        let delivery = self.backlog.pop()?;
        self.measure(self.backlog.len());
        Some(delivery)
    }

    fn measure(&mut self, depth: usize) {
        if let Some((gauge, measured)) = &mut self.gauge
            && *measured != depth
        {
            gauge.add(depth as f64 - *measured as f64);
            *measured = depth;
        }
    }
}

impl<K: Resource> EventQueue<K> {
    #[must_use]
    pub(super) fn push(&self, event: Event<K>, was_cached: bool) -> Option<Waker> {
        self.change(|backlog| backlog.push(event, was_cached))
    }

    #[must_use]
    pub(super) fn push_many(&self, events: &Arc<[Event<K>]>) -> Option<Waker> {
        self.change(|backlog| backlog.push_many(events))
    }
}

// === impl Queues ===

impl<K> Queues<K> {
    pub(super) fn new() -> Self {
        Self {
            queues: BTreeMap::new(),
            next_id: 0,
            is_synced: false,
            is_closed: false,
        }
    }

    /// Returns the queue `id`, or `None` if it was removed.
    pub(super) fn get(&self, id: u64) -> Option<&Arc<EventQueue<K>>> {
        self.queues.get(&id)
    }

    /// Removes and returns a queue. The caller closes it after releasing the lock.
    pub(super) fn remove(&mut self, id: u64) -> Option<Arc<EventQueue<K>>> {
        self.queues.remove(&id)
    }

    /// Removes and returns all queues, and accepts no new ones. The caller closes them after
    /// releasing the lock.
    pub(super) fn close(&mut self) -> impl Iterator<Item = Arc<EventQueue<K>>> + use<K> {
        self.is_closed = true;
        std::mem::take(&mut self.queues).into_values()
    }

    /// Adds [`Mark::Synced`] to all queues, once. Returns the wakers of waiting consumers.
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
    /// Adds a queue and fills it with `initial`, the cached objects as additions. Returns `None` if
    /// the informer has stopped.
    pub(super) fn add(
        &mut self,
        queue: EventQueue<K>,
        initial: &Arc<[Event<K>]>,
    ) -> Option<(u64, Arc<EventQueue<K>>)> {
        if self.is_closed {
            return None;
        }
        // The queue has no consumer yet, so there is no waker.
        let _ = queue.push_many(initial);
        if self.is_synced {
            let _ = queue.push_mark(Mark::Synced);
        }
        let (id, queue) = (self.next_id, Arc::new(queue));
        self.next_id += 1;
        self.queues.insert(id, Arc::clone(&queue));
        Some((id, queue))
    }

    /// Enqueues one change for all handlers and subscribers. `was_cached` is true if the object was
    /// cached before. Returns the wakers of waiting consumers.
    #[must_use]
    pub(super) fn push(&self, event: &Event<K>, was_cached: bool) -> Vec<Waker> {
        let is_unchanged = event.is_unchanged();
        let queues = self.queues.values();
        queues
            .filter(|queue| queue.wants_unchanged || !is_unchanged)
            .filter_map(|queue| queue.push(event.clone(), was_cached))
            .collect()
    }

    /// Enqueues the changes of a list for all handlers and subscribers. `events` is only called if
    /// there are queues. Returns the wakers of waiting consumers.
    #[must_use]
    pub(super) fn push_many(&self, events: impl FnOnce() -> Arc<[Event<K>]>) -> Vec<Waker> {
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
