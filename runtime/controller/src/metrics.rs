//! Metrics of controllers, under controller-runtime's names.

use genclient::metrics::{Metric, MetricKind};

/// From 5 ms to a minute.
const RECONCILE_SECONDS: &[f64] = &[
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9,
    1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0,
    25.0, 30.0, 40.0, 50.0, 60.0,
];

const CONTROLLER: &[&str] = &["controller"];

/// `controller_runtime_reconcile_total`: reconciles by how they ended, `success`, `error`,
/// `requeue` (a conflict, or a cache that was stale) or `requeue_after`.
pub static RECONCILE_TOTAL: Metric = Metric {
    name: "controller_runtime_reconcile_total",
    help: "Reconciles by their result: success, error, requeue or requeue_after.",
    kind: MetricKind::Counter,
    labels: &["controller", "result"],
};

/// `controller_runtime_reconcile_errors_total`: reconciles that failed.
pub static RECONCILE_ERRORS: Metric = Metric {
    name: "controller_runtime_reconcile_errors_total",
    help: "Reconciles that failed.",
    kind: MetricKind::Counter,
    labels: CONTROLLER,
};

/// `controller_runtime_terminal_reconcile_errors_total`: reconciles that failed and are not tried
/// again.
pub static TERMINAL_RECONCILE_ERRORS: Metric = Metric {
    name: "controller_runtime_terminal_reconcile_errors_total",
    help: "Reconciles that failed and are not tried again.",
    kind: MetricKind::Counter,
    labels: CONTROLLER,
};

/// `controller_runtime_reconcile_panics_total`: reconciles that panicked.
pub static RECONCILE_PANICS: Metric = Metric {
    name: "controller_runtime_reconcile_panics_total",
    help: "Reconciles that panicked.",
    kind: MetricKind::Counter,
    labels: CONTROLLER,
};

/// `controller_runtime_reconcile_timeouts_total`: reconciles that took longer than they may.
pub static RECONCILE_TIMEOUTS: Metric = Metric {
    name: "controller_runtime_reconcile_timeouts_total",
    help: "Reconciles that took longer than the timeout of their controller.",
    kind: MetricKind::Counter,
    labels: CONTROLLER,
};

/// `controller_runtime_reconcile_time_seconds`: how long reconciles took.
pub static RECONCILE_TIME: Metric = Metric {
    name: "controller_runtime_reconcile_time_seconds",
    help: "How long a reconcile took.",
    kind: MetricKind::Histogram(RECONCILE_SECONDS),
    labels: CONTROLLER,
};

/// `controller_runtime_max_concurrent_reconciles`: how many reconciles may run at a time.
pub static MAX_CONCURRENT_RECONCILES: Metric = Metric {
    name: "controller_runtime_max_concurrent_reconciles",
    help: "How many reconciles may run at a time.",
    kind: MetricKind::Gauge,
    labels: CONTROLLER,
};

/// `controller_runtime_active_workers`: how many reconciles run.
pub static ACTIVE_WORKERS: Metric = Metric {
    name: "controller_runtime_active_workers",
    help: "How many reconciles run.",
    kind: MetricKind::Gauge,
    labels: CONTROLLER,
};
