//! Permits, gains and caches of a replica, on a paused clock.

use std::time::Duration;

use futures::FutureExt;
use tokio::time::{Instant, advance, sleep};
use tokio_util::sync::CancellationToken;

use crate::sharding::key::ShardBy;
use crate::sharding::ranges::HashRanges;
use crate::sharding::shards::{Permissions, WorkDroppedError};
use crate::sharding::{Gains, ShardObstacle, Shards};

const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);
const DEADLINE: Duration = Duration::from_secs(10);
const FENCE: Duration = Duration::from_secs(12);

fn shards() -> Shards {
    Shards::new(ShardBy::Namespace, DRAIN_TIMEOUT)
}

/// The hashes of namespaces.
fn ranges(namespaces: &[&str]) -> HashRanges {
    let hash = |namespace: &&str| ShardBy::Namespace.hash(namespace, "");
    namespaces.iter().map(hash).map(|it| it..=it).collect()
}

/// Permits work on `active`, and the rest of work on `draining`.
fn permit(shards: &Shards, active: &[&str], draining: &[&str]) {
    let mut held = ranges(active);
    held.extend(ranges(draining));
    shards.shared.set_permissions(Permissions {
        active: ranges(active),
        held,
        deadline: Some(Instant::now() + DEADLINE),
        fence: Some(Instant::now() + FENCE),
        ..Permissions::default()
    });
}

/// Runs work on a namespace that ends some time after it was told to stop, or never. Returns when
/// it was told, and when it ended.
async fn work(shards: Shards, after_stop: Option<Duration>) -> (Option<u64>, u64, bool) {
    let begun = Instant::now();
    let mut stopped_at = None;
    let permit = shards.enter("a", "").unwrap();
    let ended = permit
        .run(&CancellationToken::new(), async |stop| {
            stop.cancelled().await;
            stopped_at = Some(begun.elapsed().as_secs());
            match after_stop {
                Some(rest) => sleep(rest).await,
                None => std::future::pending().await,
            }
        })
        .await;
    let is_dropped = ended == Err(WorkDroppedError);
    (stopped_at, begun.elapsed().as_secs(), is_dropped)
}

#[tokio::test(start_paused = true)]
async fn moved_work_stops_after_two_thirds_and_is_dropped_at_the_timeout() {
    for (after_stop, expected) in [
        (Some(Duration::from_secs(5)), (Some(20), 25, false)),
        (None, (Some(20), 30, true)),
    ] {
        let shards = shards();
        permit(&shards, &["a"], &[]);
        let renewing = async {
            loop {
                permit(&shards, &[], &["a"]);
                sleep(Duration::from_secs(2)).await;
            }
        };
        let ended = tokio::select! {
            biased;
            ended = work(shards.clone(), after_stop) => ended,
            () = renewing => unreachable!(),
        };
        assert_eq!(ended, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn work_without_renewal_stops_at_the_deadline_and_is_dropped_at_the_fence() {
    let shards = shards();
    permit(&shards, &["a"], &[]);
    let ended = work(shards.clone(), None).await;
    assert_eq!(ended, (Some(10), 12, true));
    assert!(shards.enter("a", "").is_none());
}

#[tokio::test(start_paused = true)]
async fn renewals_move_the_deadline() {
    let shards = shards();
    permit(&shards, &["a"], &[]);
    let renewing = async {
        for _ in 0..10 {
            sleep(Duration::from_secs(2)).await;
            permit(&shards, &["a"], &[]);
        }
        std::future::pending::<()>().await;
    };
    let ended = tokio::select! {
        biased;
        ended = work(shards.clone(), None) => ended,
        () = renewing => unreachable!(),
    };
    assert_eq!(ended, (Some(30), 32, true));
}

#[tokio::test(start_paused = true)]
async fn suspended_work_does_not_continue() {
    let shards = shards();
    permit(&shards, &["a"], &[]);
    let permit = shards.enter("a", "").unwrap();
    let mut has_continued = false;
    let stop = CancellationToken::new();
    let mut run = Box::pin(permit.run(&stop, async |_| {
        tokio::task::yield_now().await;
        has_continued = true;
    }));
    assert_eq!(run.as_mut().now_or_never(), None);
    advance(FENCE).await;
    assert_eq!(run.await, Err(WorkDroppedError));
    assert!(!has_continued);
}

#[tokio::test(start_paused = true)]
async fn the_leaders_work_needs_no_hashes() {
    let shards = shards();
    assert_eq!(shards.lead().now_or_never().map(drop), None);
    shards.shared.set_permissions(Permissions {
        is_leading: true,
        has_leader: true,
        deadline: Some(Instant::now() + DEADLINE),
        fence: Some(Instant::now() + FENCE),
        ..Permissions::default()
    });
    let permit = shards.with_caches([1]).lead().now_or_never();
    assert!(permit.is_some() && shards.is_leading() && shards.enter("a", "").is_none());
    assert!(!shards.shared.ended(&HashRanges::new()).1);
    drop(permit);
    assert!(shards.shared.ended(&HashRanges::new()).1);
}

fn gained<'a>(gains: &mut Gains, namespaces: &[&'a str]) -> Vec<&'a str> {
    let gained = gains.next().now_or_never();
    let is_gained = |it: &&&str| {
        gained
            .as_ref()
            .is_some_and(|gained| gained.contains(it, ""))
    };
    namespaces.iter().filter(is_gained).copied().collect()
}

#[tokio::test(start_paused = true)]
async fn gains_are_what_was_refused_before() {
    let shards = shards();
    let mut gains = shards.gains();
    let all = ["a", "b", "c"];
    for (seconds, active, draining, expected) in [
        (0, &["a"] as &[_], &[] as &[_], &["a"] as &[&str]),
        (2, &["a"], &[], &[]),
        (2, &["a", "b"], &[], &["b"]),
        (2, &["b"], &["a"], &[]),
        (2, &["a", "b"], &[], &["a"]),
        // What comes and goes is not gained.
        (2, &["b"], &[], &[]),
        // The deadline has passed, so that everything was refused.
        (10, &["b"], &[], &["b"]),
    ] {
        advance(Duration::from_secs(seconds)).await;
        permit(&shards, active, draining);
        assert_eq!(gained(&mut gains, &all), expected, "{active:?}");
    }
    permit(&shards, &["a", "b", "c"], &[]);
    permit(&shards, &["a", "b"], &[]);
    assert_eq!(gained(&mut gains, &all), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn objects_are_held_after_their_caches_are_prepared() {
    let all = shards();
    let (one, two) = (all.add_cache(), all.add_cache());
    let shards = all.with_caches([one.number(), two.number()]);
    let mut gains = shards.gains();
    permit(&all, &["a", "b"], &[]);
    assert!(all.holds("a", "") && !shards.holds("a", ""));
    for cache in [&one, &two] {
        assert!(gained(&mut gains, &["a", "b"]).is_empty() && !shards.is_cached("a", ""));
        assert_eq!(cache.prepare(), ranges(&["a", "b"]));
        cache.prepared();
    }
    assert!(shards.holds("a", "") && shards.is_cached("a", ""));
    assert_eq!(gained(&mut gains, &["a", "b"]), ["a", "b"]);

    // What drains is cached still.
    permit(&all, &["b"], &["a"]);
    assert!(!shards.holds("a", "") && shards.is_cached("a", ""));
    let held = ranges(&["a", "b"]);
    assert_eq!(one.changed(&held, false).now_or_never(), None);
    permit(&all, &["b"], &[]);
    assert!(!shards.is_cached("a", ""));
    // Losing is not urgent. Gaining is, unless it is being read.
    let begun = Instant::now();
    one.changed(&held, false).await;
    assert_eq!(begun.elapsed(), Duration::from_secs(1));
    permit(&all, &["b", "c"], &[]);
    assert_eq!(one.changed(&held, false).now_or_never(), Some(()));
    assert_eq!(one.changed(&held, true).now_or_never(), None);
    permit(&all, &["b"], &[]);
    assert_eq!(one.ranges(), ranges(&["b"]));

    drop(one);
    assert!(!shards.holds("b", "") && all.holds("b", ""));
}

#[tokio::test(start_paused = true)]
async fn what_was_lost_while_it_was_read_is_read_again() {
    let shards = shards();
    let cache = shards.add_cache();
    permit(&shards, &["a", "b"], &[]);
    assert_eq!(cache.prepare(), ranges(&["a", "b"]));
    permit(&shards, &["b"], &[]);
    permit(&shards, &["a", "b"], &[]);
    cache.prepared();
    assert_eq!(cache.ranges(), ranges(&["b"]));
    assert_eq!(cache.prepare(), ranges(&["a"]));
}

#[test]
fn obstacles_say_what_is_missing() {
    for (obstacle, expected) in [
        (
            ShardObstacle::NotJoined,
            "this replica is not in the group yet: its role needs list, watch, create, update and delete on leases",
        ),
        (
            ShardObstacle::Lapsed,
            "this replica could not renew its lease in time",
        ),
        (
            ShardObstacle::LeaderElection,
            "a program with leader election has the lease of the leader",
        ),
        (
            ShardObstacle::Unassigned,
            "the leader has not assigned the objects yet",
        ),
        (
            ShardObstacle::OtherShardKey,
            "other replicas share the objects by another key, and have to end first",
        ),
    ] {
        assert_eq!(obstacle.to_string(), expected);
    }
}
