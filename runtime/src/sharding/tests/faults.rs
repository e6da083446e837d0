//! Faults at random times: nobody works on what another one works on, and after the last fault,
//! everything is worked on.

use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::cluster::{Cluster, Fault, TIMING};
use crate::sharding::key::ShardBy;

/// When the last fault begins.
const LAST_FAULT: Duration = Duration::from_secs(80);
/// How long a fault lasts at most.
const LONGEST_FAULT: Duration = Duration::from_secs(40);
/// How long it takes until everything is worked on, after several faults at a time.
const RECOVERY: Duration = Duration::from_secs(60);

#[derive(Clone, Debug)]
struct Scenario {
    seed: u64,
    replicas: Vec<(u32, ShardBy)>,
    /// Faults, and when they begin, in milliseconds.
    faults: Vec<(u64, Fault)>,
}

fn fault(replicas: usize) -> impl Strategy<Value = Fault> {
    let replica = || 0..replicas;
    let millis = || prop_oneof![0..3_000u64, 0..LONGEST_FAULT.as_millis() as u64];
    let lasting = || (replica(), millis());
    prop_oneof![
        3 => replica().prop_map(Fault::Kill),
        3 => replica().prop_map(Fault::Start),
        3 => replica().prop_map(Fault::ShutDown),
        3 => lasting().prop_map(|(replica, millis)| Fault::Suspend(replica, millis)),
        3 => lasting().prop_map(|(replica, millis)| Fault::Partition(replica, millis)),
        2 => lasting().prop_map(|(replica, millis)| Fault::Stall(replica, millis)),
        2 => lasting().prop_map(|(replica, millis)| Fault::LoseResponses(replica, millis)),
        2 => replica().prop_map(Fault::Relist),
        1 => millis().prop_map(Fault::Outage),
        1 => replica().prop_map(Fault::DeleteMember),
        1 => Just(Fault::DeleteLock),
        1 => Just(Fault::DeleteAssignment),
        1 => any::<bool>().prop_map(Fault::Unsharded),
    ]
}

fn scenario() -> impl Strategy<Value = Scenario> {
    let shard_by = prop_oneof![9 => Just(ShardBy::Namespace), 1 => Just(ShardBy::Name)];
    // The rates differ by up to 10 %.
    let replicas = prop::collection::vec((954..1049u32, shard_by), 1..5);
    (any::<u64>(), replicas).prop_flat_map(|(seed, replicas)| {
        let begin = 0..LAST_FAULT.as_millis() as u64;
        let faults = prop::collection::vec((begin, fault(replicas.len())), 0..12);
        faults.prop_map(move |faults| Scenario {
            seed,
            replicas: replicas.clone(),
            faults,
        })
    })
}

fn check(scenario: &Scenario) -> Result<(), String> {
    let mut cluster = Cluster::new(scenario.seed, &scenario.replicas);
    for (at, fault) in &scenario.faults {
        cluster.plan(Duration::from_millis(*at), fault.clone());
    }
    let end = LAST_FAULT + LONGEST_FAULT;
    cluster.run(end, Cluster::check_exclusion)?;
    cluster.calm_down();
    cluster.run(end + RECOVERY, Cluster::check_exclusion)?;
    if cluster.replicas.iter().all(|it| it.protocol.is_none()) {
        return Ok(());
    }
    cluster.check_completeness()?;
    cluster.check_balance()
}

/// `cargo xtask stress sharding` sets the number of scenarios, which are others each time.
fn config() -> ProptestConfig {
    let cases = std::env::var("SHARDING_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    ProptestConfig {
        cases: cases.unwrap_or(64),
        rng_seed: cases.map_or(RngSeed::Fixed(7), |_| RngSeed::Random),
        max_shrink_iters: 20_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn each_hash_has_one_replica(scenario in scenario()) {
        check(&scenario).map_err(TestCaseError::fail)?;
    }
}

/// After one fault of a cluster without delays, everything is worked on within the time that the
/// fault needs. Only what the replica held or gets moves.
#[test]
fn a_single_fault_is_survived() {
    let second = Duration::from_secs(1);
    // The coordinator judges at its next renewal. A clock may be slow by 5 %.
    let expiry = TIMING.lease_duration * 21 / 20 + TIMING.retry_period + second;
    // The last column is the share of the objects that move, in percent.
    for (fault, within, share) in [
        (Fault::Kill(0), expiry, 25),
        (Fault::Kill(3), expiry, 25),
        (Fault::ShutDown(0), second, 25),
        (Fault::ShutDown(3), second, 25),
        (Fault::Partition(1, 40_000), expiry, 25),
        (Fault::Suspend(1, 40_000), expiry, 25),
        // One member leaves, and another one joins.
        (Fault::DeleteMember(1), expiry, 50),
        (Fault::DeleteLock, second, 0),
        (Fault::DeleteAssignment, expiry, 100),
        (Fault::Relist(1), Duration::ZERO, 0),
        (Fault::Suspend(1, 5_000), 5 * second, 0),
        (Fault::Outage(5_000), Duration::ZERO, 0),
    ] {
        let rates = [1000, 960, 1040, 1000].map(|rate| (rate, ShardBy::Namespace));
        let mut cluster = Cluster::new(7, &rates);
        cluster.calm_down();
        let start = Duration::from_secs(60);
        cluster.run(start, Cluster::check_exclusion).unwrap();
        cluster.check_balance().unwrap();
        let before = holders(&cluster);
        cluster.plan(start, fault.clone());
        cluster
            .run(start + within, Cluster::check_exclusion)
            .unwrap();
        let result = cluster.check_completeness();
        assert!(result.is_ok(), "{fault:?}: {result:?}");
        let after = holders(&cluster);
        let moved = after
            .iter()
            .zip(&before)
            .filter(|(after, before)| after != before)
            .count();
        // The members do not hold exactly a quarter each.
        let limit = share * before.len() / 100 + 2;
        assert!(moved <= limit, "{fault:?}: {before:?} {after:?}");
    }
}

/// Returns the index of each object's replica.
fn holders(cluster: &Cluster) -> Vec<Option<usize>> {
    let working: Vec<_> = cluster
        .replicas
        .iter()
        .map(|it| it.working(cluster.now))
        .collect();
    let holder = |hash| working.iter().position(|ranges| ranges.contains(hash));
    cluster.objects.keys().map(holder).collect()
}
