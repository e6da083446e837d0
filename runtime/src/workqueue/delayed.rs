//! Which keys wait for their time.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use tokio::time::Instant;

/// The slots that wait for their time.
#[derive(Default)]
pub(super) struct Delayed {
    /// By time, then by the order in which they came. A set and not a heap, since a key whose time is moved forward must
    /// not leave a stale entry behind.
    by_time: BTreeSet<(Instant, u64, usize)>,
    /// Where in `by_time` a slot is.
    of_slot: HashMap<usize, (Instant, u64)>,
    /// Numbers the entries.
    sequence: u64,
}

impl Delayed {
    /// When the first is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.by_time.first().map(|&(due, ..)| due)
    }

    /// Adds a slot, or moves it forward. Of two times, the earlier one counts.
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

    /// Takes the first slot, if its time has come.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<(Instant, usize)> {
        let &(due, _, slot) = self.by_time.first()?;
        if due > now {
            return None;
        }
        self.by_time.pop_first();
        self.of_slot.remove(&slot);
        Some((due, slot))
    }

    /// Takes every slot.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = usize> + use<> {
        self.of_slot.clear();
        let all = std::mem::take(&mut self.by_time);
        all.into_iter().map(|(.., slot)| slot)
    }
}
