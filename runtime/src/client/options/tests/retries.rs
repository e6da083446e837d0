//! Tests of retries: the cases of `rest/with_retry_test.go`, and the cases of
//! `rest/request_test.go` with retries.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, Request};
use http_body_util::BodyExt;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::time::Instant;

use super::super::RequestTimeoutError;
use super::super::metrics::RequestMetrics;
use super::super::retries::NotRetried;
use super::super::stack::StackSettings;
use super::super::stack::Throttle;
use super::Failure::{self, Code, Connection};
use super::{Server, get, send};
use crate::metrics::prometheus::Registry;

const ALL: [Method; 5] = [
    Method::GET,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
];
const GET: [Method; 1] = [Method::GET];
const POST: [Method; 1] = [Method::POST];

fn server_failing_with(failures: &[Failure]) -> Server {
    Server {
        failures: failures.to_vec(),
        ..Server::default()
    }
}

fn with_retries(max_retries: u32) -> StackSettings {
    StackSettings {
        max_retries,
        ..StackSettings::default()
    }
}

/// `TestRetryableConditions`: whether requests are sent again, with two retries.
#[tokio::test(start_paused = true)]
async fn retryable_conditions() {
    let later = Some("0");
    let cases: &[(Failure, &[Method], &str, bool)] = &[
        (Code(429, later), &ALL, "/apis", true),
        (Code(503, later), &ALL, "/apis", true),
        (Code(500, None), &ALL, "/apis", false),
        (Code(429, None), &ALL, "/apis", false),
        (Code(429, later), &GET, "/apis?watch=true", true),
        (Code(429, later), &GET, "/log?follow=true", true),
        (Connection(ErrorKind::ConnectionReset), &GET, "/apis", true),
        (Connection(ErrorKind::UnexpectedEof), &GET, "/apis", true),
        (Connection(ErrorKind::BrokenPipe), &GET, "/apis", true),
        (
            Connection(ErrorKind::ConnectionReset),
            &GET,
            "/apis?watch=true",
            true,
        ),
        (
            Connection(ErrorKind::ConnectionReset),
            &GET,
            "/log?follow=true",
            false,
        ),
        // The connection was never established.
        (
            Connection(ErrorKind::ConnectionRefused),
            &GET,
            "/apis?watch=true",
            false,
        ),
        (
            Connection(ErrorKind::ConnectionRefused),
            &ALL,
            "/apis",
            false,
        ),
        // The server may have executed a write.
        (Connection(ErrorKind::UnexpectedEof), &POST, "/apis", false),
        (Connection(ErrorKind::TimedOut), &GET, "/apis", false),
        (
            Connection(ErrorKind::TimedOut),
            &GET,
            "/apis?watch=true",
            true,
        ),
        (Code(200, later), &ALL, "/apis", false),
        (Code(301, later), &ALL, "/apis", false),
        (Code(409, later), &ALL, "/apis", false),
    ];
    for (failure, methods, uri, is_retried) in cases {
        for method in *methods {
            let server = server_failing_with(&[*failure]);
            let client = server.client(with_retries(2));
            let _ = send(&client, method.clone(), uri, &Value::Null).await;
            let expected = if *is_retried { 3 } else { 1 };
            let calls = server.calls.lock().len();
            assert_eq!(calls, expected, "{failure:?} {method} {uri}");
        }
    }
}

/// `TestCheckRetryHandles429And5xx`: a write is sent again, with its whole body.
#[tokio::test(start_paused = true)]
async fn check_retry_handles_429_and_5xx() {
    let server = server_failing_with(&[
        Code(429, Some("0")),
        Code(500, Some("0")),
        Code(501, Some("0")),
        Code(504, Some("0")),
        Code(200, None),
    ]);
    let body = json!({"data": "abcd".repeat(1000)});
    let client = server.client(StackSettings::default());
    send(&client, Method::POST, "/foo/bar/baz", &body)
        .await
        .unwrap();
    let calls = server.calls.lock();
    assert_eq!(calls.len(), 5);
    assert!(calls.iter().all(|call| call.body == body));
}

/// `TestIsNextRetry`, `TestConnectionResetByPeerIsRetried` and `TestRequestMaxRetries`: maximum
/// number of retries, responses, and expected pauses in seconds.
#[tokio::test(start_paused = true)]
async fn retries_wait_for_retry_after() {
    let lost = Connection(ErrorKind::ConnectionReset);
    for (max, failures, pauses) in [
        (0, &[Code(429, Some("2"))][..], &[][..]),
        (1, &[Code(429, Some("2")), Code(200, None)], &[2]),
        (3, &[Code(503, Some("3")), Code(200, None)], &[3]),
        (3, &[lost], &[1, 1, 1]),
        (10, &[lost, lost, Code(200, None)], &[1, 1]),
        (10, &[Code(429, Some("1"))], &[1; 10]),
        (10, &[lost, Code(429, Some("5")), Code(500, None)], &[1, 5]),
        // A `Retry-After` that is too large or not a number of seconds is not followed.
        (10, &[Code(429, Some("Fri, 31 Dec 1999 23:59:59 GMT"))], &[]),
        (10, &[Code(503, Some("301"))], &[]),
    ] {
        let server = server_failing_with(failures);
        let client = server.client(with_retries(max));
        let _ = get(&client, "/pods").await;
        let calls = server.calls.lock();
        let found = calls
            .windows(2)
            .map(|pair| (pair[1].at - pair[0].at).as_secs());
        assert_eq!(found.collect::<Vec<_>>(), pauses, "{failures:?}");
    }
}

/// `TestRequestWithRetry`: a body that is not in memory is sent once.
#[tokio::test(start_paused = true)]
async fn requests_with_streaming_bodies_are_not_retried() {
    let request = |body: Body| Request::builder().method("POST").uri("/pods").body(body);
    // kube can make a streaming body only from a response.
    let streaming = server_failing_with(&[]).client(StackSettings::default());
    let answer = streaming.send(Request::new(Body::empty())).await.unwrap();
    let mut marked = request(Body::empty()).unwrap();
    marked.extensions_mut().insert(NotRetried);
    let mut upgrade = request(Body::empty()).unwrap();
    let headers = upgrade.headers_mut();
    headers.insert(http::header::UPGRADE, "websocket".parse().unwrap());
    for (name, request, calls) in [
        ("empty", request(Body::empty()).unwrap(), 11),
        ("in memory", request(Body::from(vec![1])).unwrap(), 11),
        ("streaming", request(answer.into_body()).unwrap(), 1),
        ("of a reflector", marked, 1),
        ("another protocol", upgrade, 1),
    ] {
        let server = server_failing_with(&[Code(429, Some("1"))]);
        let answer = server.client(StackSettings::default()).send(request).await;
        assert_eq!(answer.unwrap().status(), 429, "{name}");
        assert_eq!(server.calls.lock().len(), calls, "{name}");
    }
}

/// The timeout covers all attempts. The last response is returned unchanged.
#[tokio::test(start_paused = true)]
async fn timeout_covers_all_attempts() {
    for (failures, calls, took) in [
        (&[Code(429, Some("3"))][..], 4, 9),
        (&[Connection(ErrorKind::ConnectionReset)], 10, 9),
    ] {
        let server = server_failing_with(failures);
        let client = server.client(StackSettings {
            timeout: Some(Duration::from_secs(10)),
            ..StackSettings::default()
        });
        let start = Instant::now();
        let request = Request::new(Body::empty());
        let answer = client.send(request).await;
        assert_eq!(start.elapsed().as_secs(), took, "{failures:?}");
        assert_eq!(server.calls.lock().len(), calls, "{failures:?}");
        match answer {
            Ok(answer) => {
                assert_eq!(answer.status(), 429);
                let body = answer.into_body().collect().await.unwrap();
                assert_eq!(body.to_bytes(), "{}");
            }
            Err(kube::Error::Service(error)) => assert!(!error.is::<RequestTimeoutError>()),
            Err(error) => panic!("{error}"),
        }
    }
}

/// `TestRequestDoRetryWithRateLimiterBackoffAndMetrics`, and the same of a followed log
/// (`TestRequestStreamRetry…`) and of a watch (`TestRequestWatchRetry…`).
#[tokio::test(start_paused = true)]
async fn retries_are_rate_limited_and_measured() {
    for uri in ["/pods", "/pods/a/log?follow=true", "/pods?watch=true"] {
        let registry = Arc::new(Registry::new());
        let server =
            server_failing_with(&[Code(429, Some("1")), Code(503, Some("1")), Code(200, None)]);
        let client = server.client(StackSettings {
            throttle: Some(Throttle::new(0.1, 1)),
            metrics: Some(RequestMetrics::new(registry.clone(), "host".to_owned())),
            ..StackSettings::default()
        });
        let start = Instant::now();
        let request = Request::get(uri).body(Body::empty()).unwrap();
        let answer = client.send(request).await.unwrap();
        let body = answer.into_body().collect().await.unwrap();
        assert_eq!(body.to_bytes(), "{}", "{uri}");
        // Each token takes 10 s, one of which passes during the pause.
        assert_eq!(start.elapsed().as_secs(), 20, "{uri}");
        let calls = server.calls.lock();
        assert_eq!(calls.len(), 3, "{uri}");
        assert!(calls.iter().all(|call| call.uri == uri), "{calls:?}");
        let text = registry.encode();
        let verb = r#"verb="GET",host="host""#;
        for line in [
            r#"rest_client_requests_total{code="429",method="GET",host="host"} 1"#.to_owned(),
            r#"rest_client_requests_total{code="503",method="GET",host="host"} 1"#.to_owned(),
            r#"rest_client_requests_total{code="200",method="GET",host="host"} 1"#.to_owned(),
            format!(r#"rest_client_request_retries_total{{code="429",{verb}}} 0"#),
            format!(r#"rest_client_request_retries_total{{code="503",{verb}}} 1"#),
            format!(r#"rest_client_request_retries_total{{code="200",{verb}}} 1"#),
            format!("rest_client_request_duration_seconds_count{{{verb}}} 1"),
            format!("rest_client_rate_limiter_duration_seconds_count{{{verb}}} 3"),
        ] {
            assert!(
                text.lines().any(|text| text == line),
                "{uri}: {line}\n{text}"
            );
        }
    }
}

/// `TestConnectionResetByPeerIsRetried`, through hyper: connections that end before a response.
#[tokio::test(start_paused = true)]
async fn requests_are_retried_on_a_new_connection() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        for answer in ["", "", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"] {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = BufReader::new(stream);
            let mut line = String::new();
            while line != "\r\n" {
                line.clear();
                stream.read_line(&mut line).await.unwrap();
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let mut config = kube::Config::new(format!("http://{address}").parse().unwrap());
    // The clock is paused, so timeouts would expire while the test waits for the network.
    (config.connect_timeout, config.read_timeout) = (None, None);
    let client = super::super::builder(config)
        .response_timeout(None)
        .connect()
        .unwrap();
    assert_eq!(get(&client, "/pods").await.unwrap(), json!({}));
    server.await.unwrap();
}
