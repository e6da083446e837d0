//! [`ControllerMetrics`]: metrics of one controller.

use std::collections::BTreeMap;
use std::sync::Arc;

use genclient::metrics::prometheus::Registry;
use genclient::metrics::{Counter, Gauge, Histogram, Metric, Provider};

use crate::metrics;

/// Label values of [`metrics::RECONCILE_TOTAL`] for reconciles without an error.
const SUCCESS: &str = "success";
const REQUEUE_AFTER: &str = "requeue_after";

/// The instruments of one controller. All are created at the start, so that a metric without
/// observations is exported as 0.
pub(super) struct ControllerMetrics {
    succeeded: Arc<dyn Counter>,
    failed: Arc<dyn Counter>,
    requeued: Arc<dyn Counter>,
    requeued_after: Arc<dyn Counter>,
    errors: Arc<dyn Counter>,
    terminal_errors: Arc<dyn Counter>,
    panics: Arc<dyn Counter>,
    timeouts: Arc<dyn Counter>,
    time: Arc<dyn Histogram>,
    active_workers: Arc<dyn Gauge>,
}

/// Outcome of a reconcile, as metrics count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReconcileResult {
    Success,
    RequeueAfter,
    /// A conflict or a stale cache: retried, and not counted as an error.
    Requeue,
    Error,
    TerminalError,
    Panic,
    Timeout,
}

impl ControllerMetrics {
    pub(super) fn new(provider: &dyn Provider, controller: &str, workers: usize) -> Self {
        let total = |result| provider.counter(&metrics::RECONCILE_TOTAL, &[controller, result]);
        let counter = |metric: &'static Metric| provider.counter(metric, &[controller]);
        let gauge = |metric: &'static Metric| provider.gauge(metric, &[controller]);
        gauge(&metrics::MAX_CONCURRENT_RECONCILES).set(workers as f64);
        Self {
            succeeded: total(SUCCESS),
            failed: total("error"),
            requeued: total("requeue"),
            requeued_after: total(REQUEUE_AFTER),
            errors: counter(&metrics::RECONCILE_ERRORS),
            terminal_errors: counter(&metrics::TERMINAL_RECONCILE_ERRORS),
            panics: counter(&metrics::RECONCILE_PANICS),
            timeouts: counter(&metrics::RECONCILE_TIMEOUTS),
            time: provider.histogram(&metrics::RECONCILE_TIME, &[controller]),
            active_workers: gauge(&metrics::ACTIVE_WORKERS),
        }
    }

    pub(super) fn begins(&self) {
        self.active_workers.add(1.0);
    }

    pub(super) fn ends(&self) {
        self.active_workers.add(-1.0);
    }

    pub(super) fn record(&self, outcome: ReconcileResult, seconds: f64) {
        self.time.observe(seconds);
        match outcome {
            ReconcileResult::Success => return self.succeeded.inc(),
            ReconcileResult::RequeueAfter => return self.requeued_after.inc(),
            ReconcileResult::Requeue => return self.requeued.inc(),
            ReconcileResult::Error => {}
            ReconcileResult::TerminalError => self.terminal_errors.inc(),
            ReconcileResult::Panic => self.panics.inc(),
            ReconcileResult::Timeout => self.timeouts.inc(),
        }
        self.failed.inc();
        self.errors.inc();
    }
}

/// Returns the controllers that have not completed a reconcile without an error, by name.
pub(crate) fn controllers_without_success(registry: &Registry) -> Vec<String> {
    let mut successes: BTreeMap<String, u64> = BTreeMap::new();
    for (labels, count) in registry.counts(&metrics::RECONCILE_TOTAL) {
        let [controller, result] = &labels[..] else {
            unreachable!("the metric has the labels controller and result: {labels:?}");
        };
        let is_success = [SUCCESS, REQUEUE_AFTER].contains(&result.as_str());
        *successes.entry(controller.clone()).or_default() += if is_success { count } else { 0 };
    }
    successes.retain(|_, count| *count == 0);
    successes.into_keys().collect()
}
