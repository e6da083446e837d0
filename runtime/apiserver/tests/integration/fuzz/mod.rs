//! Fuzz tests: the server responds to any request in time, without a panic, with a Status, an
//! object or a known text.
//!
//! Every series of requests is derived from a seed, which a failure prints. `FUZZ_FIRST` and
//! `FUZZ_COUNT` select other seeds:
//! `FUZZ_FIRST=4711 FUZZ_COUNT=1 cargo test -p genclient-apiserver --test integration fuzz`.

#![allow(clippy::too_many_lines, reason = "tables are long")]

mod large;
mod random;
mod requests;
mod values;

use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::FutureExt;
use genclient_apiserver::{ApiServer, FeatureGate};
use http::Request;
use http_body_util::{BodyExt, Full};
use random::Random;
use serde_json::Value;
use tower::Service;

/// Returns the time limit of a response in an unoptimized build.
fn response_time_limit() -> Duration {
    let is_largest = large::body_size() > 300_000;
    Duration::from_secs(if is_largest { 120 } else { 20 })
}

/// Returns the seeds of the series.
fn seeds(count: u64) -> std::ops::Range<u64> {
    let read = |name: &str| {
        let value = std::env::var(name).ok();
        value.and_then(|value| value.parse().ok())
    };
    let first = read("FUZZ_FIRST").unwrap_or(0);
    first..first + read("FUZZ_COUNT").unwrap_or(count)
}

/// Prints the seed of the series if the server panics.
struct PrintOnPanic(u64, String);

impl Drop for PrintOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("number {}: {}", self.0, self.1);
        }
    }
}

fn start_server() -> ApiServer {
    let definition: Value =
        serde_saphyr::from_str(include_str!("../../fuzz/definition.yaml")).unwrap();
    let definition = serde_json::from_value(definition).unwrap();
    ApiServer::builder()
        .crds([definition])
        .feature_gate(FeatureGate::ShardedListAndWatch, true)
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn every_request_is_answered() {
    let (mut answered, mut successful) = (0, 0);
    for seed in seeds(100) {
        let server = start_server();
        let mut random = Random::seeded(seed);
        let mut series = PrintOnPanic(seed, String::new());
        for _ in 0..25 {
            let request = requests::random_request(&mut random);
            series.1 = requests::describe_request(&request);
            let code = send_and_check(&server, request).await;
            answered += 1;
            successful += u32::from(code < 300);
        }
    }
    println!("{answered} requests, {successful} of them successful");
    // If most requests were rejected, the handlers would not be tested.
    assert!(successful * 10 > answered || answered < 1000);
}

/// Sends a request, checks the response and returns its code.
async fn send_and_check(server: &ApiServer, request: Request<Full<Bytes>>) -> u16 {
    let head: String = requests::describe_request(&request)
        .chars()
        .take(2000)
        .collect();
    let start = Instant::now();
    // Paused time only advances here: a request that waits for longer fails.
    let response = tokio::time::timeout(response_time_limit(), server.clone().call(request))
        .await
        .expect("an answer in time")
        .unwrap();
    let code = response.status().as_u16();
    let media_type = response
        .headers()
        .get("content-type")
        .cloned()
        .map(|value| value.to_str().unwrap().to_owned());
    let mut body = response.into_body();
    let mut text = Vec::new();
    // A watch continues; its immediate events are enough.
    while let Some(Some(frame)) = body.frame().now_or_never() {
        if let Ok(data) = frame.unwrap().into_data() {
            text.extend_from_slice(&data);
        }
    }
    let took = start.elapsed();
    assert!(took < response_time_limit(), "{head} took {took:?}");
    if media_type.is_none_or(|it| !it.contains("json")) {
        let text = String::from_utf8(text).unwrap();
        let is_known = ["404 page not found\n", "ok", ""].contains(&&*text)
            || text.starts_with("[+]")
            || text.starts_with("{\"paths\":");
        assert!(is_known, "{head}: {text}");
        return code;
    }
    let is_document = [" /version", " /openapi/", " /api ", " /api?", " /?", " / "]
        .iter()
        .any(|it| head.contains(it));
    for value in serde_json::Deserializer::from_slice(&text).into_iter::<Value>() {
        let value = value.unwrap_or_else(|error| panic!("{head}: {error}"));
        let object = match value.get("object") {
            Some(object) if value.get("type").is_some() && value.get("kind").is_none() => object,
            _ => &value,
        };
        let is_object = object["kind"].is_string() && object["apiVersion"].is_string();
        let is_status = object["kind"] == "Status" && object["status"].is_string();
        assert!(is_object || is_document, "{head}: {value}");
        assert!(code < 300 || is_status, "{head}: {value}");
        assert!(
            code != 500 || requests::may_fail(&head, object),
            "{head}: {value}"
        );
    }
    code
}
