//! Queue state and its transitions, without a lock and without waiting. [`Waiters`] are the workers
//! that wait for a key, and the choice of the next worker to wake.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::hash::Hash;
use std::task::Waker;
use std::{iter, mem};

use hashbrown::HashTable;
use slab::Slab;
use tokio::time::Instant;

use super::metrics::QueueMetrics;
use super::order::{Delayed, Discipline, Rank, Ready};

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
    pub(super) metrics: Option<QueueMetrics>,
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

/// Workers that wait in `get`.
#[derive(Default)]
pub(super) struct Waiters {
    waiting: Slab<Waiting>,
    /// Workers that have not been woken. The one that has waited longest is first.
    line: VecDeque<usize>,
    /// The worker that has the timer for the first delayed key, and the time of the timer.
    timer: Option<(usize, Instant)>,
    /// Wakers of callers that wait for a drain, not for a key.
    draining: Vec<Waker>,
}

struct Waiting {
    waker: Waker,
    woken: bool,
}

// === impl QueueState ===

impl<T> QueueState<T> {
    pub(super) fn new(
        discipline: Discipline,
        oldest_every: Option<u32>,
        metrics: Option<QueueMetrics>,
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
            metrics,
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
        if let Some(metrics) = &mut self.metrics {
            metrics.done(id);
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
        if let Some(metrics) = &mut self.metrics {
            metrics.added(id, slot.rank.0.0, at());
        }
    }

    /// Raises the priority of a dirty or delayed key. The key becomes the last one of `priority`.
    fn raise(&mut self, id: usize, priority: i32) {
        let new = (Reverse(priority), self.next_ticket());
        let slot = &mut self.slots[id];
        let old = mem::replace(&mut slot.rank, new);
        if slot.dirty {
            self.ready.change(old, new);
            if let Some(metrics) = &mut self.metrics {
                metrics.moved(old.0.0, priority);
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
        if let Some(metrics) = &mut self.metrics {
            metrics.taken(id, priority);
        }
        Taken::Item(Handed {
            slot: id,
            key,
            priority,
        })
    }
}

// === impl Waiters ===

impl Waiters {
    /// Registers a waiting worker. A worker that has already waited and was not woken keeps its
    /// place.
    pub(super) fn wait(&mut self, place: Option<usize>, waker: &Waker) -> usize {
        if let Some(place) = place
            && !self.waiting[place].woken
        {
            self.waiting[place].waker.clone_from(waker);
            return place;
        }
        if let Some(woken) = place {
            self.leave(woken);
        }
        let place = self.waiting.insert(Waiting {
            waker: waker.clone(),
            woken: false,
        });
        self.line.push_back(place);
        place
    }

    /// Removes a worker that got a key or was dropped.
    pub(super) fn leave(&mut self, place: usize) {
        let left = self.waiting.remove(place);
        if !left.woken {
            // Only a few workers wait, so a linear search suffices.
            self.line.retain(|&other| other != place);
        }
        self.timer.take_if(|(holder, _)| *holder == place);
    }

    /// Gives this worker the timer for the first delayed key, unless the timer of another worker
    /// fires early enough. Returns the time of this worker's timer, or `None` if it has none.
    pub(super) fn time(&mut self, place: usize, next_due: Option<Instant>) -> Option<Instant> {
        self.timer.take_if(|(holder, _)| *holder == place);
        if self.needs_timer(next_due) {
            self.timer = next_due.map(|due| (place, due));
        }
        self.timer
            .and_then(|(holder, due)| (holder == place).then_some(due))
    }

    /// Returns the waker of a worker that is needed for `ready` keys or to take over the timer.
    ///
    /// A wake for every added key would be expensive. So a worker that takes a key wakes the next
    /// worker if keys are left. But a woken worker may be slow to take a key. If keys accumulate,
    /// more workers are therefore woken at the same time: two for two keys, three for four, four
    /// for eight. Returns `None` if so many workers are woken already.
    pub(super) fn wake(&mut self, ready: usize, next_due: Option<Instant>) -> Option<Waker> {
        let woken = self.waiting.len() - self.line.len();
        let wanted = (ready.checked_ilog2().map_or(0, |log| log as usize + 1))
            .max(usize::from(self.needs_timer(next_due)));
        if woken >= wanted {
            return None;
        }
        self.wake_first()
    }

    /// Returns the waker of the worker that has waited longest and marks it as woken.
    fn wake_first(&mut self) -> Option<Waker> {
        let place = self.line.pop_front()?;
        let waiting = &mut self.waiting[place];
        waiting.woken = true;
        Some(waiting.waker.clone())
    }

    pub(super) fn wait_for_drain(&mut self, waker: &Waker) {
        if !self.draining.iter().any(|other| other.will_wake(waker)) {
            self.draining.push(waker.clone());
        }
    }

    /// Returns the wakers of all callers that wait for a drain.
    pub(super) fn wake_draining(&mut self) -> Vec<Waker> {
        mem::take(&mut self.draining)
    }

    pub(super) fn wake_all(&mut self) -> Vec<Waker> {
        let mut wakers = self.wake_draining();
        wakers.extend(iter::from_fn(|| self.wake_first()));
        wakers
    }

    /// Whether the first delayed key is due before the current timer fires.
    fn needs_timer(&self, next_due: Option<Instant>) -> bool {
        match (next_due, self.timer) {
            (Some(due), Some((_, timer))) => due < timer,
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}
