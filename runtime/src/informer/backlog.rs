//! [`Backlog`]: pending events of one handler, as plain data.
//! [`EventQueue`](super::queue::EventQueue) adds the lock.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use kube::Resource;

use super::event::{Deleted, Event};
use crate::cache::ObjectName;

/// Queue in two parts, of which the first is delivered first. Up to a bound, the first part takes
/// every event as it is. Once it is full, all events go to the second part, which coalesces them by
/// object, until the second part is empty again.
pub(super) struct Backlog<K> {
    entries: VecDeque<BacklogEntry<K>>,
    /// Number of events in `entries`.
    in_entries: usize,
    coalesced: Coalesced<K>,
    /// Number of events in `entries` from which on new events are coalesced.
    coalesce_above: usize,
}

/// Next entry: an event for the handler, or a mark for its task.
pub(super) enum Told<K> {
    Event(Event<K>),
    Mark(Mark),
}

/// Position in the order of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// End of the initial state.
    Synced,
    /// End of a resync of this handler.
    Resynced,
}

enum BacklogEntry<K> {
    One(Event<K>),
    /// Events shared by all handlers; those before `next` have been delivered.
    Many {
        events: Arc<[Event<K>]>,
        next: usize,
    },
    Mark(Mark),
}

/// Pending events by object. Objects are in the order of their oldest undelivered event.
struct Coalesced<K> {
    /// By number, which is their order.
    places: BTreeMap<u64, Place<K>>,
    /// Number of each object that has a place.
    numbers: HashMap<ObjectName, u64>,
    next: u64,
    /// Number of events in `places`.
    len: usize,
}

enum Place<K> {
    Object(ObjectName, Pending<K>),
    Mark(Mark),
}

/// At most one update, one deletion and one addition, delivered in that order. Each combination is
/// a legal sequence: the update starts from the state that the handler saw last, the deletion is of
/// that object, and the addition is of a new object with its name.
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

    /// Returns the number of pending events.
    pub(super) fn len(&self) -> usize {
        self.in_entries + self.coalesced.len
    }

    /// Whether no trace of delivered events is left.
    #[cfg(test)]
    pub(super) fn is_clean(&self) -> bool {
        self.entries.is_empty() && self.coalesced.numbers.is_empty()
    }

    fn is_coalescing(&self) -> bool {
        !self.coalesced.places.is_empty() || self.in_entries >= self.coalesce_above
    }

    pub(super) fn push_mark(&mut self, mark: Mark) {
        // A mark is not an event: it goes where the next event would, but does not start
        // coalescing.
        if self.coalesced.places.is_empty() {
            self.entries.push_back(BacklogEntry::Mark(mark));
        } else {
            self.coalesced.push(Place::Mark(mark));
        }
    }

    pub(super) fn pop(&mut self) -> Option<Told<K>> {
        match self.entries.front_mut() {
            None => self.coalesced.pop(),
            Some(BacklogEntry::Many { events, next }) if *next + 1 < events.len() => {
                let event = events[*next].clone();
                *next += 1;
                self.in_entries -= 1;
                Some(Told::Event(event))
            }
            Some(_) => self.pop_entry(),
        }
    }

    fn pop_entry(&mut self) -> Option<Told<K>> {
        let event = match self.entries.pop_front()? {
            BacklogEntry::Mark(mark) => return Some(Told::Mark(mark)),
            BacklogEntry::One(event) => event,
            BacklogEntry::Many { events, next } => events.get(next)?.clone(),
        };
        self.in_entries -= 1;
        Some(Told::Event(event))
    }
}

impl<K: Resource> Backlog<K> {
    /// Adds one event. `was_cached` is true if the object was cached before, so that handlers may
    /// know it.
    pub(super) fn push(&mut self, event: Event<K>, was_cached: bool) {
        if !self.is_coalescing() {
            self.entries.push_back(BacklogEntry::One(event));
            self.in_entries += 1;
            return;
        }
        // No handler knows the object, so its deletion is dropped: the number of such names has no
        // bound.
        let is_idle = matches!(event, Event::Deleted(_)) && !was_cached;
        if !is_idle {
            self.coalesced.merge(event);
        }
    }

    /// Adds the events of a list. Its deletions are of cached objects only.
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

    fn pop(&mut self) -> Option<Told<K>> {
        let mut first = self.places.first_entry()?;
        let (event, is_last) = match first.get_mut() {
            Place::Mark(mark) => {
                let mark = *mark;
                first.remove();
                return Some(Told::Mark(mark));
            }
            Place::Object(_, pending) => (pending.pop()?, pending.len() == 0),
        };
        if is_last && let Place::Object(name, _) = first.remove() {
            self.numbers.remove(&name);
        }
        self.len -= 1;
        Some(Told::Event(event))
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

    /// Returns the number of events.
    fn len(&self) -> usize {
        let has = [
            self.updated.is_some(),
            self.deleted.is_some(),
            self.added.is_some(),
        ];
        has.into_iter().filter(|has| *has).count()
    }

    /// Merges an event that follows all the others.
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

    /// A pending addition and its deletion cancel out: the handler never saw the object.
    fn delete(&mut self, deleted: Deleted<K>) {
        if self.added.take().is_none() {
            self.deleted = Some(deleted);
        }
    }

    /// Removes the event to deliver next.
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
