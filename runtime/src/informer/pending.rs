//! What waits for one object in a queue that coalesces: as few events as tell the whole truth.

use std::sync::Arc;

use super::event::{Deleted, Event};

/// At most one update, one deletion and one addition, told in that order. Each way to be in this state is a legal sequence:
/// the update is from what the handler saw last, the deletion is of that, and the addition is of what took its name.
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

    /// How many events there are.
    pub(super) fn len(&self) -> usize {
        let has = [
            self.updated.is_some(),
            self.deleted.is_some(),
            self.added.is_some(),
        ];
        has.into_iter().filter(|has| *has).count()
    }

    /// Takes in what happened after all that is here.
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

    /// What the handler never heard of is not told to be gone, either.
    fn delete(&mut self, deleted: Deleted<K>) {
        if self.added.take().is_none() {
            self.deleted = Some(deleted);
        }
    }

    /// Takes out the event to tell next.
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
