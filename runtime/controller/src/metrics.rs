//! Metrics of controllers, under controller-runtime's names.

use genclient::metrics::{Metric, MetricKind, exponential_buckets};

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

/// From 10 ns, each bound ten times the one before, as those of work queues.
const WEBHOOK_SECONDS: &[f64] = &exponential_buckets::<12>(10e-9, 10.0);

/// `controller_runtime_webhook_latency_seconds`: how long webhooks took to answer.
pub static WEBHOOK_LATENCY: Metric = Metric {
    name: "controller_runtime_webhook_latency_seconds",
    help: "How long a webhook took to answer.",
    kind: MetricKind::Histogram(WEBHOOK_SECONDS),
    labels: &["webhook"],
};

/// `controller_runtime_webhook_requests_total`: requests by the HTTP code of their answer.
pub static WEBHOOK_REQUESTS: Metric = Metric {
    name: "controller_runtime_webhook_requests_total",
    help: "Requests of webhooks by the HTTP code of their answer.",
    kind: MetricKind::Counter,
    labels: &["webhook", "code"],
};

/// `controller_runtime_webhook_requests_in_flight`: requests that are being answered.
pub static WEBHOOK_REQUESTS_IN_FLIGHT: Metric = Metric {
    name: "controller_runtime_webhook_requests_in_flight",
    help: "Requests of webhooks that are being answered.",
    kind: MetricKind::Gauge,
    labels: &["webhook"],
};

/// `controller_runtime_webhook_panics_total`: panics of defaulters and validators.
pub static WEBHOOK_PANICS: Metric = Metric {
    name: "controller_runtime_webhook_panics_total",
    help: "Panics of defaulters and validators.",
    kind: MetricKind::Counter,
    labels: &[],
};

/// `controller_runtime_conversion_webhook_panics_total`: panics of conversions.
pub static CONVERSION_WEBHOOK_PANICS: Metric = Metric {
    name: "controller_runtime_conversion_webhook_panics_total",
    help: "Panics of conversions.",
    kind: MetricKind::Counter,
    labels: &[],
};

/// `certwatcher_read_certificate_total`: how often files of a certificate were read.
pub static CERTIFICATE_READS: Metric = Metric {
    name: "certwatcher_read_certificate_total",
    help: "How often the files of a certificate were read.",
    kind: MetricKind::Counter,
    labels: &[],
};

/// `certwatcher_read_certificate_errors_total`: how often files of a certificate could not be read.
pub static CERTIFICATE_READ_ERRORS: Metric = Metric {
    name: "certwatcher_read_certificate_errors_total",
    help: "How often the files of a certificate could not be read.",
    kind: MetricKind::Counter,
    labels: &[],
};
