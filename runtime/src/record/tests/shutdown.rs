//! Tests of shutdown, for both APIs: within the deadline, every accepted event is written or
//! counted. Includes the shutdown tests of client-go's `event_test.go`.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::Event;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::{MINUTE, Server, object_reference, pod};
use crate::metrics::EVENT_BROADCASTER_EVENTS;
use crate::metrics::recorder::Recorder;
use crate::record::EventsApi::{CoreV1, EventsV1};
use crate::record::{EventBroadcaster, EventRecorder, EventType, EventsApi, UnwrittenEventsError};

const APIS: [EventsApi; 2] = [CoreV1, EventsV1];

fn start(server: &Server, api: EventsApi) -> EventBroadcaster {
    EventBroadcaster::builder(server.client()).api(api).build()
}

fn record_about(recorder: &EventRecorder, name: &str) {
    let object = object_reference("Pod", name, "baz");
    recorder
        .regarding_reference(object)
        .event(EventType::Normal, "Started", "message");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn non_racy_shutdown() {
    for api in APIS {
        let server = Server::new();
        let broadcaster = start(&server, api);
        let mut recording = JoinSet::new();
        for i in 0..100 {
            let recorder = broadcaster.recorder("eventTest");
            recording.spawn(async move { record_about(&recorder, &format!("foo-{i}")) });
        }
        recording.join_all().await;
        assert_eq!(broadcaster.shutdown(MINUTE).await, Ok(()), "{api:?}");
        assert_eq!(server.stored::<Event>().await.len(), 100, "{api:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn broadcaster_shutdown() {
    let metrics = tokio::runtime::Handle::current().metrics();
    let tasks = || metrics.num_alive_tasks();
    for (api, is_shut_down) in APIS.into_iter().flat_map(|api| [(api, false), (api, true)]) {
        let server = Server::new().outage(|outage| outage.hang());
        let before = tasks();
        let broadcaster = start(&server, api);
        let recorder = broadcaster.recorder("eventTest");
        assert!(tasks() > before, "{api:?}");
        recorder.event(&pod("bar"), EventType::Normal, "Started", "before");
        if is_shut_down {
            let unwritten = broadcaster.shutdown(Duration::ZERO).await;
            assert_eq!(
                unwritten,
                Err(UnwrittenEventsError { events: 1 }),
                "{api:?}"
            );
        } else {
            drop(broadcaster);
        }
        sleep(Duration::from_millis(1)).await;
        assert_eq!(tasks(), before, "{api:?} leaves a task behind");
        let calls = server.calls();
        recorder.event(&pod("bar"), EventType::Normal, "Started", "after");
        sleep(MINUTE).await;
        assert_eq!(server.calls(), calls, "{api:?}");
    }
}

/// Events that are recorded during the shutdown are counted once each.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_counts_no_event_twice() {
    for round in 0..50 {
        let metrics = Recorder::default();
        let server = Server::new().outage(|outage| outage.hang());
        let broadcaster = EventBroadcaster::builder(server.client())
            .metrics("tests", Arc::new(metrics.clone()))
            .build();
        let recorder = broadcaster.recorder("eventTest");
        let recording =
            std::thread::spawn(move || (0..3000).for_each(|_| record_about(&recorder, "foo")));
        let unwritten = broadcaster.shutdown(Duration::ZERO).await;
        recording.join().unwrap();
        let outcomes = metrics.by_last_label(&EVENT_BROADCASTER_EVENTS);
        let of = |label: &str| outcomes.get(label).copied().unwrap_or_default();
        assert_eq!(
            outcomes.values().sum::<f64>(),
            3000.0,
            "{round}: {outcomes:?}"
        );
        let events = unwritten.err().map_or(0, |unwritten| unwritten.events);
        assert_eq!(of("given_up"), events as f64, "{round}");
    }
}

#[tokio::test(start_paused = true)]
async fn events_lost_with_a_dropped_broadcaster_are_counted() {
    for api in APIS {
        let metrics = Recorder::default();
        let server = Server::new();
        let broadcaster = EventBroadcaster::builder(server.client())
            .api(api)
            .metrics("tests", Arc::new(metrics.clone()))
            .build();
        let recorder = broadcaster.recorder("eventTest");
        recorder.event(&pod("bar"), EventType::Normal, "Written", "at once");
        sleep(Duration::from_secs(1)).await;
        let server = server.fail(|fault| fault.hang());
        (0..20).for_each(|i| record_about(&recorder, &format!("foo-{i}")));
        sleep(Duration::from_secs(1)).await;
        assert!(server.writes().len() > 1, "no write hangs, {api:?}");
        drop(broadcaster);
        record_about(&recorder, "late");
        let outcomes = metrics.by_last_label(&EVENT_BROADCASTER_EVENTS);
        let expected = [("dropped", 21.0), ("written", 1.0)];
        for (label, events) in expected {
            assert_eq!(outcomes[label], events, "{api:?} {label}: {outcomes:?}");
        }
        assert_eq!(
            outcomes.values().sum::<f64>(),
            22.0,
            "{api:?}: {outcomes:?}"
        );
    }
}

/// `TestStartEventWatcherExitsOnDirectShutdown`, and the events that a subscription receives before
/// the shutdown.
#[tokio::test(start_paused = true)]
async fn start_event_watcher() {
    for (api, is_shut_down) in APIS.into_iter().flat_map(|api| [(api, false), (api, true)]) {
        let server = Server::new().outage(|outage| outage.hang());
        let broadcaster = start(&server, api);
        let recorder = broadcaster.recorder("eventTest");
        record_about(&recorder, "unheard");
        let (mut all, mut slow) = (broadcaster.subscribe(), broadcaster.subscribe());
        drop(broadcaster.subscribe());
        let names: Vec<_> = (0..1100)
            .map(|number| format!("foo-{}", number % 7))
            .collect();
        let mut heard = Vec::new();
        for name in &names {
            record_about(&recorder, name);
            heard.extend(all.next().await);
        }
        assert_eq!((all.missed(), slow.missed()), (0, 100), "{api:?}");
        if is_shut_down {
            let _ = broadcaster.shutdown(Duration::ZERO).await;
        } else {
            drop(broadcaster);
        }
        record_about(&recorder, "late");
        assert!(all.next().await.is_none(), "{api:?}");
        let about = |event: Event| event.involved_object.name.unwrap_or_default();
        let heard: Vec<_> = heard.into_iter().map(about).collect();
        assert_eq!(heard, names, "{api:?}");
        let rest: Vec<_> = slow.by_ref().map(about).collect().await;
        assert_eq!(rest, names[..1000], "{api:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn shutdown_tries_each_event_once() {
    for api in APIS {
        let server = Server::new().outage(|outage| outage.cut());
        let broadcaster = start(&server, api);
        let recorder = broadcaster.recorder("eventTest");
        ["a", "b", "c"]
            .into_iter()
            .for_each(|name| record_about(&recorder, name));
        let start = Instant::now();
        let result = broadcaster.shutdown(MINUTE).await;
        assert_eq!(result, Err(UnwrittenEventsError { events: 3 }), "{api:?}");
        assert_eq!(server.writes().len(), 3, "{api:?}");
        let elapsed = start.elapsed();
        assert!(elapsed < Duration::from_secs(1), "{api:?}: {elapsed:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn shutdown_ends_at_its_deadline() {
    for api in APIS {
        // Shutdown at once, and while a request is in progress.
        for before in [0, 15] {
            let server = Server::new().outage(|outage| outage.hang());
            let broadcaster = start(&server, api);
            let recorder = broadcaster.recorder("eventTest");
            ["a", "b"]
                .into_iter()
                .for_each(|name| record_about(&recorder, name));
            sleep(Duration::from_secs(before)).await;
            let start = Instant::now();
            let shutdown = broadcaster.shutdown(Duration::from_secs(5));
            // Events recorded during the shutdown are rejected.
            let (result, ()) = tokio::join!(shutdown, async { record_about(&recorder, "late") });
            let error = result.unwrap_err();
            assert_eq!(error.to_string(), "2 events were not written");
            assert_eq!(start.elapsed(), Duration::from_secs(5), "{api:?}");
        }
    }
}

/// Every event has an outcome, and each outcome is counted.
#[tokio::test(start_paused = true)]
async fn every_event_is_written_or_counted() {
    for (api, filtered) in [(CoreV1, 5.0), (EventsV1, 0.0)] {
        let metrics = Recorder::default();
        let server =
            Server::new().fail(|fault| fault.when(|request| request.namespace == "lost").cut());
        let broadcaster = EventBroadcaster::builder(server.client())
            .api(api)
            .metrics("tests", Arc::new(metrics.clone()))
            .build();
        let recorder = broadcaster.recorder("eventTest");
        let event = |name: &str, namespace: &str| {
            let object = object_reference("Pod", name, namespace);
            recorder
                .regarding_reference(object)
                .event(EventType::Normal, "Started", "message");
        };
        // The queue holds 1,000 of these 1,038 events. A burst of 25 about one object is written.
        (0..30).for_each(|_| event("spam", "baz"));
        (0..7).for_each(|i| event(&format!("refused-{i}"), "not-there"));
        event("lost", "lost");
        (0..1000).for_each(|i| event(&format!("overflow-{i}"), "baz"));
        assert_eq!(broadcaster.dropped(), 38, "{api:?}");
        sleep(10 * MINUTE).await;
        event("lost-at-the-end", "lost");
        let result = broadcaster.shutdown(MINUTE).await;
        assert_eq!(result, Err(UnwrittenEventsError { events: 1 }), "{api:?}");
        event("late", "baz");

        let outcomes = metrics.by_last_label(&EVENT_BROADCASTER_EVENTS);
        let expected = [
            ("dropped", 39.0),
            ("filtered", filtered),
            ("given_up", 2.0),
            ("refused", 7.0),
            ("written", 992.0 - filtered),
        ];
        let of = |label: &str| outcomes.get(label).copied().unwrap_or_default();
        for (label, events) in expected {
            assert_eq!(of(label), events, "{api:?} {label}: {outcomes:?}");
        }
        let sum: f64 = outcomes.values().sum();
        assert_eq!(sum, 1040.0, "{api:?}");
    }
}
