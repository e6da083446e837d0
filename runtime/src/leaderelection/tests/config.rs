//! Tests of the validation of settings: client-go's `TestLeaderElectionConfigValidation`, and
//! further checks.

use super::{Server, seconds};
use crate::leaderelection::{LeaderElectionConfigError, LeaderElector, LeaseLock};

#[tokio::test]
async fn leader_election_config_validation() {
    let cases = [
        ("baz", 15, 2, 1, None),
        ("", 15, 2, 1, Some("Lock identity is empty")),
        (
            "baz",
            10,
            10,
            2,
            Some("leaseDuration must be greater than renewDeadline"),
        ),
        (
            "baz",
            15,
            12,
            10,
            Some("renewDeadline must be greater than retryPeriod*JitterFactor"),
        ),
        (
            "baz",
            15,
            0,
            0,
            Some("renewDeadline must be greater than retryPeriod*JitterFactor"),
        ),
        (
            "baz",
            15,
            10,
            0,
            Some("retryPeriod must be greater than zero"),
        ),
        (
            "baz",
            0,
            0,
            0,
            Some("leaseDuration must be greater than renewDeadline"),
        ),
    ];
    for (identity, lease_duration, renew_deadline, retry_period, expected) in cases {
        let built = LeaderElector::builder(Server::new().lock(identity))
            .lease_duration(seconds(lease_duration))
            .renew_deadline(seconds(renew_deadline))
            .retry_period(seconds(retry_period))
            .build();
        let error = built
            .err()
            .map(|error: LeaderElectionConfigError| error.to_string());
        assert_eq!(
            error.as_deref(),
            expected,
            "{identity} {lease_duration} {renew_deadline} {retry_period}"
        );
    }
}

/// The API server would reject every request for such a lease.
#[tokio::test]
async fn invalid_lease_names_are_rejected() {
    let cases = [
        ("foo", "bar", None),
        ("foo", "bar.example.com", None),
        (
            "foo",
            "My_Lease",
            Some(
                "invalid lease name `My_Lease`: expected lower-case letters, digits, `-` and `.`, with a letter or digit at both ends",
            ),
        ),
        (
            "Foo",
            "bar",
            Some(
                "invalid lease namespace `Foo`: expected up to 63 lower-case letters, digits and `-`, with a letter or digit at both ends",
            ),
        ),
    ];
    for (namespace, name, expected) in cases {
        let lock = LeaseLock::new(Server::new().connection(), namespace, name, "baz");
        let error = LeaderElector::builder(lock).build().err();
        let error = error.map(|error| error.to_string());
        assert_eq!(error.as_deref(), expected, "{namespace}/{name}");
    }
}

#[tokio::test]
async fn default_timing_matches_kubernetes_components() {
    let elector = LeaderElector::builder(Server::new().lock("baz"))
        .build()
        .unwrap();
    let timing = elector.candidate.timing;
    assert_eq!(
        (
            timing.lease_duration,
            timing.renew_deadline,
            timing.retry_period
        ),
        (seconds(15), seconds(10), seconds(2))
    );
    assert_eq!(timing.request_timeout(), seconds(5));
}

#[tokio::test]
async fn lease_duration_is_rounded_up_to_seconds() {
    for (milliseconds, told) in [(1000, 1), (1001, 2), (1999, 2), (600, 1)] {
        let elector = LeaderElector::builder(Server::new().lock("baz"))
            .lease_duration(std::time::Duration::from_millis(milliseconds))
            .renew_deadline(std::time::Duration::from_millis(500))
            .retry_period(std::time::Duration::from_millis(100))
            .build()
            .unwrap();
        let timing = elector.candidate.timing;
        assert_eq!(timing.lease_seconds(), told, "{milliseconds} ms");
        assert_eq!(timing.request_timeout(), seconds(1));
    }
}
