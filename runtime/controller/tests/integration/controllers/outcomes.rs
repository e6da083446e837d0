//! Tests of requeues after a reconcile: success, failure, panic, timeout and conflict.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genclient::workqueue::ItemExponentialFailureRateLimiter;
use genclient_controller::{Action, Failure};
use tokio::time::Instant;

use super::*;

/// Returns a clock in milliseconds since the first call.
fn start_clock() -> impl Fn() -> u64 + Send + Sync {
    let first = Mutex::new(None);
    move || {
        let now = Instant::now();
        let first = *first.lock().unwrap().get_or_insert(now);
        u64::try_from((now - first).as_millis()).unwrap()
    }
}

/// Runs a reconciler of one object. Returns time and attempt of each call.
async fn record_calls(
    for_: Duration,
    outcome: impl Fn(u32) -> Result + Send + Sync + 'static,
) -> Vec<(u64, u32)> {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let clock = start_clock();
    let times = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&times);
    let scripted = Scripted::new(move |call, _| {
        kept.lock().unwrap().push((clock(), call.attempt));
        outcome(call.attempt)
    });
    let limiter = ItemExponentialFailureRateLimiter::new(millis(100), Duration::from_secs(1));
    let running = Running::start(&api, |manager| {
        let controller = scripted.controller().rate_limiter(limiter);
        manager
            .add(controller.reconcile_timeout(millis(400)))
            .unwrap();
    })
    .await;
    advance(for_).await;
    running.stop().await.unwrap();
    let times = times.lock().unwrap();
    times.clone()
}

#[tokio::test(start_paused = true)]
async fn successful_reconciles_are_not_requeued() {
    let times = record_calls(Duration::from_secs(60), |_| Ok(Action::done())).await;
    assert_eq!(times, [(0, 1)]);
}

#[tokio::test(start_paused = true)]
async fn action_after_requeues_after_the_delay() {
    let again = |_| Ok(Action::after(Duration::from_secs(10)));
    let times = record_calls(Duration::from_secs(25), again).await;
    assert_eq!(times, [(0, 1), (10_000, 1), (20_000, 1)]);
}

#[tokio::test(start_paused = true)]
async fn failures_are_retried_with_exponential_backoff() {
    let times = record_calls(Duration::from_secs(3), |attempt| match attempt {
        1..5 => Err(failure("no")),
        _ => Ok(Action::done()),
    });
    let expected = [(0, 1), (100, 2), (300, 3), (700, 4), (1_500, 5)];
    assert_eq!(times.await, expected);
}

#[tokio::test(start_paused = true)]
async fn panicking_reconciles_are_retried() {
    let times = record_calls(Duration::from_secs(1), |attempt| match attempt {
        1 => panic!("told to"),
        _ => Ok(Action::done()),
    })
    .await;
    assert_eq!(times, [(0, 1), (100, 2)]);
}

#[tokio::test(start_paused = true)]
async fn failure_after_requeues_after_its_own_delay() {
    let times = record_calls(Duration::from_secs(25), |_| {
        Err(Failure::after(Duration::from_secs(10), "no"))
    })
    .await;
    assert_eq!(times, [(0, 1), (10_000, 2), (20_000, 3)]);
}

#[tokio::test(start_paused = true)]
async fn terminal_failures_are_retried_only_after_a_change() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let scripted = Scripted::new(|_, _| Err(Failure::terminal("never")));
    let resync = |builder: ManagerBuilder| builder.resync(Duration::from_secs(10));
    let running = Running::start_with(&api, resync, |manager| {
        manager.add(scripted.controller()).unwrap();
    })
    .await;
    advance(Duration::from_secs(60)).await;
    assert_eq!(scripted.names(), ["a/one"]);
    api.put("configmaps", config_map_json("one", "2"));
    settle().await;
    let calls = scripted.take();
    assert_eq!(calls.len(), 1);
    assert_eq!(
        (calls[0].attempt, &*calls[0].reasons),
        (1, &["ConfigMap updated".to_owned()][..])
    );
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn resync_requeues_successful_objects() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let scripted = Scripted::idle();
    let resync = |builder: ManagerBuilder| builder.resync(Duration::from_secs(10));
    let running = Running::start_with(&api, resync, |manager| {
        manager.add(scripted.controller()).unwrap();
    })
    .await;
    advance(Duration::from_secs(25)).await;
    let reasons: Vec<_> = scripted
        .take()
        .into_iter()
        .map(|call| call.reasons)
        .collect();
    assert_eq!(reasons, [["ConfigMap listed"], ["resync"], ["resync"]]);
    running.stop().await.unwrap();
}

/// However many changes trigger earlier attempts, the retry stays at its planned time.
#[tokio::test(start_paused = true)]
async fn change_retries_early_without_postponing_the_backoff() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "0"));
    let clock = start_clock();
    let times = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&times);
    let scripted = Scripted::new(move |call, _| {
        kept.lock().unwrap().push((clock(), call.attempt));
        Err(failure("no"))
    });
    let limiter =
        ItemExponentialFailureRateLimiter::new(Duration::from_secs(10), Duration::from_secs(100));
    let running = Running::start(&api, |manager| {
        manager
            .add(scripted.controller().rate_limiter(limiter))
            .unwrap();
    })
    .await;
    advance(millis(500)).await;
    for change in 1..=5 {
        api.put("configmaps", config_map_json("one", &change.to_string()));
        advance(Duration::from_secs(1)).await;
    }
    advance(Duration::from_secs(30)).await;
    let times = std::mem::take(&mut *times.lock().unwrap());
    let seconds: Vec<_> = times
        .iter()
        .map(|(at, attempt)| (at / 1000, *attempt))
        .collect();
    let expected = [
        (0, 1),
        (0, 2),
        (1, 3),
        (2, 4),
        (3, 5),
        (4, 6),
        (10, 7),
        (30, 8),
    ];
    assert_eq!(seconds, expected);
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn timed_out_reconciles_are_dropped_and_retried() {
    struct Slow(Arc<AtomicUsize>);

    impl Reconciler for Slow {
        type Object = ConfigMap;

        async fn reconcile(&self, _object: Arc<ConfigMap>, cx: &Context) -> Result {
            self.0.fetch_add(1, Ordering::Relaxed);
            if cx.attempt() < 3 {
                advance(Duration::from_secs(3600)).await;
            }
            Ok(Action::done())
        }
    }

    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let calls = Arc::new(AtomicUsize::new(0));
    let mut address = None;
    let metrics = |builder: ManagerBuilder| builder.metrics_bind_address(servers::LOOPBACK);
    let running = Running::start_with(&api, metrics, |manager| {
        let slow = Controller::new(Slow(Arc::clone(&calls)));
        manager
            .add(slow.reconcile_timeout(Duration::from_secs(5)))
            .unwrap();
        address = manager.metrics_address();
    })
    .await;
    advance(Duration::from_secs(60)).await;
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    let (_, metrics) = servers::http_get(address.unwrap(), "/metrics").await;
    let timeouts = r#"controller_runtime_reconcile_timeouts_total{controller="configmap"} 2"#;
    assert!(metrics.lines().any(|line| line == timeouts), "{metrics}");
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn conflicts_are_retried_and_counted_separately() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let refused = |reason| {
        let mut status = genclient::kube::core::Status::failure("told to", reason);
        status.code = 409;
        Err(genclient::kube::Error::Api(Box::new(status)).into())
    };
    let scripted = Scripted::new(move |call, _| match call.attempt {
        1 => refused("Conflict"),
        2 => refused("AlreadyExists"),
        3 => Err(Failure::terminal("never")),
        _ => Ok(Action::done()),
    });
    let mut address = None;
    let metrics = |builder: ManagerBuilder| builder.metrics_bind_address(servers::LOOPBACK);
    let running = Running::start_with(&api, metrics, |manager| {
        manager.add(scripted.controller()).unwrap();
        address = manager.metrics_address();
    })
    .await;
    advance(Duration::from_secs(60)).await;
    assert_eq!(scripted.take().len(), 3);
    let (_, metrics) = servers::http_get(address.unwrap(), "/metrics").await;
    for line in [
        r#"controller_runtime_reconcile_total{controller="configmap",result="requeue"} 1"#,
        r#"controller_runtime_reconcile_total{controller="configmap",result="error"} 2"#,
        r#"controller_runtime_reconcile_total{controller="configmap",result="success"} 0"#,
        r#"controller_runtime_reconcile_errors_total{controller="configmap"} 2"#,
        r#"controller_runtime_terminal_reconcile_errors_total{controller="configmap"} 1"#,
        r#"controller_runtime_reconcile_panics_total{controller="configmap"} 0"#,
        r#"controller_runtime_active_workers{controller="configmap"} 0"#,
        r#"controller_runtime_max_concurrent_reconciles{controller="configmap"} 1"#,
    ] {
        assert!(
            metrics.lines().any(|found| found == line),
            "{line}\n{metrics}"
        );
    }
    running.stop().await.unwrap();
}
