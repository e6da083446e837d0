//! Test of instruments that are created on first use.

use std::sync::Arc;

use http::{Method, StatusCode};

use crate::client::options::metrics::RequestMeter;
use crate::metrics::callback::{Callback, ends};

#[test]
fn metrics_provider_may_send_requests() {
    let provider = Callback::default();
    let meter = RequestMeter::new(Arc::new(provider.clone()), "host".to_owned());
    let meter = Arc::new(meter);
    let request = |meter: &RequestMeter, method| {
        meter.sent(&method, None, None);
        meter.answered(&method, Some(StatusCode::OK), false);
    };
    request(&meter, Method::GET);
    let asking = Arc::clone(&meter);
    provider.set(move || request(&asking, Method::GET));
    assert!(ends(move || request(&meter, Method::POST)));
}
