//! Tests of releasing the lease: client-go's `TestReleaseLeaseLeases` and the tests after it.

use std::sync::Arc;

use genclient_apiserver::Verb::{self, Create, Get, Update};
use parking_lot::Mutex;
use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Begin, Server, elector, held_by, seconds};
use crate::leaderelection::LeaderElector;
use crate::record::FakeRecorder;

fn release_deadline() -> Instant {
    Instant::now() + seconds(5)
}

/// `release acquired lock from no object`.
#[tokio::test(start_paused = true)]
async fn release_lease_leases() {
    let leaders = Arc::new(Mutex::new(Vec::new()));
    let reported = Arc::clone(&leaders);
    let server = Server::holding(&json!({"holderIdentity": "baz"}));
    let candidate = LeaderElector::builder(server.lock("baz"))
        .on_new_leader(move |leader| reported.lock().push(leader.map(str::to_owned)))
        .build()
        .unwrap()
        .candidate;
    candidate.set_observed(held_by("baz"), Instant::now());
    candidate.try_acquire_or_renew().await;
    candidate.report_transition();

    candidate.release(release_deadline()).await;
    candidate.report_transition();
    let record = candidate.observed().record;
    assert_eq!((record.holder.as_str(), record.transitions), ("", 0));
    assert_eq!(server.spec().await["leaseDurationSeconds"], 1);
    assert_eq!(server.verbs(), [Get, Update, Get, Update]);
    assert_eq!(*leaders.lock(), [Some("baz".to_owned()), None]);
}

#[tokio::test(start_paused = true)]
async fn release_method_calls_get() {
    let server = Server::holding(&json!({"holderIdentity": "baz", "leaseDurationSeconds": 10}));
    let candidate = server.elector().candidate;
    candidate.set_observed(held_by("baz"), Instant::now());
    candidate.release(release_deadline()).await;
    assert_eq!(server.verbs(), [Get, Update]);
}

#[tokio::test(start_paused = true)]
async fn release_retries_on_conflict() {
    let server = Server::holding(&json!({"holderIdentity": "baz", "leaseDurationSeconds": 10}))
        .fail_one(Update, |fault| fault.times(1).conflict());
    let candidate = server.elector().candidate;
    candidate.set_observed(held_by("baz"), Instant::now());
    candidate.release(release_deadline()).await;
    assert_eq!(server.verbs(), [Get, Update, Get, Update]);
    assert_eq!(server.holder().await, "");
}

#[tokio::test(start_paused = true)]
async fn release_gives_up_when_it_fails_or_takes_too_long() {
    let faults: [(_, Begin, _); 3] = [
        ("refused", |fault| fault.status(403), 0),
        ("hangs", |fault| fault.hang(), 1),
        ("not found", |fault| fault.status(404), 0),
    ];
    for (name, begin, takes) in faults {
        let server = Server::holding(&json!({"holderIdentity": "baz"})).fail(begin);
        let candidate = server.elector().candidate;
        candidate.set_observed(held_by("baz"), Instant::now());
        let start = Instant::now();
        candidate.release(release_deadline()).await;
        assert_eq!(candidate.observed().record.holder, "baz", "{name}");
        assert_eq!(start.elapsed().as_secs(), takes, "{name}");
    }
}

/// client-go would overwrite a lease that another replica has acquired in the meantime.
#[tokio::test(start_paused = true)]
async fn lease_held_by_another_is_not_released() {
    let server = Server::holding(&json!({"holderIdentity": "bing"}));
    let candidate = server.elector().candidate;
    candidate.set_observed(held_by("baz"), Instant::now());
    candidate.release(release_deadline()).await;
    assert_eq!(server.verbs(), [Get]);
    assert_eq!(server.holder().await, "bing");
}

/// `release acquired lock on cancellation of update` and `… of get`: a renewal is in progress
/// when the work is cancelled.
#[tokio::test(start_paused = true)]
async fn release_on_cancellation_leases() {
    // The requests of the renewal in progress, with their faults. Earlier requests are `Get`,
    // `Create` and another renewal.
    type Request = (Verb, Option<Begin>);
    let silent: Request = (Update, Some(|fault| fault.stall()));
    let cases: [(_, Vec<Request>); 4] = [
        ("update", vec![silent]),
        (
            "update that is lost",
            vec![(Update, Some(|fault| fault.hang()))],
        ),
        (
            "get",
            vec![
                (Update, Some(|fault| fault.status(500))),
                (Get, Some(|fault| fault.hang())),
            ],
        ),
        (
            "update after get",
            vec![
                (Update, Some(|fault| fault.conflict())),
                (Get, None),
                silent,
            ],
        ),
    ];
    for (name, renewal) in cases {
        let start = Instant::now();
        let server = Server::new();
        for &(verb, begin) in &renewal {
            let fault = server
                .0
                .fail(verb, "leases")
                .times(1)
                .when(move |_| start.elapsed() >= seconds(1));
            if let Some(begin) = begin {
                begin(fault);
            }
        }
        let mut events = FakeRecorder::new();
        let mut elector = server.recorded_elector(events.recorder());
        let cancel = CancellationToken::new();
        let canceller = cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(seconds(1) + seconds(1) / 2).await;
            canceller.cancel();
        });

        let led = elector
            .run(cancel, |leading| leading.cancelled_owned())
            .await;
        assert_eq!(led, Ok(Some(())), "{name}");
        assert_eq!(server.holder().await, "", "{name}");
        let mut verbs = vec![Get, Create, Update];
        verbs.extend(renewal.iter().map(|(verb, _)| *verb));
        verbs.extend([Get, Update]);
        assert_eq!(server.verbs(), verbs, "{name}");
        assert_eq!(
            events.take(),
            [
                "Normal LeaderElection baz became leader",
                "Normal LeaderElection baz stopped leading"
            ],
            "{name}"
        );
    }
}

/// If a candidate does not know whether it acquired the lease, it reads the lease and releases it
/// if necessary.
#[tokio::test(start_paused = true)]
async fn lease_acquired_during_cancellation_is_released() {
    let server = Server::new().fail_one(Create, |fault| fault.stall());
    let cancel = CancellationToken::new();
    let mut elector = server.elector();
    let canceller = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(seconds(1) / 2).await;
        canceller.cancel();
    });
    let led = elector.run(cancel, async |_| panic!("never led")).await;
    assert_eq!(led, Ok(None));
    assert_eq!(server.verbs(), [Get, Create, Get, Update]);
    assert_eq!(server.holder().await, "");
}

/// Without a response, or after a 5xx status, it is unknown whether a write was stored.
#[tokio::test(start_paused = true)]
async fn lease_is_released_if_its_creation_may_have_been_stored() {
    // The candidate is cancelled in the pause before the next attempt: one second after the
    // response, or after the timeout of the create request.
    let faults: [(_, Begin, _, _); 3] = [
        ("silent", |fault| fault.stall(), 1.5, true),
        ("504", |fault| fault.status(504), 0.5, true),
        ("403", |fault| fault.status(403), 0.5, false),
    ];
    for (name, creation, cancelled_after, given_back) in faults {
        let server = Server::new().fail_one(Create, creation);
        let cancel = CancellationToken::new();
        let canceller = cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(seconds(1).mul_f64(cancelled_after)).await;
            canceller.cancel();
        });
        let mut elector = server.elector();
        let led = elector.run(cancel, async |_| panic!("never led")).await;
        assert_eq!(led, Ok(None), "{name}");
        let looked_again = server.verbs()[2..].contains(&Get);
        assert_eq!(looked_again, given_back, "{name}");
        if server.lease().await.is_some() {
            assert_eq!(server.holder().await, "", "{name}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn lease_is_kept_without_release_on_cancel() {
    let server = Server::new();
    let mut elector = LeaderElector::builder(server.lock("baz"))
        .release_on_cancel(false)
        .build()
        .unwrap();
    let led = elector.run(CancellationToken::new(), async |_| 7).await;
    assert_eq!(led, Ok(Some(7)));
    assert_eq!(server.holder().await, "baz");
}

#[tokio::test(start_paused = true)]
async fn released_lease_is_acquired_immediately() {
    let server = Server::new();
    let never = CancellationToken::new;
    let _ = server.elector().run(never(), async |_| ()).await;
    let start = Instant::now();
    let mut next = elector(server.lock("bing"));
    assert_eq!(next.run(never(), async |_| 1).await, Ok(Some(1)));
    assert_eq!(start.elapsed(), seconds(0));
    assert_eq!(server.spec().await["leaseTransitions"], 1);
}
