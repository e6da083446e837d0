//! `event_test.go`, the part about writing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::Method;
use k8s_openapi::api::core::v1::Event;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Answer, Server, make_event, object_reference};
use crate::record::CorrelatorOptions;
use crate::record::name::event_name;
use crate::record::writer::Writer;

fn writer(server: &Server, stop: &CancellationToken) -> Writer {
    Writer::new(server.client(), CorrelatorOptions::default(), stop.clone())
}

fn event() -> Event {
    let mut event = make_event(
        "Started",
        "some message",
        object_reference("Pod", "foo", "baz"),
    );
    event.metadata.name = Some(event_name("foo", k8s_openapi::jiff::Timestamp::now()));
    event.metadata.namespace = Some("baz".to_owned());
    event
}

#[tokio::test(start_paused = true)]
async fn write_event_error() {
    let cases = [
        ("refused", Answer::Refuse(403, "Forbidden"), usize::MAX, 1),
        (
            "refused by a proxy",
            Answer::Refuse(503, "ServiceUnavailable"),
            usize::MAX,
            1,
        ),
        (
            "already exists",
            Answer::Refuse(409, "AlreadyExists"),
            usize::MAX,
            1,
        ),
        (
            "not asked, as the server is busy",
            Answer::Refuse(429, "TooManyRequests"),
            usize::MAX,
            12,
        ),
        ("unexpected object", Answer::Garbage, usize::MAX, 12),
        ("no connection", Answer::Break, usize::MAX, 12),
        ("no answer", Answer::Hang, usize::MAX, 12),
        ("succeeds eventually", Answer::Break, 1, 2),
    ];
    for (name, answer, failures, expected) in cases {
        let calls = AtomicUsize::new(0);
        let script = move |_: &_| {
            if calls.fetch_add(1, Ordering::Relaxed) < failures {
                answer
            } else {
                Answer::Serve
            }
        };
        let server = Server::new(script);
        let start = Instant::now();
        assert!(
            writer(&server, &CancellationToken::new())
                .write(event())
                .await
                .is_ok(),
            "{name}"
        );
        assert_eq!(server.calls().len(), expected, "{name}");
        let seconds = start.elapsed().as_secs();
        let waiting = if matches!(answer, Answer::Hang) {
            12 * 30
        } else {
            0
        };
        let sleeping = match expected {
            1 => 0..=0,
            2 => 0..=10,
            _ => 100..=110,
        };
        assert!(
            sleeping.contains(&(seconds - waiting)),
            "{name} took {seconds} s"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_that_cannot_be_sent_is_not_retried() {
    let server = Server::new(|_| Answer::Serve);
    let mut nameless = event();
    nameless.metadata.namespace = Some("not a\nnamespace".to_owned());
    assert!(
        writer(&server, &CancellationToken::new())
            .write(nameless)
            .await
            .is_ok()
    );
    assert_eq!(server.calls(), []);
}

#[tokio::test(start_paused = true)]
async fn update_expired_event() {
    let server = Server::new(|_| Answer::Serve);
    let mut writer = writer(&server, &CancellationToken::new());
    let (first, again) = (event(), event());
    let name = first.metadata.name.clone();
    assert!(writer.write(first).await.is_ok());
    server.stored.lock().clear();
    assert!(writer.write(again.clone()).await.is_ok());

    let calls = server.calls();
    let methods: Vec<_> = calls.iter().map(|call| call.method.clone()).collect();
    assert_eq!(methods, [Method::POST, Method::PATCH, Method::POST]);
    let created = &calls[2].body;
    assert_eq!(created["metadata"].get("resourceVersion"), None);
    assert_eq!(
        (
            created["count"].as_i64(),
            created["metadata"]["name"].as_str()
        ),
        (Some(2), name.as_deref())
    );

    assert!(writer.write(again).await.is_ok());
    assert_eq!(
        server.calls()[3].method,
        Method::PATCH,
        "the new one is known"
    );
    assert_eq!(server.stored()[0].count, Some(3));
}

#[tokio::test(start_paused = true)]
async fn cancel_event() {
    let server = Server::new(|_| Answer::Garbage);
    let stop = CancellationToken::new();
    stop.cancel();
    assert!(writer(&server, &stop).write(event()).await.is_err());
    assert_eq!(server.calls().len(), 1, "one try, then it is given up");
}

#[tokio::test(start_paused = true)]
async fn an_event_that_waits_for_its_next_try_gets_it_at_shutdown() {
    let server = Server::new(|_| Answer::Break);
    let stop = CancellationToken::new();
    let mut writer = writer(&server, &stop);
    let start = Instant::now();
    let writing = tokio::spawn(async move { writer.write(event()).await });
    tokio::time::sleep(Duration::from_secs(11)).await;
    let before = server.calls().len();
    stop.cancel();
    assert!(writing.await.unwrap().is_err());
    assert_eq!(server.calls().len(), before + 1);
    assert_eq!(start.elapsed().as_secs(), 11);
}
