//! Tests of recorders and the events they create: client-go's `event_recorder_test.go`.

use k8s_openapi::api::core::v1::{Event, Node, Pod};
use k8s_openapi::api::events::v1;
use k8s_openapi::api::networking::v1::IPAddress;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::jiff::Timestamp;
use kube::core::{ApiResource, DynamicObject};
use serde_json::{Value, json};

use super::{MINUTE, Server, object_reference, pod};
use crate::record::tests::events_v1::start;
use crate::record::{EventBroadcaster, EventRecorder, EventType};

fn metadata_named(name: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        uid: Some("12345".to_owned()),
        ..ObjectMeta::default()
    }
}

/// Records one event and compares the created one with `expected`. `name` is `None` if the name is
/// random.
async fn check_recorded(record: impl FnOnce(EventRecorder), name: Option<&str>, expected: Value) {
    let server = Server::new();
    let broadcaster = start(&server);
    record(broadcaster.recorder("c1").with_host("i1"));
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
    let mut event = server.writes().remove(0).body;
    let time: Timestamp = event["eventTime"].take().as_str().unwrap().parse().unwrap();
    let created = event["metadata"]["name"].take();
    match (name, created.as_str().unwrap().split_once('.')) {
        (Some(name), Some((object, nanoseconds))) => {
            assert_eq!(object, name);
            let nanoseconds = i128::from_str_radix(nanoseconds, 16).unwrap();
            assert_eq!(nanoseconds / 1000, time.as_nanosecond() / 1000);
        }
        (None, None) => {}
        _ => panic!("the name is {created}"),
    }
    assert_eq!(event, expected);
}

/// Returns an expected event: the common fields and `special`.
fn expected_event(special: Value) -> Value {
    let mut event = json!({
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": null, "namespace": "baz"},
        "eventTime": null,
        "regarding": {
            "kind": "Pod", "name": "foo", "namespace": "baz", "uid": "bar", "apiVersion": "v1", "resourceVersion": "7",
        },
        "reportingController": "c1",
        "reportingInstance": "c1-i1",
    });
    let special = special.as_object().unwrap().clone();
    event.as_object_mut().unwrap().extend(special);
    event
}

#[tokio::test(start_paused = true)]
async fn eventf() {
    let record = |recorder: EventRecorder| {
        recorder.event(&pod("bar"), EventType::Normal, "Started", "Pod started");
    };
    let expected = expected_event(json!({
        "type": "Normal", "reason": "Started", "action": "Started", "note": "Pod started",
    }));
    check_recorded(record, Some("foo"), expected).await;
}

#[tokio::test(start_paused = true)]
async fn eventf_with_related_object() {
    let record = |recorder: EventRecorder| {
        let node = Node {
            metadata: metadata_named("node1"),
            ..Node::default()
        };
        recorder
            .regarding(&pod("bar"))
            .related(&node)
            .action("scheduling")
            .annotations([("who".to_owned(), "me".to_owned())].into())
            .event(EventType::Warning, "FailedScheduling", "not enough");
    };
    let expected = expected_event(json!({
        "metadata": {"name": null, "namespace": "baz", "annotations": {"who": "me"}},
        "related": {"kind": "Node", "name": "node1", "uid": "12345", "apiVersion": "v1"},
        "type": "Warning", "reason": "FailedScheduling", "action": "scheduling", "note": "not enough",
    }));
    check_recorded(record, Some("foo"), expected).await;
}

#[tokio::test(start_paused = true)]
async fn action_and_related_object_are_written_to_core_v1() {
    let server = Server::new();
    let broadcaster = EventBroadcaster::new(server.client());
    let recorder = broadcaster.recorder("c1");
    let started = recorder
        .regarding(&pod("bar"))
        .action("scheduling")
        .related_reference(object_reference("Node", "node1", ""));
    started.event(EventType::Normal, "Started", "message");
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
    assert_eq!(server.calls()[0].path, "/api/v1/namespaces/baz/events");
    let event = server.stored::<Event>().await.remove(0);
    assert_eq!(event.action.as_deref(), Some("scheduling"));
    assert_eq!(event.related.unwrap().name.as_deref(), Some("node1"));
}

#[tokio::test(start_paused = true)]
async fn eventf_with_invalid_event_name() {
    let record = |recorder: EventRecorder| {
        let address = IPAddress {
            metadata: metadata_named("2001:db8::123"),
            ..IPAddress::default()
        };
        let event = recorder.regarding(&address).action("Allocating");
        event.event(EventType::Warning, "NotAllocated", "leaked");
    };
    let expected = expected_event(json!({
        "metadata": {"name": null, "namespace": "default"},
        "regarding": {
            "kind": "IPAddress", "name": "2001:db8::123", "uid": "12345", "apiVersion": "networking.k8s.io/v1",
        },
        "type": "Warning", "reason": "NotAllocated", "action": "Allocating", "note": "leaked",
    }));
    check_recorded(record, None, expected).await;
}

#[tokio::test(start_paused = true)]
async fn eventf_with_large_event_name() {
    let object = object_reference("Pod", &"x".repeat(4 * 253), "baz");
    let expected = expected_event(json!({
        "regarding": object,
        "type": "Normal", "reason": "Started", "action": "Started", "note": "Pod started",
    }));
    let record = |recorder: EventRecorder| {
        recorder
            .regarding_reference(object)
            .event(EventType::Normal, "Started", "Pod started");
    };
    check_recorded(record, None, expected).await;
}

#[tokio::test(start_paused = true)]
async fn long_messages_are_truncated() {
    let cases = [
        ("x".repeat(1024), "x".repeat(1024)),
        ("x".repeat(1025), format!("{} ...", "x".repeat(1020))),
        // Characters of two and three bytes, which must not be split.
        ("ü".repeat(513), format!("{} ...", "ü".repeat(510))),
        ("€".repeat(400), format!("{} ...", "€".repeat(340))),
        (
            format!("x{}", "ü".repeat(600)),
            format!("x{} ...", "ü".repeat(509)),
        ),
        (
            format!("x{}", "€".repeat(400)),
            format!("x{} ...", "€".repeat(339)),
        ),
    ];
    for (message, note) in cases {
        let server = Server::new();
        let broadcaster = start(&server);
        let recorder = broadcaster
            .recorder("eventTest")
            .with_host(&"h".repeat(200));
        recorder.event(&pod("bar"), EventType::Normal, "Started", message);
        assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
        let event = server.stored::<v1::Event>().await.remove(0);
        assert_eq!(event.note, Some(note));
        let instance = event.reporting_instance.unwrap();
        assert_eq!((instance.len(), &instance[..11]), (128, "eventTest-h"));
    }
}

/// If no host is set, the event has the host name of this machine.
#[tokio::test(start_paused = true)]
async fn reporting_instance_is_component_and_host() {
    let server = Server::new();
    let broadcaster = start(&server);
    let recorder = broadcaster.recorder("eventTest");
    recorder.event(&pod("bar"), EventType::Normal, "Started", "message");
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
    let event = server.stored::<v1::Event>().await.remove(0);
    let instance = event.reporting_instance.unwrap();
    assert!(instance.starts_with("eventTest"), "{instance}");
}

/// Events about dynamic objects are the same as about typed objects.
#[tokio::test(start_paused = true)]
async fn events_can_regard_dynamic_objects() {
    let types = &ApiResource::erase::<Pod>(&());
    let dynamic: DynamicObject =
        serde_json::from_value(serde_json::to_value(pod("bar")).unwrap()).unwrap();
    let related = expected_event(json!({
        "type": "Normal", "reason": "Started", "action": "Started", "note": "message",
        "related": expected_event(json!({}))["regarding"],
    }));
    let record = |recorder: EventRecorder| {
        let started = recorder
            .regarding_with(&dynamic, types)
            .related_with(&dynamic, types);
        started.event(EventType::Normal, "Started", "message");
    };
    check_recorded(record, Some("foo"), related.clone()).await;
    let record = |recorder: EventRecorder| {
        let started = recorder.regarding(&pod("bar")).related(&pod("bar"));
        started.event(EventType::Normal, "Started", "message");
    };
    check_recorded(record, Some("foo"), related).await;
}
