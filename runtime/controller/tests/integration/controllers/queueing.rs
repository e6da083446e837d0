//! Tests of order and number of reconciles: priorities, backoff and workers.

use std::sync::atomic::{AtomicUsize, Ordering};

use genclient_controller::RequestReconciler;
use tokio::time::Instant;

use super::*;

/// A reconciler that takes time, and returns the result of `outcome`.
#[derive(Clone)]
struct Taking {
    takes: fn(&str) -> Duration,
    outcome: fn(&str, u32) -> Result,
    /// Name and start time of each reconcile, in milliseconds.
    calls: Arc<Mutex<Vec<(String, u128)>>>,
    begun: Instant,
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Taking {
    fn new(takes: fn(&str) -> Duration, outcome: fn(&str, u32) -> Result) -> Self {
        Self {
            takes,
            outcome,
            calls: Arc::default(),
            begun: Instant::now(),
            running: Arc::default(),
            most: Arc::default(),
        }
    }

    fn names(&self) -> Vec<String> {
        let calls = std::mem::take(&mut *self.calls.lock().unwrap());
        calls.into_iter().map(|(name, _)| name).collect()
    }

    /// Returns the start times of reconciles, in milliseconds since the first one.
    fn times(&self) -> Vec<u128> {
        let calls = std::mem::take(&mut *self.calls.lock().unwrap());
        let first = calls[0].1;
        calls.into_iter().map(|(_, at)| at - first).collect()
    }
}

impl Reconciler for Taking {
    type Object = ConfigMap;

    async fn reconcile(&self, object: Arc<ConfigMap>, cx: &Context) -> Result {
        let name = object.metadata.name.clone().unwrap();
        let at = self.begun.elapsed().as_millis();
        self.calls.lock().unwrap().push((name.clone(), at));
        let running = self.running.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(running, Ordering::Relaxed);
        advance((self.takes)(&name)).await;
        self.running.fetch_sub(1, Ordering::Relaxed);
        (self.outcome)(&name, cx.attempt())
    }
}

fn done(_name: &str, _attempt: u32) -> Result {
    Ok(Action::done())
}

/// Changed objects are reconciled before initial objects and before resyncs.
#[tokio::test(start_paused = true)]
async fn changes_are_prioritized_over_lists_and_resyncs() {
    let api = Api::new();
    for name in ["l1", "l2", "l3"] {
        api.put("configmaps", config_map_json(name, "1"));
    }
    let taking = Taking::new(|_| Duration::from_secs(1), done);
    let settings = |builder: ManagerBuilder| builder.resync(Duration::from_secs(100));
    let running = Running::start_with(&api, settings, |manager| {
        manager.add(Controller::new(taking.clone())).unwrap();
    })
    .await;
    advance(millis(500)).await;
    // One initial object is being reconciled. The other two are pending with low priority, until a
    // change raises the priority of one.
    let first = taking.names();
    let mut waiting = vec!["l1", "l2", "l3"];
    waiting.retain(|name| *name != first[0]);
    api.put("configmaps", config_map_json("new", "1"));
    api.put("configmaps", config_map_json(waiting[1], "2"));
    advance(Duration::from_secs(50)).await;
    assert_eq!(taking.names(), ["new", waiting[1], waiting[0]]);
    advance(Duration::from_secs(50)).await;
    assert_eq!(taking.names().len(), 1, "the resync has begun");
    api.put("configmaps", config_map_json("changed", "1"));
    advance(Duration::from_secs(50)).await;
    let rest = taking.names();
    assert_eq!((rest.len(), &*rest[0]), (4, "changed"));
    running.stop().await.unwrap();
}

/// A requeued request keeps its priority, for all three reasons of a requeue.
#[tokio::test(start_paused = true)]
async fn requeued_requests_keep_their_priority() {
    let outcomes: [fn(&str, u32) -> Result; 3] = [
        |_, _| Err(failure("no")),
        |_, _| Err(Failure::after(millis(100), "no")),
        |_, _| Ok(Action::after(millis(100))),
    ];
    for outcome in outcomes {
        for (is_listed, expected) in [
            (true, ["one", "busy", "late", "one"]),
            (false, ["one", "busy", "one", "late"]),
        ] {
            let api = Api::new();
            if is_listed {
                api.put("configmaps", config_map_json("one", "1"));
            }
            let taking = Taking::new(
                |name| millis(if name == "busy" { 1000 } else { 0 }),
                outcome,
            );
            let limiter = genclient::workqueue::ItemExponentialFailureRateLimiter::new(
                millis(100),
                Duration::from_secs(10),
            );
            let running = Running::start(&api, |manager| {
                let controller = Controller::new(taking.clone()).rate_limiter(limiter);
                manager.add(controller).unwrap();
            })
            .await;
            settle().await;
            if !is_listed {
                api.put("configmaps", config_map_json("one", "1"));
            }
            advance(millis(40)).await;
            // During this reconcile, the other request is requeued, and then a new one is enqueued.
            api.put("configmaps", config_map_json("busy", "1"));
            advance(millis(500)).await;
            api.put("configmaps", config_map_json("late", "1"));
            advance(millis(540)).await;
            assert_eq!(taking.names()[..4], expected);
            running.stop().await.unwrap();
        }
    }
}

/// The delay is 5 ms, doubles with each failure, and starts again after a success.
#[tokio::test(start_paused = true)]
async fn backoff_matches_client_go_until_a_success() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    // Three failed attempts, then one that requests another reconcile. The pattern repeats.
    let outcome = |_: &str, attempt| match attempt {
        1..4 => Err(failure("no")),
        _ => Ok(Action::after(Duration::from_secs(1))),
    };
    let taking = Taking::new(|_| Duration::ZERO, outcome);
    let running = Running::start(&api, |manager| {
        manager.add(Controller::new(taking.clone())).unwrap();
    })
    .await;
    advance(millis(1500)).await;
    let times = taking.times();
    let pauses: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // A timer may be a millisecond late.
    for (pause, expected) in pauses.iter().zip([5, 10, 20, 1000, 5, 10, 20]) {
        assert!((expected..=expected + 1).contains(pause), "{pauses:?}");
    }
    assert_eq!(pauses.len(), 7, "{pauses:?}");
    running.stop().await.unwrap();
}

/// The number of workers is set in the controller, or else in the manager, or else is 1.
#[tokio::test(start_paused = true)]
async fn concurrent_reconciles_are_limited_by_workers() {
    for (of_manager, of_controller, expected) in [
        (None, None, 1),
        (Some(3), None, 3),
        (None, Some(4), 4),
        (Some(3), Some(2), 2),
        (Some(3), Some(0), 1),
    ] {
        let api = Api::new();
        for number in 0..8 {
            api.put("configmaps", config_map_json(&format!("map-{number}"), "1"));
        }
        let taking = Taking::new(|_| Duration::from_secs(1), done);
        let settings = |builder: ManagerBuilder| match of_manager {
            Some(workers) => builder.workers(workers),
            None => builder,
        };
        let running = Running::start_with(&api, settings, |manager| {
            let controller = Controller::new(taking.clone());
            let controller = match of_controller {
                Some(workers) => controller.workers(workers),
                None => controller,
            };
            manager.add(controller).unwrap();
        })
        .await;
        advance(Duration::from_secs(20)).await;
        assert_eq!(taking.names().len(), 8);
        assert_eq!(taking.most.load(Ordering::Relaxed), expected);
        running.stop().await.unwrap();
    }
}

/// A request that is enqueued during its own reconcile is reconciled once more.
#[tokio::test(start_paused = true)]
async fn objects_changed_during_their_reconcile_are_requeued() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let taking = Taking::new(|_| Duration::from_secs(1), done);
    let running = Running::start(&api, |manager| {
        let controller = Controller::new(taking.clone()).workers(4);
        manager.add(controller).unwrap();
    })
    .await;
    for change in 0..5 {
        advance(millis(100)).await;
        api.put("configmaps", config_map_json("one", &change.to_string()));
    }
    advance(Duration::from_secs(10)).await;
    assert_eq!(taking.names(), ["one", "one"]);
    assert_eq!(taking.most.load(Ordering::Relaxed), 1);
    running.stop().await.unwrap();
}

/// A source enqueues a thousand requests of a custom type.
#[tokio::test(start_paused = true)]
async fn every_request_of_a_source_is_reconciled_once() {
    struct Numbers(Arc<Mutex<Vec<u32>>>);

    impl RequestReconciler for Numbers {
        type Request = u32;

        async fn reconcile(&self, request: &u32, _cx: &Context) -> Result {
            self.0.lock().unwrap().push(*request);
            Ok(Action::done())
        }
    }

    let api = Api::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let running = Running::start(&api, |manager| {
        let twice = (0..1000_u32).chain(0..1000);
        let numbers = genclient_controller::source::stream(futures::stream::iter(twice));
        let controller = Controller::for_requests("numbers", Numbers(Arc::clone(&seen)));
        manager.add(controller.source(numbers)).unwrap();
    })
    .await;
    settle().await;
    assert_eq!(*seen.lock().unwrap(), (0..1000).collect::<Vec<_>>());
    running.stop().await.unwrap();
}
