//! Metrics providers: [`Provider`], the description of a [`Metric`], and the instruments
//! [`Counter`], [`Gauge`] and [`Histogram`].

use std::sync::Arc;

/// Factory of instruments for components. In client-go, each package has its own provider, such as
/// `workqueue.MetricsProvider`.
///
/// A component requests each instrument once and keeps it. It requests most instruments when it is
/// created, and others at the first occurrence of a label value, such as a status code or a
/// priority. A provider must not block, nor call the component. Instruments are called for every
/// object and under locks, so a call should cost only a few atomic operations.
///
/// Components call the method that fits [`Metric::kind`]: [`counter`](Self::counter) for a counter.
/// `labels` has the label values, in the order of the names in [`Metric::labels`].
///
/// For the same metric and label values, a provider returns the same time series. So the counts of
/// components with the same name add up. A gauge that is set shows what one of them set last.
pub trait Provider: Send + Sync {
    /// Returns the counter of a time series.
    fn counter(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Counter>;

    /// Returns the gauge of a time series.
    fn gauge(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Gauge>;

    /// Returns the histogram of a time series.
    fn histogram(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Histogram>;
}

/// Description of a metric: a family of time series, one for each combination of label values.
///
/// Programs can describe their own metrics like this, and request instruments from the same
/// [`Provider`].
///
/// ```
/// use genclient::metrics::{MetricKind, Metric};
///
/// static TRAININGS: Metric = Metric {
///     name: "gputask_trainings_total",
///     help: "Trainings that were started.",
///     kind: MetricKind::Counter,
///     labels: &["namespace"],
/// };
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    /// Name in Prometheus, with the unit and, for a counter, `_total` as suffixes.
    pub name: &'static str,
    /// The help text.
    pub help: &'static str,
    /// The type of the metric.
    pub kind: MetricKind,
    /// The label names, in the order of the label values.
    pub labels: &'static [&'static str],
}

/// The type of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MetricKind {
    /// A value that only grows.
    Counter,
    /// A value that goes up and down.
    Gauge,
    /// A distribution over buckets with these upper bounds, in ascending order. The last bucket has
    /// no bound and is not listed.
    Histogram(&'static [f64]),
}

/// Returns `N` upper bounds: the first one is `start`, each further one is `factor` times the
/// previous one.
///
/// Go computes the bounds in the same way. So the rounding errors are equal, and the `le` labels
/// have the same digits.
#[must_use]
pub const fn exponential_buckets<const N: usize>(start: f64, factor: f64) -> [f64; N] {
    let mut bounds = [start; N];
    let mut next = 1;
    while next < N {
        bounds[next] = bounds[next - 1] * factor;
        next += 1;
    }
    bounds
}

/// A number of events.
pub trait Counter: Send + Sync {
    /// Counts one event.
    fn inc(&self) {
        self.add(1);
    }

    /// Counts `count` events.
    fn add(&self, count: u64);
}

/// A value that goes up and down.
pub trait Gauge: Send + Sync {
    /// Replaces the value.
    fn set(&self, value: f64);

    /// Adds `change`, which may be negative, to the value.
    fn add(&self, change: f64);
}

/// A distribution of values.
pub trait Histogram: Send + Sync {
    /// Records one value. Durations are in seconds.
    fn observe(&self, value: f64);
}

/// Provider that records nothing, the default of components.
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
