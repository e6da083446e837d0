//! Tests of logging by `tracing`, which replaces `StartStructuredLogging` of client-go's
//! `event_test.go`.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use k8s_openapi::api::core::v1::Namespace;
use kube::api::{Api, DeleteParams};
use parking_lot::Mutex;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Level, Metadata, Subscriber, subscriber};

use super::{Begin, MINUTE, Server, already_exists, object_reference, pod};
use crate::record::{EventBroadcaster, EventType, EventsApi, FakeRecorder};

/// Subscriber that records the level and the fields of log events.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::DEBUG
    }

    fn new_span(&self, _span: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().push(line.0);
    }

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}

#[test]
fn structured_logging() {
    let log = Log::default();
    let recorder = FakeRecorder::new().recorder();
    subscriber::with_default(log.clone(), || {
        let container = object_reference("Pod", "foo", "baz");
        recorder.regarding_reference(container).event(
            EventType::Normal,
            "Started",
            "some message: 1",
        );
        let event = recorder.regarding(&pod("bar")).action("Killing");
        event.event(EventType::Warning, "Killed", "some other message: 1");
    });
    let expected = [
        r#"DEBUG message=event kind="Pod" api_version="version" namespace="baz" name="foo" field_path="spec.containers{mycontainer}" event_type=Normal reason="Started" note="some message: 1""#,
        r#"DEBUG message=event kind="Pod" api_version="v1" namespace="baz" name="foo" event_type=Warning reason="Killed" action="Killing" note="some other message: 1""#,
    ];
    assert_eq!(*log.0.lock(), expected);
}

#[tokio::test(start_paused = true)]
async fn no_warnings_are_logged_if_no_events_are_lost() {
    let log = Log::default();
    let _listening = subscriber::set_default(log.clone());
    let server = Server::new();
    let broadcaster = EventBroadcaster::new(server.client());
    let recorder = broadcaster.recorder("eventTest");
    let regarding = recorder.regarding(&pod("bar"));
    regarding.event(EventType::Normal, "Started", "some message");
    broadcaster.shutdown(MINUTE).await.unwrap();
    let lines = log.0.lock();
    assert!(
        lines.iter().all(|line| line.starts_with("DEBUG")),
        "{lines:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn undecodable_responses_are_not_logged() {
    let log = Log::default();
    // A second dispatcher is needed: if there is only one, threads without a dispatcher disable
    // events for all threads.
    let _another = Dispatch::new(log.clone());
    let _listening = subscriber::set_default(log.clone());
    let server = Server::new().outage(|outage| outage.times(1).answer(200, "\"no event\""));
    let broadcaster = EventBroadcaster::new(server.client());
    let recorder = broadcaster.recorder("eventTest");
    let regarding = recorder.regarding(&pod("bar"));
    regarding.event(EventType::Normal, "Started", "some message");
    tokio::time::sleep(MINUTE).await;
    broadcaster.shutdown(MINUTE).await.unwrap();
    let lines = log.0.lock();
    let is_warning = |line: &String| line.starts_with("WARN");
    assert!(lines.iter().any(is_warning), "{lines:?}");
    assert!(
        lines.iter().all(|line| !line.contains("no event")),
        "{lines:?}"
    );
}

/// Responses that reject an event, and the expected log events.
#[tokio::test(start_paused = true)]
async fn rejected_event_is_logged_with_its_object() {
    let log = Log::default();
    let _another = Dispatch::new(log.clone());
    let _listening = subscriber::set_default(log.clone());
    let about = r#"namespace="baz" name="foo" reason="Started""#;
    let expected = format!("DEBUG message=server rejected event {about} error=");
    let error = format!("ERROR message=server rejected event; not retrying {about} error=");
    let cases: [(&str, Begin, &str); 4] = [
        (
            "exists",
            |fault| fault.answer(409, already_exists()),
            &expected,
        ),
        ("terminating", |fault| fault.times(0).hang(), &expected),
        ("forbidden", |fault| fault.status(403), &error),
        ("invalid", |fault| fault.status(422), &error),
    ];
    for (name, begin, line) in cases {
        for api in [EventsApi::CoreV1, EventsApi::EventsV1] {
            let server = Server::new().fail(begin);
            if name == "terminating" {
                let namespaces: Api<Namespace> = Api::all(server.client());
                let params = DeleteParams::default();
                namespaces.delete("baz", &params).await.unwrap();
            }
            let broadcaster = EventBroadcaster::builder(server.client()).api(api).build();
            let recorder = broadcaster.recorder("eventTest");
            recorder.event(&pod("bar"), EventType::Normal, "Started", "some message");
            broadcaster.shutdown(MINUTE).await.unwrap();
            let lines = std::mem::take(&mut *log.0.lock());
            let refused: Vec<_> = lines
                .iter()
                .filter(|line| line.contains("server rejected event"))
                .collect();
            assert!(
                matches!(&*refused, [refused] if refused.starts_with(line)),
                "{name}: {refused:?}"
            );
            let hint =
                "grant it through a Role in namespace `baz`, or a ClusterRole for all namespaces";
            assert_eq!(
                refused[0].contains(hint),
                name == "forbidden",
                "{refused:?}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn failed_attempts_are_warnings_and_the_last_is_an_error() {
    let log = Log::default();
    let _another = Dispatch::new(log.clone());
    let _listening = subscriber::set_default(log.clone());
    let server = Server::new().fail(|fault| fault.cut());
    let broadcaster = EventBroadcaster::new(server.client());
    let recorder = broadcaster.recorder("eventTest");
    recorder.event(&pod("bar"), EventType::Normal, "Started", "some message");
    tokio::time::sleep(3 * MINUTE).await;
    let lines = std::mem::take(&mut *log.0.lock());
    let count = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!(
        count("WARN message=unable to write event; retrying"),
        11,
        "{lines:?}"
    );
    assert_eq!(
        count("ERROR message=unable to write event; retry limit exceeded"),
        1,
        "{lines:?}"
    );
    broadcaster.shutdown(MINUTE).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn dropped_events_are_counted_in_warnings() {
    let log = Log::default();
    let _another = Dispatch::new(log.clone());
    let _listening = subscriber::set_default(log.clone());
    let server = Server::new();
    let broadcaster = EventBroadcaster::new(server.client());
    let recorder = broadcaster.recorder("eventTest");
    broadcaster.shutdown(MINUTE).await.unwrap();
    for dropped in [1, 2] {
        recorder.event(&pod("bar"), EventType::Normal, "Started", "some message");
        let line = log.0.lock().pop().unwrap();
        let counted = format!("cause=\"the broadcaster is shut down\" dropped={dropped}");
        assert!(
            line.starts_with("WARN") && line.ends_with(&counted),
            "{line}"
        );
    }
}
