//! Metrics provider that records every value, for unit tests. Integration tests of informers
//! include this file by its path.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Counter, Gauge, Histogram, Metric, Provider};

/// Values of every time series: successive values of a counter or gauge, and the values passed to a
/// histogram.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<BTreeMap<String, Vec<f64>>>>);

struct Series {
    recorder: Recorder,
    name: String,
}

impl Recorder {
    /// Returns the current value of a counter or a gauge, or zero if it has no value.
    pub(crate) fn value(&self, metric: &Metric, labels: &[&str]) -> f64 {
        self.values(metric, labels).last().copied().unwrap_or(0.0)
    }

    /// Returns all values of a time series.
    pub(crate) fn values(&self, metric: &Metric, labels: &[&str]) -> Vec<f64> {
        let series = self.0.lock();
        series
            .get(&series_name(metric, labels))
            .cloned()
            .unwrap_or_default()
    }

    /// Returns the current value of each time series of `metric`, by the value of its last label.
    pub(crate) fn by_last_label(&self, metric: &Metric) -> BTreeMap<String, f64> {
        let series = self.0.lock();
        let of_metric = series.iter().filter_map(|(series, values)| {
            let labels = series.strip_prefix(metric.name)?.strip_prefix(' ')?;
            Some((labels.rsplit(' ').next()?.to_owned(), *values.last()?))
        });
        of_metric.collect()
    }

    fn series(&self, metric: &Metric, labels: &[&str]) -> Series {
        assert_eq!(
            metric.labels.len(),
            labels.len(),
            "labels of {}",
            metric.name
        );
        Series {
            recorder: self.clone(),
            name: series_name(metric, labels),
        }
    }
}

fn series_name(metric: &Metric, labels: &[&str]) -> String {
    format!("{} {}", metric.name, labels.join(" "))
}

impl Series {
    fn push(&self, value: impl FnOnce(Option<f64>) -> f64) {
        let mut series = self.recorder.0.lock();
        let values = series.entry(self.name.clone()).or_default();
        values.push(value(values.last().copied()));
    }
}

impl Provider for Recorder {
    fn counter(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Counter> {
        Arc::new(self.series(metric, labels))
    }

    fn gauge(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Gauge> {
        Arc::new(self.series(metric, labels))
    }

    fn histogram(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Histogram> {
        Arc::new(self.series(metric, labels))
    }
}

impl Counter for Series {
    fn add(&self, count: u64) {
        self.push(|old| old.unwrap_or(0.0) + count as f64);
    }
}

impl Gauge for Series {
    fn set(&self, value: f64) {
        self.push(|_| value);
    }

    fn add(&self, change: f64) {
        self.push(|old| old.unwrap_or(0.0) + change);
    }
}

impl Histogram for Series {
    fn observe(&self, value: f64) {
        self.push(|_| value);
    }
}
