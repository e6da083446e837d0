//! Order of the keys that are ready.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::iter;
use std::ops::Bound::{Excluded, Unbounded};

/// Order of the keys, and the meaning of adding one again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Discipline {
    /// client-go's queue: first in, first out. A key that is both ready and delayed comes twice.
    Fifo,
    /// controller-runtime's priority queue: a key comes once, with its highest priority and at its
    /// earliest time.
    Priority,
}

/// The slots that are ready for a worker.
pub(super) enum Ready {
    /// In the order in which they got here.
    Fifo(VecDeque<usize>),
    /// By rank.
    Ranked(BTreeMap<Rank, usize>),
}

/// The highest priority first; of one priority, whoever drew the lowest ticket.
pub(super) type Rank = (Reverse<i32>, u64);

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

    /// The slot that got here first, whatever its priority.
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

    /// Takes out a slot, which has to be the first one where there are no ranks.
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

    /// Puts a slot elsewhere, which has no meaning in a queue without ranks.
    pub(super) fn change(&mut self, old: Rank, new: Rank) {
        if let Self::Ranked(slots) = self
            && let Some(slot) = slots.remove(&old)
        {
            slots.insert(new, slot);
        }
    }
}
