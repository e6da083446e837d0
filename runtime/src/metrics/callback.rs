//! A provider that runs a function when it is asked, for unit tests of what is locked then.

use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::{Counter, Gauge, Histogram, Metric, NoMetrics, Provider};

/// Measures nothing. Runs its function, once it has one, each time it is asked for an instrument.
#[derive(Clone, Default)]
pub(crate) struct Callback(Arc<OnceLock<Box<dyn Fn() + Send + Sync>>>);

impl Callback {
    pub(crate) fn set(&self, function: impl Fn() + Send + Sync + 'static) {
        assert!(self.0.set(Box::new(function)).is_ok(), "there is one");
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

/// Whether `function` returns, and neither panics nor waits for a lock that its own thread has.
pub(crate) fn ends(function: impl FnOnce() + Send + 'static) -> bool {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        function();
        let _ = sender.send(());
    });
    receiver.recv_timeout(Duration::from_secs(10)).is_ok()
}
