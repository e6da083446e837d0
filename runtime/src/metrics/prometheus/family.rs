//! Metric family: a metric with its time series, which are lock-free atomic instruments.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::metrics::{self, Metric, MetricKind};

/// Metric with its time series, by label values.
pub(super) struct Family {
    pub(super) metric: &'static Metric,
    pub(super) series: BTreeMap<Vec<String>, TimeSeries>,
}

#[derive(Clone)]
pub(super) enum TimeSeries {
    Counter(Arc<AtomicCounter>),
    Gauge(Arc<AtomicGauge>),
    Histogram(Arc<AtomicHistogram>),
}

#[derive(Debug, Default)]
pub(super) struct AtomicCounter(AtomicU64);

/// A gauge, stored as the bits of an `f64`.
#[derive(Debug, Default)]
pub(super) struct AtomicGauge(AtomicU64);

/// A histogram: number of values in each bucket, and sum of all values.
#[derive(Debug)]
pub(super) struct AtomicHistogram {
    bounds: &'static [f64],
    /// Number of values in each bucket, not cumulative. The last bucket has no bound, so there is
    /// one more bucket than `bounds`.
    buckets: Box<[AtomicU64]>,
    sum: AtomicGauge,
}

impl TimeSeries {
    pub(super) fn new(kind: MetricKind) -> Self {
        match kind {
            MetricKind::Counter => Self::Counter(Arc::default()),
            MetricKind::Gauge => Self::Gauge(Arc::default()),
            MetricKind::Histogram(bounds) => {
                Self::Histogram(Arc::new(AtomicHistogram::new(bounds)))
            }
        }
    }
}

impl AtomicCounter {
    pub(super) fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl metrics::Counter for AtomicCounter {
    fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }
}

impl AtomicGauge {
    pub(super) fn value(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }
}

impl metrics::Gauge for AtomicGauge {
    fn set(&self, value: f64) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }

    fn add(&self, change: f64) {
        let sum = |bits| Some((f64::from_bits(bits) + change).to_bits());
        // `fetch_update` fails only if the closure returns `None`.
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum);
    }
}

impl AtomicHistogram {
    pub(super) fn new(bounds: &'static [f64]) -> Self {
        Self {
            bounds,
            buckets: (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect(),
            sum: AtomicGauge::default(),
        }
    }

    /// Returns each bound with the number of values up to it. The last bound is infinite, with the
    /// number of all values.
    pub(super) fn cumulative_counts(&self) -> impl Iterator<Item = (f64, u64)> {
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        let counts = self.buckets.iter().scan(0, |sum, bucket| {
            *sum += bucket.load(Ordering::Relaxed);
            Some(*sum)
        });
        bounds.zip(counts)
    }

    pub(super) fn sum(&self) -> f64 {
        self.sum.value()
    }
}

impl metrics::Histogram for AtomicHistogram {
    fn observe(&self, value: f64) {
        let bucket = self.bounds.partition_point(|&bound| bound < value);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        metrics::Gauge::add(&self.sum, value);
    }
}
