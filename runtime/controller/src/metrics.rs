//! Metrics of controllers, webhooks, certificates and storage migrations. Those that
//! controller-runtime has as well have its names.

use genclient::metrics::{Metric, MetricKind, exponential_buckets};

/// Buckets from 5 ms to a minute.
const RECONCILE_SECONDS: &[f64] = &[
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9,
    1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0,
    25.0, 30.0, 40.0, 50.0, 60.0,
];

/// Buckets from 10 ns to 1000 s, each ten times the previous one, like those of work queues.
const WEBHOOK_SECONDS: &[f64] = &exponential_buckets::<12>(10e-9, 10.0);

const CONTROLLER: &[&str] = &["controller"];
const WEBHOOK: &[&str] = &["webhook"];

/// Declares the metrics, and `ALL`, the list of them.
macro_rules! metrics {
    ($($static:ident $name:literal, $kind:expr, $labels:expr, $help:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $help)]
            pub static $static: Metric = Metric { name: $name, help: $help, kind: $kind, labels: $labels };
        )*

        /// The metrics of this crate.
        pub static ALL: &[&Metric] = &[$(&$static),*];
    };
}

metrics! {
    RECONCILE_TOTAL "controller_runtime_reconcile_total", MetricKind::Counter, &["controller", "result"],
        "Total number of reconciliations per controller by result: success, error, requeue (a conflict, or a stale cache) or requeue_after.";
    RECONCILE_ERRORS "controller_runtime_reconcile_errors_total", MetricKind::Counter, CONTROLLER,
        "Total number of reconciliation errors per controller.";
    TERMINAL_RECONCILE_ERRORS "controller_runtime_terminal_reconcile_errors_total", MetricKind::Counter, CONTROLLER,
        "Total number of terminal reconciliation errors per controller.";
    RECONCILE_PANICS "controller_runtime_reconcile_panics_total", MetricKind::Counter, CONTROLLER,
        "Total number of reconciliation panics per controller.";
    RECONCILE_TIMEOUTS "controller_runtime_reconcile_timeouts_total", MetricKind::Counter, CONTROLLER,
        "Total number of reconciliation timeouts per controller.";
    RECONCILE_TIME "controller_runtime_reconcile_time_seconds", MetricKind::Histogram(RECONCILE_SECONDS), CONTROLLER,
        "Length of time per reconciliation per controller.";
    MAX_CONCURRENT_RECONCILES "controller_runtime_max_concurrent_reconciles", MetricKind::Gauge, CONTROLLER,
        "Maximum number of concurrent reconciles per controller.";
    ACTIVE_WORKERS "controller_runtime_active_workers", MetricKind::Gauge, CONTROLLER,
        "Number of currently used workers per controller.";
    REFUSED_REQUESTS "genclient_refused_requests_total", MetricKind::Counter, CONTROLLER,
        "Total number of requests per controller that were not enqueued because another replica works on the object, or this one has not read it yet.";
    WEBHOOK_LATENCY "controller_runtime_webhook_latency_seconds", MetricKind::Histogram(WEBHOOK_SECONDS), WEBHOOK,
        "Histogram of the latency of processing admission requests.";
    WEBHOOK_REQUESTS "controller_runtime_webhook_requests_total", MetricKind::Counter, &["webhook", "code"],
        "Total number of admission requests by HTTP status code.";
    WEBHOOK_REQUESTS_IN_FLIGHT "controller_runtime_webhook_requests_in_flight", MetricKind::Gauge, WEBHOOK,
        "Current number of admission requests being served.";
    WEBHOOK_PANICS "controller_runtime_webhook_panics_total", MetricKind::Counter, &[],
        "Total number of webhook panics.";
    CONVERSION_WEBHOOK_PANICS "controller_runtime_conversion_webhook_panics_total", MetricKind::Counter, &[],
        "Total number of conversion webhook panics.";
    CERTIFICATE_READS "certwatcher_read_certificate_total", MetricKind::Counter, &[],
        "Total number of certificate reads.";
    CERTIFICATE_READ_ERRORS "certwatcher_read_certificate_errors_total", MetricKind::Counter, &[],
        "Total number of certificate read errors.";
    STORAGE_MIGRATION_OBJECTS "genclient_storage_migration_objects_total", MetricKind::Counter, &["definition", "result"],
        "Total number of objects in storage migrations by result: written, gone (deleted meanwhile) or failed.";
    STORAGE_MIGRATION_LAST_SUCCESS "genclient_storage_migration_last_success_timestamp_seconds", MetricKind::Gauge, &["definition"],
        "Time of the last storage migration that left no object in an old version, since the Unix epoch.";
}
