//! The time series of one metric.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::instruments;
use crate::metrics::{Kind, Metric};

/// A metric and its series by their label values.
pub(super) struct Family {
    pub(super) metric: &'static Metric,
    pub(super) series: BTreeMap<Vec<String>, Series>,
}

#[derive(Clone)]
pub(super) enum Series {
    Counter(Arc<instruments::Counter>),
    Gauge(Arc<instruments::Gauge>),
    Histogram(Arc<instruments::Histogram>),
}

impl Series {
    pub(super) fn new(kind: Kind) -> Self {
        match kind {
            Kind::Counter => Self::Counter(Arc::default()),
            Kind::Gauge => Self::Gauge(Arc::default()),
            Kind::Histogram(bounds) => {
                Self::Histogram(Arc::new(instruments::Histogram::new(bounds)))
            }
        }
    }
}
