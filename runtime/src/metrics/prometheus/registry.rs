//! [`Registry`]: metrics provider that stores time series and encodes them for Prometheus.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

use super::family::{AtomicCounter, AtomicGauge, AtomicHistogram, Family, TimeSeries};
use super::text;
use crate::metrics::{Counter, Gauge, Histogram, Metric, Provider};

/// Registry of time series. It is cheap to clone, and all clones share the same series.
///
/// A series exists as long as the registry, even after the component that requested it was dropped.
#[derive(Clone, Default)]
pub struct Registry {
    /// Families by the name of their metric. The lock is taken to look up or encode series, but not
    /// to record a value. Families and series are sorted maps, so the text is sorted.
    families: Arc<Mutex<BTreeMap<&'static str, Family>>>,
}

impl Registry {
    /// Returns an empty registry.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Encodes all series, sorted, in Prometheus' text format. The media type is
    /// [`CONTENT_TYPE`](super::CONTENT_TYPE).
    ///
    /// Numbers are formatted as in Go, so the `le` labels of buckets match those of Go programs.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut text = String::new();
        for family in self.families.lock().values() {
            text::write_family(&mut text, family);
        }
        text
    }

    /// Returns the values of a counter by their label values. It is empty for a metric of another
    /// type, or without series.
    #[must_use]
    pub fn counts(&self, metric: &Metric) -> BTreeMap<Vec<String>, u64> {
        let families = self.families.lock();
        let family = families.get(metric.name).into_iter();
        let series = family.flat_map(|family| &family.series);
        let counts = series.filter_map(|(labels, series)| match series {
            TimeSeries::Counter(counter) => Some((labels.clone(), counter.value())),
            TimeSeries::Gauge(_) | TimeSeries::Histogram(_) => None,
        });
        counts.collect()
    }

    /// Returns the series of `metric` with these label values, created on first use.
    fn series(&self, metric: &'static Metric, labels: &[&str]) -> TimeSeries {
        debug_assert_eq!(
            metric.labels.len(),
            labels.len(),
            "labels of {}",
            metric.name
        );
        let labels = labels.iter().map(|&label| label.to_owned()).collect();
        let mut families = self.families.lock();
        let family = families.entry(metric.name).or_insert_with(|| Family {
            metric,
            series: BTreeMap::new(),
        });
        let series = family.series.entry(labels);
        series
            .or_insert_with(|| TimeSeries::new(metric.kind))
            .clone()
    }
}

/// If a caller requests an instrument of another type than the metric has, the returned instrument
/// works, but its values are not encoded.
impl Provider for Registry {
    fn counter(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Counter> {
        match self.series(metric, labels) {
            TimeSeries::Counter(counter) => counter,
            _ => Arc::<AtomicCounter>::default(),
        }
    }

    fn gauge(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Gauge> {
        match self.series(metric, labels) {
            TimeSeries::Gauge(gauge) => gauge,
            _ => Arc::<AtomicGauge>::default(),
        }
    }

    fn histogram(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Histogram> {
        match self.series(metric, labels) {
            TimeSeries::Histogram(histogram) => histogram,
            _ => Arc::new(AtomicHistogram::new(&[])),
        }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let families = self.families.lock();
        formatter.debug_set().entries(families.keys()).finish()
    }
}
