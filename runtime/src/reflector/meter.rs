//! What a reflector measures of itself.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::watch::VERY_SHORT;
use crate::metrics::{
    Counter, Gauge, Histogram, Provider, REFLECTOR_ITEMS_PER_LIST, REFLECTOR_ITEMS_PER_WATCH,
    REFLECTOR_LAST_RESOURCE_VERSION, REFLECTOR_LIST_DURATION, REFLECTOR_LISTS,
    REFLECTOR_SHORT_WATCHES, REFLECTOR_WATCH_DURATION, REFLECTOR_WATCHES,
};

/// The instruments of one reflector, those of client-go's `MetricsProvider`.
pub(crate) struct Meter {
    lists: Arc<dyn Counter>,
    list_duration: Arc<dyn Histogram>,
    items_per_list: Arc<dyn Histogram>,
    watches: Arc<dyn Counter>,
    short_watches: Arc<dyn Counter>,
    watch_duration: Arc<dyn Histogram>,
    items_per_watch: Arc<dyn Histogram>,
    last_resource_version: Arc<dyn Gauge>,
}

/// An open watch, measured when it is dropped.
pub(super) struct Watched {
    meter: Arc<Meter>,
    begun: Instant,
    events: u32,
}

impl Meter {
    /// The instruments of the reflector of that name.
    pub(crate) fn new(name: &str, provider: &dyn Provider) -> Self {
        let labels = [name];
        Self {
            lists: provider.counter(&REFLECTOR_LISTS, &labels),
            list_duration: provider.histogram(&REFLECTOR_LIST_DURATION, &labels),
            items_per_list: provider.histogram(&REFLECTOR_ITEMS_PER_LIST, &labels),
            watches: provider.counter(&REFLECTOR_WATCHES, &labels),
            short_watches: provider.counter(&REFLECTOR_SHORT_WATCHES, &labels),
            watch_duration: provider.histogram(&REFLECTOR_WATCH_DURATION, &labels),
            items_per_watch: provider.histogram(&REFLECTOR_ITEMS_PER_WATCH, &labels),
            last_resource_version: provider.gauge(&REFLECTOR_LAST_RESOURCE_VERSION, &labels),
        }
    }

    pub(super) fn list_begins(&self) {
        self.lists.inc();
    }

    pub(super) fn listed(&self, took: Duration, objects: usize) {
        self.list_duration.observe(took.as_secs_f64());
        self.items_per_list.observe(objects as f64);
    }

    pub(super) fn watch_begins(self: &Arc<Self>, begun: Instant) -> Watched {
        self.watches.inc();
        Watched {
            meter: Arc::clone(self),
            begun,
            events: 0,
        }
    }

    /// Versions above 2^53 are told as the nearest that a float holds.
    pub(super) fn knows(&self, resource_version: &str) {
        if let Ok(version) = resource_version.parse() {
            self.last_resource_version.set(version);
        }
    }
}

impl Watched {
    pub(super) fn event(&mut self) {
        self.events = self.events.saturating_add(1);
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let lasted = self.begun.elapsed();
        if self.events == 0 && lasted < VERY_SHORT {
            self.meter.short_watches.inc();
        }
        self.meter.watch_duration.observe(lasted.as_secs_f64());
        self.meter.items_per_watch.observe(f64::from(self.events));
    }
}
