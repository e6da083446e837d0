//! [`ReflectorMetrics`]: metrics of one reflector.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::metrics::{
    Counter, Gauge, Histogram, Provider, REFLECTOR_ITEMS_PER_LIST, REFLECTOR_ITEMS_PER_WATCH,
    REFLECTOR_LAST_RESOURCE_VERSION, REFLECTOR_LIST_DURATION, REFLECTOR_LISTS,
    REFLECTOR_SHORT_WATCHES, REFLECTOR_WATCH_DURATION, REFLECTOR_WATCHES,
};

/// A watch that ends within this time and without an event counts as a failure.
pub(super) const VERY_SHORT: Duration = Duration::from_secs(1);

/// Metric instruments of one reflector, as in client-go's `MetricsProvider`.
pub(crate) struct ReflectorMetrics {
    lists: ListWatchMetrics,
    watches: ListWatchMetrics,
    short_watches: Arc<dyn Counter>,
    last_resource_version: Arc<dyn Gauge>,
}

/// Instruments that both lists and watches have.
struct ListWatchMetrics {
    begun: Arc<dyn Counter>,
    duration: Arc<dyn Histogram>,
    /// Number of objects of a list, or of events of a watch.
    items: Arc<dyn Histogram>,
}

/// An open watch. When it is dropped, its duration and its number of events are recorded.
pub(super) struct OpenWatch {
    metrics: Arc<ReflectorMetrics>,
    begun: Instant,
    events: u32,
}

impl ReflectorMetrics {
    pub(crate) fn new(name: &str, provider: &dyn Provider) -> Self {
        let labels = [name];
        let requests = |begun, duration, items| ListWatchMetrics {
            begun: provider.counter(begun, &labels),
            duration: provider.histogram(duration, &labels),
            items: provider.histogram(items, &labels),
        };
        Self {
            lists: requests(
                &REFLECTOR_LISTS,
                &REFLECTOR_LIST_DURATION,
                &REFLECTOR_ITEMS_PER_LIST,
            ),
            watches: requests(
                &REFLECTOR_WATCHES,
                &REFLECTOR_WATCH_DURATION,
                &REFLECTOR_ITEMS_PER_WATCH,
            ),
            short_watches: provider.counter(&REFLECTOR_SHORT_WATCHES, &labels),
            last_resource_version: provider.gauge(&REFLECTOR_LAST_RESOURCE_VERSION, &labels),
        }
    }

    pub(super) fn list_begins(&self) {
        self.lists.begun.inc();
    }

    pub(super) fn listed(&self, took: Duration, objects: usize) {
        self.lists.ended(took, objects as f64);
    }

    pub(super) fn watch_begins(self: &Arc<Self>, begun: Instant) -> OpenWatch {
        self.watches.begun.inc();
        OpenWatch {
            metrics: Arc::clone(self),
            begun,
            events: 0,
        }
    }

    /// Records the last resource version. A gauge is a float, so versions above 2^53 are rounded.
    pub(super) fn record_version(&self, resource_version: &str) {
        if let Ok(version) = resource_version.parse() {
            self.last_resource_version.set(version);
        }
    }
}

impl ListWatchMetrics {
    fn ended(&self, took: Duration, items: f64) {
        self.duration.observe(took.as_secs_f64());
        self.items.observe(items);
    }
}

impl OpenWatch {
    pub(super) fn event(&mut self) {
        self.events = self.events.saturating_add(1);
    }
}

impl Drop for OpenWatch {
    fn drop(&mut self) {
        let lasted = self.begun.elapsed();
        if self.events == 0 && lasted < VERY_SHORT {
            self.metrics.short_watches.inc();
        }
        self.metrics.watches.ended(lasted, f64::from(self.events));
    }
}
