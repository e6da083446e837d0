//! Tests of handlers: notifications, and isolation from each other.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use genclient::informer::{Deleted, Event, EventHandler, Filtered, Handlers};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::{Instant, sleep};

use super::scripted::*;
use super::{Recorder, describe, informer, seconds};

#[tokio::test(start_paused = true)]
async fn handler_receives_every_change_in_order() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    let recorder = Recorder::default();
    let _registration = informer.add_handler(recorder.clone()).unwrap();
    factory.start();
    for line in [
        added("a/one@1"),
        initial_events_end("10"),
        modified("a/one@11"),
        added("a/two@12"),
        modified("a/two@12"),
        modified("a/three@13"),
        added("a/one@14"),
        deleted("a/one@15"),
        deleted("a/never@16"),
    ] {
        feed.line(line);
    }
    settle().await;
    assert_eq!(
        recorder.take(),
        [
            "add a/one@1 initial",
            "update a/one@11 from 1",
            "add a/two@12",
            "add a/three@13",
            "update a/one@14 from 11",
            "delete a/one at 15",
            "delete a/never at 16",
        ]
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn late_handler_receives_cached_objects_and_then_changes() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    factory.start();
    feed.line(added("a/one@1"));
    feed.line(initial_events_end("10"));
    settle().await;

    let recorder = Recorder::default();
    let registration = informer.add_handler(recorder.clone()).unwrap();
    assert!(!registration.has_synced());
    feed.line(modified("a/one@11"));
    registration.synced().await.unwrap();
    settle().await;
    assert_eq!(
        recorder.take(),
        ["add a/one@1 initial", "update a/one@11 from 1"]
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn handler_has_synced_after_handling_the_initial_list() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    let (quick, slow) = (Recorder::default(), Arc::new(AtomicUsize::new(0)));
    let quick = informer.add_handler(quick).unwrap();
    // A panic costs a second, which is how a handler can be slow without blocking the test.
    let calls = Arc::clone(&slow);
    let panics = Handlers::<ConfigMap>::new().on_add(move |_, _| {
        calls.fetch_add(1, Ordering::Relaxed);
        panic!("as told");
    });
    let slow = informer.add_handler(panics).unwrap();
    factory.start();
    feed.line(added("a/one@1"));
    feed.line(added("a/two@2"));
    settle().await;
    assert!(!quick.has_synced());
    feed.line(initial_events_end("10"));
    settle().await;
    assert!(informer.has_synced());
    assert!(quick.has_synced());
    assert!(!slow.has_synced());
    let begun = Instant::now();
    slow.synced().await.unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(1900));
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn panicking_handler_loses_the_event_and_pauses_a_second() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    let recorder = Recorder::default();
    let inner = recorder.clone();
    let handler = Handlers::<ConfigMap>::new().on_add(move |object, _| {
        assert!(object.metadata.name.as_deref() != Some("bad"), "as told");
        inner.write(describe(&object));
    });
    let _registration = informer.add_handler(handler).unwrap();
    let other = Recorder::default();
    let _other = informer.add_handler(other.clone()).unwrap();
    factory.start();
    feed.line(initial_events_end("10"));
    for object in ["a/bad@11", "a/good@12"] {
        feed.line(added(object));
    }
    settle().await;
    assert_eq!(other.len(), 2);
    assert_eq!(recorder.len(), 0);
    sleep(seconds(1)).await;
    assert_eq!(recorder.take(), ["a/good@12"]);
    factory.shutdown().await;
}

/// The clock cannot be paused where threads block each other.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn slow_handler_does_not_block_others() {
    let api = Api::new();
    api.answer([stream([
        added("a/one@1"),
        added("a/two@2"),
        initial_events_end("10"),
    ])]);
    let (factory, informer) = informer(&api);
    let (release, blocked) = mpsc::channel::<()>();
    let blocked = std::sync::Mutex::new(blocked);
    let slow = Handlers::<ConfigMap>::new().on_add(move |_, _| {
        let _ = blocked.lock().unwrap().recv();
    });
    let slow = informer.add_handler(slow).unwrap();
    let quick = informer.add_handler(Recorder::default()).unwrap();
    factory.start();
    quick.synced().await.unwrap();
    assert!(!slow.has_synced());
    drop(release);
    slow.synced().await.unwrap();
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn dropped_registration_removes_its_handler_only() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    // A handler that is added twice is notified twice.
    let recorder = Recorder::default();
    let first = informer.add_handler(recorder.clone()).unwrap();
    let second = informer.add_handler(recorder.clone()).unwrap();
    let never_started = informer.add_handler(recorder.clone()).unwrap();
    drop(never_started);
    factory.start();
    feed.line(initial_events_end("10"));
    feed.line(added("a/one@11"));
    settle().await;
    assert_eq!(recorder.take(), ["add a/one@11", "add a/one@11"]);
    drop(first);
    feed.line(added("a/two@12"));
    settle().await;
    assert_eq!(recorder.take(), ["add a/two@12"]);
    second.shutdown().await;
    feed.line(added("a/three@13"));
    settle().await;
    assert_eq!(recorder.len(), 0);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn removed_handler_is_dropped() {
    let api = Api::new();
    let (factory, informer) = informer(&api);
    let held = Arc::new(Recorder::default());
    for is_started in [false, true] {
        if is_started {
            factory.start();
        }
        let registration = informer.add_handler(Arc::clone(&held)).unwrap();
        settle().await;
        assert_eq!(Arc::strong_count(&held), 2);
        registration.shutdown().await;
        assert_eq!(Arc::strong_count(&held), 1);
    }
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn handler_may_remove_itself() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    let registration = Arc::new(std::sync::Mutex::new(None));
    let calls = Arc::new(AtomicUsize::new(0));
    let (own, counted) = (Arc::clone(&registration), Arc::clone(&calls));
    let once = Handlers::<ConfigMap>::new().on_add(move |_, _| {
        counted.fetch_add(1, Ordering::Relaxed);
        own.lock().unwrap().take();
    });
    *registration.lock().unwrap() = Some(informer.add_handler(once).unwrap());
    factory.start();
    // In the middle of a batch, with more events to come.
    feed.line(added("a/one@1"));
    feed.line(added("a/two@2"));
    feed.line(initial_events_end("10"));
    feed.line(added("a/three@12"));
    settle().await;
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn filter_turns_changes_into_additions_and_deletions() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    let recorder = Recorder::default();
    let is_even = |object: &ConfigMap| super::version(object).parse::<u32>().unwrap() % 2 == 0;
    let filtered = Filtered::new(is_even, recorder.clone());
    let _registration = informer.add_handler(filtered).unwrap();
    factory.start();
    for line in [
        initial_events_end("10"),
        added("a/one@11"),
        modified("a/one@12"),
        modified("a/one@14"),
        modified("a/one@15"),
        deleted("a/one@17"),
        added("a/two@18"),
        deleted("a/two@20"),
    ] {
        feed.line(line);
    }
    settle().await;
    assert_eq!(
        recorder.take(),
        [
            "add a/one@12",
            "update a/one@14 from 12",
            "delete a/one at 14",
            "add a/two@18",
            "delete a/two at 20",
        ]
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn arc_handler_receives_the_same_events() {
    let api = Api::new();
    api.answer([stream([
        added("a/one@1"),
        initial_events_end("10"),
        modified("a/one@11"),
        deleted("a/one@12"),
    ])]);
    let (factory, informer) = informer(&api);
    let recorder = Arc::new(Recorder::default());
    let _registration = informer.add_handler(Arc::clone(&recorder)).unwrap();
    factory.start();
    settle().await;
    assert_eq!(
        recorder.take(),
        [
            "add a/one@1 initial",
            "update a/one@11 from 1",
            "delete a/one at 12",
        ]
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn busy_handler_yields_to_others() {
    const OBJECTS: usize = 1000;
    let api = Api::new();
    let objects = (0..OBJECTS).map(|number| added(&format!("a/{number}@1")));
    api.answer([stream(objects.chain([initial_events_end("10")]))]);
    let (factory, informer) = informer(&api);
    let told = Arc::new(Mutex::new(Vec::new()));
    let _registrations = ["first", "second"].map(|name| {
        let told = Arc::clone(&told);
        let handler = Handlers::new().on_add(move |_, _| told.lock().unwrap().push(name));
        informer.add_handler(handler).unwrap()
    });
    factory.start();
    eventually(|| told.lock().unwrap().len() == 2 * OBJECTS).await;
    let told = std::mem::take(&mut *told.lock().unwrap());
    for name in ["first", "second"] {
        let first = told.iter().position(|told| *told == name).unwrap();
        assert!(first < OBJECTS, "{name} waits for the other: {first}");
    }
    factory.shutdown().await;
}

/// Handler that implements only `on_event`, and records the names of the objects.
#[derive(Clone, Default)]
struct Names {
    heard: Arc<Mutex<Vec<String>>>,
}

impl EventHandler<ConfigMap> for Names {
    fn on_event(&self, event: &Event<ConfigMap>) {
        self.heard.lock().unwrap().push(event.name().to_string());
    }
}

impl Names {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.heard.lock().unwrap())
    }
}

#[tokio::test(start_paused = true)]
async fn wrappers_pass_on_whole_events() {
    fn is_not_two(object: &ConfigMap) -> bool {
        object.metadata.name.as_deref() != Some("two")
    }

    let names = [(); 3].map(|()| Names::default());
    let [direct, filtered, filtered_arc] = names.clone();
    let handlers: [Arc<dyn EventHandler<ConfigMap>>; 3] = [
        Arc::new(Arc::new(direct)),
        Arc::new(Filtered::new(is_not_two, filtered)),
        Arc::new(Filtered::new(is_not_two, Arc::new(filtered_arc))),
    ];
    let api = Api::new();
    api.answer([stream([
        added("a/one@1"),
        initial_events_end("10"),
        modified("a/one@11"),
        added("a/two@12"),
        deleted("a/one@13"),
    ])]);
    let (factory, informer) = informer(&api);
    let add = |handler: &Arc<_>| informer.add_handler(Arc::clone(handler)).unwrap();
    let _registrations = handlers.each_ref().map(add);
    factory.start();
    settle().await;
    let all = vec!["a/one", "a/one", "a/two", "a/one"];
    let ones = vec!["a/one"; 3];
    let heard = names.each_ref().map(Names::take);
    assert_eq!(heard, [all, ones.clone(), ones]);
    factory.shutdown().await;

    // An `Arc` passes on what it receives. A filter passes on everything as a whole event.
    let object = Arc::new(ConfigMap::default());
    for ((handler, names), expected) in handlers.iter().zip(&names).zip([1, 4, 4]) {
        handler.on_add(Arc::clone(&object), true);
        handler.on_update(Arc::clone(&object), Arc::clone(&object));
        handler.on_delete(Deleted::Known(Arc::clone(&object)));
        handler.on_event(&Event::Deleted(Deleted::Known(Arc::clone(&object))));
        assert_eq!(names.take().len(), expected);
    }
}
