//! Tests of the event writer, for both APIs: client-go's `event_test.go` and
//! `event_broadcaster_test.go`.

use std::time::Duration;

use genclient_apiserver::{Fault, Verb};
use http::Method;
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use k8s_openapi::api::events::v1;
use k8s_openapi::jiff::Timestamp;
use kube::api::{ObjectMeta, PostParams};
use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Begin, Server, already_exists, make_event, object_reference};
use crate::record::CorrelatorOptions;
use crate::record::core_v1::CoreV1;
use crate::record::correlator::Correlator;
use crate::record::queue::EventOutcome;
use crate::record::recorded_event::event_name;
use crate::record::writer::{EventObject, EventWriter, MAX_TRIES, NotWritten};

fn writer(server: &Server, stop: &CancellationToken) -> EventWriter {
    EventWriter {
        client: server.client(),
        stop: stop.clone(),
    }
}

fn core_v1(server: &Server, stop: &CancellationToken) -> CoreV1 {
    CoreV1 {
        correlator: Correlator::new(CorrelatorOptions::default()),
        writer: writer(server, stop),
    }
}

fn metadata() -> ObjectMeta {
    ObjectMeta {
        name: Some(event_name("foo", Timestamp::now())),
        namespace: Some("baz".to_owned()),
        ..ObjectMeta::default()
    }
}

fn event() -> Event {
    let object = object_reference("Pod", "foo", "baz");
    Event {
        metadata: metadata(),
        ..make_event("Started", "some message", object)
    }
}

fn series_event() -> v1::Event {
    v1::Event {
        metadata: metadata(),
        ..super::series::event("foo")
    }
}

/// Name of the case, fault of the server, and the expected number of requests and result.
type Case = (&'static str, Begin, usize, Result<(), NotWritten>);

fn failure_cases() -> [Case; 11] {
    let refused = Err(NotWritten::Refused);
    let given_up = Err(NotWritten::GivenUp);
    [
        ("forbidden", |fault| fault.status(403), 1, refused),
        ("no namespace", |fault| fault.status(404), 1, refused),
        ("conflict", |fault| fault.conflict(), 1, refused),
        (
            "exists",
            |fault| fault.answer(409, already_exists()),
            1,
            refused,
        ),
        ("a proxy", |fault| fault.status(503), 1, refused),
        ("busy", |fault| fault.status(429), 12, given_up),
        ("unexpected object", respond_with_garbage, 12, given_up),
        ("no connection", |fault| fault.cut(), 12, given_up),
        ("no answer", |fault| fault.hang(), 12, given_up),
        (
            "succeeds eventually",
            |fault| fault.times(1).cut(),
            2,
            Ok(()),
        ),
        (
            "the answer is lost",
            |fault| fault.times(1).lose(),
            2,
            Ok(()),
        ),
    ]
}

/// Answers with a body that is not an event.
fn respond_with_garbage(fault: Fault<'_>) {
    fault.answer(200, "\"no event\"");
}

/// Writes an event in every case. `pauses` has the minimum and maximum of all pauses together, in
/// seconds, for two tries and for twelve.
async fn check_pauses<K: EventObject>(event: &K, pauses: [(u64, u64); 2]) {
    for (name, begin, tries, expected) in failure_cases() {
        let server = Server::new().fail(begin);
        let start = Instant::now();
        let writer = writer(&server, &CancellationToken::new());
        let result = writer.write(event, None, MAX_TRIES).await;
        assert_eq!(result.map(drop), expected, "{name}");
        assert_eq!(server.calls().len(), tries, "{name}");
        let waiting = if name == "no answer" { 12 * 30 } else { 0 };
        let pausing = start.elapsed().as_secs() - waiting;
        let (least, most) = match tries {
            1 => (0, 0),
            2 => pauses[0],
            _ => pauses[1],
        };
        assert!((least..=most).contains(&pausing), "{name}: {pausing} s");
    }
}

#[tokio::test(start_paused = true)]
async fn write_event_error() {
    check_pauses(&event(), [(0, 10), (100, 110)]).await;
}

#[tokio::test(start_paused = true)]
async fn write_event_error_of_events_v1() {
    check_pauses(&series_event(), [(10, 12), (110, 138)]).await;
}

#[tokio::test(start_paused = true)]
async fn events_with_an_invalid_namespace_are_not_retried() {
    let server = Server::new();
    let mut nowhere = event();
    nowhere.metadata.namespace = Some("no/namespace".to_owned());
    let outcome = core_v1(&server, &CancellationToken::new())
        .write(nowhere)
        .await;
    assert_eq!(outcome, Some(EventOutcome::Refused));
    assert_eq!(server.calls(), []);
}

/// `TestRecordEventToSink`: several events of the same name are written, some of them as series.
#[tokio::test(start_paused = true)]
async fn record_event_to_sink() {
    let event = series_event();
    let mut in_series = event.clone();
    in_series.series = Some(v1::EventSeries {
        count: 2,
        last_observed_time: Timestamp::UNIX_EPOCH.into(),
    });
    let patch = json!({"series": in_series.series});
    let (single, series) = ((&event, None), (&in_series, Some(&patch)));
    let exists = Err(NotWritten::Refused);
    let cases = [
        ("one event", vec![(single, Ok(()))], &event),
        (
            "an isomorphic one after it",
            vec![(single, Ok(())), (series, Ok(()))],
            &in_series,
        ),
        (
            "an isomorphic one before it",
            vec![(series, Ok(())), (single, exists)],
            &in_series,
        ),
        (
            "an isomorphic one without it",
            vec![(series, Ok(()))],
            &in_series,
        ),
    ];
    for (name, writes, expected) in cases {
        let server = Server::new();
        let writer = writer(&server, &CancellationToken::new());
        for ((event, patch), outcome) in writes {
            let written = writer.write(event, patch, MAX_TRIES).await;
            assert_eq!(written.map(drop), outcome, "{name}");
        }
        let mut stored = server.stored::<v1::Event>().await;
        for event in &mut stored {
            assert_eq!(event.metadata.name, expected.metadata.name, "{name}");
            event.metadata = expected.metadata.clone();
        }
        assert_eq!(stored, [as_stored(expected)], "{name}");
    }
}

/// Returns an event as stored: with a source, and without an empty namespace.
fn as_stored(event: &v1::Event) -> v1::Event {
    let related = event.related.clone();
    v1::Event {
        deprecated_source: Some(EventSource::default()),
        related: related.map(|object| ObjectReference {
            namespace: None,
            ..object
        }),
        ..event.clone()
    }
}

/// A patch finds no event, and an earlier create request arrives before the new one. The event that
/// it created is then patched.
#[tokio::test(start_paused = true)]
async fn event_created_between_patch_and_create_is_patched() {
    let (server, event) = (Server::new(), series_event());
    let (events, params) = (server.events::<v1::Event>(), PostParams::default());
    events.create(&params, &event).await.unwrap();
    server.api.fail(Verb::Patch, "events").times(1).status(404);
    let writer = writer(&server, &CancellationToken::new());
    let patch = json!({"series": {"count": 2, "lastObservedTime": "1970-01-01T00:00:00.000000Z"}});
    assert!(writer.write(&event, Some(&patch), MAX_TRIES).await.is_ok());
    let methods: Vec<_> = server.calls().into_iter().map(|call| call.method).collect();
    assert_eq!(methods, [Method::PATCH, Method::POST, Method::PATCH]);
    let stored = server.stored::<v1::Event>().await.remove(0);
    assert_eq!(stored.series.unwrap().count, 2);
}

/// Responses to the patch of an event, and whether the event is created instead.
#[tokio::test(start_paused = true)]
async fn event_is_created_only_if_its_patch_finds_none() {
    let cases: [(_, Begin, _); 4] = [
        ("404", |fault| fault.status(404), true),
        ("404 of a proxy", |fault| fault.answer(404, ""), true),
        ("403", |fault| fault.status(403), false),
        ("422", |fault| fault.status(422), false),
    ];
    for (name, begin, is_created) in cases {
        let server = Server::new();
        begin(server.api.fail(Verb::Patch, "events"));
        let writer = writer(&server, &CancellationToken::new());
        let patch = json!({"series": {"count": 2}});
        let result = writer.write(&series_event(), Some(&patch), MAX_TRIES).await;
        assert_eq!(result.is_ok(), is_created, "{name}");
        let stored = server.stored::<v1::Event>().await.len();
        assert_eq!(stored, usize::from(is_created), "{name}");
        assert_eq!(server.calls().len(), 1 + usize::from(is_created));
    }
}

#[tokio::test(start_paused = true)]
async fn update_expired_event() {
    let server = Server::new();
    let mut core = core_v1(&server, &CancellationToken::new());
    let (first, again) = (event(), event());
    let name = first.metadata.name.clone();
    let written = Some(EventOutcome::Written);
    assert_eq!(core.write(first).await, written);
    server.forget_events().await;
    assert_eq!(core.write(again.clone()).await, written);

    let calls = server.calls();
    let methods: Vec<_> = calls.iter().map(|call| call.method.clone()).collect();
    assert_eq!(methods, [Method::POST, Method::PATCH, Method::POST]);
    let created = &calls[2].body;
    assert_eq!(created["metadata"].get("resourceVersion"), None);
    assert_eq!(created["count"], 2);
    assert_eq!(created["metadata"]["name"].as_str(), name.as_deref());

    assert_eq!(core.write(again).await, written);
    let method = &server.calls()[3].method;
    assert_eq!(method, Method::PATCH, "the new one is known");
    assert_eq!(server.stored::<Event>().await[0].count, Some(3));
}

#[tokio::test(start_paused = true)]
async fn cancel_event() {
    let server = Server::new().fail(respond_with_garbage);
    let stop = CancellationToken::new();
    stop.cancel();
    assert_eq!(core_v1(&server, &stop).write(event()).await, None);
    assert_eq!(server.calls().len(), 1, "one try, then it is given up");
}

#[tokio::test(start_paused = true)]
async fn shutdown_retries_an_event_during_its_backoff() {
    let server = Server::new().fail(|fault| fault.cut());
    let stop = CancellationToken::new();
    let mut core = core_v1(&server, &stop);
    let start = Instant::now();
    let writing = tokio::spawn(async move { core.write(event()).await });
    tokio::time::sleep(Duration::from_secs(11)).await;
    let before = server.calls().len();
    stop.cancel();
    assert_eq!(writing.await.unwrap(), None);
    assert_eq!(server.calls().len(), before + 1);
    assert_eq!(start.elapsed().as_secs(), 11);
}
