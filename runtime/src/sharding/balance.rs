//! Balance: distribution of slots over members by weight, with as few moves as possible.

use std::cmp::Reverse;

/// A slot to distribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Load {
    /// Number of objects. Slots without objects move only if they have no member.
    pub(super) weight: u64,
    /// Index of the member that has the slot.
    pub(super) member: Option<usize>,
}

/// Returns the index of the member that gets each slot. There are `members` members, at least one.
///
/// Slots without a member go to the members with the lowest loads. Then slots move to the member
/// with the lowest load, while this lowers the higher load of the two. With slots of equal weight,
/// as few as possible move. While no member has joined or left, nothing moves unless this lowers
/// the difference of the highest and the lowest load by a fifth of the mean.
pub(super) fn balance(slots: &[Load], members: usize) -> Vec<usize> {
    let mut balance = Balance {
        slots,
        members: slots.iter().map(|slot| slot.member).collect(),
        loads: vec![0; members],
    };
    for slot in slots {
        if let Some(member) = slot.member {
            balance.loads[member] = balance.loads[member].saturating_add(slot.weight);
        }
    }
    let is_unchanged = slots.iter().all(|slot| slot.member.is_some())
        && balance.loads.iter().all(|load| *load > 0);
    let weights = slots.iter().map(|slot| slot.weight);
    let total = weights.fold(0, u64::saturating_add);
    let mean = total.checked_div(members as u64).unwrap_or_default();
    balance.give_unassigned(mean);
    let (members, spread) = (balance.members.clone(), balance.spread());
    balance.level();
    if is_unchanged && spread - balance.spread() <= mean / 5 {
        balance.members = members;
    }
    balance
        .members
        .into_iter()
        .map(Option::unwrap_or_default)
        .collect()
}

struct Balance<'a> {
    slots: &'a [Load],
    /// The member of each slot.
    members: Vec<Option<usize>>,
    /// The load of each member.
    loads: Vec<u64>,
}

impl Balance<'_> {
    /// Gives slots without a member away. Adjacent ones go to one member until it has `mean`
    /// objects, so that members have few ranges.
    fn give_unassigned(&mut self, mean: u64) {
        let mut member = self.least_loaded();
        for (slot, load) in self.slots.iter().enumerate() {
            if self.members[slot].is_some() {
                continue;
            }
            if self.loads[member].saturating_add(load.weight / 2) >= mean {
                member = self.least_loaded();
            }
            self.members[slot] = Some(member);
            self.loads[member] = self.loads[member].saturating_add(load.weight);
        }
    }

    /// Moves slots to the member with the lowest load, from the one with the highest that has a
    /// slot to move, until no move lowers the higher load of the two.
    fn level(&mut self) {
        loop {
            let to = self.least_loaded();
            let mut donors: Vec<_> = (0..self.loads.len()).collect();
            donors.retain(|from| *from != to);
            donors.sort_by_key(|from| Reverse(self.loads[*from]));
            let best = |from: usize| Some((from, self.best_move(from, to)?));
            let Some((from, slot)) = donors.into_iter().find_map(best) else {
                return;
            };
            self.members[slot] = Some(to);
            self.loads[from] = self.loads[from].saturating_sub(self.slots[slot].weight);
            self.loads[to] = self.loads[to].saturating_add(self.slots[slot].weight);
        }
    }

    /// Returns the slot to move. A slot that fits into half of the gap comes before one that does
    /// not. Then come slots at the end of a run, so that members have few ranges.
    fn best_move(&self, from: usize, to: usize) -> Option<usize> {
        let gap = self.loads[from] - self.loads[to];
        let movable = (0..self.slots.len()).filter(|slot| {
            self.members[*slot] == Some(from) && (1..gap).contains(&self.slots[*slot].weight)
        });
        movable.min_by_key(|slot| {
            let excess = self.slots[*slot].weight.saturating_sub(gap / 2);
            let before = slot.checked_sub(1).and_then(|it| self.members[it]);
            let after = self.members.get(slot + 1).copied().flatten();
            let is_joined = before == Some(to) || after == Some(to);
            let is_at_end = before != Some(from) || after != Some(from);
            (excess, !is_joined, !is_at_end)
        })
    }

    /// Returns the difference of the highest and the lowest load.
    fn spread(&self) -> u64 {
        let loads = || self.loads.iter().copied();
        loads().max().unwrap_or_default() - loads().min().unwrap_or_default()
    }

    fn least_loaded(&self) -> usize {
        let members = 0..self.loads.len();
        members
            .min_by_key(|member| self.loads[*member])
            .unwrap_or_default()
    }
}
