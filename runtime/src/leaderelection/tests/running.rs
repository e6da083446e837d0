//! Tests of `run` and its guarantees, with client-go's `TestFastPathLeaderElection` and
//! `TestCheckMethodRace`.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt;
use genclient_apiserver::FaultyRequest;
use genclient_apiserver::Verb::{self, Create, Get, Update};
use parking_lot::Mutex;
use serde_json::json;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{Server, elector, seconds};
use crate::leaderelection::LeaderElector;
use crate::metrics::prometheus::Registry;

/// Cancels the work at update number `last_update`. The lease is not released.
async fn fast_path(last_update: usize, conflict: Option<usize>) -> Vec<Verb> {
    let cancel = CancellationToken::new();
    let canceller = cancel.clone();
    let updates = AtomicUsize::new(0);
    let is_conflict = move |_: &FaultyRequest<'_>| {
        let update = updates.fetch_add(1, Ordering::Relaxed) + 1;
        if update == last_update {
            canceller.cancel();
        }
        Some(update) == conflict
    };
    let server = Server::new().fail_one(Update, |fault| fault.when(is_conflict).conflict());
    let mut elector = LeaderElector::builder(server.lock("baz"))
        .renew_deadline(seconds(2))
        .retry_period(seconds(1))
        .release_on_cancel(false)
        .build()
        .unwrap();
    let led = elector
        .run(cancel, |leading| leading.cancelled_owned())
        .await;
    assert_eq!(led, Ok(Some(())));
    server.verbs()
}

#[tokio::test(start_paused = true)]
async fn fast_path_leader_election() {
    assert_eq!(
        fast_path(2, None).await,
        [Get, Create, Update, Update],
        "Exercise fast path after lock acquired"
    );
    assert_eq!(
        fast_path(4, Some(2)).await,
        [Get, Create, Update, Update, Get, Update, Update],
        "Fallback to slow path after fast path fails"
    );
}

/// Other threads call the health check while the lease is renewed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn check_method_race() {
    let server = Server::new();
    let mut elector = LeaderElector::builder(server.lock("baz"))
        .lease_duration(seconds(2))
        .renew_deadline(seconds(1))
        .retry_period(Duration::from_millis(5))
        .build()
        .unwrap();
    let leadership = elector.leadership();
    let over = CancellationToken::new();
    let is_over = over.clone();
    // Ends the other thread even if an assertion fails.
    let guard = over.drop_guard();
    let asking = tokio::task::spawn_blocking(move || {
        let mut checks = 0;
        while !is_over.is_cancelled() {
            assert_eq!(leadership.check(seconds(1)), Ok(()));
            let is_leader = leadership.is_leader();
            checks += usize::from(is_leader && leadership.leader().as_deref() == Some("baz"));
        }
        checks
    });
    let verbs = elector
        .run(CancellationToken::new(), async |_| {
            sleep(Duration::from_millis(100)).await;
            server.verbs()
        })
        .await
        .unwrap()
        .unwrap();
    drop(guard);
    assert!(verbs.len() > 5, "{verbs:?}");
    let checks = asking.await.unwrap();
    assert!(checks > verbs.len(), "{checks}");
}

#[tokio::test(start_paused = true)]
async fn acquire_attempts_are_jittered() {
    let server = Server::holding(&json!({"holderIdentity": "bing", "leaseDurationSeconds": 3600}));
    let attempts = server.times_of(Get);
    let cancel = CancellationToken::new();
    let canceller = cancel.clone();
    tokio::spawn(async move {
        sleep(seconds(1000)).await;
        canceller.cancel();
    });
    let led = server.elector().run(cancel, async |_| ()).await;
    assert_eq!(led, Ok(None));
    assert_eq!(server.verbs().len(), attempts.lock().len());
    let pauses: Vec<f64> = attempts
        .lock()
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).as_secs_f64())
        .collect();
    // Timers are late by up to a millisecond.
    assert!(pauses.iter().all(|pause| (1.0..2.202).contains(pause)));
    assert!(pauses.iter().any(|pause| *pause < 1.3));
    assert!(pauses.iter().any(|pause| *pause > 1.9));
}

#[tokio::test(start_paused = true)]
async fn the_lease_is_renewed_until_the_work_has_ended() {
    let server = Server::new();
    let cancel = CancellationToken::new();
    let canceller = cancel.clone();
    let watched = server.clone();
    let mut elector = server.elector();
    let requests = elector
        .run(cancel, async move |leading| {
            canceller.cancel();
            leading.cancelled().await;
            sleep(seconds(60)).await; // much longer than the lease
            assert_eq!(watched.holder().await, "baz");
            watched.verbs().len()
        })
        .await
        .unwrap()
        .unwrap();
    assert!((60..65).contains(&requests), "{requests}");
    assert_eq!(server.holder().await, "");
}

#[tokio::test(start_paused = true)]
async fn panic_of_the_work_is_resumed_after_the_release() {
    let server = Server::new();
    let mut elector = server.elector();
    let run = elector.run(CancellationToken::new(), async |_| {
        sleep(seconds(3)).await;
        panic!("out of memory");
    });
    let panic = AssertUnwindSafe(run).catch_unwind().await.unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"out of memory"));
    assert_eq!(server.holder().await, "");
    assert_no_more_requests(&server).await;
}

#[tokio::test(start_paused = true)]
async fn dropping_the_run_drops_the_work_and_ends_the_renewals() {
    let server = Server::new();
    let dropped = Arc::new(AtomicBool::new(false));
    let guard = SetOnDrop(Arc::clone(&dropped));
    let leading = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&leading);
    let mut elector = server.elector();
    let run = elector.run(CancellationToken::new(), async move |leading| {
        let _guard = guard;
        *seen.lock() = Some(leading);
        std::future::pending::<()>().await;
    });
    assert!(tokio::time::timeout(seconds(5), run).await.is_err());
    assert!(dropped.load(Ordering::Relaxed));
    assert!(leading.lock().as_ref().unwrap().is_cancelled());
    assert_eq!(server.holder().await, "baz", "it ends by itself");
    assert_no_more_requests(&server).await;
}

#[tokio::test(start_paused = true)]
async fn an_elector_can_run_again() {
    let server = Server::new();
    let mut elector = server.elector();
    for round in 0..3 {
        let led = elector.run(CancellationToken::new(), async |_| round).await;
        assert_eq!(led, Ok(Some(round)));
    }
    assert_eq!(server.spec().await["leaseTransitions"], 2);
}

#[tokio::test(start_paused = true)]
async fn new_leader_callback_runs_once_per_leader_and_may_panic() {
    let server = Server::new();
    let told = Arc::new(Mutex::new(Vec::new()));
    let telling = Arc::clone(&told);
    let mut other = elector(server.lock("bing"));
    let other = tokio::spawn(async move {
        let _ = other
            .run(CancellationToken::new(), async |_| sleep(seconds(5)).await)
            .await;
    });
    sleep(seconds(1)).await;
    let led = LeaderElector::builder(server.lock("baz"))
        .renew_deadline(seconds(2))
        .retry_period(seconds(1))
        .on_new_leader(move |leader| {
            telling.lock().push(leader.map(str::to_owned));
            panic!("not ours");
        })
        .build()
        .unwrap()
        .run(CancellationToken::new(), async |_| sleep(seconds(5)).await)
        .await;
    assert_eq!(led, Ok(Some(())));
    other.await.unwrap();
    let expected = [Some("bing".to_owned()), Some("baz".to_owned()), None];
    assert_eq!(*told.lock(), expected);
}

#[tokio::test(start_paused = true)]
async fn election_metrics_report_the_leader_and_failures() {
    let registry = Arc::new(Registry::new());
    // The first renewal is a conflict.
    let server = Server::new().fail_one(Update, |fault| fault.times(1).conflict());
    let mut elector = LeaderElector::builder(server.lock("baz"))
        .metrics(registry.clone())
        .build()
        .unwrap();
    let values = || {
        let text = registry.encode();
        let value = |name: &str| {
            let line = format!("{name}{{name=\"bar\"}} ");
            let value = text.lines().find_map(|text| text.strip_prefix(&line));
            value.map(str::to_owned)
        };
        (
            value("leader_election_master_status"),
            value("leader_election_slowpath_total"),
        )
    };
    let both = |status: &str, slowpath: &str| (Some(status.to_owned()), Some(slowpath.to_owned()));
    assert_eq!(values(), both("0", "0"));
    let led = elector.run(CancellationToken::new(), async |_| {
        sleep(seconds(5)).await;
        values()
    });
    assert_eq!(led.await, Ok(Some(both("1", "1"))));
    assert_eq!(values(), both("0", "1"));
    let led = elector.run(CancellationToken::new(), |leading| {
        leading.cancelled_owned()
    });
    assert!(timeout(seconds(5), led).await.is_err());
    assert_eq!(values(), both("0", "1"), "the run was dropped");
}

struct SetOnDrop(Arc<AtomicBool>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Checks that no task still sends requests.
async fn assert_no_more_requests(server: &Server) {
    let before = server.verbs().len();
    sleep(seconds(3600)).await;
    assert_eq!(server.verbs().len(), before);
}
