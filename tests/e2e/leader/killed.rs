//! Test of leaders that are killed, as if their machine failed: the lease is not released.

use std::time::SystemTime;

use e2e::{ControlPlane, eventually};

use super::replica::Replica;
use super::stamps::Stamps;
use super::{LEASE_DURATION, RETRY_PERIOD, TAKEOVER, lease};
use crate::suite::Outcome;

/// Number of kills.
const ROUNDS: usize = 3;

/// Two processes compete for a lease. The leader is killed, the other takes over, and a new one
/// stands by.
pub(super) async fn killed_processes(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("leader").await?;
    let stamps = Stamps::default();
    let mut replicas = vec![
        Replica::start(plane, &namespace, "replica-0", &stamps)?,
        Replica::start(plane, &namespace, "replica-1", &stamps)?,
    ];
    for round in 0..ROUNDS {
        let leader = eventually("a leader", async || {
            let works = |replica: &Replica| stamps.of(&replica.identity).is_some();
            replicas
                .iter()
                .position(works)
                .ok_or_else(|| format!("none in round {round}"))
        })
        .await?;
        let leader = replicas.remove(leader);
        let identity = leader.identity.clone();
        let holder = lease(plane, &namespace).await?.holder_identity;
        assert_eq!(holder.as_ref(), Some(&identity));
        leader.kill().await?;
        let killed = SystemTime::now();

        let standby = &replicas[0].identity;
        let (taken, _) = eventually("the next leader", async || {
            stamps.of(standby).ok_or_else(|| format!("not {standby}"))
        })
        .await?;
        let gap = taken.duration_since(killed)?;
        assert!(gap <= TAKEOVER, "{gap:?} without a leader");
        // The last renewal was one pause and one request before the end.
        assert!(
            gap + RETRY_PERIOD * 3 >= LEASE_DURATION,
            "{gap:?} is too early"
        );
        let transitions = lease(plane, &namespace).await?.lease_transitions;
        assert_eq!(transitions, Some(i32::try_from(round)? + 1));
        let next = format!("replica-{}", round + 2);
        replicas.push(Replica::start(plane, &namespace, &next, &stamps)?);
    }
    stamps.assert_no_overlap();
    Ok(())
}
