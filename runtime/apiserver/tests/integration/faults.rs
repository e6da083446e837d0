//! Tests of fault injection for requests and watches, from a client's view.

use std::io::ErrorKind;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use genclient::k8s_openapi::api::core::v1::ConfigMap;
use genclient::kube::api::{Api, PostParams, WatchEvent, WatchParams};
use genclient_apiserver::{ApiServer, Fault, Verb};
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until, timeout};
use tower::Service;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const NOT_SERVED: &str = "no answer";

/// Method that begins a fault, the response of a request, and whether the request is handled.
type Case = (fn(Fault<'_>), String, bool);

fn cases() -> [Case; 9] {
    let error = |kind: ErrorKind| kind.to_string();
    let broken = "the connection was cut by a fault".to_owned();
    let modified = "409 Operation cannot be fulfilled on configmaps \"\": the object has been \
        modified; please apply your changes to the latest version and try again";
    [
        (|fault| fault.conflict(), modified.to_owned(), false),
        (
            |fault| fault.retry_after(7).status(503),
            "503 the server is currently unable to handle the request, in 7 s".to_owned(),
            false,
        ),
        (
            |fault| fault.answer(502, "Bad Gateway"),
            "502 Bad Gateway".to_owned(),
            false,
        ),
        (
            |fault| fault.delay(Duration::from_secs(3)),
            "201 one".to_owned(),
            true,
        ),
        (|fault| fault.hang(), NOT_SERVED.to_owned(), false),
        (
            |fault| fault.refuse(),
            error(ErrorKind::ConnectionRefused),
            false,
        ),
        (|fault| fault.cut(), broken.clone(), false),
        (|fault| fault.lose(), broken, true),
        (|fault| fault.stall(), NOT_SERVED.to_owned(), true),
    ]
}

#[tokio::test(start_paused = true)]
async fn fault_determines_the_response_until_it_expires() {
    for is_outage in [false, true] {
        for (begin, expected, is_handled) in cases() {
            let server = ApiServer::builder().build().unwrap();
            let fault = if is_outage {
                server.outage()
            } else {
                server.fail(Verb::Create, "configmaps")
            };
            begin(fault.times(1));
            let map = json!({ "metadata": { "name": "one" } });
            assert_eq!(send(&server, Method::POST, MAPS, &map).await, expected);
            let stored = send(&server, Method::GET, &format!("{MAPS}/one"), &Value::Null).await;
            assert_eq!(stored == "200 one", is_handled, "{expected}: {stored}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn outages_affect_all_requests_and_faults_only_matching_ones() {
    let server = ApiServer::builder().build().unwrap();
    let get = async |path| send(&server, Method::GET, path, &Value::Null).await;
    server.outage().answer(502, "down");
    for path in ["/version", "/apis", "/healthz", "/openapi/v3", "/no", MAPS] {
        assert_eq!(get(path).await, "502 down", "{path}");
    }
    server.heal();
    let fault = server.fail(Verb::List, "configmaps");
    fault.when(|request| request.namespace == "default").hang();
    assert_eq!(get(MAPS).await, NOT_SERVED);
    assert!(get("/api/v1/configmaps").await.starts_with("200"));
    assert!(get("/version").await.starts_with("200"));
}

#[tokio::test(start_paused = true)]
async fn status_reasons_are_derived_from_codes_as_in_client_go() {
    let server = ApiServer::builder().build().unwrap();
    for (code, reason) in [
        (400, "BadRequest"),
        (401, "Unauthorized"),
        (403, "Forbidden"),
        (404, "NotFound"),
        (405, "MethodNotAllowed"),
        (406, "NotAcceptable"),
        (409, "Conflict"),
        (410, "Expired"),
        (413, "RequestEntityTooLarge"),
        (415, "UnsupportedMediaType"),
        (418, ""),
        (422, "Invalid"),
        (429, "TooManyRequests"),
        (500, "InternalError"),
        (502, "InternalError"),
        (503, "ServiceUnavailable"),
        (504, "Timeout"),
    ] {
        server.outage().times(2).status(code);
        for path in [MAPS, "/version"] {
            let (answered, status) = send_for_json(&server, Method::GET, path, &Value::Null)
                .await
                .unwrap();
            let answered = (answered, status["code"].as_u64(), &status["reason"]);
            let reason = match (code, path) {
                (_, _) if reason.is_empty() => Value::Null,
                // A document has no versions.
                (410, "/version") => Value::Null,
                _ => reason.into(),
            };
            assert_eq!(answered, (code, Some(code.into()), &reason), "{path}");
        }
    }
    // A 409 of a create is `AlreadyExists`, unless the fault is `conflict`.
    server.fail(Verb::Create, "configmaps").times(1).status(409);
    server.fail(Verb::Create, "configmaps").times(1).conflict();
    for reason in ["AlreadyExists", "Conflict"] {
        let (_, status) = send_for_json(&server, Method::POST, MAPS, &json!({}))
            .await
            .unwrap();
        assert_eq!(status["reason"], reason);
    }
}

#[tokio::test(start_paused = true)]
async fn unused_faults_are_listed_as_pending() {
    let server = ApiServer::builder().build().unwrap();
    assert_eq!(server.pending_faults(), [""; 0]);
    let list = || server.fail(Verb::List, "configmaps");
    list().times(2).status(503);
    list().times(0).hang();
    list().when(|request| request.namespace == "other").stall();
    let scales = server.fail(Verb::Patch, "deployments/scale");
    scales.times(1).delay(Duration::from_millis(1500));
    server.outage().answer(502, "Bad Gateway");
    let pending = [
        "list configmaps: status 503, 2 more times",
        "list configmaps that meets a condition: stall, not yet",
        "patch deployments/scale: delay 1.5s, once more",
        "every request: answer 502, not yet",
    ];
    assert_eq!(server.pending_faults(), pending);
    let get = async |path| send(&server, Method::GET, path, &Value::Null).await;
    get(MAPS).await;
    get("/version").await;
    assert_eq!(
        server.pending_faults(),
        [
            "list configmaps: status 503, once more",
            pending[1],
            pending[2],
        ]
    );
    get(MAPS).await;
    assert_eq!(server.pending_faults(), pending[1..3]);
    server.heal();
    assert_eq!(server.pending_faults(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn open_watches_are_counted() {
    let server = ApiServer::builder().build().unwrap();
    let maps: Api<ConfigMap> = Api::all(server.client());
    let watches = server.watches("configmaps");
    assert_eq!(watches.open(), 0);
    let params = WatchParams::default().disable_bookmarks();
    let first = maps.watch(&params, "0").await.unwrap();
    let second = maps.watch(&params, "0").await.unwrap();
    assert_eq!((watches.open(), server.watches("pods").open()), (2, 0));
    drop(first);
    assert_eq!(watches.open(), 1);
    // The second watch has not been read yet.
    watches.break_connections();
    let events: Vec<_> = second.collect().await;
    assert!(matches!(&events[..], [Err(_)]), "{events:?}");
    assert_eq!(watches.open(), 0);
}

/// The watch is frozen for longer than the interval of bookmarks: a bookmark would claim that there
/// are no pending events.
#[tokio::test(start_paused = true)]
async fn frozen_watch_sends_pending_events_after_thawing() {
    let server = ApiServer::builder().build().unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let mut events = pin!(maps.watch(&WatchParams::default(), "0").await.unwrap());
    let first = events.next().await.unwrap().unwrap();
    assert!(matches!(first, WatchEvent::Bookmark(_)), "{first:?}");
    server.watches("configmaps").freeze();
    let map = serde_json::from_value(json!({ "metadata": { "name": "one" } })).unwrap();
    maps.create(&PostParams::default(), &map).await.unwrap();
    let early = timeout(Duration::from_secs(200), events.next()).await;
    assert!(early.is_err(), "{early:?}");
    server.watches("configmaps").thaw();
    let event = timeout(Duration::from_secs(1), events.next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert!(matches!(event, WatchEvent::Added(_)), "{event:?}");
}

/// A change at the moment of a bookmark is sent: a watch that resumes from the version of the
/// bookmark would miss it.
#[tokio::test(start_paused = true)]
async fn changes_concurrent_with_a_bookmark_are_sent() {
    for lag in [Duration::ZERO, Duration::from_millis(5)] {
        let server = ApiServer::builder().lag(lag).build().unwrap();
        let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
        for round in 0..20 {
            let version = server.resource_version().to_string();
            let events = maps.watch(&WatchParams::default(), &version).await.unwrap();
            let bookmark = sleep_until(Instant::now() + Duration::from_secs(60));
            let name = format!("map-{round}");
            let map = json!({ "metadata": { "name": name } });
            let write = async {
                bookmark.await;
                send(&server, Method::POST, MAPS, &map).await
            };
            let added = async {
                let mut events = pin!(events);
                while let Some(event) = events.next().await {
                    if let WatchEvent::Added(map) = event.unwrap() {
                        return map.metadata.name;
                    }
                }
                None
            };
            let (_, added) = tokio::join!(biased; write, added);
            assert_eq!(added, Some(name));
        }
    }
}

/// Sends a request and returns the code with a name, a message or a text.
async fn send(server: &ApiServer, method: Method, path: &str, body: &Value) -> String {
    match send_for_json(server, method, path, body).await {
        Ok((code, json)) => {
            let part = json["metadata"]["name"]
                .as_str()
                .or(json["message"].as_str())
                .or(json.as_str());
            let retry_after = json["details"]["retryAfterSeconds"]
                .as_u64()
                .map(|seconds| format!(", in {seconds} s"));
            let part = part.map_or_else(|| json.to_string(), str::to_owned);
            format!("{code} {part}{}", retry_after.unwrap_or_default())
        }
        Err(error) => error,
    }
}

/// Sends a request and returns the code with the body, which is a string if it is not JSON, or the
/// error.
async fn send_for_json(
    server: &ApiServer,
    method: Method,
    path: &str,
    body: &Value,
) -> Result<(u16, Value), String> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", "application/json");
    let body = Full::new(Bytes::from(body.to_string()));
    let answered = server.clone().call(request.body(body).unwrap());
    let response = match timeout(Duration::from_secs(60), answered).await {
        Err(_) => return Err(NOT_SERVED.to_owned()),
        Ok(Err(error)) => return Err(error.to_string()),
        Ok(Ok(response)) => response,
    };
    let code = response.status().as_u16();
    let retry_after = response.headers().get("retry-after").cloned();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8(body.to_vec()).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap_or(Value::String(text));
    let seconds = json["details"]["retryAfterSeconds"].as_u64();
    let header = retry_after.map(|seconds| seconds.to_str().unwrap().parse().unwrap());
    assert_eq!(header, seconds);
    Ok((code, json))
}
