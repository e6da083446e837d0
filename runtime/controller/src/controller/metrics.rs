//! [`ControllerMetrics`]: metrics of one controller.

use std::sync::Arc;

use genclient::metrics::{Counter, Gauge, Histogram, Metric, Provider};

use crate::metrics;

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
            succeeded: total("success"),
            failed: total("error"),
            requeued: total("requeue"),
            requeued_after: total("requeue_after"),
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
