//! Tests of broadcasters of `core/v1`: client-go's `event_test.go`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt;
use genclient_apiserver::{FaultyRequest, Verb};
use http::Method;
use k8s_openapi::api::core::v1::{Event, Node, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{Call, MINUTE, Server, object_reference, pod};
use crate::metrics::EVENT_BROADCASTER_EVENTS;
use crate::metrics::recorder::Recorder;
use crate::record::{EventBroadcaster, EventRecorder, EventType};

/// An event of the table: the Pod's UID, a field of the Pod, reason, message, and the `count` that
/// is written. An event without a field is about the Pod itself.
type Case = (
    &'static str,
    Option<&'static str>,
    &'static str,
    &'static str,
    i32,
);

const EVENTS: &str = "/api/v1/namespaces/baz/events";
const FIRST: Option<&str> = Some("spec.containers[2]");
const SECOND: Option<&str> = Some("spec.containers[3]");
const VERBOSE: &str = "some verbose message: 1";

/// The table of `TestEventf` and `TestMultiSinkCache`. Writes with a count above 1 are patches.
const TABLE: [Case; 7] = [
    ("bar", FIRST, "Started", VERBOSE, 1),
    ("bar", None, "Killed", "some other verbose message: 1", 1),
    ("bar", FIRST, "Started", VERBOSE, 2),
    ("differentUid", SECOND, "Started", VERBOSE, 1),
    ("bar", FIRST, "Started", VERBOSE, 3),
    ("differentUid", SECOND, "Stopped", VERBOSE, 1),
    ("differentUid", SECOND, "Stopped", VERBOSE, 2),
];

fn container(uid: &str, field_path: &str) -> ObjectReference {
    ObjectReference {
        kind: Some("Pod".to_owned()),
        api_version: Some("v1".to_owned()),
        name: Some("foo".to_owned()),
        namespace: Some("baz".to_owned()),
        uid: Some(uid.to_owned()),
        field_path: Some(field_path.to_owned()),
        ..ObjectReference::default()
    }
}

fn record_table(recorder: &EventRecorder) {
    for (uid, field_path, reason, message, _) in TABLE {
        match field_path {
            Some(field_path) => recorder
                .regarding_reference(container(uid, field_path))
                .event(EventType::Normal, reason, message),
            None => recorder.event(&pod(uid), EventType::Normal, reason, message),
        }
    }
}

/// Checks the requests for the events of the table.
#[track_caller]
fn check_table(calls: &[Call]) {
    assert_eq!(calls.len(), TABLE.len(), "{calls:?}");
    let mut names = BTreeMap::new();
    for (call, (uid, field_path, reason, message, count)) in calls.iter().zip(TABLE) {
        if count == 1 {
            let mut object = json!({
                "apiVersion": "v1", "kind": "Pod", "namespace": "baz", "name": "foo", "uid": uid,
            });
            match field_path {
                Some(field_path) => object["fieldPath"] = json!(field_path),
                None => object["resourceVersion"] = json!("7"),
            }
            let (name, event) = created_event(call);
            assert_eq!(event, expected_event("baz", &object, reason, message));
            assert_eq!((&call.method, call.path.as_str()), (&Method::POST, EVENTS));
            names.insert((uid, reason), name);
        } else {
            let path = format!("{EVENTS}/{}", names[&(uid, reason)]);
            assert_eq!((&call.method, &call.path), (&Method::PATCH, &path));
            assert_eq!(
                call.content_type.as_deref(),
                Some("application/strategic-merge-patch+json")
            );
            let mut patch = call.body.clone();
            assert!(patch["lastTimestamp"].take().is_string(), "{patch}");
            let expected = json!({"count": count, "lastTimestamp": null, "message": message});
            assert_eq!(patch, expected);
        }
    }
}

/// Returns the name and the body of a created event. The body lacks the name and the times, which
/// are checked here.
#[track_caller]
fn created_event(call: &Call) -> (String, Value) {
    let mut event = call.body.clone();
    let name = event["metadata"]["name"].take();
    let name = name.as_str().unwrap();
    assert!(name.starts_with("foo."), "{name}");
    let first = event["firstTimestamp"].take();
    let last = event["lastTimestamp"].take();
    assert!(first.is_string() && first == last, "{first} {last}");
    (name.to_owned(), event)
}

/// Returns an expected event, as [`created_event`] returns it.
fn expected_event(namespace: &str, object: &Value, reason: &str, message: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": null, "namespace": namespace},
        "involvedObject": object,
        "type": "Normal",
        "reason": reason,
        "message": message,
        "count": 1,
        "firstTimestamp": null,
        "lastTimestamp": null,
        "source": {"component": "eventTest"},
        "reportingComponent": "eventTest",
    })
}

#[tokio::test(start_paused = true)]
async fn eventf() {
    let server = Server::new();
    let broadcaster = EventBroadcaster::new(server.client());
    record_table(&broadcaster.recorder("eventTest"));
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
    check_table(&server.calls());
    let stored = server.stored::<Event>().await;
    let mut counts: Vec<_> = stored.iter().filter_map(|event| event.count).collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 1, 2, 3]);
}

/// Each broadcaster starts with an empty cache.
#[tokio::test(start_paused = true)]
async fn multi_sink_cache() {
    for _ in 0..2 {
        let server = Server::new();
        let broadcaster = EventBroadcaster::new(server.client());
        record_table(&broadcaster.recorder("eventTest"));
        assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
        check_table(&server.calls());
    }
}

#[tokio::test(start_paused = true)]
async fn eventf_no_namespace() {
    let server = Server::new();
    let broadcaster = EventBroadcaster::new(server.client());
    let recorder = broadcaster.recorder("eventTest");
    let nowhere = ObjectReference {
        namespace: None,
        ..container("bar", "spec.containers[2]")
    };
    recorder
        .regarding_reference(nowhere)
        .event(EventType::Normal, "Started", VERBOSE);
    recorder
        .regarding_reference(object_reference("Pod", "foo", ""))
        .event(EventType::Normal, "Started", "message");
    let node = Node {
        metadata: ObjectMeta {
            namespace: None,
            ..pod("bar").metadata
        },
        ..Node::default()
    };
    let annotations = BTreeMap::from([("who".to_owned(), "me".to_owned())]);
    let recorder = recorder.with_host("node-1");
    recorder.regarding(&node).annotations(annotations).event(
        EventType::Warning,
        "Full",
        "no space",
    );
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));

    let calls = server.calls();
    assert_eq!(calls.len(), 3, "{calls:?}");
    for call in &calls {
        assert_eq!(call.path, "/api/v1/namespaces/default/events");
        assert_eq!(call.body["metadata"]["namespace"], "default");
    }
    let object = json!({
        "apiVersion": "v1", "kind": "Pod", "name": "foo", "uid": "bar",
        "fieldPath": "spec.containers[2]",
    });
    let (_, event) = created_event(&calls[0]);
    assert_eq!(
        event,
        expected_event("default", &object, "Started", VERBOSE)
    );
    let event = &calls[2].body;
    assert_eq!(event["metadata"]["annotations"], json!({"who": "me"}));
    assert_eq!(event["involvedObject"].get("namespace"), None);
    assert_eq!(event["type"], "Warning");
    assert_eq!(
        event["source"],
        json!({"component": "eventTest", "host": "node-1"})
    );
    assert_eq!(event["reportingInstance"], "node-1");
}

#[tokio::test(start_paused = true)]
async fn lots_of_events() {
    // Writes are sequential, and each succeeds at its fifth try.
    let tries = AtomicUsize::new(0);
    let is_early = move |_: &FaultyRequest<'_>| tries.fetch_add(1, Ordering::Relaxed) % 5 < 4;
    let server = Server::new();
    server.api.fail(Verb::Create, "events").when(is_early).cut();
    let metrics = Recorder::default();
    let broadcaster = EventBroadcaster::builder(server.client())
        .metrics("tests", Arc::new(metrics.clone()))
        .build();
    let heard = broadcaster.subscribe();
    let recorder = broadcaster.recorder("eventTest");
    let mut recording = JoinSet::new();
    for i in 0..1000 {
        let recorder = recorder.clone();
        recording.spawn(async move {
            let object = object_reference("Pod", &format!("foo-{i}"), "baz");
            recorder.regarding_reference(object).event(
                EventType::Normal,
                &format!("Reason-{i}"),
                format!("{i}"),
            );
        });
    }
    recording.join_all().await;
    let written = || {
        metrics
            .by_last_label(&EVENT_BROADCASTER_EVENTS)
            .get("written")
            .copied()
    };
    while written() != Some(1000.0) {
        sleep(MINUTE).await;
    }
    let mut tries_of = BTreeMap::<_, usize>::new();
    for call in server.calls() {
        let message = call.body["message"].to_string();
        *tries_of.entry(message).or_default() += 1;
    }
    assert_eq!(tries_of.len(), 1000);
    assert!(tries_of.values().all(|tries| *tries == 5), "{tries_of:?}");
    assert_eq!((broadcaster.dropped(), heard.missed()), (0, 0));
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
    assert_eq!(heard.count().await, 1000);
}

#[tokio::test(start_paused = true)]
async fn events_above_the_queue_limit_are_dropped_and_counted() {
    let server = Server::new();
    let broadcaster = EventBroadcaster::new(server.client());
    let recorder = broadcaster.recorder("eventTest");
    // There is no await, so the broadcaster's task does not run in this loop.
    for i in 0..1003 {
        recorder
            .regarding_reference(object_reference("Pod", &format!("foo-{i}"), "baz"))
            .event(EventType::Normal, "Reason", "message");
    }
    assert_eq!(broadcaster.dropped(), 3);
    assert_eq!(
        broadcaster.shutdown(MINUTE).await,
        Ok(()),
        "what was dropped is not left"
    );
    assert_eq!(server.stored::<Event>().await.len(), 1000);
}
