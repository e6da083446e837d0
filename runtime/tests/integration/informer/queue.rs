//! Tests of handler queues: coalescing for slow handlers, and its cost.

use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use genclient::informer::{
    Event, EventHandler, HandlerOptions, Handlers, SharedInformer, SharedInformerFactory,
};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::sleep;

use super::scripted::*;
use super::{Recorder, describe, informer, seconds, version};

/// Returns an informer whose only response is written by the feed.
fn fed() -> (Feed, SharedInformerFactory, SharedInformer<ConfigMap>) {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    (feed, factory, informer)
}

/// As [`fed`], after it has streamed an empty list.
async fn synced() -> (Feed, SharedInformerFactory, SharedInformer<ConfigMap>) {
    let (feed, factory, informer) = fed();
    factory.start();
    feed.line(initial_events_end("10"));
    factory.wait_for_cache_sync().await.unwrap();
    (feed, factory, informer)
}

/// Returns a handler that takes a second for each event, by panicking: on a paused clock there is
/// no other way to be slow.
fn slow(recorder: &Recorder) -> Handlers<ConfigMap> {
    let [on_add, on_update, on_delete] = std::array::from_fn(|_| recorder.clone());
    Handlers::new()
        .on_add(move |object, is_initial| {
            EventHandler::on_add(&on_add, object, is_initial);
            panic!("a second each");
        })
        .on_update(move |old, new| {
            EventHandler::on_update(&on_update, old, new);
            panic!("a second each");
        })
        .on_delete(move |object| {
            EventHandler::on_delete(&on_delete, object);
            panic!("a second each");
        })
}

/// Returns more changes than a slow handler processes in time.
fn changes() -> [String; 11] {
    [
        modified("a/one@11"),
        added("a/two@12"),
        modified("a/one@13"),
        modified("a/one@14"),
        added("a/brief@15"),
        deleted("a/brief@16"),
        modified("a/two@17"),
        modified("a/two@18"),
        deleted("a/two@19"),
        added("a/two@20"),
        deleted("a/never@21"),
    ]
}

#[tokio::test(start_paused = true)]
async fn slow_handler_receives_the_final_state() {
    let (feed, factory, informer) = fed();
    let [coalesced, every] = std::array::from_fn(|_| Recorder::default());
    let above = HandlerOptions::new().coalesce_above(2);
    let first = informer.add_handler_with(slow(&coalesced), above).unwrap();
    let every_event = HandlerOptions::new().every_event();
    let second = informer
        .add_handler_with(slow(&every), every_event)
        .unwrap();
    factory.start();
    feed.line(added("a/one@1"));
    feed.line(initial_events_end("10"));
    settle().await;
    changes().iter().for_each(|line| feed.line(&**line));
    settle().await;
    assert_eq!(first.depth(), 6);
    assert_eq!(second.depth(), 11);
    sleep(seconds(60)).await;
    let first_events = [
        "add a/one@1 initial",
        "update a/one@11 from 1",
        "add a/two@12",
    ];
    let told = coalesced.take();
    assert_eq!(told[..3], first_events);
    assert_eq!(
        told[3..],
        [
            "update a/one@14 from 11",
            "update a/two@18 from 12",
            "delete a/two at 19",
            "add a/two@20",
        ]
    );
    let told = every.take();
    assert_eq!(told.len(), 12);
    assert_eq!(told[..3], first_events);
    assert_eq!((first.depth(), second.depth()), (0, 0));

    // It has caught up and receives every event again.
    feed.line(modified("a/two@22"));
    feed.line(modified("a/two@23"));
    sleep(seconds(5)).await;
    assert_eq!(
        coalesced.take(),
        ["update a/two@22 from 20", "update a/two@23 from 22"]
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn every_event_option_disables_coalescing() {
    const CHANGES: usize = 1100;
    let (feed, factory, informer) = synced().await;
    feed.line(added("a/one@11"));
    settle().await;
    let coalescing = informer.subscribe();
    let every = informer.subscribe_with(HandlerOptions::new().every_event());
    (0..CHANGES).for_each(|number| feed.line(modified(&format!("a/one@{}", 12 + number))));
    settle().await;
    assert_eq!(every.depth(), 1 + CHANGES);
    assert_eq!(coalescing.depth(), 1024 + 1);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn pending_resync_of_a_slow_handler_is_merged_with_changes() {
    let (feed, factory, informer) = fed();
    let recorder = Recorder::default();
    let options = HandlerOptions::new().coalesce_above(0).resync(seconds(3));
    let _registration = informer.add_handler_with(slow(&recorder), options).unwrap();
    factory.start();
    feed.line(added("a/one@1"));
    feed.line(added("a/two@2"));
    feed.line(initial_events_end("10"));
    sleep(Duration::from_millis(2500)).await;
    assert_eq!(recorder.take().len(), 2);
    // At 3 s, it is notified of one of them and then pauses.
    sleep(seconds(1)).await;
    feed.line(modified("a/one@11"));
    feed.line(modified("a/two@12"));
    sleep(seconds(2)).await;
    let told = recorder.take();
    let (one, two) = ("update a/one@11 from 1", "update a/two@12 from 2");
    assert!(
        told == ["update a/one@1 from 1", two, one] || told == ["update a/two@2 from 2", one, two],
        "{told:?}"
    );
    factory.shutdown().await;
}

/// More objects than are notified between two checks of the clock.
#[tokio::test(start_paused = true)]
async fn resyncs_do_not_accumulate_for_a_slow_handler() {
    const OBJECTS: usize = 100;
    let (feed, factory, informer) = fed();
    let recorder = Recorder::default();
    let options = HandlerOptions::new().every_event().resync(seconds(2));
    let registration = informer.add_handler_with(slow(&recorder), options).unwrap();
    factory.start();
    for name in 1..=OBJECTS {
        feed.line(added(&format!("a/{name}@{name}")));
    }
    feed.line(initial_events_end("1000"));
    sleep(seconds(1000)).await;
    assert!(recorder.len() > 900, "{}", recorder.len());
    assert!(registration.depth() <= OBJECTS, "{}", registration.depth());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn handler_syncs_despite_early_deletions_of_initial_objects() {
    let (feed, factory, informer) = fed();
    let recorder = Recorder::default();
    let options = HandlerOptions::new().coalesce_above(0);
    let registration = informer.add_handler_with(slow(&recorder), options).unwrap();
    factory.start();
    for line in [
        added("a/one@1"),
        added("a/two@2"),
        initial_events_end("10"),
        deleted("a/two@11"),
        modified("a/one@12"),
    ] {
        feed.line(line);
    }
    registration.synced().await.unwrap();
    let told = recorder.take();
    // All changes arrived before the first call of the handler, or after it.
    assert!(
        told == ["add a/one@12 initial"] || told == ["add a/one@1 initial"],
        "{told:?}"
    );
    factory.shutdown().await;
}

/// Returns how many of the objects that were ever cached are still in memory.
fn alive(seen: &[Weak<ConfigMap>]) -> usize {
    seen.iter().filter(|seen| seen.strong_count() > 0).count()
}

/// Feeds `lines` and returns the cached states, as far as they are observed.
async fn feed_all(
    informer: &SharedInformer<ConfigMap>,
    feed: &Feed,
    lines: impl IntoIterator<Item = String>,
) -> Vec<Weak<ConfigMap>> {
    let mut seen = Vec::new();
    let mut stream = informer.subscribe();
    for (at, line) in lines.into_iter().enumerate() {
        feed.line(line);
        if at.is_multiple_of(256) {
            settle().await;
        }
        while let Some(Some(event)) = stream.next().now_or_never() {
            if let Event::Added { object, .. } | Event::Updated { new: object, .. } = event {
                seen.push(Arc::downgrade(&object));
            }
        }
    }
    settle().await;
    seen
}

#[tokio::test(start_paused = true)]
async fn backlog_of_a_blocked_handler_is_bounded_by_objects() {
    const OBJECTS: usize = 50;
    const CHANGES: usize = 100_000;
    let (feed, factory, informer) = synced().await;
    // Never polled, as a handler that does not return.
    let blocked = informer.subscribe_with(HandlerOptions::new().coalesce_above(100));
    let last = |name: usize| 11 + CHANGES - OBJECTS + name;
    let lines = (0..CHANGES).map(|at| modified(&format!("a/{}@{}", at % OBJECTS, 11 + at)));
    let seen = feed_all(&informer, &feed, lines).await;
    assert!(seen.len() > CHANGES / 100, "{}", seen.len());
    // The separately queued events with the states they replaced, and for each object the notified
    // and the cached state.
    assert_eq!(blocked.depth(), 100 + OBJECTS);
    assert!(alive(&seen) <= 100 + 3 * OBJECTS, "{}", alive(&seen));

    // Every object arrived at its last state.
    let states: Vec<_> = blocked.take(100 + OBJECTS).collect().await;
    let mut ends: Vec<_> = states[100..]
        .iter()
        .map(|event| match event {
            Event::Updated { old, new } => {
                assert_ne!(version(old), version(new));
                describe(new)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let mut expected: Vec<_> = (0..OBJECTS)
        .map(|name| format!("a/{name}@{}", last(name)))
        .collect();
    ends.sort();
    expected.sort();
    assert_eq!(ends, expected);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn added_and_deleted_objects_leave_no_backlog() {
    let (feed, factory, informer) = synced().await;
    let blocked = informer.subscribe_with(HandlerOptions::new().coalesce_above(0));
    for name in 0..10_000 {
        let version = 11 + 3 * name;
        feed.line(added(&format!("a/{name}@{version}")));
        feed.line(deleted(&format!("a/{name}@{}", version + 1)));
        // An object that was never readable.
        feed.line(deleted(&format!("b/{name}@{}!", version + 2)));
    }
    eventually(|| informer.last_resource_version().as_deref() == Some("30010")).await;
    assert_eq!(blocked.depth(), 0);
    factory.shutdown().await;
}

/// An index function runs while the cache changes: a notification that is available then came too
/// early.
#[tokio::test(start_paused = true)]
async fn cache_is_updated_before_handlers_are_notified() {
    let (feed, factory, informer) = synced().await;
    let stream = Arc::new(Mutex::new(informer.subscribe()));
    let early = Recorder::default();
    let (waiting, noted) = (Arc::clone(&stream), early.clone());
    let index = move |object: &ConfigMap| {
        if let Some(Some(event)) = waiting.lock().unwrap().next().now_or_never() {
            noted.write(format!("{event:?} during {}", describe(object)));
        }
        Vec::new()
    };
    informer.indexer().add_indexer("early", index).unwrap();
    for line in [added("a/one@11"), modified("a/one@12"), deleted("a/one@13")] {
        feed.line(line);
        settle().await;
        let told = stream.lock().unwrap().next().now_or_never();
        assert!(told.flatten().is_some());
    }
    assert_eq!(early.take(), Vec::<String>::new());
    factory.shutdown().await;
}
