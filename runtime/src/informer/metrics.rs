//! [`InformerMetrics`]: metrics of one informer.

use std::sync::Arc;

use tokio::time::Instant;

use crate::metrics::{
    Gauge, Histogram, INFORMER_PENDING_NOTIFICATIONS, INFORMER_PROCESSING_LATENCY,
    INFORMER_STORE_RESOURCE_VERSION, Provider,
};
use crate::scheme::GroupVersionResource;

/// Number of trailing digits of the resource version that [`INFORMER_STORE_RESOURCE_VERSION`]
/// shows. An `f64` represents every number of 15 digits exactly.
const DIGITS: usize = 15;

/// Metric instruments of one informer. client-go's `informer_queued_items` has no counterpart,
/// since changes go to the cache without a queue.
pub(super) struct InformerMetrics {
    provider: Arc<dyn Provider>,
    name: String,
    resource: GroupVersionResource,
    latency: Arc<dyn Histogram>,
    resource_version: Arc<dyn Gauge>,
}

impl InformerMetrics {
    pub(super) fn new(
        name: &str,
        provider: &Arc<dyn Provider>,
        resource: &GroupVersionResource,
    ) -> Self {
        let labels = labels(name, resource);
        Self {
            latency: provider.histogram(&INFORMER_PROCESSING_LATENCY, &labels),
            resource_version: provider.gauge(&INFORMER_STORE_RESOURCE_VERSION, &labels),
            provider: Arc::clone(provider),
            name: name.to_owned(),
            resource: resource.clone(),
        }
    }

    /// Returns the gauge of pending events for handlers with the name `handler`.
    pub(super) fn pending(&self, handler: &str) -> Arc<dyn Gauge> {
        let [name, group, version, resource] = labels(&self.name, &self.resource);
        let labels = [name, group, version, resource, handler];
        self.provider
            .gauge(&INFORMER_PENDING_NOTIFICATIONS, &labels)
    }

    /// Records the latency of a change or list, from `begun` until it was enqueued for handlers.
    /// Also records the resource version of the store.
    pub(super) fn record_processed(&self, begun: Instant, resource_version: Option<&str>) {
        self.latency.observe(begun.elapsed().as_secs_f64());
        if let Some(version) = resource_version.and_then(last_digits) {
            self.resource_version.set(version);
        }
    }
}

fn labels<'a>(name: &'a str, resource: &'a GroupVersionResource) -> [&'a str; 4] {
    let GroupVersionResource {
        group,
        version,
        resource,
    } = resource;
    [name, group, version, resource]
}

fn last_digits(version: &str) -> Option<f64> {
    let first = version.len().saturating_sub(DIGITS);
    version.get(first..)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::last_digits;

    #[test]
    fn version_gauge_has_the_last_15_digits() {
        for (version, digits) in [
            ("7", Some(7.0)),
            ("123456789012345", Some(123_456_789_012_345.0)),
            ("9123456789012345", Some(123_456_789_012_345.0)),
            ("", None),
            ("x-7", None),
        ] {
            assert_eq!(last_digits(version), digits, "{version}");
        }
    }
}
