//! Metric descriptions: name, help text, type and labels.

/// Description of a metric: a family of time series, one for each combination of label values.
///
/// A program describes its own metrics in the same way and gets instruments for them from the same
/// [`Provider`](super::Provider).
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
    /// The name in Prometheus, with the suffixes for the unit and `_total`.
    pub name: &'static str,
    /// One sentence of help text.
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
    /// A distribution over buckets with these upper bounds, in ascending order. The last bucket,
    /// which is unbounded, is not listed.
    Histogram(&'static [f64]),
}

/// Returns `N` upper bounds: the first is `start`, each other is `factor` times the previous one.
///
/// They are multiplied one by one as in Go, so that the `le` labels are identical to the last
/// digit.
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
