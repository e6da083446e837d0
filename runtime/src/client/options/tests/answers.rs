//! Tests of response timeouts and request metrics.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use serde_json::json;
use tokio::time::Instant;

use super::super::measure::RequestMeter;
use super::super::stack::Throttle;
use super::super::{RequestTimeoutError, StackSettings};
use super::{Server, get, send};
use crate::metrics::prometheus::Registry;

/// Each case: seconds until the headers of a response, seconds from there to its end, whether the
/// request succeeds, and seconds until its result.
#[tokio::test(start_paused = true)]
async fn timeout_covers_the_response_body_except_for_streams() {
    let seconds = Duration::from_secs;
    for (uri, head, end, in_time, took) in [
        ("/pods", 0, 0, true, 0),
        ("/pods", 4, 5, true, 9),
        ("/pods", 11, 0, false, 10),
        ("/pods", 6, 6, false, 10),
        ("/pods?&watch=true", 11, 60, true, 71),
        ("/pods/a/log?follow=true", 11, 60, true, 71),
        ("/pods?watch=false", 0, 60, false, 10),
    ] {
        let server = Server {
            before_head: seconds(head),
            before_end: seconds(end),
            ..Server::default()
        };
        let client = server.client(StackSettings {
            timeout: Some(seconds(10)),
            ..StackSettings::default()
        });
        let start = Instant::now();
        let answer = get(&client, uri).await;
        assert_eq!(start.elapsed().as_secs(), took, "{uri} {head} {end}");
        assert_eq!(answer.is_ok(), in_time, "{uri} {head} {end}");
        if let Err(kube::Error::Service(error)) = answer {
            assert_eq!(error.to_string(), "no response within 10s");
            assert!(error.is::<RequestTimeoutError>(), "{error:?}");
        }
    }
}

#[tokio::test]
async fn maximum_timeout_does_not_overflow() {
    let client = Server::default().client(StackSettings {
        timeout: Some(Duration::MAX),
        ..StackSettings::default()
    });
    assert!(get(&client, "/pods").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn request_metrics_are_recorded() {
    let registry = Arc::new(Registry::new());
    let server = Server {
        before_head: Duration::from_secs(3),
        ..Server::default()
    };
    let client = server.client(StackSettings {
        throttle: Some(Throttle::new(1.0, 1)),
        timeout: Some(Duration::from_secs(2)),
        meter: Some(RequestMeter::new(registry.clone(), "host:6443".to_owned())),
        ..StackSettings::default()
    });
    get(&client, "/pods?watch=true").await.unwrap();
    let late = send(&client, Method::POST, "/pods", &json!({"kind": "Pod"})).await;
    assert!(late.is_err());
    let text = registry.encode();
    let get = r#"verb="GET",host="host:6443""#;
    let post = r#"verb="POST",host="host:6443""#;
    for line in [
        r#"rest_client_requests_total{code="200",method="GET",host="host:6443"} 1"#.to_owned(),
        r#"rest_client_requests_total{code="<error>",method="POST",host="host:6443"} 1"#.to_owned(),
        format!("rest_client_rate_limiter_duration_seconds_count{{{get}}} 1"),
        format!("rest_client_request_size_bytes_sum{{{post}}} 14"),
        format!("rest_client_request_duration_seconds_count{{{post}}} 1"),
        format!("rest_client_response_size_bytes_count{{{get}}} 0"),
    ] {
        assert!(text.lines().any(|text| text == line), "{line}\n{text}");
    }
}
