//! [`EventQueue`]: the pending events of one handler, with their lock.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use kube::Resource;

use super::backlog::{Backlog, Mark, Told};
use super::event::Event;
use crate::metrics::Gauge;
use crate::sync::Mutex;

/// Queue with many producers and one consumer. A push never blocks or waits: coalescing bounds the
/// queue.
///
/// A push returns the waker of the blocked consumer. Wake it after releasing the lock of the
/// informer: a waker may run the consumer's code, or drop it.
pub(super) struct EventQueue<K> {
    /// Held for one push or pop, with or without the lock of the informer.
    inner: Mutex<EventQueueState<K>>,
    /// Whether the handler receives updates that change nothing, as in a resync.
    pub(super) wants_unchanged: bool,
}

struct EventQueueState<K> {
    backlog: Backlog<K>,
    /// Waker of the blocked consumer.
    waker: Option<Waker>,
    is_closed: bool,
    /// Gauge of pending events, and the depth that was last added to it.
    gauge: Option<(Arc<dyn Gauge>, usize)>,
}

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

    /// Returns the number of pending events.
    pub(super) fn depth(&self) -> usize {
        self.inner.lock().backlog.len()
    }

    #[must_use]
    pub(super) fn push_mark(&self, mark: Mark) -> Option<Waker> {
        self.change(|backlog| backlog.push_mark(mark))
    }

    /// Closes the queue to new entries, and wakes the consumer. Pending entries can still be
    /// popped, but are no longer measured.
    pub(super) fn close(&self) {
        let mut inner = self.inner.lock();
        inner.is_closed = true;
        inner.measure(0);
        inner.gauge = None;
        let waker = inner.waker.take();
        drop(inner);
        waker.into_iter().for_each(Waker::wake);
    }

    /// Returns the next entry, if there is one.
    pub(super) fn try_pop(&self) -> Option<Told<K>> {
        self.inner.lock().pop()
    }

    /// Polls for the next entry; `None` once the queue is closed and empty. An entry is only
    /// removed if it is returned.
    pub(super) fn poll_pop(&self, ctx: &mut Context<'_>) -> Poll<Option<Told<K>>> {
        let mut inner = self.inner.lock();
        if let Some(told) = inner.pop() {
            return Poll::Ready(Some(told));
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
    fn pop(&mut self) -> Option<Told<K>> {
        let told = self.backlog.pop()?;
        self.measure(self.backlog.len());
        Some(told)
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
    /// See [`Backlog::push`].
    #[must_use]
    pub(super) fn push(&self, event: Event<K>, was_cached: bool) -> Option<Waker> {
        self.change(|backlog| backlog.push(event, was_cached))
    }

    /// See [`Backlog::push_many`].
    #[must_use]
    pub(super) fn push_many(&self, events: &Arc<[Event<K>]>) -> Option<Waker> {
        self.change(|backlog| backlog.push_many(events))
    }
}
