//! Tests of response timeouts and request metrics.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Config;
use serde_json::json;
use tokio::time::Instant;

use super::super::metrics::RequestMetrics;
use super::super::stack::Throttle;
use super::super::{RequestTimeoutError, StackSettings, builder};
use super::{Failure, Server, get, send};
use crate::client::{GetParams, TypedClient, with_response_timeout};
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

/// Each case: the limit, seconds until the headers of a response, seconds from there to its end,
/// and seconds until the result, with whether the request succeeds. By default, the limit is 65 s.
#[tokio::test(start_paused = true)]
async fn responses_have_to_make_progress() {
    let seconds = Duration::from_secs;
    let default = StackSettings::default().response_timeout;
    for (limit, uri, head, end, took, in_time) in [
        (default, "/pods", 60, 60, 120, true),
        (default, "/pods", 70, 0, 65, false),
        (default, "/pods", 20, 70, 85, false),
        (default, "/pods?watch=true", 70, 70, 140, true),
        (default, "/pods/a/log?follow=true", 70, 70, 140, true),
        (default, "/pods/a/log", 70, 0, 65, false),
        (Some(seconds(5)), "/pods", 6, 0, 5, false),
        (None, "/pods", 100_000, 100_000, 200_000, true),
    ] {
        let server = Server {
            before_head: seconds(head),
            before_end: seconds(end),
            ..Server::default()
        };
        let client = server.client(StackSettings {
            response_timeout: limit,
            ..StackSettings::default()
        });
        for method in [Method::GET, Method::POST, Method::PATCH] {
            let start = Instant::now();
            let answer = send(&client, method, uri, &json!({})).await;
            let case = format!("{limit:?} {uri} {head} {end}");
            assert_eq!(start.elapsed().as_secs(), took, "{case}");
            assert_eq!(answer.is_ok(), in_time, "{case}");
            // Neither a write nor a read is sent again.
            assert_eq!(std::mem::take(&mut *server.calls.lock()).len(), 1, "{case}");
        }
    }
}

/// The limit applies to each attempt, so that a `Retry-After` may demand more time.
#[tokio::test(start_paused = true)]
async fn pauses_before_retries_do_not_count() {
    let server = Server {
        before_head: Duration::from_secs(60),
        failures: vec![Failure::Code(429, Some("300")), Failure::Code(200, None)],
        ..Server::default()
    };
    let client = server.client(StackSettings::default());
    let start = Instant::now();
    send(&client, Method::POST, "/pods", &json!({}))
        .await
        .unwrap();
    assert_eq!(start.elapsed().as_secs(), 60 + 300 + 60);
}

/// A client that the program has made by other means has no limit of its own.
#[tokio::test(start_paused = true)]
async fn other_clients_are_limited() {
    let server = Server {
        before_head: Duration::from_secs(70),
        ..Server::default()
    };
    let service = move |request| server.clone().answer(request);
    let own = builder(Config::new("http://server".parse().unwrap()))
        .response_timeout(None)
        .connect_to(tower::service_fn(service.clone()))
        .unwrap();
    let foreign = kube::Client::new(tower::service_fn(service), "default");
    for (name, client, took) in [
        ("made by the builder", own, 70),
        ("made by kube", foreign.clone(), 65),
        ("wrapped", with_response_timeout(foreign), 65),
    ] {
        let maps = TypedClient::<ConfigMap>::namespaced(client, "default");
        let start = Instant::now();
        let answer = maps.get("a", &GetParams::default()).await;
        assert_eq!(start.elapsed().as_secs(), took, "{name}");
        let is_late = matches!(&answer, Err(kube::Error::Service(error))
            if error.is::<RequestTimeoutError>());
        assert_eq!(is_late, took == 65, "{name}: {answer:?}");
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
        metrics: Some(RequestMetrics::new(
            registry.clone(),
            "host:6443".to_owned(),
        )),
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
