//! Tests of broadcasters of `events.k8s.io/v1`: client-go's `eventseries_test.go`.

use std::time::Duration;

use http::Method;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1;
use tokio::time::sleep;

use super::{Begin, Call, MINUTE, Server, object_reference};
use crate::record::{EventBroadcaster, EventRecorder, EventType, EventsApi};

pub(super) fn start(server: &Server) -> EventBroadcaster {
    EventBroadcaster::builder(server.client())
        .api(EventsApi::EventsV1)
        .build()
}

/// Lets the broadcaster's task run until it is idle.
async fn settle() {
    sleep(Duration::from_millis(1)).await;
}

fn record_event(recorder: &EventRecorder, name: &str) {
    let object = object_reference("Pod", name, "baz");
    recorder
        .regarding_reference(object)
        .event(EventType::Normal, "Started", "message");
}

/// Returns the method of a write, and the count of its series, or `None` for a single event.
fn series_count(call: &Call) -> (Method, Option<i64>) {
    (call.method.clone(), call.body["series"]["count"].as_i64())
}

fn series_of(server: &Server) -> Vec<(Method, Option<i64>)> {
    server.writes().iter().map(series_count).collect()
}

async fn counts(server: &Server) -> Vec<i32> {
    let stored = server.stored::<v1::Event>().await.into_iter();
    stored.map(|event| event.series.unwrap().count).collect()
}

#[tokio::test(start_paused = true)]
async fn event_seriesf() {
    let server = Server::new();
    let broadcaster = start(&server);
    let recorder = broadcaster.recorder("eventTest");
    let container = |index| ObjectReference {
        field_path: Some(format!(".spec.containers[{index}]")),
        ..object_reference("Pod", "foo", "baz")
    };
    let actions = ["started", "started", "stopped"];
    for action in actions {
        recorder
            .regarding_reference(container(1))
            .related_reference(container(0))
            .action(action)
            .event(EventType::Normal, "test", "some verbose message: 1");
        settle().await;
    }
    let expected = [
        (Method::POST, None),
        (Method::PATCH, Some(2)),
        (Method::POST, None),
    ];
    assert_eq!(series_of(&server), expected);
    let writes = server.writes();
    let name = writes[0].body["metadata"]["name"].as_str().unwrap();
    let events = "/apis/events.k8s.io/v1/namespaces/baz/events";
    assert!(name.starts_with("foo."), "{name}");
    assert_eq!(writes[0].path, events);
    assert_eq!(writes[1].path, format!("{events}/{name}"));
    let content_type = writes[1].content_type.as_deref();
    assert_eq!(content_type, Some("application/strategic-merge-patch+json"));
    let patch = writes[1].body["series"].as_object().unwrap();
    assert!(patch["lastObservedTime"].is_string() && patch.len() == 2);
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn event_series_with_event_sink_impl_race() {
    let server = Server::new();
    let broadcaster = start(&server);
    let recorder = broadcaster.recorder("test");
    record_event(&recorder, "foo");
    record_event(&recorder, "foo");
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
    assert_eq!(counts(&server).await, [2]);
}

#[tokio::test(start_paused = true)]
async fn series_are_written_at_start_every_half_hour_and_at_the_end() {
    let server = Server::new();
    let broadcaster = start(&server);
    let recorder = broadcaster.recorder("eventTest");
    // Events are recorded at 0:30, 1:30 and so on, so not at the same time as the refresh.
    sleep(MINUTE / 2).await;
    for _ in 0..65 {
        record_event(&recorder, "foo");
        sleep(MINUTE).await;
    }
    let counts = [None, Some(2), Some(30), Some(60)];
    let (posts, patches) = (1, 3);
    let methods = [vec![Method::POST; posts], vec![Method::PATCH; patches]].concat();
    let mut expected: Vec<_> = methods.into_iter().zip(counts).collect();
    assert_eq!(series_of(&server), expected);

    sleep(12 * MINUTE).await;
    expected.push((Method::PATCH, Some(65)));
    assert_eq!(series_of(&server), expected);

    record_event(&recorder, "foo");
    settle().await;
    expected.push((Method::POST, None));
    assert_eq!(series_of(&server), expected, "a new series has a new event");
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
    assert_eq!(series_of(&server), expected, "nothing was left");
}

#[tokio::test(start_paused = true)]
async fn expired_series_is_recreated() {
    let server = Server::new();
    let broadcaster = start(&server);
    let recorder = broadcaster.recorder("eventTest");
    record_event(&recorder, "foo");
    settle().await;
    server.forget_events().await;
    record_event(&recorder, "foo");
    settle().await;
    let created = [
        (Method::POST, None),
        (Method::PATCH, Some(2)),
        (Method::POST, Some(2)),
    ];
    assert_eq!(series_of(&server), created);
    let body = &server.writes()[2].body;
    assert_eq!(body["metadata"].get("resourceVersion"), None);
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn shutdown_writes_pending_series_counts() {
    let server = Server::new();
    let broadcaster = start(&server);
    let recorder = broadcaster.recorder("eventTest");
    for _ in 0..7 {
        record_event(&recorder, "foo");
        settle().await;
    }
    assert_eq!(series_of(&server).len(), 2);
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
    assert_eq!(series_of(&server)[2..], [(Method::PATCH, Some(7))]);
}

#[tokio::test(start_paused = true)]
async fn repeated_events_are_counted_during_an_outage() {
    let server = Server::new();
    let broadcaster = start(&server);
    let recorder = broadcaster.recorder("eventTest");
    settle().await;
    server.api.outage().cut();
    for _ in 0..5000 {
        record_event(&recorder, "foo");
        settle().await;
    }
    assert_eq!(broadcaster.dropped(), 0);
    server.api.heal();
    sleep(MINUTE / 2).await;
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
    assert_eq!(counts(&server).await, [5000]);
}

#[tokio::test(start_paused = true)]
async fn given_up_series_is_written_when_it_ends() {
    let server = Server::new();
    let broadcaster = start(&server);
    let recorder = broadcaster.recorder("eventTest");
    record_event(&recorder, "foo");
    settle().await;
    server.api.outage().cut();
    record_event(&recorder, "foo");
    sleep(3 * MINUTE).await;
    assert_eq!(series_of(&server).len(), 1 + 12);
    server.api.heal();
    sleep(12 * MINUTE).await;
    assert_eq!(series_of(&server)[13..], [(Method::PATCH, Some(2))]);
    assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn at_most_eight_events_are_written_concurrently() {
    let server = Server::new().fail(|fault| fault.hang());
    let broadcaster = start(&server);
    let recorder = broadcaster.recorder("eventTest");
    for i in 0..20 {
        record_event(&recorder, &format!("foo-{i}"));
    }
    settle().await;
    assert_eq!(server.writes().len(), 8);
    drop(broadcaster);
}

/// Faults of discovering `events.k8s.io/v1`, the number of discovery requests, and the API that the
/// event is written to.
#[tokio::test(start_paused = true)]
async fn event_broadcaster_adapter() {
    let (new, old) = ("/apis/events.k8s.io/v1", "/api/v1");
    let cases: [(&str, Begin, _, _); 5] = [
        ("nothing", |outage| outage.times(0).hang(), 1, new),
        (
            "unknown",
            |outage| outage.times(1).answer(404, "404 page not found\n"),
            1,
            old,
        ),
        ("forbidden", |outage| outage.times(1).status(403), 1, new),
        ("no connection", |outage| outage.times(2).cut(), 3, new),
        ("no answer", |outage| outage.times(2).hang(), 3, new),
    ];
    for (name, begin, tries, expected) in cases {
        let server = Server::new().outage(begin);
        let broadcaster = start(&server);
        record_event(&broadcaster.recorder("eventTest"), "foo");
        sleep(5 * MINUTE).await;
        let calls = server.calls();
        let path = &calls.last().unwrap().path;
        assert_eq!(path, &format!("{expected}/namespaces/baz/events"));
        assert_eq!(calls.len(), tries + 1, "{name}");
        assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()));
    }
}
