//! [`RequestMetrics`]: metrics of the requests of a connection.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode};
use parking_lot::Mutex;

use crate::metrics::{
    Counter, Histogram, Provider, REST_CLIENT_RATE_LIMITER_DURATION, REST_CLIENT_REQUEST_DURATION,
    REST_CLIENT_REQUEST_RETRIES, REST_CLIENT_REQUEST_SIZE, REST_CLIENT_REQUESTS,
    REST_CLIENT_RESPONSE_SIZE,
};

/// Value of the label `code` for a request without a response, as in client-go.
const NO_RESPONSE: &str = "<error>";

pub(super) struct RequestMetrics {
    provider: Arc<dyn Provider>,
    host: String,
    /// Instruments by method, created at the first request with this method.
    methods: Mutex<HashMap<Method, Arc<MethodMetrics>>>,
    responses: Mutex<HashMap<ResponseKey, Arc<ResponseCounters>>>,
}

struct ResponseCounters {
    all: Arc<dyn Counter>,
    retries: Arc<dyn Counter>,
}

/// Method of a request, and the status code of its response, or `None` if there was no response.
type ResponseKey = (Method, Option<StatusCode>);

/// Instruments of one method.
pub(super) struct MethodMetrics {
    /// Time from the first attempt to send a request until the headers of the last response.
    pub(super) duration: Arc<dyn Histogram>,
    throttled: Arc<dyn Histogram>,
    request_size: Arc<dyn Histogram>,
    pub(super) response_size: Arc<dyn Histogram>,
}

impl RequestMetrics {
    pub(super) fn new(provider: Arc<dyn Provider>, host: String) -> Self {
        Self {
            provider,
            host,
            methods: Mutex::default(),
            responses: Mutex::default(),
        }
    }

    /// Records that a request will be sent: its size in bytes, and how long it waited for the rate
    /// limit. Returns the instruments of its method.
    pub(super) fn record_request(
        &self,
        method: &Method,
        bytes: Option<u64>,
        throttled: Option<Duration>,
    ) -> Arc<MethodMetrics> {
        let metrics = self.method_metrics(method);
        if let Some(bytes) = bytes {
            metrics.request_size.observe(bytes as f64);
        }
        if let Some(throttled) = throttled {
            metrics.throttled.observe(throttled.as_secs_f64());
        }
        metrics
    }

    /// Records a response with the status `code`. `None` means that no response arrived.
    pub(super) fn record_response(
        &self,
        method: &Method,
        code: Option<StatusCode>,
        is_retry: bool,
    ) {
        let responses = get_or_make(&self.responses, (method.clone(), code), || {
            let code = code.as_ref().map_or(NO_RESPONSE, StatusCode::as_str);
            let labels = [code, method.as_str(), &self.host];
            ResponseCounters {
                all: self.provider.counter(&REST_CLIENT_REQUESTS, &labels),
                retries: self.provider.counter(&REST_CLIENT_REQUEST_RETRIES, &labels),
            }
        });
        responses.all.inc();
        if is_retry {
            responses.retries.inc();
        }
    }

    fn method_metrics(&self, method: &Method) -> Arc<MethodMetrics> {
        get_or_make(&self.methods, method.clone(), || {
            let labels = [method.as_str(), &self.host];
            let histogram = |metric| self.provider.histogram(metric, &labels);
            MethodMetrics {
                duration: histogram(&REST_CLIENT_REQUEST_DURATION),
                throttled: histogram(&REST_CLIENT_RATE_LIMITER_DURATION),
                request_size: histogram(&REST_CLIENT_REQUEST_SIZE),
                response_size: histogram(&REST_CLIENT_RESPONSE_SIZE),
            }
        })
    }
}

/// Returns the value of `key`, creating it if necessary. `make` calls the user's metrics provider,
/// so it runs without the lock. If two requests create the value at the same time, the value that
/// is stored first is kept.
fn get_or_make<K: Eq + Hash, V>(
    made: &Mutex<HashMap<K, Arc<V>>>,
    key: K,
    make: impl FnOnce() -> V,
) -> Arc<V> {
    let known = made.lock().get(&key).map(Arc::clone);
    known.unwrap_or_else(|| {
        let new = Arc::new(make());
        Arc::clone(made.lock().entry(key).or_insert(new))
    })
}
