use proptest::prelude::*;

use crate::sharding::balance::{Load, balance};

proptest! {
    /// Slots of equal weight.
    #[test]
    fn as_few_slots_as_possible_move(
        owners in prop::collection::vec(0..8usize, 1..64),
        members in 1..7usize,
    ) {
        // Slots of members that have left have no member.
        let member = |owner: &usize| Some(*owner).filter(|owner| *owner < members);
        let slots: Vec<_> = owners
            .iter()
            .map(|owner| Load { weight: 1, member: member(owner) })
            .collect();
        let mut had = vec![0_usize; members];
        let mut unassigned = 0;
        for slot in &slots {
            match slot.member {
                Some(member) => had[member] += 1,
                None => unassigned += 1,
            }
        }
        let result = balance(&slots, members);

        let mut loads = vec![0; members];
        result.iter().for_each(|member| loads[*member] += 1);
        let (highest, lowest) = (loads.iter().max().unwrap(), loads.iter().min().unwrap());
        let is_unchanged = unassigned == 0 && had.iter().all(|had| *had > 0);
        let tolerance = if is_unchanged { slots.len() / members / 5 } else { 0 };
        prop_assert!(highest - lowest <= 1 + tolerance, "{loads:?}");

        let moved = slots.iter().zip(&result).filter(|(slot, new)| slot.member != Some(**new));
        let (share, rest) = (slots.len() / members, slots.len() % members);
        had.sort_unstable_by_key(|had| std::cmp::Reverse(*had));
        let shares = (0..members).map(|index| share + usize::from(index < rest));
        let surplus: usize = had.iter().zip(shares).map(|(had, share)| had.saturating_sub(share)).sum();
        prop_assert!(moved.count() <= unassigned + surplus, "{had:?} {loads:?}");
    }
}

/// One slot has half of all objects.
#[test]
fn a_heavy_slot_has_a_member_for_itself() {
    let slots: Vec<_> = [100]
        .into_iter()
        .chain([1; 99])
        .map(|weight| Load {
            weight,
            member: Some(0),
        })
        .collect();
    let members = balance(&slots, 4);
    let mut loads = [0; 4];
    members
        .iter()
        .zip(&slots)
        .for_each(|(member, slot)| loads[*member] += slot.weight);
    assert_eq!(loads, [100, 33, 33, 33]);
}
