//! Queue state and its transitions, without a lock and without waiting.

use std::cmp::Reverse;
use std::hash::Hash;
use std::mem;

use hashbrown::HashTable;
use slab::Slab;
use tokio::time::Instant;

use super::meter::QueueMeter;
use super::order::{Delayed, Discipline, Rank, Ready};
use super::waiters::Waiters;

/// Keys of a queue, its phase, its waiting workers and its metrics. A key has one slot while it is
/// dirty (client-go's term for a key to be handed out), in processing or delayed.
///
/// In client-go, a key can be in several maps, and each access to one of them hashes it. Here, each
/// `add` hashes the key once, and its slot stores the hash. `take` and `done` know the slot, so
/// they do not hash the key.
pub(super) struct QueueState<T> {
    slots: Slab<Slot<T>>,
    /// Index from keys to slots.
    index: HashTable<usize>,
    /// Slots that are dirty and not in processing.
    ready: Ready,
    delayed: Delayed,
    pub(super) discipline: Discipline,
    /// The setting `oldest_every`, and the number of keys taken since the last choice of the oldest
    /// key.
    oldest_every: Option<(u32, u32)>,
    /// The last ticket. Tickets order keys of the same priority.
    ticket: u64,
    dirty: usize,
    processing: usize,
    pub(super) phase: Phase,
    /// How often the phase was set to [`Phase::Closed`].
    pub(super) shut_downs: usize,
    pub(super) waiters: Waiters,
    pub(super) meter: Option<QueueMeter>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// New keys are accepted.
    Open,
    /// New keys are rejected, remaining ones are handed out, and callers may wait until all are
    /// done.
    Draining,
    /// Like `Draining`, but no caller waits until all are done.
    Closed,
}

pub(super) enum Taken<T> {
    Item(Handed<T>),
    /// No key is ready, but keys can still be added.
    Empty,
    /// No key is ready, and new keys are rejected.
    Closed,
}

pub(super) struct Handed<T> {
    pub(super) slot: usize,
    pub(super) key: T,
    pub(super) priority: i32,
}

/// Key and its state; one cache line is enough if `T` is small.
struct Slot<T> {
    key: T,
    hash: u64,
    /// Rank among the ready keys; also set while the slot is not ready.
    rank: Rank,
    /// The key has to be handed out, possibly again.
    dirty: bool,
    /// The key was handed out to a worker.
    processing: bool,
    /// The key is not due yet.
    delayed: bool,
}

impl<T> QueueState<T> {
    pub(super) fn new(
        discipline: Discipline,
        oldest_every: Option<u32>,
        meter: Option<QueueMeter>,
    ) -> Self {
        Self {
            slots: Slab::new(),
            index: HashTable::new(),
            ready: Ready::new(discipline),
            delayed: Delayed::default(),
            discipline,
            oldest_every: oldest_every.map(|every| (every, 0)),
            ticket: 0,
            dirty: 0,
            processing: 0,
            phase: Phase::Open,
            shut_downs: 0,
            waiters: Waiters::default(),
            meter,
        }
    }

    pub(super) fn ready(&self) -> usize {
        self.ready.len()
    }

    /// Returns the public length. Priority queues also count keys that were added again while in
    /// processing.
    pub(super) fn len(&self) -> usize {
        match self.discipline {
            Discipline::Fifo => self.ready.len(),
            Discipline::Priority => self.dirty,
        }
    }

    /// Whether every key was handed out and is done.
    pub(super) fn is_drained(&self) -> bool {
        self.ready.len() == 0 && self.processing == 0
    }

    pub(super) fn next_due(&self) -> Option<Instant> {
        self.delayed.next_due()
    }

    /// Marks delayed keys that are due as dirty, in the order of their due times.
    pub(super) fn promote(&mut self) {
        if self.delayed.next_due().is_none() {
            return;
        }
        let now = Instant::now();
        while let Some((due, id)) = self.delayed.pop_due(now) {
            self.slots[id].delayed = false;
            // Within a priority, keys are ordered by the time when they became ready.
            self.slots[id].rank.1 = self.next_ticket();
            self.mark_dirty(id, || due);
        }
    }

    /// Marks a key as done. If its slot is released, returns the key, so that it is dropped without
    /// the lock.
    pub(super) fn done(&mut self, id: usize) -> Option<T> {
        let slot = &mut self.slots[id];
        slot.processing = false;
        self.processing -= 1;
        if let Some(meter) = &mut self.meter {
            meter.done(id);
        }
        if slot.dirty {
            self.ready.push(id, slot.rank);
            return None;
        }
        self.release(id)
    }

    /// Rejects new keys and drops delayed ones. Returns the keys of released slots.
    pub(super) fn close(&mut self, phase: Phase) -> Vec<T> {
        self.phase = phase;
        self.shut_downs += usize::from(phase == Phase::Closed);
        let freed = self.delayed.drain().filter_map(|id| {
            self.slots[id].delayed = false;
            self.release(id)
        });
        freed.collect()
    }

    fn mark_dirty(&mut self, id: usize, at: impl FnOnce() -> Instant) {
        let slot = &mut self.slots[id];
        if slot.dirty {
            return;
        }
        slot.dirty = true;
        self.dirty += 1;
        if !slot.processing {
            self.ready.push(id, slot.rank);
        }
        if let Some(meter) = &mut self.meter {
            meter.added(id, slot.rank.0.0, at());
        }
    }

    /// Raises the priority of a dirty or delayed key. The key becomes the last one of `priority`.
    fn raise(&mut self, id: usize, priority: i32) {
        let new = (Reverse(priority), self.next_ticket());
        let slot = &mut self.slots[id];
        let old = mem::replace(&mut slot.rank, new);
        if slot.dirty {
            self.ready.change(old, new);
            if let Some(meter) = &mut self.meter {
                meter.moved(old.0.0, priority);
            }
        }
    }

    fn next_ticket(&mut self) -> u64 {
        self.ticket += 1;
        self.ticket
    }

    fn release(&mut self, id: usize) -> Option<T> {
        let slot = &self.slots[id];
        if slot.dirty || slot.processing || slot.delayed {
            return None;
        }
        if let Ok(entry) = self.index.find_entry(slot.hash, |&other| other == id) {
            entry.remove();
        }
        Some(self.slots.remove(id).key)
    }
}

impl<T: Eq + Hash> QueueState<T> {
    /// Adds a key now or at `due`, unless the queue is shut down. If the key already has a slot or
    /// is rejected, returns it, so that it is dropped without the lock.
    pub(super) fn add(
        &mut self,
        hash: u64,
        key: T,
        priority: i32,
        due: Option<Instant>,
    ) -> Option<T> {
        if self.phase != Phase::Open {
            return Some(key);
        }
        let (id, known) = self.slot(hash, key);
        match (self.discipline, due) {
            (Discipline::Priority, due) => self.merge(id, priority, due),
            (Discipline::Fifo, Some(due)) => self.delay(id, due),
            (Discipline::Fifo, None) => self.mark_dirty(id, Instant::now),
        }
        known
    }

    /// Adds a key to a queue with priorities. If the key is already dirty or delayed, the higher
    /// priority and the earlier time apply.
    fn merge(&mut self, id: usize, priority: i32, due: Option<Instant>) {
        let Slot {
            dirty,
            delayed,
            rank,
            ..
        } = self.slots[id];
        if !dirty && !delayed {
            self.slots[id].rank = (Reverse(priority), self.next_ticket());
        } else if priority > rank.0.0 {
            self.raise(id, priority);
        }
        match due {
            Some(due) if !dirty => self.delay(id, due),
            Some(_) => {}
            None => {
                if delayed {
                    self.delayed.remove(id);
                    self.slots[id].delayed = false;
                }
                self.mark_dirty(id, Instant::now);
            }
        }
    }

    fn delay(&mut self, id: usize, due: Instant) {
        self.slots[id].delayed = true;
        self.delayed.insert(id, due);
    }

    /// Returns the slot of a key, creating it if necessary. If the key already had a slot, also
    /// returns the passed key.
    fn slot(&mut self, hash: u64, key: T) -> (usize, Option<T>) {
        let Self { slots, index, .. } = self;
        if let Some(&id) = index.find(hash, |&id| slots[id].key == key) {
            return (id, Some(key));
        }
        let id = slots.insert(Slot {
            key,
            hash,
            rank: (Reverse(0), 0),
            dirty: false,
            processing: false,
            delayed: false,
        });
        index.insert_unique(hash, id, |&id| slots[id].hash);
        (id, None)
    }
}

impl<T: Clone> QueueState<T> {
    /// Returns the slot of the next key: the first key, or every `oldest_every`-th time the oldest.
    fn next(&mut self) -> Option<usize> {
        let Some((every, handed)) = &mut self.oldest_every else {
            return self.ready.first();
        };
        let first = self.ready.first()?;
        *handed += 1;
        if *handed < *every {
            return Some(first);
        }
        *handed = 0;
        self.ready.oldest()
    }

    pub(super) fn take(&mut self) -> Taken<T> {
        let Some(id) = self.next() else {
            return if self.phase == Phase::Open {
                Taken::Empty
            } else {
                Taken::Closed
            };
        };
        // The key is cloned before any change of the state, since the user's `clone` may panic.
        let key = self.slots[id].key.clone();
        let slot = &mut self.slots[id];
        self.ready.remove(slot.rank);
        slot.dirty = false;
        slot.processing = true;
        let priority = slot.rank.0.0;
        self.dirty -= 1;
        self.processing += 1;
        if let Some(meter) = &mut self.meter {
            meter.taken(id, priority);
        }
        Taken::Item(Handed {
            slot: id,
            key,
            priority,
        })
    }
}
