//! Tests of reconcile metrics by result, and of timeouts.

use genclient::workqueue::ItemExponentialFailureRateLimiter;
use tokio::time::Instant;

use super::run::Slow;
use super::*;

/// Returns the metrics that are not 0 after one reconcile.
async fn nonzero_metrics(controller: Controller<Request>, for_: Duration) -> Vec<String> {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let hour = Duration::from_secs(3600);
    let controller = controller.rate_limiter(ItemExponentialFailureRateLimiter::new(hour, hour));
    let mut address = None;
    let metrics = |builder: ManagerBuilder| builder.metrics_bind_address(servers::LOOPBACK);
    let running = Running::start_with(&api, metrics, |manager| {
        manager.add(controller).unwrap();
        address = manager.metrics_address();
    })
    .await;
    advance(for_).await;
    let (_, text) = servers::http_get(address.unwrap(), "/metrics").await;
    running.stop().await.unwrap();
    let mut lines: Vec<_> = text
        .lines()
        .filter_map(|line| {
            let line = line.strip_prefix("controller_runtime_")?;
            let (metric, value) = line.rsplit_once(' ')?;
            let (name, labels) = metric.split_once('{')?;
            let result = labels
                .split_once("result=")
                .map(|(_, result)| result)
                .unwrap_or_default()
                .trim_end_matches('}');
            let is_counted = name.ends_with("_total") || name.ends_with("_count");
            (is_counted && value != "0").then(|| format!("{name} {result} {value}"))
        })
        .map(|line| line.replace("  ", " "))
        .collect();
    lines.sort();
    lines
}

/// Each reconcile counts under one result, and its duration is observed once.
#[tokio::test(start_paused = true)]
async fn reconciles_are_counted_by_result() {
    type Outcome = fn() -> Result;
    let hour = Duration::from_secs(3600);
    let conflict = || {
        let mut status = genclient::kube::core::Status::failure("told to", "Conflict");
        status.code = 409;
        Err(genclient::kube::Error::Api(Box::new(status)).into())
    };
    let cases: [(Outcome, &str, &[&str]); 6] = [
        (|| Ok(Action::done()), "success", &[]),
        (
            || Ok(Action::after(Duration::from_secs(3600))),
            "requeue_after",
            &[],
        ),
        (|| Err(failure("no")), "error", &[]),
        (
            || Err(Failure::terminal("never")),
            "error",
            &["terminal_reconcile_errors_total 1"],
        ),
        (
            // Unlike `panic!`, `resume_unwind` prints nothing.
            || std::panic::resume_unwind(Box::new("told to")),
            "error",
            &["reconcile_panics_total 1"],
        ),
        (conflict, "requeue", &[]),
    ];
    for (outcome, result, others) in cases {
        let scripted = Scripted::new(move |_, _| outcome());
        let mut expected = vec![
            format!("reconcile_total \"{result}\" 1"),
            "reconcile_time_seconds_count 1".to_owned(),
        ];
        if result == "error" {
            expected.push("reconcile_errors_total 1".to_owned());
        }
        expected.extend(others.iter().map(|line| (*line).to_owned()));
        expected.sort();
        let found = nonzero_metrics(scripted.controller(), hour / 2).await;
        assert_eq!(found, expected, "{result}");
    }
}

/// A reconcile that ends in time does not count as timeout, whatever its result. A timeout of zero
/// is no timeout.
#[tokio::test(start_paused = true)]
async fn reconcile_timeouts_are_counted() {
    for (takes, timeout, is_timeout) in [(10, 5, true), (3, 5, false), (10, 0, false)] {
        let slow = Slow::taking(Duration::from_secs(takes));
        let controller =
            Controller::new(slow.clone()).reconcile_timeout(Duration::from_secs(timeout));
        let found = nonzero_metrics(controller, Duration::from_secs(60)).await;
        let timeouts = found.contains(&"reconcile_timeouts_total 1".to_owned());
        assert_eq!(timeouts, is_timeout, "{takes} {timeout}: {found:?}");
        let expected = if is_timeout { (0, 1) } else { (1, 1) };
        assert_eq!((slow.ended(), slow.dropped()), expected);
    }
    let failing = Scripted::new(|_, _| Err(failure("deadline exceeded")));
    let controller = failing.controller().reconcile_timeout(millis(5));
    let found = nonzero_metrics(controller, Duration::from_secs(60)).await;
    assert!(!found.contains(&"reconcile_timeouts_total 1".to_owned()));
}

/// A reconcile that is dropped at the end of the run does not count as timeout.
#[tokio::test(start_paused = true)]
async fn reconciles_dropped_at_shutdown_are_not_timeouts() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let slow = Slow::taking(Duration::from_secs(3600));
    let mut address = None;
    let metrics = |builder: ManagerBuilder| builder.metrics_bind_address(servers::LOOPBACK);
    let running = Running::start_with(&api, metrics, |manager| {
        let controller = Controller::new(slow.clone()).reconcile_timeout(Duration::from_secs(3600));
        manager.add(controller).unwrap();
        address = manager.metrics_address();
    })
    .await;
    advance(Duration::from_secs(1)).await;
    running.stop.cancel();
    let begun = Instant::now();
    advance(Duration::from_secs(22)).await;
    assert!(slow.was_cancelled());
    let (_, text) = servers::http_get(address.unwrap(), "/metrics").await;
    let timeouts = "controller_runtime_reconcile_timeouts_total{controller=\"configmap\"} 0";
    assert!(text.lines().any(|line| line == timeouts), "{text}");
    running.stop().await.unwrap_err();
    assert_eq!(begun.elapsed().as_secs(), 25);
}
