//! What a metric is called and what it holds.

/// A family of time series: one for every combination of label values.
///
/// A program describes metrics of its own in the same way, and gets instruments for them from the same
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
    /// As Prometheus knows it, with the unit and `_total` where they belong.
    pub name: &'static str,
    /// One sentence for people.
    pub help: &'static str,
    /// How its values change.
    pub kind: MetricKind,
    /// The names of its labels, in the order in which their values are given.
    pub labels: &'static [&'static str],
}

/// How the values of a metric change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MetricKind {
    /// Only ever grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Sorts its values into buckets, by these upper bounds in ascending order. The last bucket, without a bound, is not
    /// listed.
    Histogram(&'static [f64]),
}

/// `N` upper bounds, the first `start` and each `factor` times the one before.
///
/// They are multiplied one by one as in Go, so that the labels of the buckets come out the same to the last digit.
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
