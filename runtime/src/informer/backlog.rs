//! [`Backlog`]: pending events of one handler, as a data structure without a lock.
//! [`EventQueue`](super::queue::EventQueue) adds the lock.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use kube::Resource;

use super::event::{Deleted, Event};
use crate::cache::ObjectName;

/// Queue of pending events, in two parts. New events go to `entries` while it has fewer than
/// `coalesce_above` events and `coalesced` is empty. Otherwise they go to `coalesced`, which merges
/// events of the same object. Events in `entries` are delivered first.
pub(super) struct Backlog<K> {
    entries: VecDeque<BacklogEntry<K>>,
    /// Number of events in `entries`.
    in_entries: usize,
    coalesced: Coalesced<K>,
    coalesce_above: usize,
}

/// Entry taken from the queue: an event for the handler, or a mark for the handler's task.
pub(super) enum Delivery<K> {
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

enum BacklogEntry<K> {
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
    places: BTreeMap<u64, Place<K>>,
    /// Sequence number of each object in `places`.
    numbers: HashMap<ObjectName, u64>,
    next: u64,
    len: usize,
}

enum Place<K> {
    Object(ObjectName, Pending<K>),
    Mark(Mark),
}

/// Pending events of one object: at most one update, one deletion and one addition, delivered in
/// that order. The update and the deletion concern the object that the handler knows, and the
/// addition concerns a new object with the same name. The old state of the update is the state that
/// the handler received last.
struct Pending<K> {
    updated: Option<(Arc<K>, Arc<K>)>,
    deleted: Option<Deleted<K>>,
    added: Option<(Arc<K>, bool)>,
}

// === impl Backlog ===

impl<K> Backlog<K> {
    pub(super) fn new(coalesce_above: usize) -> Self {
        Self {
            entries: VecDeque::new(),
            in_entries: 0,
            coalesced: Coalesced::new(),
            coalesce_above,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.in_entries + self.coalesced.len
    }

    /// Whether no events and no sequence numbers are left.
    #[cfg(test)]
    pub(super) fn is_clean(&self) -> bool {
        self.entries.is_empty() && self.coalesced.numbers.is_empty()
    }

    fn is_coalescing(&self) -> bool {
        !self.coalesced.places.is_empty() || self.in_entries >= self.coalesce_above
    }

    pub(super) fn push_mark(&mut self, mark: Mark) {
        // A mark is queued after all pending events. It is not an event, so it does not start
        // coalescing.
        if self.coalesced.places.is_empty() {
            self.entries.push_back(BacklogEntry::Mark(mark));
        } else {
            self.coalesced.push(Place::Mark(mark));
        }
    }

    pub(super) fn pop(&mut self) -> Option<Delivery<K>> {
        match self.entries.front_mut() {
            None => self.coalesced.pop(),
            Some(BacklogEntry::Many { events, next }) if *next + 1 < events.len() => {
                let event = events[*next].clone();
                *next += 1;
                self.in_entries -= 1;
                Some(Delivery::Event(event))
            }
            Some(_) => self.pop_entry(),
        }
    }

    fn pop_entry(&mut self) -> Option<Delivery<K>> {
        let event = match self.entries.pop_front()? {
            BacklogEntry::Mark(mark) => return Some(Delivery::Mark(mark)),
            BacklogEntry::One(event) => event,
            BacklogEntry::Many { events, next } => events.get(next)?.clone(),
        };
        self.in_entries -= 1;
        Some(Delivery::Event(event))
    }
}

impl<K: Resource> Backlog<K> {
    /// Adds one event. `was_cached` is true if the object was cached before the event.
    pub(super) fn push(&mut self, event: Event<K>, was_cached: bool) {
        if !self.is_coalescing() {
            self.entries.push_back(BacklogEntry::One(event));
            self.in_entries += 1;
            return;
        }
        // No handler knows an uncached object, so its deletion is dropped. Otherwise memory would
        // grow with the number of such names, which has no bound.
        let is_idle = matches!(event, Event::Deleted(_)) && !was_cached;
        if !is_idle {
            self.coalesced.merge(event);
        }
    }

    /// Adds the events of a list or a resync. Deletions among them are of cached objects, so they
    /// are not dropped.
    pub(super) fn push_many(&mut self, events: &Arc<[Event<K>]>) {
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
        self.entries.push_back(BacklogEntry::Many {
            events: Arc::clone(events),
            next: 0,
        });
    }
}

// === impl Coalesced ===

impl<K> Coalesced<K> {
    fn new() -> Self {
        Self {
            places: BTreeMap::new(),
            numbers: HashMap::new(),
            next: 0,
            len: 0,
        }
    }

    fn push(&mut self, place: Place<K>) -> u64 {
        let number = self.next;
        self.next += 1;
        self.places.insert(number, place);
        number
    }

    fn pop(&mut self) -> Option<Delivery<K>> {
        let mut first = self.places.first_entry()?;
        let (event, is_last) = match first.get_mut() {
            Place::Mark(mark) => {
                let mark = *mark;
                first.remove();
                return Some(Delivery::Mark(mark));
            }
            Place::Object(_, pending) => (pending.pop()?, pending.len() == 0),
        };
        if is_last && let Place::Object(name, _) = first.remove() {
            self.numbers.remove(&name);
        }
        self.len -= 1;
        Some(Delivery::Event(event))
    }
}

impl<K: Resource> Coalesced<K> {
    fn merge(&mut self, event: Event<K>) {
        let name = event.name();
        let number = match self.numbers.get(&name) {
            Some(number) => *number,
            None => {
                let number = self.push(Place::Object(name.clone(), Pending::new()));
                self.numbers.insert(name, number);
                number
            }
        };
        let Some(Place::Object(name, pending)) = self.places.get_mut(&number) else {
            return;
        };
        let before = pending.len();
        pending.merge(event);
        self.len = self.len + pending.len() - before;
        if pending.len() == 0 {
            self.numbers.remove(name);
            self.places.remove(&number);
        }
    }
}

// === impl Pending ===

impl<K> Pending<K> {
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
