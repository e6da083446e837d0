//! What a queue holds and every change to it: plain data without locks, clocks or waiting.

use std::collections::{BTreeSet, VecDeque};
use std::hash::Hash;

use hashbrown::{HashMap, HashTable};
use slab::Slab;
use tokio::time::Instant;

use super::metrics::Meter;

/// The keys of a queue, each in one slot for as long as it is dirty, processed or delayed.
///
/// client-go holds a key in up to four maps. One slot with a cached hash needs one hash of the key for `add` and none for
/// `take` and `done`.
pub(super) struct State<T> {
    slots: Slab<Slot<T>>,
    /// Finds the slot of a key.
    index: HashTable<usize>,
    /// The slots that are dirty and not processed, oldest first.
    ready: VecDeque<usize>,
    /// The delayed slots by time, then by the order in which they came. A set and not a heap, since a key whose time is
    /// moved forward must not leave a stale entry behind.
    delayed: BTreeSet<(Instant, u64, usize)>,
    /// Where in `delayed` a slot is.
    due: HashMap<usize, (Instant, u64)>,
    /// Numbers the entries of `delayed`.
    sequence: u64,
    /// How many slots are with a worker.
    processing: usize,
    pub(super) phase: Phase,
    /// How often the queue was closed for good.
    pub(super) shut_downs: usize,
    pub(super) waiters: Waiters,
    meter: Option<Meter>,
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

/// The workers that wait in `get`.
#[derive(Default)]
pub(super) struct Waiters {
    /// How many there are.
    pub(super) idle: usize,
    /// How many have to be woken after this operation, one for each key that it made ready.
    pub(super) wanted: usize,
    /// When the earliest of their timers fires; if there are idle workers and delayed keys, one of them has a timer for the
    /// first key or is about to be woken.
    pub(super) timer: Option<Instant>,
}

/// What `take` found.
pub(super) enum Taken<T> {
    Item {
        slot: usize,
        key: T,
    },
    /// Nothing is ready, but something may come.
    Empty,
    /// Nothing is ready, and nothing more is accepted.
    Closed,
}

/// A key and where it is; small, so that one is a cache line.
struct Slot<T> {
    key: T,
    hash: u64,
    /// Has to be handed out (again).
    dirty: bool,
    /// Is with a worker.
    processing: bool,
    /// Waits for its time.
    delayed: bool,
}

impl<T> State<T> {
    pub(super) fn new(meter: Option<Meter>) -> Self {
        Self {
            slots: Slab::new(),
            index: HashTable::new(),
            ready: VecDeque::new(),
            delayed: BTreeSet::new(),
            due: HashMap::new(),
            sequence: 0,
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

    /// Whether every key has been handed out and is done.
    pub(super) fn is_drained(&self) -> bool {
        self.ready.is_empty() && self.processing == 0
    }

    /// When the first delayed key is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.delayed.first().map(|&(due, ..)| due)
    }

    /// Makes the delayed keys dirty whose time has come.
    pub(super) fn promote(&mut self) {
        if self.delayed.is_empty() {
            return;
        }
        let now = Instant::now();
        while let Some(&(due, _, id)) = self.delayed.first()
            && due <= now
        {
            self.delayed.pop_first();
            self.due.remove(&id);
            self.slots[id].delayed = false;
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
            self.push(id);
            return None;
        }
        self.release(id)
    }

    /// Refuses keys from now on and forgets the delayed ones. Returns the keys that this frees.
    pub(super) fn close(&mut self, phase: Phase) -> Vec<T> {
        self.phase = phase;
        self.shut_downs += usize::from(phase == Phase::Closed);
        self.due.clear();
        let delayed = std::mem::take(&mut self.delayed);
        let freed = delayed.into_iter().filter_map(|(_, _, id)| {
            self.slots[id].delayed = false;
            self.release(id)
        });
        freed.collect()
    }

    pub(super) fn meter(&self) -> Option<&Meter> {
        self.meter.as_ref()
    }

    fn mark_dirty(&mut self, id: usize, at: impl FnOnce() -> Instant) {
        let slot = &mut self.slots[id];
        if slot.dirty {
            return;
        }
        slot.dirty = true;
        if !slot.processing {
            self.push(id);
        }
        if let Some(meter) = &mut self.meter {
            meter.added(id, at());
        }
    }

    fn push(&mut self, id: usize) {
        self.ready.push_back(id);
        self.waiters.wanted += 1;
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

impl<T: Eq + Hash> State<T> {
    /// Marks a key as in need of a worker.
    pub(super) fn add(&mut self, hash: u64, key: T) {
        let id = self.slot(hash, key);
        self.mark_dirty(id, Instant::now);
    }

    /// Does so at `due`, unless that is going to happen earlier already.
    pub(super) fn add_at(&mut self, hash: u64, key: T, due: Instant) {
        let id = self.slot(hash, key);
        if let Some(&(known, sequence)) = self.due.get(&id) {
            if known <= due {
                return;
            }
            self.delayed.remove(&(known, sequence, id));
        }
        self.slots[id].delayed = true;
        self.due.insert(id, (due, self.sequence));
        self.delayed.insert((due, self.sequence, id));
        self.sequence += 1;
    }

    fn slot(&mut self, hash: u64, key: T) -> usize {
        let Self { slots, index, .. } = self;
        if let Some(&id) = index.find(hash, |&id| slots[id].key == key) {
            return id;
        }
        let id = slots.insert(Slot {
            key,
            hash,
            dirty: false,
            processing: false,
            delayed: false,
        });
        index.insert_unique(hash, id, |&id| slots[id].hash);
        id
    }
}

impl<T: Clone> State<T> {
    /// Hands out the key that has been ready for longest.
    pub(super) fn take(&mut self) -> Taken<T> {
        self.promote();
        let Some(&id) = self.ready.front() else {
            return if self.phase == Phase::Open {
                Taken::Empty
            } else {
                Taken::Closed
            };
        };
        // First of all, since a clone may panic.
        let key = self.slots[id].key.clone();
        self.ready.pop_front();
        let slot = &mut self.slots[id];
        slot.dirty = false;
        slot.processing = true;
        self.processing += 1;
        if let Some(meter) = &mut self.meter {
            meter.taken(id);
        }
        Taken::Item { slot: id, key }
    }
}
