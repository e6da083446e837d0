//! Order of keys: [`Ready`] keys in the order in which they are handed out, [`Delayed`] keys by due
//! time. Both hold slots, which are indexes of keys in [`QueueState`](super::state::QueueState).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::iter;
use std::ops::Bound::{Excluded, Unbounded};

use hashbrown::HashMap;
use tokio::time::Instant;

/// Order in which keys are handed out, and the effect of adding a key again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Discipline {
    /// As client-go's queue: first in, first out. A key that is both ready and delayed is handed
    /// out twice.
    Fifo,
    /// As controller-runtime's priority queue: a key is handed out once, with its highest priority
    /// and at its earliest time.
    Priority,
}

/// Slots of the keys that are ready to be handed out.
pub(super) enum Ready {
    /// In the order in which they became ready.
    Fifo(VecDeque<usize>),
    /// By rank.
    Ranked(BTreeMap<Rank, usize>),
}

/// Priority and ticket. Tickets are consecutive numbers. The key with the highest priority is
/// first, and within a priority the key with the lowest ticket.
pub(super) type Rank = (Reverse<i32>, u64);

/// Slots of the keys that are not due yet.
#[derive(Default)]
pub(super) struct Delayed {
    /// Due time, sequence number and slot of each delayed key, sorted by due time and then by
    /// insertion. This is a set, not a heap, so that the old entry can be removed when a key is
    /// rescheduled.
    by_time: BTreeSet<(Instant, u64, usize)>,
    /// Due time and sequence number of each slot in `by_time`.
    of_slot: HashMap<usize, (Instant, u64)>,
    /// Sequence number of the next entry.
    sequence: u64,
}

impl Ready {
    pub(super) fn new(discipline: Discipline) -> Self {
        match discipline {
            Discipline::Fifo => Self::Fifo(VecDeque::new()),
            Discipline::Priority => Self::Ranked(BTreeMap::new()),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Fifo(slots) => slots.len(),
            Self::Ranked(slots) => slots.len(),
        }
    }

    pub(super) fn first(&self) -> Option<usize> {
        match self {
            Self::Fifo(slots) => slots.front().copied(),
            Self::Ranked(slots) => slots.first_key_value().map(|(_, &slot)| slot),
        }
    }

    /// Returns the slot with the lowest ticket, regardless of priority.
    pub(super) fn oldest(&self) -> Option<usize> {
        let Self::Ranked(slots) = self else {
            return self.first();
        };
        let first_of_each = iter::successors(slots.first_key_value(), |(rank, _)| {
            let last_of_that = (rank.0, u64::MAX);
            slots.range((Excluded(last_of_that), Unbounded)).next()
        });
        let oldest = first_of_each.min_by_key(|((_, ticket), _)| ticket);
        oldest.map(|(_, &slot)| slot)
    }

    /// Removes the slot of this rank. A `Fifo` has no ranks: it removes the first slot.
    pub(super) fn remove(&mut self, rank: Rank) {
        match self {
            Self::Fifo(slots) => drop(slots.pop_front()),
            Self::Ranked(slots) => drop(slots.remove(&rank)),
        }
    }

    pub(super) fn push(&mut self, slot: usize, rank: Rank) {
        match self {
            Self::Fifo(slots) => slots.push_back(slot),
            Self::Ranked(slots) => drop(slots.insert(rank, slot)),
        }
    }

    /// Changes the rank of a slot. Has no effect in a `Fifo`, or if no slot has the rank `old`.
    pub(super) fn change(&mut self, old: Rank, new: Rank) {
        if let Self::Ranked(slots) = self
            && let Some(slot) = slots.remove(&old)
        {
            slots.insert(new, slot);
        }
    }
}

impl Delayed {
    /// Returns the time at which the first slot is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.by_time.first().map(|&(due, ..)| due)
    }

    /// Inserts a slot. If it is already present, keeps the earlier of both times.
    pub(super) fn insert(&mut self, slot: usize, due: Instant) {
        if let Some(&(known, sequence)) = self.of_slot.get(&slot) {
            if known <= due {
                return;
            }
            self.by_time.remove(&(known, sequence, slot));
        }
        self.of_slot.insert(slot, (due, self.sequence));
        self.by_time.insert((due, self.sequence, slot));
        self.sequence += 1;
    }

    pub(super) fn remove(&mut self, slot: usize) {
        if let Some((due, sequence)) = self.of_slot.remove(&slot) {
            self.by_time.remove(&(due, sequence, slot));
        }
    }

    /// Removes and returns the first slot, if it is due.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<(Instant, usize)> {
        let &(due, _, slot) = self.by_time.first()?;
        if due > now {
            return None;
        }
        self.by_time.pop_first();
        self.of_slot.remove(&slot);
        Some((due, slot))
    }

    pub(super) fn drain(&mut self) -> impl Iterator<Item = usize> + use<> {
        self.of_slot.clear();
        let all = std::mem::take(&mut self.by_time);
        all.into_iter().map(|(.., slot)| slot)
    }
}
