//! Who makes instruments, and what can be done with them.

use std::sync::Arc;

use super::Metric;

/// Makes the instruments that components measure with; client-go has one such interface in each package.
///
/// A component asks once for every instrument and keeps it: as a rule when it is made, and where a
/// label is not known then, such as the code of an answer or the priority of a key, when it turns
/// up. So a provider must not block, nor use the component that asks. The instruments are used
/// under locks and for every object, and have to be a few atomic operations.
///
/// `metric` is of the kind that is asked for, and `labels` holds a value for each of [`Metric::labels`], in their order. To
/// ask again with the same values gives the same series, so that components of one name add up.
pub trait Provider: Send + Sync {
    /// The counter of a series.
    fn counter(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Counter>;

    /// The gauge of a series.
    fn gauge(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Gauge>;

    /// The histogram of a series.
    fn histogram(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Histogram>;
}

/// A number of events.
pub trait Counter: Send + Sync {
    /// Counts one event.
    fn inc(&self) {
        self.add(1);
    }

    /// Counts several events.
    fn add(&self, count: u64);
}

/// A value that goes up and down.
pub trait Gauge: Send + Sync {
    /// Replaces the value.
    fn set(&self, value: f64);

    /// Adds to the value, or takes from it.
    fn add(&self, change: f64);
}

/// A distribution of values.
pub trait Histogram: Send + Sync {
    /// Puts one value into its bucket. Durations are in seconds.
    fn observe(&self, value: f64);
}

/// Measures nothing: what components use that are not told of a provider.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMetrics;

impl Provider for NoMetrics {
    fn counter(&self, _metric: &'static Metric, _labels: &[&str]) -> Arc<dyn Counter> {
        Arc::new(Self)
    }

    fn gauge(&self, _metric: &'static Metric, _labels: &[&str]) -> Arc<dyn Gauge> {
        Arc::new(Self)
    }

    fn histogram(&self, _metric: &'static Metric, _labels: &[&str]) -> Arc<dyn Histogram> {
        Arc::new(Self)
    }
}

impl Counter for NoMetrics {
    fn add(&self, _count: u64) {}
}

impl Gauge for NoMetrics {
    fn set(&self, _value: f64) {}

    fn add(&self, _change: f64) {}
}

impl Histogram for NoMetrics {
    fn observe(&self, _value: f64) {}
}
