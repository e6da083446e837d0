//! Metric family: the time series of one metric.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::instruments;
use crate::metrics::{Metric, MetricKind};

/// A metric and its time series by label values.
pub(super) struct Family {
    pub(super) metric: &'static Metric,
    pub(super) series: BTreeMap<Vec<String>, TimeSeries>,
}

#[derive(Clone)]
pub(super) enum TimeSeries {
    Counter(Arc<instruments::AtomicCounter>),
    Gauge(Arc<instruments::AtomicGauge>),
    Histogram(Arc<instruments::AtomicHistogram>),
}

impl TimeSeries {
    pub(super) fn new(kind: MetricKind) -> Self {
        match kind {
            MetricKind::Counter => Self::Counter(Arc::default()),
            MetricKind::Gauge => Self::Gauge(Arc::default()),
            MetricKind::Histogram(bounds) => {
                Self::Histogram(Arc::new(instruments::AtomicHistogram::new(bounds)))
            }
        }
    }
}
