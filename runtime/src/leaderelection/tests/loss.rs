//! Tests of losing the lease: the work ends before the lease expires.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;
use genclient_apiserver::FaultyRequest;
use genclient_apiserver::Verb::{Get, Update};
use kube::api::DeleteParams;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{Duration, Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{Begin, Server, seconds};
use crate::leaderelection::candidate::Attempt;
use crate::leaderelection::{LeaderElector, LeadershipLostError, LeaseLock};
use crate::record::FakeRecorder;

/// Returns an elector with a lease duration of 15 s, a renew deadline of 10 s and a retry period of
/// 2 s.
fn elector(lock: LeaseLock) -> LeaderElector {
    LeaderElector::builder(lock).build().unwrap()
}

/// Returns a server that works for the duration `good` and then has the fault `then`.
fn failing_after(good: Duration, then: Begin) -> Server {
    let start = Instant::now();
    Server::new().fail(|fault| then(fault.when(move |_| start.elapsed() >= good)))
}

#[tokio::test(start_paused = true)]
async fn work_is_cancelled_at_the_renew_deadline() {
    type Case = (&'static str, Begin, &'static str);
    let (silent, failed) = ("no response in time", "error retrieving lease: ");
    let cases: [Case; 4] = [
        ("hangs", |fault| fault.hang(), silent),
        (
            "does it, but does not say so",
            |fault| fault.stall(),
            silent,
        ),
        ("fails", |fault| fault.status(500), failed),
        ("conflicts", |fault| fault.conflict(), failed),
    ];
    for (name, then, loss) in cases {
        let start = Instant::now();
        // Renewals at 0, 2, 4, 6 and 8 s.
        let server = failing_after(seconds(9), then);
        let mut events = FakeRecorder::new();
        let mut elector = elector(server.lock("baz").recorder(events.recorder()));
        let mut told = None;
        let lost = elector
            .run(CancellationToken::new(), async |leading| {
                leading.cancelled().await;
                told = Some(start.elapsed().as_secs());
                sleep(seconds(3)).await;
            })
            .await;
        assert_eq!(lost, Err(LeadershipLostError::WorkEnded), "{name}");
        let found = elector.leadership().loss().unwrap();
        assert!(found.starts_with(loss), "{name}: {found}");
        assert_eq!(told, Some(8 + 10), "{name}");
        let ended = start.elapsed().as_secs();
        assert!((8 + 13..=8 + 15).contains(&ended), "{name}: {ended}");
        assert_eq!(events.take().len(), 2, "{name}");
    }
}

/// Guard of work that records when it is dropped.
#[derive(Clone, Default)]
struct OnDrop(Arc<Mutex<Option<Instant>>>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        *self.0.lock() = Some(Instant::now());
    }
}

#[tokio::test(start_paused = true)]
async fn unfinished_work_is_dropped_when_the_lease_expires() {
    let start = Instant::now();
    let server = failing_after(seconds(9), |fault| fault.hang());
    let dropped = Arc::new(Mutex::new(None));
    let guard = OnDrop(Arc::clone(&dropped));
    let lost = elector(server.lock("baz"))
        .run(CancellationToken::new(), async move |_| {
            let _guard = guard;
            std::future::pending::<()>().await;
        })
        .await;
    assert_eq!(lost, Err(LeadershipLostError::WorkDropped));
    assert_eq!(
        lost.unwrap_err().to_string(),
        "leader election lost, and the work was dropped"
    );
    let dropped = dropped.lock().unwrap() - start;
    assert_eq!((dropped.as_secs(), start.elapsed().as_secs()), (23, 23));
}

/// The server stores the renewal long before its response arrives, so other replicas start counting
/// before this replica receives it.
#[tokio::test(start_paused = true)]
async fn lease_is_counted_from_the_renewal_request() {
    let start = Instant::now();
    // Until 8 s, the lease is read and created. It is then renewed by a request with a response at
    // 12 s.
    let server = Server::new();
    let renewals = server.times_of(Update);
    let slow = server.fail(|fault| fault.times(1).delay(seconds(4)));
    let server = slow.fail(|fault| fault.hang());
    let mut told = None;
    let mut elector = elector(server.lock("baz"));
    let lost = elector
        .run(CancellationToken::new(), async |leading| {
            leading.cancelled().await;
            told = Some(start.elapsed().as_secs());
        })
        .await;
    assert_eq!(lost, Err(LeadershipLostError::WorkEnded));
    assert_eq!((renewals.lock()[0] - start).as_secs(), 8);
    assert_eq!(
        told,
        Some(18),
        "10 s after the renewal was sent, not after it was answered"
    );
}

/// How another replica gets the lease while it is valid.
type Steal = fn(Server) -> BoxFuture<'static, ()>;

fn lease_of_usurper() -> Value {
    json!({"holderIdentity": "bing", "leaseDurationSeconds": 15})
}

/// Work that ignores its token writes nothing beside a new leader.
#[tokio::test(start_paused = true)]
async fn work_is_dropped_once_another_replica_holds_the_lease() {
    let steals: [(&str, Steal); 4] = [
        ("overwritten", |server| {
            async move { server.put(lease_of_usurper()).await }.boxed()
        }),
        ("for a moment", |server| {
            let moment = json!({"holderIdentity": "bing", "leaseDurationSeconds": 1});
            async move { server.put(moment).await }.boxed()
        }),
        ("holder changed", |server| {
            async move { server.change("/spec/holderIdentity", json!("bing")).await }.boxed()
        }),
        ("deleted and acquired", |server| {
            let acquire = async move {
                let (leases, params) = (server.leases(), DeleteParams::default());
                leases.delete("bar", &params).await.unwrap();
                let other = elector(server.lock("bing")).candidate;
                let acquired = other.try_acquire_or_renew().await;
                assert!(matches!(acquired, Attempt::Held { .. }), "{acquired:?}");
            };
            acquire.boxed()
        }),
    ];
    for (name, steal) in steals {
        let (server, start) = (Server::new(), Instant::now());
        let stolen = server.clone();
        tokio::spawn(async move {
            sleep(seconds(5)).await;
            steal(stolen).await;
        });
        let mut elector = elector(server.lock("baz"));
        let dropped = OnDrop::default();
        let (guard, leadership) = (OnDrop(Arc::clone(&dropped.0)), elector.leadership());
        let lost = elector
            .run(CancellationToken::new(), async move |_| {
                let _guard = guard;
                std::future::pending::<()>().await;
            })
            .await;
        assert_eq!(lost, Err(LeadershipLostError::WorkDropped), "{name}");
        assert_eq!(
            leadership.loss().as_deref(),
            Some("the lease is held by `bing`"),
            "{name}"
        );
        let dropped = dropped.0.lock().unwrap() - start;
        assert_eq!(dropped.as_secs(), 6, "{name}: at the next renewal");
        assert_eq!(server.holder().await, "bing", "{name}");
    }
}

/// Work that only waits for its token ends by itself, and nothing is sent for the lost lease.
#[tokio::test(start_paused = true)]
async fn work_that_ends_with_its_token_is_not_dropped() {
    let (server, start) = (Server::new(), Instant::now());
    let stolen = server.clone();
    tokio::spawn(async move {
        sleep(seconds(5)).await;
        stolen.put(lease_of_usurper()).await;
    });
    let lost = elector(server.lock("baz"))
        .run(CancellationToken::new(), |leading| {
            leading.cancelled_owned()
        })
        .await;
    assert_eq!(lost, Err(LeadershipLostError::WorkEnded));
    assert_eq!(start.elapsed().as_secs(), 6);
    assert_eq!(server.verbs().split_off(5), [Update, Get]);
}

/// Another replica takes the lease between the read and the write of one renewal.
#[tokio::test(start_paused = true)]
async fn conflict_is_followed_by_a_read() {
    let start = Instant::now();
    let at_6 = move |_: &FaultyRequest<'_>| start.elapsed() >= seconds(6);
    // The renewal at 6 s: the update fails, the lease is read, and the next update is slow enough
    // for the other replica.
    let server = Server::new()
        .fail_one(Update, |fault| fault.when(at_6).times(1).status(500))
        .fail_one(Update, |fault| {
            fault.when(at_6).times(1).delay(Duration::from_millis(500));
        });
    let stolen = server.clone();
    tokio::spawn(async move {
        sleep(Duration::from_millis(6200)).await;
        stolen.put(lease_of_usurper()).await;
    });
    let lost = elector(server.lock("baz"))
        .run(CancellationToken::new(), async |_| {
            std::future::pending::<()>().await;
        })
        .await;
    assert_eq!(lost, Err(LeadershipLostError::WorkDropped));
    let took = start.elapsed();
    assert!(took < seconds(7), "{took:?}");
}

/// As in client-go, a lease that was deleted, or whose holder was cleared, is acquired again.
#[tokio::test(start_paused = true)]
async fn deleted_or_cleared_lease_is_reacquired() {
    let server = Server::new();
    let changed = server.clone();
    tokio::spawn(async move {
        sleep(seconds(5)).await;
        let (leases, params) = (changed.leases(), DeleteParams::default());
        leases.delete("bar", &params).await.unwrap();
        sleep(seconds(6)).await;
        changed.put(json!({"holderIdentity": ""})).await;
    });
    let led = elector(server.lock("baz"))
        .run(CancellationToken::new(), async |leading| {
            sleep(seconds(20)).await;
            assert!(!leading.is_cancelled());
        })
        .await;
    assert_eq!(led, Ok(Some(())));
}

/// Two replicas, one of which is killed repeatedly: their work never overlaps.
#[tokio::test(start_paused = true)]
async fn work_of_killed_replicas_never_overlaps() {
    let server = Server::new();
    let working = Arc::new(AtomicBool::new(false));
    let start = Instant::now();
    let mut begun = Vec::new();
    for round in 0..20 {
        let mut elector = elector(server.lock(&format!("replica-{round}")));
        let working = Arc::clone(&working);
        let mut led_since = None;
        let run = elector.run(CancellationToken::new(), async |_| {
            assert!(!working.swap(true, Ordering::Relaxed), "two at once");
            let _end = ResetOnDrop(&working);
            led_since = Some(start.elapsed());
            sleep(seconds(7)).await;
            std::future::pending::<()>().await;
        });
        // Dropped as when the process is killed: the lease is not released.
        assert!(tokio::time::timeout(seconds(40), run).await.is_err());
        begun.push((
            round * 40,
            led_since.expect("it leads after a while").as_secs(),
        ));
    }
    for (stood, led) in begun.into_iter().skip(1) {
        // The lease duration plus a pause with maximum jitter.
        assert!((15..=15 + 5).contains(&(led - stood)), "{stood}: {led}");
    }
}

struct ResetOnDrop<'a>(&'a AtomicBool);

impl Drop for ResetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

#[tokio::test(start_paused = true)]
async fn leadership_lasts_until_the_lease_expires() {
    let start = Instant::now();
    // The read is answered after 3 s, the write after another 3 s.
    let server = Server::new().fail(|fault| fault.delay(seconds(3)));
    let elector = elector(server.lock("baz"));
    let sent = start + seconds(3);
    let attempt = elector.candidate.try_acquire_or_renew().await;
    assert_eq!(attempt, Attempt::Held { sent });
    let leadership = elector.leadership();
    for (after, is_leader) in [(6, true), (17, true), (18, false), (60, false)] {
        sleep_until(start + seconds(after)).await;
        assert_eq!(leadership.is_leader(), is_leader, "after {after} s");
        assert_eq!(leadership.leader().as_deref(), Some("baz"));
    }
}

/// If a record is read, a write was stored, but its time is unknown. Other replicas may have
/// counted since then.
#[tokio::test(start_paused = true)]
async fn reading_back_the_own_record_does_not_renew_the_lease() {
    let start = Instant::now();
    let is_late = move |_: &FaultyRequest<'_>| start.elapsed() >= seconds(9);
    // Renewals succeed until 8 s. The one at 10 s is stored but gets no response, and later ones
    // fail.
    let server = Server::new()
        .fail_one(Update, |fault| fault.when(is_late).times(1).stall())
        .fail_one(Update, |fault| fault.when(is_late).status(500));
    let mut elector = elector(server.lock("baz"));
    let leadership = elector.leadership();
    let lost = elector
        .run(CancellationToken::new(), |leading| {
            leading.cancelled_owned()
        })
        .await;
    assert_eq!(lost, Err(LeadershipLostError::WorkEnded));
    // Another replica may acquire the lease from 25 s on: 10 s plus the lease duration.
    for (after, is_leader) in [(22, true), (24, false), (26, false)] {
        sleep_until(start + seconds(after)).await;
        assert_eq!(leadership.is_leader(), is_leader, "after {after} s");
    }
    assert!(leadership.check(seconds(5)).is_ok());
    sleep_until(start + seconds(30)).await;
    assert!(leadership.check(seconds(5)).is_err());
}

/// A restarted program with the same identity does not hold the lease before it has written it.
#[tokio::test(start_paused = true)]
async fn lease_of_an_earlier_process_does_not_grant_leadership() {
    let held = json!({"holderIdentity": "baz", "leaseDurationSeconds": 15});
    let server = Server::holding(&held).fail_one(Update, |fault| fault.status(500));
    let elector = elector(server.lock("baz"));
    let attempt = elector.candidate.try_acquire_or_renew().await;
    assert_eq!(attempt, Attempt::Failed);
    assert!(!elector.leadership().is_leader());
    assert_eq!(elector.leadership().leader().as_deref(), Some("baz"));
    sleep(seconds(3600)).await;
    assert!(elector.leadership().check(seconds(5)).is_ok());
}

#[tokio::test(start_paused = true)]
async fn slow_responses_do_not_lose_the_lease() {
    let server = Server::new().fail(|fault| fault.delay(seconds(4)));
    let led = elector(server.lock("baz"))
        .run(CancellationToken::new(), async |leading| {
            sleep(seconds(120)).await;
            assert!(!leading.is_cancelled());
        })
        .await;
    assert_eq!(led, Ok(Some(())));
}
