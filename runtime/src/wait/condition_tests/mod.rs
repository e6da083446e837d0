//! Tests of `for_condition` against a scripted API server.

mod objects;
mod watches;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tower::BoxError;

use super::for_condition;
use crate::client::{Result, TypedClient};

/// An expected request and its response.
enum Step {
    List(Vec<Value>),
    /// A list of a server with this latest version.
    ListAt(&'static str, Vec<Value>),
    /// A watch from the version of the list. The watch ends after these events.
    Watch(Vec<Value>),
    /// A watch from this version; empty: from any version. The watch ends after these events.
    WatchAfter(&'static str, Vec<Value>),
    /// An error status, for a list or a watch.
    Refuse(u16),
    Break,
    Hang,
    /// A watch that is silent after these events and does not end.
    Silence(Vec<Value>),
    /// A watch with these events. It ends after this many seconds.
    Lasting(u64, Vec<Value>),
}

type ScriptedResponse =
    Response<StreamBody<BoxStream<'static, std::result::Result<Frame<Bytes>, BoxError>>>>;

/// Waits for the ConfigMap `wanted` with a scripted server. Returns the result and the elapsed
/// seconds.
async fn wait_for(
    script: Vec<Step>,
    condition: impl Fn(Option<&ConfigMap>) -> bool,
) -> (Result<Option<ConfigMap>>, u64) {
    let steps = Arc::new(Mutex::new(script.into_iter()));
    let service = {
        let steps = Arc::clone(&steps);
        tower::service_fn(move |request: Request<Body>| {
            let step = steps.lock().next();
            async move {
                match step.expect("no more requests") {
                    Step::Hang => std::future::pending().await,
                    step => respond(&request, step),
                }
            }
        })
    };
    let client = TypedClient::namespaced(Client::new(service, "default"), "default");
    let start = Instant::now();
    let waited = for_condition(&client, "wanted", condition).await;
    assert!(steps.lock().next().is_none(), "there is more in the script");
    (waited, start.elapsed().as_secs())
}

fn respond(request: &Request<Body>, step: Step) -> std::result::Result<ScriptedResponse, BoxError> {
    let query = request.uri().query().unwrap_or_default();
    assert!(
        query.contains("fieldSelector=metadata.name%3Dwanted"),
        "{query}"
    );
    let (code, body) = match step {
        Step::List(items) => (200, list_body(query, "10", &items)),
        Step::ListAt(version, items) => (200, list_body(query, version, &items)),
        Step::Watch(events) => (200, watch_body(query, "10", &events)),
        Step::WatchAfter(version, events) => (200, watch_body(query, version, &events)),
        Step::Refuse(code) => {
            let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": code,
                "reason": "", "message": "as the script says"});
            (code, status.to_string())
        }
        Step::Break | Step::Hang => return Err("connection reset".into()),
        Step::Silence(events) => {
            let frame = Ok(Frame::data(watch_body(query, "10", &events).into()));
            let silent = stream::iter([frame]).chain(stream::pending());
            return Ok(Response::new(StreamBody::new(silent.boxed())));
        }
        Step::Lasting(seconds, events) => {
            let frame = Ok(Frame::data(watch_body(query, "10", &events).into()));
            let end = stream::once(sleep(Duration::from_secs(seconds)));
            let lasting = stream::iter([frame]).chain(end.filter_map(async |()| None));
            return Ok(Response::new(StreamBody::new(lasting.boxed())));
        }
    };
    let body = stream::iter([Ok(Frame::data(body.into()))]);
    let response = Response::builder().status(code);
    Ok(response.body(StreamBody::new(body.boxed()))?)
}

fn list_body(query: &str, version: &str, items: &[Value]) -> String {
    assert!(!query.contains("watch=true"), "{query}");
    let list = json!({"apiVersion": "v1", "kind": "ConfigMapList", "metadata": {"resourceVersion": version}, "items": items});
    list.to_string()
}

fn watch_body(query: &str, version: &str, events: &[Value]) -> String {
    let has_version = format!("{query}&").contains(&format!("resourceVersion={version}&"));
    assert!(query.contains("watch=true"), "{query}");
    assert!(
        has_version || version.is_empty(),
        "{query} is not after {version}"
    );
    let lines = events.iter().map(|event| format!("{event}\n"));
    lines.collect()
}

fn object_json(data: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"state": data},
        "metadata": {"namespace": "default", "name": "wanted", "uid": data, "resourceVersion": "11"}})
}

fn event_json(kind: &str, data: &str) -> Value {
    json!({"type": kind, "object": object_json(data)})
}

fn bookmark_json(version: &str) -> Value {
    json!({"type": "BOOKMARK", "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"resourceVersion": version}}})
}

fn failed_step(code: u16, reason: &str) -> Step {
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "code": code, "reason": reason, "message": "as the script says"});
    Step::WatchAfter("", vec![json!({"type": "ERROR", "object": status})])
}

fn is_ready(object: Option<&ConfigMap>) -> bool {
    let data = object.and_then(|object| object.data.as_ref());
    data.is_some_and(|data| data["state"] == "ready")
}

/// Runs scripts, each with a name and a number of seconds. The wait must return the ready object
/// within these seconds.
async fn check_scripts(scripts: impl IntoIterator<Item = (&'static str, Vec<Step>, u64)>) {
    for (name, script, at_most) in scripts {
        let (waited, took) = wait_for(script, is_ready).await;
        let found = waited.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(is_ready(found.as_ref()), "{name}");
        assert!(took <= at_most, "{name}: {took} s");
    }
}
