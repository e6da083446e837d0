//! Delayed keys, ordered by the time when they are due.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use tokio::time::Instant;

/// The slots of delayed keys.
#[derive(Default)]
pub(super) struct Delayed {
    /// By due time, then in the order of insertion. A set rather than a heap: rescheduling a key
    /// must not leave a stale entry behind.
    by_time: BTreeSet<(Instant, u64, usize)>,
    /// The entry of a slot in `by_time`.
    of_slot: HashMap<usize, (Instant, u64)>,
    /// Numbers the entries.
    sequence: u64,
}

impl Delayed {
    /// Returns when the first slot is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.by_time.first().map(|&(due, ..)| due)
    }

    /// Inserts a slot, or moves it to an earlier time. If the slot is present, the earlier time
    /// wins.
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

    /// Removes and returns every slot.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = usize> + use<> {
        self.of_slot.clear();
        let all = std::mem::take(&mut self.by_time);
        all.into_iter().map(|(.., slot)| slot)
    }
}
