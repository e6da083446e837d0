use std::collections::BTreeMap;

use genclient_apimachinery::sharding::hash;

use crate::sharding::assignment::{Assignment, HashSlot, Seat};
use crate::sharding::balance::{Load, balance};
use crate::sharding::key::ShardBy;
use crate::sharding::weights::Weights;

/// Cuts slots for objects, and returns the loads of members.
fn loads(objects: &BTreeMap<u64, u64>, members: usize) -> Vec<u64> {
    let weights = Weights::summarize(objects, [0], 1024);
    let mut assignment = Assignment {
        generation: 1,
        shard_by: ShardBy::Namespace,
        is_settled: true,
        leader: Seat::default(),
        slots: vec![HashSlot::default()],
    };
    assignment.weigh(|_| Some(&weights));
    assignment.join_slots();
    assert!(assignment.slots.len() <= 256, "{}", assignment.slots.len());
    let slots: Vec<_> = assignment
        .slots
        .iter()
        .map(|slot| Load {
            weight: slot.weight,
            member: None,
        })
        .collect();
    let distribution = balance(&slots, members);
    let mut loads = vec![0; members];
    for (hash, count) in objects {
        let index = assignment.slots.partition_point(|slot| slot.first <= *hash) - 1;
        loads[distribution[index]] += count;
    }
    loads
}

fn tenants(number: u64, count: impl Fn(u64) -> u64) -> BTreeMap<u64, u64> {
    (1..=number)
        .map(|tenant| (hash(&format!("tenant-{tenant:03}")), count(tenant)))
        .collect()
}

#[test]
fn similar_namespaces_are_spread() {
    for count in [|_| 40, |tenant| tenant] as [fn(u64) -> u64; 2] {
        let objects = tenants(500, count);
        let quarter = objects.values().sum::<u64>() / 4;
        let loads = loads(&objects, 4);
        let is_fair = |load: &u64| (quarter * 8 / 10..=quarter * 12 / 10).contains(load);
        assert!(loads.iter().all(is_fair), "{loads:?} of {quarter}");
    }
}

#[test]
fn the_rest_of_a_giant_namespace_is_spread() {
    let objects = tenants(500, |tenant| if tenant == 7 { 20_000 } else { 40 });
    let mut loads = loads(&objects, 4);
    loads.sort_unstable();
    assert_eq!(loads[3], 20_000);
    assert!(
        loads[..3].iter().all(|load| (6_000..7_300).contains(load)),
        "{loads:?}"
    );
}

#[test]
fn entries_have_equal_numbers_of_objects() {
    let counts = BTreeMap::from([(10, 1), (20, 1), (30, 5), (40, 1), (50, 1)]);
    for (firsts, entries, expected) in [
        (vec![0], 1, vec![(0, 9)]),
        (vec![0], 4, vec![(0, 2), (30, 5), (40, 2)]),
        (
            vec![0],
            100,
            vec![(0, 1), (20, 1), (30, 5), (40, 1), (50, 1)],
        ),
        // Slots without objects count as well.
        (vec![0, 35, 60], 1, vec![(0, 7), (35, 2), (60, 0)]),
    ] {
        let weights = Weights::summarize(&counts, firsts, entries);
        assert_eq!(weights.0.into_iter().collect::<Vec<_>>(), expected);
    }
}
