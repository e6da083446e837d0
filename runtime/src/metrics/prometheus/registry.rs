//! The series of a program.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

use super::family::{Family, TimeSeries};
use super::{instruments, text};
use crate::metrics::{Counter, Gauge, Histogram, Metric, Provider};

/// Holds every series that it was asked for, and writes them as text. A handle is cheap to clone, and every clone is the
/// same registry.
///
/// A series lasts as long as the registry: what a component counted is still there after it.
#[derive(Clone, Default)]
pub struct Registry {
    /// Locked to find or to list series, never to measure. Both maps are sorted, so that a scrape is.
    families: Arc<Mutex<BTreeMap<&'static str, Family>>>,
}

impl Registry {
    /// A registry without series.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Every series, sorted, in Prometheus' text format; of the media type [`CONTENT_TYPE`](super::CONTENT_TYPE).
    ///
    /// Numbers are written as Go writes them, so the label `le` of a bucket is the one that Go programs have.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut text = String::new();
        for family in self.families.lock().values() {
            text::family(&mut text, family);
        }
        text
    }

    /// The series of `metric` with these labels, made if there is none.
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

/// An instrument of a kind that the metric is not of works, and is in no scrape.
impl Provider for Registry {
    fn counter(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Counter> {
        match self.series(metric, labels) {
            TimeSeries::Counter(counter) => counter,
            _ => Arc::<instruments::AtomicCounter>::default(),
        }
    }

    fn gauge(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Gauge> {
        match self.series(metric, labels) {
            TimeSeries::Gauge(gauge) => gauge,
            _ => Arc::<instruments::AtomicGauge>::default(),
        }
    }

    fn histogram(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Histogram> {
        match self.series(metric, labels) {
            TimeSeries::Histogram(histogram) => histogram,
            _ => Arc::new(instruments::AtomicHistogram::new(&[])),
        }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let families = self.families.lock();
        formatter.debug_set().entries(families.keys()).finish()
    }
}
