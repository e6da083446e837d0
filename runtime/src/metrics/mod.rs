//! Metrics of the runtime, for Prometheus or any other collector.
//!
//! Queues, reflectors, informers, clients, event broadcasters and leader election request
//! instruments (counters, gauges, histograms) from a [`Provider`]. Each instrument is described by
//! a [`Metric`]. The runtime's metrics are statics of this module, collected in [`ALL`]. Metrics of
//! client-go and controller-runtime keep their names, labels and buckets, so existing dashboards
//! and alerts work.
//!
//! | provider | metrics go |
//! |---|---|
//! | none | nowhere: a component without a provider records nothing |
#![cfg_attr(
    any(feature = "prometheus", test),
    doc = "| a [`prometheus::Registry`] | to Prometheus, as text that a program serves |"
)]
#![cfg_attr(
    not(any(feature = "prometheus", test)),
    doc = "| a `prometheus::Registry`, with the feature `prometheus` | to Prometheus, as text that a program serves |"
)]
//! | a [`Provider`] of your own | to the `metrics` crate, OpenTelemetry, a test |
//!
//! # Example
//!
//! A provider that adds up all counters:
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicU64, Ordering};
//!
//! use genclient::metrics::{
//!     Counter, Gauge, Histogram, Metric, NoMetrics, Provider, WORKQUEUE_ADDS,
//! };
//!
//! #[derive(Clone, Default)]
//! struct Total(Arc<AtomicU64>);
//!
//! impl Counter for Total {
//!     fn add(&self, count: u64) {
//!         self.0.fetch_add(count, Ordering::Relaxed);
//!     }
//! }
//!
//! impl Provider for Total {
//!     fn counter(&self, _metric: &'static Metric, _labels: &[&str]) -> Arc<dyn Counter> {
//!         Arc::new(self.clone())
//!     }
//!
//!     fn gauge(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Gauge> {
//!         NoMetrics.gauge(metric, labels)
//!     }
//!
//!     fn histogram(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Histogram> {
//!         NoMetrics.histogram(metric, labels)
//!     }
//! }
//!
//! let total = Total::default();
//! total.counter(&WORKQUEUE_ADDS, &["tasks", "tasks"]).inc();
//! assert_eq!(total.0.load(Ordering::Relaxed), 1);
//! ```

#[cfg(test)]
pub(crate) mod callback;
mod names;
#[cfg(any(feature = "prometheus", test))]
pub mod prometheus;
mod provider;
#[cfg(test)]
pub(crate) mod recorder;

pub use names::*;
pub use provider::{
    Counter, Gauge, Histogram, Metric, MetricKind, NoMetrics, Provider, exponential_buckets,
};

#[cfg(test)]
mod tests;
