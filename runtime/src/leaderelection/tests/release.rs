//! Giving the lease back: `TestReleaseLeaseLeases` and those after it.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Verb::{Create, Get, Update};
use super::{Answer, Server, elector, held_by, seconds};
use crate::leaderelection::LeaderElector;
use crate::record::FakeRecorder;

fn soon() -> Instant {
    Instant::now() + seconds(5)
}

/// `release acquired lock from no object`.
#[tokio::test(start_paused = true)]
async fn release_lease_leases() {
    let leaders = Arc::new(Mutex::new(Vec::new()));
    let reported = Arc::clone(&leaders);
    let server = Server::serving().holding(json!({"holderIdentity": "baz"}));
    let candidate = LeaderElector::builder(server.lock("baz"))
        .on_new_leader(move |leader| reported.lock().push(leader.map(str::to_owned)))
        .build()
        .unwrap()
        .candidate;
    candidate.set_observed(held_by("baz"), Instant::now());
    candidate.try_acquire_or_renew().await;
    candidate.report_transition();

    candidate.release(soon()).await;
    candidate.report_transition();
    let record = candidate.observed().record;
    assert_eq!((record.holder.as_str(), record.transitions), ("", 0));
    assert_eq!(server.spec()["leaseDurationSeconds"], 1);
    assert_eq!(server.verbs(), [Get, Update, Get, Update]);
    assert_eq!(*leaders.lock(), [Some("baz".to_owned()), None]);
}

#[tokio::test(start_paused = true)]
async fn release_method_calls_get() {
    let server =
        Server::serving().holding(json!({"holderIdentity": "baz", "leaseDurationSeconds": 10}));
    let candidate = server.elector().candidate;
    candidate.set_observed(held_by("baz"), Instant::now());
    candidate.release(soon()).await;
    assert_eq!(server.verbs(), [Get, Update]);
}

#[tokio::test(start_paused = true)]
async fn release_retries_on_conflict() {
    let server = Server::new(|_, number| match number {
        2 => Answer::Refuse(409, "Conflict"),
        _ => Answer::Serve,
    })
    .holding(json!({"holderIdentity": "baz", "leaseDurationSeconds": 10}));
    let candidate = server.elector().candidate;
    candidate.set_observed(held_by("baz"), Instant::now());
    candidate.release(soon()).await;
    assert_eq!(server.verbs(), [Get, Update, Get, Update]);
    assert_eq!(server.holder(), "");
}

#[tokio::test(start_paused = true)]
async fn release_gives_up_when_it_fails_or_takes_too_long() {
    let answers = [
        ("refused", Answer::Refuse(403, "Forbidden"), 0),
        ("hangs", Answer::Hang, 1),
        ("not found", Answer::Refuse(404, "NotFound"), 0),
    ];
    for (name, answer, takes) in answers {
        let server = Server::new(move |_, _| answer).holding(json!({"holderIdentity": "baz"}));
        let candidate = server.elector().candidate;
        candidate.set_observed(held_by("baz"), Instant::now());
        let start = Instant::now();
        candidate.release(soon()).await;
        assert_eq!(candidate.observed().record.holder, "baz", "{name}");
        assert_eq!(start.elapsed().as_secs(), takes, "{name}");
    }
}

/// client-go writes over the lease that somebody else has taken meanwhile.
#[tokio::test(start_paused = true)]
async fn the_lease_of_another_is_not_given_back() {
    let server = Server::serving().holding(json!({"holderIdentity": "bing"}));
    let candidate = server.elector().candidate;
    candidate.set_observed(held_by("baz"), Instant::now());
    candidate.release(soon()).await;
    assert_eq!(server.verbs(), [Get]);
    assert_eq!(server.holder(), "bing");
}

/// `release acquired lock on cancellation of update` and `… of get`: a renewal is under way when the work is told to end.
#[tokio::test(start_paused = true)]
async fn release_on_cancellation_leases() {
    // After `Get, Create` and a renewal, the next renewal: what it asks, and what the server does with it.
    let silent = Answer::ServeSilently;
    let cases = [
        ("update", vec![(Update, silent)]),
        ("update that is lost", vec![(Update, Answer::Hang)]),
        (
            "get",
            vec![(Update, Answer::Refuse(500, "")), (Get, Answer::Hang)],
        ),
        (
            "update after get",
            vec![
                (Update, Answer::Refuse(409, "Conflict")),
                (Get, Answer::Serve),
                (Update, silent),
            ],
        ),
    ];
    for (name, renewal) in cases {
        let answers: Vec<_> = renewal.iter().map(|(_, answer)| *answer).collect();
        let server = Server::new(move |_, number| match number {
            ..=3 => Answer::Serve,
            _ => answers.get(number - 4).copied().unwrap_or(Answer::Serve),
        });
        let mut events = FakeRecorder::new();
        let mut elector = server.recorded_elector(events.recorder());
        let cancel = CancellationToken::new();
        let canceller = cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(seconds(1) + seconds(1) / 2).await;
            canceller.cancel();
        });

        let led = elector.run(cancel, |leading| leading.cancelled_owned());
        assert_eq!(led.await, Ok(Some(())), "{name}");
        assert_eq!(server.holder(), "", "{name}");
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

/// Who does not know whether the lease is its own looks, and gives it back.
#[tokio::test(start_paused = true)]
async fn a_lease_that_was_acquired_while_cancelled_is_given_back() {
    let server = Server::new(|verb, _| match verb {
        Create => Answer::ServeSilently,
        _ => Answer::Serve,
    });
    let cancel = CancellationToken::new();
    let mut elector = server.elector();
    let canceller = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(seconds(1) / 2).await;
        canceller.cancel();
    });
    let led = elector.run(cancel, async |_| panic!("never led"));
    assert_eq!(led.await, Ok(None));
    assert_eq!(server.verbs(), [Get, Create, Get, Update]);
    assert_eq!(server.holder(), "");
}

/// Whether a write was stored is not known if it was not answered, nor after 5xx.
#[tokio::test(start_paused = true)]
async fn a_lease_is_given_back_if_its_creation_may_have_been_stored() {
    // Cancelled in the pause before the next attempt, which comes a second after the answer, or
    // after the creation is given up.
    for (creation, cancelled_after, given_back) in [
        (Answer::ServeSilently, 1.5, true),
        (Answer::Refuse(504, "Timeout"), 0.5, true),
        (Answer::Refuse(403, "Forbidden"), 0.5, false),
    ] {
        let server = Server::new(move |verb, _| match verb {
            Create => creation,
            _ => Answer::Serve,
        });
        let cancel = CancellationToken::new();
        let canceller = cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(seconds(1).mul_f64(cancelled_after)).await;
            canceller.cancel();
        });
        let mut elector = server.elector();
        let led = elector.run(cancel, async |_| panic!("never led"));
        assert_eq!(led.await, Ok(None), "{creation:?}");
        let looked_again = server.verbs()[2..].contains(&Get);
        assert_eq!(looked_again, given_back, "{creation:?}");
        if server.state.lock().lease.is_some() {
            assert_eq!(server.holder(), "", "{creation:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_is_kept_if_it_is_not_to_be_released() {
    let server = Server::serving();
    let mut elector = LeaderElector::builder(server.lock("baz"))
        .release_on_cancel(false)
        .build()
        .unwrap();
    let led = elector.run(CancellationToken::new(), async |_| 7).await;
    assert_eq!(led, Ok(Some(7)));
    assert_eq!(server.holder(), "baz");
}

#[tokio::test(start_paused = true)]
async fn the_next_one_begins_at_once_after_a_release() {
    let server = Server::serving();
    let never = CancellationToken::new;
    let _ = server.elector().run(never(), async |_| ()).await;
    let start = Instant::now();
    let mut next = elector(server.lock("bing"));
    assert_eq!(next.run(never(), async |_| 1).await, Ok(Some(1)));
    assert_eq!(start.elapsed(), seconds(0));
    assert_eq!(server.spec()["leaseTransitions"], 1);
}
