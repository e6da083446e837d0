//! Tests of the health check: client-go's `TestLeaderElectionHealthChecker`.

use std::time::Duration;

use super::{Server, held_by, seconds};
use crate::leaderelection::{HealthzAdaptor, LeaderElector};

const MINUTE: u64 = 60;

#[tokio::test(start_paused = true)]
async fn leader_election_health_checker() {
    let cases = [
        ("call check before leader elector initialized", None, None),
        (
            "call check when the lease is far expired",
            Some(("healthTest", 60 * MINUTE)),
            Some("failed election to renew leadership on lease foo"),
        ),
        (
            "call check when the lease is far expired but held by another server",
            Some(("otherServer", 60 * MINUTE)),
            None,
        ),
        (
            "call check when the lease is not expired",
            Some(("healthTest", 0)),
            None,
        ),
        (
            "call check when the lease is expired but inside the timeout",
            Some(("healthTest", MINUTE + 1)),
            None,
        ),
    ];
    for (description, elector, expected) in cases {
        let adaptor = HealthzAdaptor::new(Duration::from_secs(20));
        if let Some((holder, age)) = elector {
            let elector = LeaderElector::builder(Server::new().lock("healthTest"))
                .lease_duration(seconds(MINUTE))
                .name("foo")
                .build()
                .unwrap();
            let observed = tokio::time::Instant::now() - seconds(age);
            elector.candidate.set_observed(held_by(holder), observed);
            adaptor.set_leader_election(elector.leadership());
        }
        let error = adaptor.check().err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), expected, "{description}");
    }
    assert_eq!(HealthzAdaptor::new(Duration::ZERO).name(), "leaderElection");
}
