//! Tests of broadcasters of `core/v1`: client-go's `event_test.go`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// The table of `TestEventf`: records its events and returns the `count` of each write. Writes with
/// a count above 1 are patches.
fn record_table(recorder: &EventRecorder) -> [i64; 7] {
    let first = || container("bar", "spec.containers[2]");
    let second = || container("differentUid", "spec.containers[3]");
    let started = "some verbose message: 1";
    recorder
        .regarding_reference(first())
        .event(EventType::Normal, "Started", started);
    recorder.event(
        &pod("bar"),
        EventType::Normal,
        "Killed",
        "some other verbose message: 1",
    );
    recorder
        .regarding_reference(first())
        .event(EventType::Normal, "Started", started);
    recorder
        .regarding_reference(second())
        .event(EventType::Normal, "Started", started);
    recorder
        .regarding_reference(first())
        .event(EventType::Normal, "Started", started);
    recorder
        .regarding_reference(second())
        .event(EventType::Normal, "Stopped", started);
    recorder
        .regarding_reference(second())
        .event(EventType::Normal, "Stopped", started);
    [1, 1, 2, 1, 3, 1, 2]
}

fn counts(calls: &[Call]) -> Vec<i64> {
    calls
        .iter()
        .map(|call| call.body["count"].as_i64().unwrap())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn eventf() {
    let server = Server::new();
    let broadcaster = EventBroadcaster::new(server.client());
    let expected = record_table(&broadcaster.recorder("eventTest"));
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));

    let calls = server.calls();
    assert_eq!(counts(&calls), expected);
    for (call, count) in calls.iter().zip(expected) {
        let name = call.path.rsplit('/').next().unwrap();
        if count == 1 {
            assert_eq!(
                (&call.method, call.path.as_str()),
                (&Method::POST, "/api/v1/namespaces/baz/events")
            );
        } else {
            assert_eq!(
                (&call.method, name.starts_with("foo.")),
                (&Method::PATCH, true),
                "{}",
                call.path
            );
            assert_eq!(
                call.content_type.as_deref(),
                Some("application/strategic-merge-patch+json")
            );
        }
    }
    check_killed(calls[1].body.clone());
}

#[track_caller]
fn check_killed(mut event: Value) {
    let name = event["metadata"]["name"].take();
    assert!(name.as_str().unwrap().starts_with("foo."), "{name}");
    let (first, last) = (
        event["firstTimestamp"].take(),
        event["lastTimestamp"].take(),
    );
    assert!(first.is_string() && first == last);
    let expected = json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": null, "namespace": "baz"},
        "involvedObject": {
            "apiVersion": "v1", "kind": "Pod", "namespace": "baz", "name": "foo", "uid": "bar", "resourceVersion": "7",
        },
        "type": "Normal",
        "reason": "Killed",
        "message": "some other verbose message: 1",
        "count": 1,
        "firstTimestamp": null,
        "lastTimestamp": null,
        "source": {"component": "eventTest"},
        "reportingComponent": "eventTest",
    });
    assert_eq!(event, expected);
}

#[tokio::test(start_paused = true)]
async fn multi_sink_cache() {
    for _ in 0..2 {
        let server = Server::new();
        let broadcaster = EventBroadcaster::new(server.client());
        let expected = record_table(&broadcaster.recorder("eventTest"));
        assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
        assert_eq!(
            counts(&server.calls()),
            expected,
            "each broadcaster starts with a clean cache"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn eventf_no_namespace() {
    let server = Server::new();
    let broadcaster = EventBroadcaster::new(server.client());
    let recorder = broadcaster.recorder("eventTest").with_host("node-1");
    let node = Node {
        metadata: ObjectMeta {
            namespace: None,
            ..pod("bar").metadata
        },
        ..Node::default()
    };
    let annotations = BTreeMap::from([("who".to_owned(), "me".to_owned())]);
    recorder.regarding(&node).annotations(annotations).event(
        EventType::Warning,
        "Full",
        "no space",
    );
    recorder
        .regarding_reference(object_reference("Pod", "foo", ""))
        .event(EventType::Normal, "Started", "message");
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));

    let calls = server.calls();
    assert_eq!(calls[0].path, "/api/v1/namespaces/default/events");
    assert_eq!(calls[1].path, "/api/v1/namespaces/default/events");
    let event = &calls[0].body;
    assert_eq!(event["metadata"]["namespace"], "default");
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
    assert_eq!(server.calls().len(), 5000);
    assert_eq!(broadcaster.dropped(), 0);
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
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
