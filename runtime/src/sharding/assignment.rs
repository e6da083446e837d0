//! Assignment of hashes to members.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::key::ShardBy;
use super::ranges::HashRanges;
use super::status::ShardStatus;

/// Uid of a member's Lease. A member that has lost its Lease joins with another one, so what the
/// lost one held is not its own.
pub(super) type Uid = String;

/// Assignment of slots to members.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Assignment {
    /// Number of the write.
    pub(super) generation: u64,
    pub(super) shard_by: ShardBy,
    /// False while members may still work by an assignment that was deleted. Then no seat has a
    /// holder.
    pub(super) is_settled: bool,
    /// The seat of the leader.
    pub(super) leader: Seat,
    /// Adjacent slots that cover all hashes.
    pub(super) slots: Vec<HashSlot>,
}

/// A range of hashes that has one holder. It ends where the next slot begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct HashSlot {
    /// The first hash.
    pub(super) first: u64,
    /// Number of objects when the slot was last given away.
    pub(super) weight: u64,
    #[serde(flatten)]
    pub(super) seat: Seat,
}

/// A right that at most one member uses at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Seat {
    /// The member that uses the right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) holder: Option<Uid>,
    /// The member that gets the right when the holder has stopped. If there is one, the right is
    /// withdrawn from the holder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<Uid>,
    /// Generation that last withdrew the right.
    #[serde(default)]
    pub(super) withdrawn_at: u64,
}

impl Assignment {
    /// Returns the slots and their hashes.
    pub(super) fn slots(&self) -> impl Iterator<Item = (RangeInclusive<u64>, &HashSlot)> {
        let ends = self.slots.iter().skip(1).map(|next| next.first - 1);
        let slots = self.slots.iter().zip(ends.chain([u64::MAX]));
        slots.map(|(slot, last)| (slot.first..=last, slot))
    }

    pub(super) fn seats(&self) -> impl Iterator<Item = &Seat> {
        let slots = self.slots.iter().map(|slot| &slot.seat);
        slots.chain([&self.leader])
    }

    pub(super) fn seats_mut(&mut self) -> impl Iterator<Item = &mut Seat> {
        let slots = self.slots.iter_mut().map(|slot| &mut slot.seat);
        slots.chain([&mut self.leader])
    }

    pub(super) fn holders(&self) -> BTreeSet<Uid> {
        self.seats()
            .filter_map(|seat| seat.holder.clone())
            .collect()
    }

    /// Returns the hashes that `member` may work on.
    pub(super) fn given_to(&self, member: &Uid) -> HashRanges {
        let given = self
            .slots()
            .filter(|(_, slot)| slot.seat.is_given_to(member));
        given.map(|(range, _)| range).collect()
    }

    /// Adds the numbers of slots and objects to a status. `active` are this replica's hashes, and
    /// its caches hold the objects of `usable`.
    pub(super) fn describe(
        &self,
        active: &HashRanges,
        usable: &HashRanges,
        status: &mut ShardStatus,
    ) {
        status.slots = self.slots.len();
        for slot in &self.slots {
            status.objects = status.objects.saturating_add(slot.weight);
            if active.contains(&slot.first) {
                status.held_slots += 1;
                status.unread_slots += usize::from(!usable.contains(&slot.first));
                status.held_objects = status.held_objects.saturating_add(slot.weight);
            } else if slot.seat.holder.is_none() || slot.seat.next.is_some() {
                status.unheld_slots += 1;
            }
        }
    }

    /// Whether `other` differs in nothing but the weights of slots and the generation.
    pub(super) fn has_same_seats(&self, other: &Self) -> bool {
        let seats = |it: &Self| -> Vec<_> {
            let slots = it.slots.iter();
            slots.map(|slot| (slot.first, slot.seat.clone())).collect()
        };
        self.is_settled == other.is_settled
            && self.shard_by == other.shard_by
            && self.leader == other.leader
            && seats(self) == seats(other)
    }
}

impl Seat {
    /// Whether `member` may use the right.
    pub(super) fn is_given_to(&self, member: &Uid) -> bool {
        self.holder.as_ref() == Some(member) && self.next.is_none()
    }

    /// Gives the right to `member`. If it has another holder, withdraws it first.
    pub(super) fn give_to(&mut self, member: &Uid, generation: u64) {
        match &self.holder {
            None => {
                self.holder = Some(member.clone());
                self.next = None;
            }
            Some(holder) if holder == member => self.next = None,
            Some(_) => {
                if self.next.is_none() {
                    self.withdrawn_at = generation;
                }
                self.next = Some(member.clone());
            }
        }
    }
}
