//! In which order keys come out.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

/// The slots that wait for a worker.
pub(super) enum Ready {
    /// In the order in which they got here.
    Fifo(VecDeque<usize>),
    /// By rank.
    Ranked(BTreeMap<Rank, usize>),
}

/// The highest priority first; of one priority, whoever drew the lowest ticket.
pub(super) type Rank = (Reverse<i32>, u64);

impl Ready {
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

    pub(super) fn pop(&mut self) {
        match self {
            Self::Fifo(slots) => drop(slots.pop_front()),
            Self::Ranked(slots) => drop(slots.pop_first()),
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
