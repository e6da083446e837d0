//! Metrics provider that calls a function whenever an instrument is requested. Unit tests of
//! locking use it.

use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::{Counter, Gauge, Histogram, Metric, NoMetrics, Provider};

/// Provider that records nothing and calls its function, if it is set, whenever an instrument is
/// requested.
#[derive(Clone, Default)]
pub(crate) struct Callback(Arc<OnceLock<Box<dyn Fn() + Send + Sync>>>);

impl Callback {
    pub(crate) fn set(&self, function: impl Fn() + Send + Sync + 'static) {
        assert!(
            self.0.set(Box::new(function)).is_ok(),
            "the callback is already set"
        );
    }

    fn call(&self) {
        if let Some(function) = self.0.get() {
            function();
        }
    }
}

impl Provider for Callback {
    fn counter(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Counter> {
        self.call();
        NoMetrics.counter(metric, labels)
    }

    fn gauge(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Gauge> {
        self.call();
        NoMetrics.gauge(metric, labels)
    }

    fn histogram(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Histogram> {
        self.call();
        NoMetrics.histogram(metric, labels)
    }
}

/// Whether `function` returns within 10 s, without a panic or a deadlock.
pub(crate) fn ends(function: impl FnOnce() + Send + 'static) -> bool {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        function();
        let _ = sender.send(());
    });
    receiver.recv_timeout(Duration::from_secs(10)).is_ok()
}
