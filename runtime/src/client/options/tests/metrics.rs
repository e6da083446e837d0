//! Test of instruments that are created on first use.

use std::sync::Arc;

use http::{Method, StatusCode};

use crate::client::options::metrics::RequestMetrics;
use crate::metrics::callback::{Callback, ends};

#[test]
fn metrics_provider_may_send_requests() {
    let provider = Callback::default();
    let metrics = RequestMetrics::new(Arc::new(provider.clone()), "host".to_owned());
    let metrics = Arc::new(metrics);
    let request = |metrics: &RequestMetrics, method| {
        metrics.record_request(&method, None, None);
        metrics.record_response(&method, Some(StatusCode::OK), false);
    };
    request(&metrics, Method::GET);
    let asking = Arc::clone(&metrics);
    provider.set(move || request(&asking, Method::GET));
    assert!(ends(move || request(&metrics, Method::POST)));
}
