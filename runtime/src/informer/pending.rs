//! [`Pending`]: coalesced events of one object.

use std::sync::Arc;

use super::event::{Deleted, Event};

/// At most one update, one deletion and one addition, delivered in that order. Each combination is
/// a legal sequence: the update starts from the state that the handler saw last, the deletion is of
/// that object, and the addition is of a new object with its name.
pub(super) struct Pending<K> {
    updated: Option<(Arc<K>, Arc<K>)>,
    deleted: Option<Deleted<K>>,
    added: Option<(Arc<K>, bool)>,
}

impl<K> Pending<K> {
    pub(super) fn new() -> Self {
        Self {
            updated: None,
            deleted: None,
            added: None,
        }
    }

    /// Returns the number of events.
    pub(super) fn len(&self) -> usize {
        let has = [
            self.updated.is_some(),
            self.deleted.is_some(),
            self.added.is_some(),
        ];
        has.into_iter().filter(|has| *has).count()
    }

    /// Merges an event that follows all the others.
    pub(super) fn merge(&mut self, event: Event<K>) {
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
    pub(super) fn pop(&mut self) -> Option<Event<K>> {
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
