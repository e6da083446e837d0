//! What a queue holds and every change to it: plain data without locks, clocks or waiting.

use std::cmp::Reverse;
use std::hash::Hash;
use std::mem;

use hashbrown::HashTable;
use slab::Slab;
use tokio::time::Instant;

use super::delayed::Delayed;
use super::meter::QueueMeter;
use super::ready::{Discipline, Rank, Ready};
use super::waiters::Waiters;

/// The keys of a queue, each in one slot for as long as it is dirty, processed or delayed.
///
/// client-go holds a key in up to four maps. One slot with a cached hash needs one hash of the key for `add` and none for
/// `take` and `done`.
pub(super) struct QueueState<T> {
    slots: Slab<Slot<T>>,
    /// Finds the slot of a key.
    index: HashTable<usize>,
    /// The slots that are dirty and not processed.
    ready: Ready,
    delayed: Delayed,
    pub(super) discipline: Discipline,
    /// Of so many keys one is the oldest, and how many were handed out since.
    oldest_every: Option<(u32, u32)>,
    /// Numbers the keys of a queue with priorities.
    ticket: u64,
    /// How many slots are dirty.
    dirty: usize,
    /// How many slots are with a worker.
    processing: usize,
    pub(super) phase: Phase,
    /// How often the queue was closed for good.
    pub(super) shut_downs: usize,
    pub(super) waiters: Waiters,
    pub(super) meter: Option<QueueMeter>,
}

/// How far the life of a queue has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Takes keys and hands them out.
    Open,
    /// Takes no more keys and hands out what is left; somebody may wait for the end of it.
    Draining,
    /// The same, and nobody waits for it.
    Closed,
}

/// What `take` found.
pub(super) enum Taken<T> {
    Item(Handed<T>),
    /// Nothing is ready, but something may come.
    Empty,
    /// Nothing is ready, and nothing more is accepted.
    Closed,
}

/// A key for a worker.
pub(super) struct Handed<T> {
    pub(super) slot: usize,
    pub(super) key: T,
    pub(super) priority: i32,
}

/// A key and where it is; small, so that one is a cache line.
struct Slot<T> {
    key: T,
    hash: u64,
    /// Where it stands, or will stand, among those that are ready.
    rank: Rank,
    /// Has to be handed out (again).
    dirty: bool,
    /// Is with a worker.
    processing: bool,
    /// Waits for its time.
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

    /// How many keys a `take` would find.
    pub(super) fn ready(&self) -> usize {
        self.ready.len()
    }

    /// How many keys the queue says it has. The priority queue counts those that come again after their worker.
    pub(super) fn len(&self) -> usize {
        match self.discipline {
            Discipline::Fifo => self.ready.len(),
            Discipline::Priority => self.dirty,
        }
    }

    /// Whether every key has been handed out and is done.
    pub(super) fn is_drained(&self) -> bool {
        self.ready.len() == 0 && self.processing == 0
    }

    /// When the first delayed key is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.delayed.next_due()
    }

    /// Makes delayed keys dirty that are due, in the order of their times.
    pub(super) fn promote(&mut self) {
        if self.delayed.next_due().is_none() {
            return;
        }
        let now = Instant::now();
        while let Some((due, id)) = self.delayed.pop_due(now) {
            self.slots[id].delayed = false;
            // Of one priority, keys come in the order in which they became ready.
            self.slots[id].rank.1 = self.next_ticket();
            self.mark_dirty(id, || due);
        }
    }

    /// Takes a key from its worker. Returns it if it is not needed any more, to be dropped outside of the lock.
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

    /// Refuses keys from now on and forgets the delayed ones. Returns the keys that this frees.
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

    /// Gives a key that is dirty or delayed a higher priority, and sends it to the end of those who have it.
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
    /// Adds a key now or at `due`, unless the queue is shut down. Returns the key if it is there
    /// already or refused, to be dropped outside of the lock.
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

    /// Brings together what is known of a key in a queue with priorities, and what is said of it now.
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

    /// The slot of a key, and the key if it has one already.
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
    /// The slot of the key that comes next: the first one, or the oldest if it is its turn.
    fn next(&mut self) -> Option<usize> {
        let Some((every, handed)) = &mut self.oldest_every else {
            return self.ready.first();
        };
        *handed += 1;
        if *handed < *every {
            return self.ready.first();
        }
        *handed = 0;
        self.ready.oldest()
    }

    /// Hands out the next key that is ready.
    pub(super) fn take(&mut self) -> Taken<T> {
        let Some(id) = self.next() else {
            return if self.phase == Phase::Open {
                Taken::Empty
            } else {
                Taken::Closed
            };
        };
        // First of all, since a clone may panic.
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
