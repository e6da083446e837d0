//! Processor: distributes events to handlers and subscribers, each with a queue of pending
//! notifications that coalesces. The informer's lock guards the [`Processor`]. The queue of one
//! handler, a [`ListenerQueue`], has its own lock.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use kube::Resource;

use super::event::{Deleted, Event};
use crate::cache::ObjectName;
use crate::metrics::Gauge;
use crate::sync::Mutex;

/// Queue with many producers and one consumer. A push never waits. Coalescing bounds the queue,
/// unless [`every_event`](super::HandlerOptions::every_event) is set.
///
/// A push returns the waker of the blocked consumer. Call the waker after releasing the informer's
/// lock: it may run or drop the consumer, and dropping a subscription takes that lock.
pub(super) struct ListenerQueue<K> {
    /// Held for one push or pop. It may be taken while the informer's lock is held.
    inner: Mutex<ListenerQueueState<K>>,
    /// Whether the handler has a resync period, and so also receives unchanged objects of a relist.
    pub(super) wants_unchanged: bool,
}

struct ListenerQueueState<K> {
    pending: PendingNotifications<K>,
    waker: Option<Waker>,
    is_closed: bool,
    /// Gauge of pending events, and the depth that this queue has contributed to it.
    gauge: Option<(Arc<dyn Gauge>, usize)>,
}

/// Event queues of the handlers and subscribers of one informer.
pub(super) struct Processor<K> {
    /// Queues by id. Ids are in the order of registration.
    queues: BTreeMap<u64, Arc<ListenerQueue<K>>>,
    next_id: u64,
    /// Whether the initial list is complete, and [`Mark::Synced`] was added to all queues.
    is_synced: bool,
    is_closed: bool,
}

/// Queue of pending events, in two parts. New events go to `entries` while it has fewer than
/// `coalesce_above` events and `coalesced` is empty. Otherwise they go to `coalesced`, which merges
/// events of the same object. Events in `entries` are delivered first.
struct PendingNotifications<K> {
    entries: VecDeque<QueueEntry<K>>,
    /// Number of events in `entries`.
    in_entries: usize,
    coalesced: Coalesced<K>,
    coalesce_above: usize,
}

/// Entry taken from the queue: an event for the handler, or a mark for the handler's task.
pub(super) enum Notification<K> {
    Event(Event<K>),
    Mark(Mark),
}

/// Mark between events in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// All initial objects precede this mark.
    Synced,
    /// All objects of a resync precede this mark.
    Resynced,
}

enum QueueEntry<K> {
    One(Event<K>),
    /// Events of a list or resync. Those of a list are shared with the queues of other handlers.
    /// Events before index `next` have been delivered.
    Many {
        events: Arc<[Event<K>]>,
        next: usize,
    },
    Mark(Mark),
}

/// Pending events by object. Objects are ordered by their oldest pending event.
struct Coalesced<K> {
    /// Entries by sequence number, which is their order of delivery.
    entries: BTreeMap<u64, CoalescedEntry<K>>,
    /// Sequence number of each object in `entries`.
    sequence_of: HashMap<ObjectName, u64>,
    next_sequence: u64,
    len: usize,
}

enum CoalescedEntry<K> {
    Object(ObjectName, CoalescedEvents<K>),
    Mark(Mark),
}

/// Pending events of one object: at most one update, one deletion and one addition, delivered in
/// that order. The update and the deletion concern the object that the handler knows, and the
/// addition concerns a new object with the same name. The old state of the update is the state that
/// the handler received last.
struct CoalescedEvents<K> {
    updated: Option<(Arc<K>, Arc<K>)>,
    deleted: Option<Deleted<K>>,
    added: Option<(Arc<K>, bool)>,
}

// === impl ListenerQueue ===

impl<K> ListenerQueue<K> {
    pub(super) fn new(
        coalesce_above: usize,
        wants_unchanged: bool,
        gauge: Option<Arc<dyn Gauge>>,
    ) -> Self {
        Self {
            inner: Mutex::new(ListenerQueueState {
                pending: PendingNotifications::new(coalesce_above),
                waker: None,
                is_closed: false,
                gauge: gauge.map(|gauge| (gauge, 0)),
            }),
            wants_unchanged,
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.inner.lock().pending.len()
    }

    /// Whether no events and no sequence numbers are left.
    #[cfg(test)]
    pub(super) fn is_clean(&self) -> bool {
        let pending = &self.inner.lock().pending;
        pending.entries.is_empty() && pending.coalesced.sequence_of.is_empty()
    }

    #[must_use]
    pub(super) fn push_mark(&self, mark: Mark) -> Option<Waker> {
        self.change(|pending| pending.push_mark(mark))
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

    pub(super) fn try_pop(&self) -> Option<Notification<K>> {
        self.inner.lock().pop()
    }

    /// Polls for the next entry; `None` once the queue is closed and empty. An entry is only
    /// removed if it is returned.
    pub(super) fn poll_pop(&self, ctx: &mut Context<'_>) -> Poll<Option<Notification<K>>> {
        let mut inner = self.inner.lock();
        if let Some(notification) = inner.pop() {
            return Poll::Ready(Some(notification));
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

    fn change(&self, change: impl FnOnce(&mut PendingNotifications<K>)) -> Option<Waker> {
        let mut inner = self.inner.lock();
        if inner.is_closed {
            return None;
        }
        change(&mut inner.pending);
        let depth = inner.pending.len();
        inner.measure(depth);
        inner.waker.take()
    }
}

impl<K> ListenerQueueState<K> {
    fn pop(&mut self) -> Option<Notification<K>> {
        let notification = self.pending.pop()?;
        self.measure(self.pending.len());
        Some(notification)
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

impl<K: Resource> ListenerQueue<K> {
    #[must_use]
    pub(super) fn push(&self, event: Event<K>, was_cached: bool) -> Option<Waker> {
        self.change(|pending| pending.push(event, was_cached))
    }

    #[must_use]
    pub(super) fn push_many(&self, events: &Arc<[Event<K>]>) -> Option<Waker> {
        self.change(|pending| pending.push_many(events))
    }
}

// === impl Processor ===

impl<K> Processor<K> {
    pub(super) fn new() -> Self {
        Self {
            queues: BTreeMap::new(),
            next_id: 0,
            is_synced: false,
            is_closed: false,
        }
    }

    /// Returns the queue `id`, or `None` if it was removed.
    pub(super) fn listener(&self, id: u64) -> Option<&Arc<ListenerQueue<K>>> {
        self.queues.get(&id)
    }

    /// Removes and returns a queue. The caller closes it after releasing the lock.
    pub(super) fn remove_listener(&mut self, id: u64) -> Option<Arc<ListenerQueue<K>>> {
        self.queues.remove(&id)
    }

    /// Removes and returns all queues, and accepts no new ones. The caller closes them after
    /// releasing the lock.
    pub(super) fn close(&mut self) -> impl Iterator<Item = Arc<ListenerQueue<K>>> + use<K> {
        self.is_closed = true;
        std::mem::take(&mut self.queues).into_values()
    }

    /// Adds [`Mark::Synced`] to all queues, once. Returns the wakers of waiting consumers.
    #[must_use]
    pub(super) fn mark_synced(&mut self) -> Vec<Waker> {
        if std::mem::replace(&mut self.is_synced, true) {
            return Vec::new();
        }
        let queues = self.queues.values();
        queues
            .filter_map(|queue| queue.push_mark(Mark::Synced))
            .collect()
    }
}

impl<K: Resource> Processor<K> {
    /// Adds a queue and fills it with `initial`, the cached objects as additions. Returns `None` if
    /// the informer has stopped.
    pub(super) fn add_listener(
        &mut self,
        queue: ListenerQueue<K>,
        initial: &Arc<[Event<K>]>,
    ) -> Option<(u64, Arc<ListenerQueue<K>>)> {
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

    /// Distributes one event to all handlers and subscribers. `was_cached` is true if the object
    /// was cached before. Returns the wakers of waiting consumers.
    #[must_use]
    pub(super) fn distribute(&self, event: &Event<K>, was_cached: bool) -> Vec<Waker> {
        let is_unchanged = event.is_unchanged();
        let queues = self.queues.values();
        queues
            .filter(|queue| queue.wants_unchanged || !is_unchanged)
            .filter_map(|queue| queue.push(event.clone(), was_cached))
            .collect()
    }

    /// Distributes the events of a list to all handlers and subscribers. `events` is only called
    /// if there are any. Returns the wakers of waiting consumers.
    #[must_use]
    pub(super) fn distribute_list(&self, events: impl FnOnce() -> Arc<[Event<K>]>) -> Vec<Waker> {
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

// === impl PendingNotifications ===

impl<K> PendingNotifications<K> {
    fn new(coalesce_above: usize) -> Self {
        Self {
            entries: VecDeque::new(),
            in_entries: 0,
            coalesced: Coalesced::new(),
            coalesce_above,
        }
    }

    fn len(&self) -> usize {
        self.in_entries + self.coalesced.len
    }

    fn is_coalescing(&self) -> bool {
        !self.coalesced.entries.is_empty() || self.in_entries >= self.coalesce_above
    }

    fn push_mark(&mut self, mark: Mark) {
        // A mark is queued after all pending events. It is not an event, so it does not start
        // coalescing.
        if self.coalesced.entries.is_empty() {
            self.entries.push_back(QueueEntry::Mark(mark));
        } else {
            self.coalesced.push(CoalescedEntry::Mark(mark));
        }
    }

    fn pop(&mut self) -> Option<Notification<K>> {
        match self.entries.front_mut() {
            None => self.coalesced.pop(),
            Some(QueueEntry::Many { events, next }) if *next + 1 < events.len() => {
                let event = events[*next].clone();
                *next += 1;
                self.in_entries -= 1;
                Some(Notification::Event(event))
            }
            Some(_) => self.pop_entry(),
        }
    }

    fn pop_entry(&mut self) -> Option<Notification<K>> {
        let event = match self.entries.pop_front()? {
            QueueEntry::Mark(mark) => return Some(Notification::Mark(mark)),
            QueueEntry::One(event) => event,
            QueueEntry::Many { events, next } => events.get(next)?.clone(),
        };
        self.in_entries -= 1;
        Some(Notification::Event(event))
    }
}

impl<K: Resource> PendingNotifications<K> {
    /// Adds one event. `was_cached` is true if the object was cached before the event.
    fn push(&mut self, event: Event<K>, was_cached: bool) {
        if !self.is_coalescing() {
            self.entries.push_back(QueueEntry::One(event));
            self.in_entries += 1;
            return;
        }
        // No handler knows an uncached object, so its deletion is dropped. Otherwise memory would
        // grow with the number of such names, which has no bound.
        let is_unseen_deletion = matches!(event, Event::Deleted(_)) && !was_cached;
        if !is_unseen_deletion {
            self.coalesced.merge(event);
        }
    }

    /// Adds the events of a list or a resync. Deletions among them are of cached objects, so they
    /// are not dropped.
    fn push_many(&mut self, events: &Arc<[Event<K>]>) {
        if events.is_empty() {
            return;
        }
        if self.is_coalescing() {
            events
                .iter()
                .for_each(|event| self.coalesced.merge(event.clone()));
            return;
        }
        self.in_entries += events.len();
        self.entries.push_back(QueueEntry::Many {
            events: Arc::clone(events),
            next: 0,
        });
    }
}

// === impl Coalesced ===

impl<K> Coalesced<K> {
    fn new() -> Self {
        Self {
            entries: BTreeMap::new(),
            sequence_of: HashMap::new(),
            next_sequence: 0,
            len: 0,
        }
    }

    fn push(&mut self, entry: CoalescedEntry<K>) -> u64 {
        let number = self.next_sequence;
        self.next_sequence += 1;
        self.entries.insert(number, entry);
        number
    }

    fn pop(&mut self) -> Option<Notification<K>> {
        let mut first = self.entries.first_entry()?;
        let (event, is_last) = match first.get_mut() {
            CoalescedEntry::Mark(mark) => {
                let mark = *mark;
                first.remove();
                return Some(Notification::Mark(mark));
            }
            CoalescedEntry::Object(_, pending) => (pending.pop()?, pending.len() == 0),
        };
        if is_last && let CoalescedEntry::Object(name, _) = first.remove() {
            self.sequence_of.remove(&name);
        }
        self.len -= 1;
        Some(Notification::Event(event))
    }
}

impl<K: Resource> Coalesced<K> {
    fn merge(&mut self, event: Event<K>) {
        let name = event.name();
        let number = match self.sequence_of.get(&name) {
            Some(number) => *number,
            None => {
                let number =
                    self.push(CoalescedEntry::Object(name.clone(), CoalescedEvents::new()));
                self.sequence_of.insert(name, number);
                number
            }
        };
        let Some(CoalescedEntry::Object(name, pending)) = self.entries.get_mut(&number) else {
            return;
        };
        let before = pending.len();
        pending.merge(event);
        self.len = self.len + pending.len() - before;
        if pending.len() == 0 {
            self.sequence_of.remove(name);
            self.entries.remove(&number);
        }
    }
}

// === impl CoalescedEvents ===

impl<K> CoalescedEvents<K> {
    fn new() -> Self {
        Self {
            updated: None,
            deleted: None,
            added: None,
        }
    }

    fn len(&self) -> usize {
        let has = [
            self.updated.is_some(),
            self.deleted.is_some(),
            self.added.is_some(),
        ];
        has.into_iter().filter(|has| *has).count()
    }

    /// Merges an event that follows all pending events of the object.
    fn merge(&mut self, event: Event<K>) {
        match event {
            Event::Added { object, is_initial } => self.add(object, is_initial),
            Event::Updated { old, new } => self.update(old, new),
            Event::Deleted(deleted) => self.delete(deleted),
        }
    }

    fn add(&mut self, object: Arc<K>, is_initial: bool) {
        match &mut self.added {
            Some((added, _)) => *added = object,
            None => self.added = Some((object, is_initial)),
        }
    }

    fn update(&mut self, old: Arc<K>, new: Arc<K>) {
        match (&mut self.added, &mut self.updated) {
            (Some((added, _)), _) => *added = new,
            (None, Some((_, newest))) => *newest = new,
            _ => self.updated = Some((old, new)),
        }
    }

    /// Merges a deletion. If the addition is still pending, both are dropped: the handler never saw
    /// the object.
    fn delete(&mut self, deleted: Deleted<K>) {
        if self.added.take().is_none() {
            self.deleted = Some(deleted);
        }
    }

    fn pop(&mut self) -> Option<Event<K>> {
        if let Some((old, new)) = self.updated.take() {
            return Some(Event::Updated { old, new });
        }
        if let Some(deleted) = self.deleted.take() {
            return Some(Event::Deleted(deleted));
        }
        let (object, is_initial) = self.added.take()?;
        Some(Event::Added { object, is_initial })
    }
}
