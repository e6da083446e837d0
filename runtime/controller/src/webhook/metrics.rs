//! [`WebhookMetrics`]: metrics of the requests at one path.

use std::sync::Arc;
use std::time::Instant;

use genclient::metrics::{Counter, Gauge, Histogram, Provider};
use http::StatusCode;

use crate::metrics;

/// The status codes of responses at the path of a webhook.
const CODES: [StatusCode; 6] = [
    StatusCode::OK,
    StatusCode::BAD_REQUEST,
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::INTERNAL_SERVER_ERROR,
    StatusCode::GATEWAY_TIMEOUT,
];

/// The instruments for the requests at one path. All except `panics` have the path as a label.
/// Panics are counted for all admission webhooks together, and for all conversions together. The
/// instruments are created at the start, so that a metric without observations is exported as 0.
pub(super) struct WebhookMetrics {
    latency: Arc<dyn Histogram>,
    in_flight: Arc<dyn Gauge>,
    answered: [(StatusCode, Arc<dyn Counter>); CODES.len()],
    panics: Arc<dyn Counter>,
}

/// Guard of a request in flight.
pub(super) struct InFlight<'a> {
    metrics: &'a WebhookMetrics,
    begun: Instant,
}

impl WebhookMetrics {
    pub(super) fn admission(provider: &dyn Provider, path: &str) -> Self {
        let panics = provider.counter(&metrics::WEBHOOK_PANICS, &[]);
        Self::new(provider, path, panics)
    }

    pub(super) fn conversion(provider: &dyn Provider, path: &str) -> Self {
        let panics = provider.counter(&metrics::CONVERSION_WEBHOOK_PANICS, &[]);
        Self::new(provider, path, panics)
    }

    fn new(provider: &dyn Provider, path: &str, panics: Arc<dyn Counter>) -> Self {
        let requests = |code: StatusCode| {
            let labels = [path, code.as_str()];
            (code, provider.counter(&metrics::WEBHOOK_REQUESTS, &labels))
        };
        Self {
            latency: provider.histogram(&metrics::WEBHOOK_LATENCY, &[path]),
            in_flight: provider.gauge(&metrics::WEBHOOK_REQUESTS_IN_FLIGHT, &[path]),
            answered: CODES.map(requests),
            panics,
        }
    }

    /// Counts a request as in flight until the guard is dropped. The drop records the latency.
    pub(super) fn begin(&self) -> InFlight<'_> {
        self.in_flight.add(1.0);
        InFlight {
            metrics: self,
            begun: Instant::now(),
        }
    }

    pub(super) fn panicked(&self) {
        self.panics.inc();
    }

    pub(super) fn answered(&self, status: StatusCode) {
        let counter = self.answered.iter().find(|(code, _)| *code == status);
        debug_assert!(counter.is_some(), "no counter of {status}");
        if let Some((_, counter)) = counter {
            counter.inc();
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.metrics.in_flight.add(-1.0);
        self.metrics
            .latency
            .observe(self.begun.elapsed().as_secs_f64());
    }
}
