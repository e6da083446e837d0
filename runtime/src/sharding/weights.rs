//! Weights: numbers of objects by hash, and the cuts between slots that follow from them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::assignment::{Assignment, HashSlot};
use super::ranges::HashRanges;

/// The usual slot has one object in this many. The first assignment has at most twice as many
/// slots.
const SHARES: u64 = 128;
/// Number of entries in the weights that a member reports.
const REPORTED_ENTRIES: u64 = 64;
/// Number of entries in the weights for the first assignment.
const FIRST_ENTRIES: u64 = 1024;

/// Numbers of objects by hash, as a member reports them. Each entry counts the objects from its
/// hash up to the next entry. A slot that was counted has an entry at its first hash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Weights(pub(super) BTreeMap<u64, u64>);

impl Weights {
    /// Returns what a member reports that holds `active`: the numbers of these objects, or of all
    /// objects if there is no assignment yet.
    pub(super) fn report(
        counts: &BTreeMap<u64, u64>,
        assignment: Option<&Assignment>,
        active: &HashRanges,
    ) -> Self {
        let Some(assignment) = assignment else {
            return Self::summarize(counts, [0], FIRST_ENTRIES);
        };
        let held = counts
            .iter()
            .filter(|(hash, _)| active.contains(hash))
            .map(|(hash, count)| (*hash, *count))
            .collect();
        let firsts = assignment
            .slots
            .iter()
            .map(|slot| slot.first)
            .filter(|first| active.contains(first));
        Self::summarize(&held, firsts, REPORTED_ENTRIES)
    }

    /// Summarizes the numbers of objects by hash. The slots that begin at `firsts` were counted.
    /// Besides their entries, there are about `entries` ones with equal numbers of objects.
    pub(super) fn summarize(
        counts: &BTreeMap<u64, u64>,
        firsts: impl IntoIterator<Item = u64>,
        entries: u64,
    ) -> Self {
        let mut weights: BTreeMap<u64, u64> = firsts.into_iter().map(|first| (first, 0)).collect();
        let total: u64 = counts.values().sum();
        let step = (total / entries.max(1)).max(1);
        for (hash, count) in counts {
            match weights.range_mut(..=*hash).next_back() {
                Some((_, sum)) if *sum == 0 || *sum + count <= step => *sum += count,
                _ => {
                    weights.insert(*hash, *count);
                }
            }
        }
        Self(weights)
    }

    /// Returns the number of objects from `first` to `last`, or `None` if no slot that begins at
    /// `first` was counted.
    fn between(&self, first: u64, last: u64) -> Option<u64> {
        let is_counted = self.0.contains_key(&first);
        is_counted.then(|| {
            self.0
                .range(first..=last)
                .fold(0, |sum: u64, (_, count)| sum.saturating_add(*count))
        })
    }
}

impl Assignment {
    /// Updates the weights of slots from the reports of their holders.
    pub(super) fn count<'a>(&mut self, report_of: impl Fn(&HashSlot) -> Option<&'a Weights>) {
        let ends: Vec<_> = self.slots().map(|(range, _)| *range.end()).collect();
        for (slot, last) in self.slots.iter_mut().zip(ends) {
            let weight = report_of(slot).and_then(|report| report.between(slot.first, last));
            slot.weight = weight.unwrap_or(slot.weight);
        }
    }

    /// Updates the weights of slots, and splits those of more than twice the usual weight.
    pub(super) fn weigh<'a>(&mut self, report_of: impl Fn(&HashSlot) -> Option<&'a Weights>) {
        self.count(&report_of);
        let reports: Vec<_> = self.slots.iter().map(report_of).collect();
        let ends: Vec<_> = self.slots().map(|(range, _)| *range.end()).collect();
        let usual = self.usual_weight();
        let mut slots = Vec::new();
        for ((slot, report), last) in self.slots.iter().zip(reports).zip(ends) {
            match report.filter(|report| report.0.contains_key(&slot.first)) {
                Some(report) if slot.weight / 2 > usual => {
                    slots.extend(split_slot(slot, report.0.range(slot.first..=last), usual));
                }
                _ => slots.push(slot.clone()),
            }
        }
        self.slots = slots;
    }

    /// Joins adjacent slots of one holder that have at most the usual weight together.
    pub(super) fn join_slots(&mut self) {
        let usual = self.usual_weight();
        self.slots.dedup_by(|slot, before| {
            let is_joined = slot.seat.holder == before.seat.holder
                && slot.seat.next.is_none()
                && before.seat.next.is_none()
                && slot.weight.saturating_add(before.weight) <= usual;
            if is_joined {
                before.weight += slot.weight;
            }
            is_joined
        });
    }

    fn usual_weight(&self) -> u64 {
        let weights = self.slots.iter().map(|slot| slot.weight);
        let total = weights.fold(0, u64::saturating_add);
        (total / SHARES).max(1)
    }
}

/// Cuts a slot at the entries of a report into slots of the usual weight, or of one entry if that
/// is heavier.
fn split_slot<'a>(
    slot: &HashSlot,
    entries: impl Iterator<Item = (&'a u64, &'a u64)>,
    usual: u64,
) -> Vec<HashSlot> {
    let mut slots: Vec<HashSlot> = Vec::new();
    for (first, weight) in entries {
        match slots.last_mut() {
            Some(last) if last.weight == 0 || last.weight.saturating_add(*weight) <= usual => {
                last.weight = last.weight.saturating_add(*weight);
            }
            _ => slots.push(HashSlot {
                first: *first,
                weight: *weight,
                seat: slot.seat.clone(),
            }),
        }
    }
    slots
}
