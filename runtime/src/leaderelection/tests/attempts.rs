//! Tests of single attempts of the candidate `baz`: client-go's `TestTryAcquireOrRenewLeases`.

use std::sync::Arc;

use genclient_apiserver::Verb;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Server, held_by, seconds};
use crate::leaderelection::LeaderElector;
use crate::leaderelection::candidate::Attempt;
use crate::leaderelection::lock::Record;
use crate::record::FakeRecorder;

const HOURS: u64 = 1000 * 3600;

/// When the candidate last observed a change of the record.
#[derive(Clone, Copy, Debug)]
enum Seen {
    Past,
    Now,
    Future,
}

struct Case {
    name: &'static str,
    stored: Option<Value>,
    observed: Record,
    observed_time: Seen,
    /// Seconds after which a failed attempt is repeated.
    retry_after: Option<u64>,
    expect_success: bool,
    transitions: i32,
    out_holder: &'static str,
    verbs: &'static [Verb],
}

const UNKNOWN: Record = Record {
    holder: String::new(),
    lease_seconds: 0,
    transitions: 0,
    acquire_time: None,
    renew_time: None,
};

/// The base case: the lease is acquired at the first attempt.
fn base_case() -> Case {
    Case {
        name: "",
        stored: None,
        observed: UNKNOWN,
        observed_time: Seen::Now,
        retry_after: None,
        expect_success: true,
        transitions: 1,
        out_holder: "baz",
        verbs: &[Verb::Get, Verb::Update],
    }
}

/// Cases of a lease without a holder.
fn cases_without_holder() -> Vec<Case> {
    vec![
        Case {
            name: "acquire from no object",
            transitions: 0,
            verbs: &[Verb::Get, Verb::Create],
            ..base_case()
        },
        Case {
            name: "acquire from object without annotations",
            stored: Some(Value::Null),
            observed: UNKNOWN,
            ..base_case()
        },
        Case {
            name: "acquire from unled object",
            stored: Some(json!({})),
            observed: UNKNOWN,
            ..base_case()
        },
        Case {
            name: "acquire from empty led, acked object",
            stored: Some(json!({"holderIdentity": ""})),
            observed: UNKNOWN,
            observed_time: Seen::Future,
            ..base_case()
        },
    ]
}

/// Cases of a lease with a holder.
fn cases_with_holder() -> Vec<Case> {
    vec![
        Case {
            name: "acquire from led object with the lease duration seconds",
            stored: Some(json!({"holderIdentity": "bing", "leaseDurationSeconds": 3})),
            observed: UNKNOWN,
            retry_after: Some(3),
            verbs: &[Verb::Get, Verb::Get, Verb::Update],
            ..base_case()
        },
        Case {
            name: "acquire from led, unacked object",
            stored: Some(json!({"holderIdentity": "bing"})),
            observed: held_by("bing"),
            observed_time: Seen::Past,
            ..base_case()
        },
        Case {
            name: "don't acquire from led, acked object",
            stored: Some(json!({"holderIdentity": "bing"})),
            observed: UNKNOWN,
            observed_time: Seen::Future,
            expect_success: false,
            transitions: 0,
            out_holder: "bing",
            verbs: &[Verb::Get],
            ..base_case()
        },
        Case {
            name: "renew already acquired object",
            stored: Some(json!({"holderIdentity": "baz"})),
            observed: held_by("baz"),
            observed_time: Seen::Future,
            transitions: 0,
            ..base_case()
        },
    ]
}

#[tokio::test(start_paused = true)]
async fn try_acquire_or_renew_leases() {
    for case in cases_without_holder()
        .into_iter()
        .chain(cases_with_holder())
    {
        let name = case.name;
        let server = case
            .stored
            .as_ref()
            .map_or_else(Server::new, Server::holding);
        let mut events = FakeRecorder::new();
        let leaders = Arc::new(Mutex::new(Vec::new()));
        let reported = Arc::clone(&leaders);
        let candidate = LeaderElector::builder(server.lock("baz").recorder(events.recorder()))
            .on_new_leader(move |leader| reported.lock().push(leader.map(str::to_owned)))
            .build()
            .unwrap()
            .candidate;
        let now = Instant::now();
        let at = match case.observed_time {
            Seen::Past => now - seconds(HOURS),
            Seen::Now => now,
            Seen::Future => now + seconds(HOURS),
        };
        candidate.set_observed(case.observed, at);

        let mut attempt = candidate.try_acquire_or_renew().await;
        if let Some(pause) = case.retry_after {
            assert_eq!(attempt, Attempt::HeldByOther, "{name}: too early");
            tokio::time::sleep(seconds(pause)).await;
            attempt = candidate.try_acquire_or_renew().await;
        }
        let success = matches!(attempt, Attempt::Held { .. });
        assert_eq!(success, case.expect_success, "{name}: {attempt:?}");
        let record = candidate.observed().record;
        assert_eq!(record.holder, case.out_holder, "{name}");
        assert_eq!(record.transitions, case.transitions, "{name}");
        assert_eq!(server.verbs(), case.verbs, "{name}");
        assert_eq!(server.holder().await, case.out_holder, "{name}");
        candidate.report_transition();
        let leader = Some(case.out_holder.to_owned());
        assert_eq!(*leaders.lock(), [leader], "{name}");
        assert_eq!(events.take(), [""; 0], "{name}");
    }
}

/// Other candidates and kubectl use the times in the lease.
#[tokio::test(start_paused = true)]
async fn acquire_and_renew_times_are_recorded() {
    let server = Server::new();
    let candidate = server.elector().candidate;
    candidate.try_acquire_or_renew().await;
    let acquired = server.spec().await;
    assert_eq!(acquired["acquireTime"], acquired["renewTime"]);
    assert_eq!(acquired["leaseDurationSeconds"], 15);
    assert_eq!(acquired["leaseTransitions"], 0);

    // The times in a lease are wall-clock times, which are not paused.
    std::thread::sleep(std::time::Duration::from_millis(2));
    candidate.try_acquire_or_renew().await;
    let renewed = server.spec().await;
    assert_eq!(renewed["acquireTime"], acquired["acquireTime"]);
    assert_ne!(renewed["renewTime"], acquired["renewTime"]);
}

/// A lease expires when its record has not changed for the lease duration by the local clock,
/// regardless of the times in it. A microsecond is a change; client-go compares whole seconds.
#[tokio::test(start_paused = true)]
async fn lease_expiry_ignores_the_recorded_times() {
    let renewal = |microsecond: u64| {
        json!({"holderIdentity": "bing", "leaseDurationSeconds": 3,
            "renewTime": format!("2001-01-01T00:00:00.{microsecond:06}Z")})
    };
    let server = Server::holding(&renewal(0));
    let candidate = server.elector().candidate;
    for microsecond in 0..10 {
        server.put(renewal(microsecond)).await;
        let attempt = candidate.try_acquire_or_renew().await;
        assert_eq!(attempt, Attempt::HeldByOther, "{microsecond}");
        tokio::time::sleep(seconds(2)).await;
    }
    server.put(renewal(9)).await;
    tokio::time::sleep(seconds(1)).await;
    let attempt = candidate.try_acquire_or_renew().await;
    assert!(matches!(attempt, Attempt::Held { .. }), "{attempt:?}");
}
