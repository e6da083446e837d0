//! Instruments that never lock.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::metrics;

/// A count of events.
#[derive(Debug, Default)]
pub(super) struct AtomicCounter(AtomicU64);

/// The bits of a floating point number.
#[derive(Debug, Default)]
pub(super) struct AtomicGauge(AtomicU64);

/// How many values each bucket has got, and their sum.
#[derive(Debug)]
pub(super) struct AtomicHistogram {
    bounds: &'static [f64],
    /// One more than there are bounds. A bucket does not count what is in those below it.
    buckets: Box<[AtomicU64]>,
    sum: AtomicGauge,
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
        // It only fails if there is no sum.
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

    /// Each bound with the number of values up to it; the last is infinite, and its number that of all values.
    pub(super) fn cumulated(&self) -> impl Iterator<Item = (f64, u64)> {
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
