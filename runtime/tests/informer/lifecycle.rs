//! Tests of the start and shutdown of informers: no task or handler is leaked.

use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

use futures::{FutureExt, StreamExt};
use genclient::informer::{
    EventHandler, HandlerRegistration, Handlers, ListWatchError, SharedInformer,
    SharedInformerFactory, SyncError,
};
use genclient::lister::Selector;
use genclient::scheme::GroupVersionResource;
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube::core::{ApiResource, DynamicObject, PartialObjectMeta};
use tokio::runtime::Handle;

use super::scripted::*;
use super::{Recorder, cached, informer, seconds};

/// Returns the number of tasks of the runtime.
fn tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

#[tokio::test(start_paused = true)]
async fn shutdown_leaves_no_task_whatever_is_going_on() {
    let (_feed, half_a_list) = feed();
    let situations = [
        hang(),
        half_a_list,
        refused_connection(),
        refuse(403, "Forbidden"),
        stream([initial_events_end("10")]),
        stream([initial_events_end("10"), failed(410, "Expired")]),
        page("10", ["a/one@1"], "more"),
    ];
    for answer in situations {
        let api = Api::new();
        api.answer([answer]);
        let (factory, informer) = informer(&api);
        settle().await;
        let before = tasks();
        let held = Arc::new(Recorder::default());
        informer.add_handler(Arc::clone(&held)).unwrap().detach();
        factory.start();
        settle().await;
        assert!(tasks() > before);
        factory.shutdown().await;
        assert_eq!(tasks(), before);
        assert_eq!(Arc::strong_count(&held), 1);
        assert!(informer.is_stopped());
    }
}

/// The three parts of `TestShutdown`: `no-context`, `no-context-later` and `no-run`.
#[tokio::test(start_paused = true)]
async fn handlers_leave_no_task_whenever_they_were_added() {
    for (runs, is_added_later) in [(true, false), (true, true), (false, false)] {
        let api = Api::new();
        api.answer([stream([initial_events_end("10")])]);
        let (factory, informer) = informer(&api);
        settle().await;
        let before = tasks();
        let add = || informer.add_handler(Recorder::default()).unwrap();
        let mut registration = (!is_added_later).then(add);
        if runs {
            factory.start();
            factory.wait_for_cache_sync().await.unwrap();
        }
        registration.get_or_insert_with(add);
        settle().await;
        assert_eq!(tasks() > before, runs);
        drop(registration);
        if runs {
            factory.shutdown().await;
        }
        assert_eq!(tasks(), before, "runs: {runs}, later: {is_added_later}");
    }
}

#[tokio::test(start_paused = true)]
async fn dropping_the_last_handle_ends_the_tasks() {
    let api = Api::new();
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let (factory, informer) = informer(&api);
    settle().await;
    let before = tasks();
    informer.add_handler(Recorder::default()).unwrap().detach();
    factory.start();
    settle().await;
    let lister = informer.lister();
    // The connection has its own task.
    let _client = factory.client().clone();
    drop(factory);
    settle().await;
    assert!(tasks() > before);
    drop(informer);
    settle().await;
    assert_eq!(tasks(), before);
    assert!(lister.namespace("a").get("one").is_some());
}

#[test]
fn informer_whose_runtime_is_gone_has_stopped() {
    let runtime = || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().start_paused(true).build().unwrap()
    };
    let (gone, here) = (runtime(), runtime());
    let (factory, informer) = gone.block_on(async {
        let api = Api::new();
        api.answer([stream([initial_events_end("10")])]);
        let (factory, informer) = informer(&api);
        factory.start();
        factory.wait_for_cache_sync().await.unwrap();
        (factory, informer)
    });
    assert!(!informer.is_stopped());
    drop(gone);
    assert!(informer.is_stopped());
    let error = here.block_on(factory.wait_for_cache_sync()).unwrap_err();
    assert!(matches!(error, SyncError::Stopped { .. }), "{error}");
    assert!(informer.add_handler(Recorder::default()).is_err());
    here.block_on(factory.shutdown());
}

#[test]
fn informer_whose_runtime_never_ran_has_stopped() {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let gone = builder.enable_time().start_paused(true).build().unwrap();
    let informer = {
        let _inside = gone.enter();
        let (factory, informer) = informer(&Api::new());
        factory.start();
        informer
    };
    assert!(!informer.is_stopped());
    drop(gone);
    assert!(informer.is_stopped());
}

/// Holds a registration of the informer that it is added to.
struct Holder {
    _registration: HandlerRegistration,
}

impl EventHandler<ConfigMap> for Holder {}

/// Guard that adds handlers when it is dropped.
struct AddOnDrop(SharedInformer<ConfigMap>);

impl Drop for AddOnDrop {
    fn drop(&mut self) {
        let _registration = self.0.add_handler(Recorder::default()).unwrap();
        let holder = Holder { _registration };
        self.0.add_handler(holder).unwrap().detach();
    }
}

/// A runtime that shuts down drops tasks as soon as they are spawned, and their handlers with them.
#[test]
fn handlers_may_be_added_while_the_runtime_shuts_down() {
    let (done, is_done) = std::sync::mpsc::channel();
    let shutting_down = std::thread::spawn(move || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().unwrap();
        let informer = runtime.block_on(async {
            let api = Api::new();
            api.answer([stream([initial_events_end("10")])]);
            let (factory, informer) = informer(&api);
            // The oldest task is dropped first, when the informer still runs.
            let adding = AddOnDrop(informer.clone());
            tokio::spawn(async move {
                let _adding = adding;
                std::future::pending::<()>().await;
            });
            factory.start();
            factory.wait_for_cache_sync().await.unwrap();
            informer
        });
        drop(runtime);
        done.send(informer.is_stopped()).unwrap();
    });
    assert_eq!(is_done.recv_timeout(seconds(20)), Ok(true));
    shutting_down.join().unwrap();
}

/// Waker that drops its content when it wakes, as the waker of a task may whose executor is gone.
struct DropOnWake<T>(Mutex<Option<T>>);

impl<T: Send> Wake for DropOnWake<T> {
    fn wake(self: Arc<Self>) {
        let held = self.0.lock().unwrap().take();
        drop(held);
    }
}

/// Runs `check`, which may hang, on a separate thread and runtime. Returns whether it finished.
fn finishes<F: Future<Output = ()>>(check: impl FnOnce() -> F + Send + 'static) -> bool {
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(check());
        done.send(()).unwrap();
    });
    is_done.recv_timeout(seconds(5)).is_ok()
}

#[test]
fn subscriber_that_is_woken_may_drop_all_it_has_of_the_informer() {
    assert!(finishes(|| async {
        let api = Api::new();
        let (feed, answer) = feed();
        api.answer([answer]);
        let (factory, informer) = informer(&api);
        factory.start();
        feed.line(initial_events_end("10"));
        factory.wait_for_cache_sync().await.unwrap();
        drop(factory);
        let woken = Arc::new(DropOnWake(Mutex::new(None)));
        let waker = Waker::from(Arc::clone(&woken));
        let mut events = informer.subscribe();
        let polled = events.poll_next_unpin(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
        let registration = informer.add_handler(Recorder::default()).unwrap();
        *woken.0.lock().unwrap() = Some((events, registration, informer));
        feed.line(added("a/one@11"));
        settle().await;
        assert!(woken.0.lock().unwrap().is_none());
    }));
}

#[test]
fn waiter_that_is_woken_by_the_sync_may_drop_all_it_has_of_the_informer() {
    assert!(finishes(|| async {
        let api = Api::new();
        api.answer([stream([initial_events_end("10")])]);
        let (factory, informer) = informer(&api);
        factory.start();
        drop(factory);
        let registration = informer.add_handler(Recorder::default()).unwrap();
        let woken = Arc::new(DropOnWake(Mutex::new(None)));
        let waker = Waker::from(Arc::clone(&woken));
        let mut waiting = Box::pin(async move {
            informer.wait_for_cache_sync().await.unwrap();
            drop((informer, registration));
        });
        let polled = waiting.poll_unpin(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
        *woken.0.lock().unwrap() = Some(waiting);
        settle().await;
        assert!(woken.0.lock().unwrap().is_none());
    }));
}

#[tokio::test(start_paused = true)]
async fn collection_that_never_rests_lets_others_run_and_ends() {
    let api = Api::new();
    let changes = (11..5011).map(|version| modified(&format!("a/one@{version}")));
    let changes: Vec<_> = changes.collect();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    factory.start();
    api.asked(1).await;
    feed.line(initial_events_end("10"));
    feed.piece(changes.join("\n") + "\n");
    while informer.indexer().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_ne!(cached(&informer), ["a/one@5010"]);
    factory.shutdown().await;
    assert_ne!(cached(&informer), ["a/one@5010"]);
}

#[tokio::test(start_paused = true)]
async fn handler_in_the_middle_of_a_pause_ends_at_once() {
    let api = Api::new();
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let (factory, informer) = informer(&api);
    let panics = Handlers::<ConfigMap>::new().on_add(|_, _| panic!("as told"));
    informer.add_handler(panics).unwrap().detach();
    factory.start();
    settle().await;
    let begun = tokio::time::Instant::now();
    factory.shutdown().await;
    assert!(begun.elapsed().as_millis() < 100);
}

#[tokio::test(start_paused = true)]
async fn stopped_informer_takes_no_handler_and_stays_stopped() {
    let api = Api::new();
    let (factory, informer) = informer(&api);
    factory.start();
    factory.start();
    informer.shutdown().await;
    informer.shutdown().await;
    let error = informer.add_handler(Recorder::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the handler was not added to the informer of configmaps.v1. because it has stopped already"
    );
    factory.start();
    settle().await;
    assert_eq!(api.requests().len(), 0);
    let error = informer.wait_for_cache_sync().await.unwrap_err();
    assert!(matches!(error, SyncError::Stopped { .. }), "{error}");
    factory.wait_for_cache_sync().await.unwrap();

    factory.shutdown().await;
    let late = factory.informer_for::<Node>();
    assert!(late.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn factory_forgets_an_informer_that_was_shut_down_by_itself() {
    let api = Api::new();
    api.answer([stream([initial_events_end("10")])]);
    let node = r#"{"metadata":{"name":"one","resourceVersion":"1"}}"#;
    let nodes = stream([event("ADDED", node), initial_events_end("10")]);
    api.answer_path("/api/v1/nodes", [nodes]);
    let (factory, _informer) = informer(&api);
    let nodes = factory.informer_for::<Node>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    let cached = Arc::downgrade(&nodes.lister().list(&Selector::default())[0]);
    nodes.shutdown().await;
    factory.wait_for_cache_sync().await.unwrap();
    drop(nodes);
    assert_eq!(cached.strong_count(), 0);
    factory.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn factory_waits_for_a_handler_of_an_informer_that_was_shut_down_by_itself() {
    let api = Api::new();
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let (factory, informer) = informer(&api);
    let (begun, has_begun) = std::sync::mpsc::channel();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = Mutex::new(released);
    let handler = Handlers::new().on_add(move |_, _| {
        begun.send(()).unwrap();
        let _ = released.lock().unwrap().recv();
    });
    informer.add_handler(handler).unwrap().detach();
    factory.start();
    let wait = move || has_begun.recv().unwrap();
    tokio::task::spawn_blocking(wait).await.unwrap();

    drop(informer.shutdown());
    // Each of these calls visits all informers.
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    let _again = factory.informer_for::<ConfigMap>();
    let mut ended = Box::pin(factory.shutdown());
    assert!(ended.as_mut().now_or_never().is_none());
    release.send(()).unwrap();
    ended.await;
}

#[test]
fn what_is_replaced_may_hold_a_registration() {
    assert!(finishes(|| async {
        let (_factory, informer) = informer(&Api::new());
        let register = || informer.add_handler(Recorder::default()).unwrap();
        let (one, two) = (register(), register());
        let is_ready = move |_: &ListWatchError| {
            let _ = one.has_synced();
        };
        informer.set_watch_error_handler(is_ready).unwrap();
        informer.set_watch_error_handler(|_| {}).unwrap();
        let is_ready = move |_: &mut ConfigMap| {
            let _ = two.has_synced();
        };
        informer.set_transform(is_ready).unwrap();
        informer.set_transform(|_| {}).unwrap();
    }));
}

#[tokio::test(start_paused = true)]
async fn waiting_ends_when_the_informer_does() {
    let api = Api::new();
    let (factory, informer) = informer(&api);
    let registration = informer.add_handler(Recorder::default()).unwrap();
    factory.start();
    let waiting = factory.wait_for_cache_sync();
    let stopping = async {
        settle().await;
        informer.shutdown().await;
    };
    let (waited, (), synced) = tokio::join!(waiting, stopping, registration.synced());
    assert!(matches!(waited, Err(SyncError::Stopped { .. })));
    assert!(synced.is_err());
}

#[tokio::test(start_paused = true)]
async fn informer_asked_for_after_the_start_is_missed_when_waiting() {
    let api = Api::new();
    api.answer([stream([initial_events_end("10")])]);
    api.answer_path("/api/v1/nodes", [stream([initial_events_end("10")])]);
    let (factory, _informer) = informer(&api);
    factory.start();
    let _nodes = factory.informer_for::<Node>();
    let error = factory.wait_for_cache_sync().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the informer of nodes.v1. has not been started: call `start` after the last informer was asked for"
    );
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn one_kind_has_one_informer() {
    let api = Api::new();
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let (factory, informer) = informer(&api);
    let again = factory.clone().informer_for::<ConfigMap>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(cached(&again), ["a/one@1"]);
    assert_eq!(api.requests(), ["watch-list"]);

    // The same kind with another type, and the same type with another kind.
    let partial = factory.informer_for::<PartialObjectMeta<ConfigMap>>();
    assert!(partial.indexer().is_empty());
    let of = |plural: &str| ApiResource {
        plural: plural.into(),
        ..ApiResource::erase::<ConfigMap>(&())
    };
    let dynamic = factory.informer_for_with::<DynamicObject>(of("configmaps"));
    let other = factory.informer_for_with::<DynamicObject>(of("secrets"));
    assert_eq!(dynamic.resource(), informer.resource());
    assert_eq!(
        *other.resource(),
        GroupVersionResource::new("", "v1", "secrets")
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn informer_of_a_kind_is_one_until_it_is_shut_down() {
    let api = Api::new();
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let (factory, informer) = informer(&api);
    let again = factory.informer_for::<ConfigMap>();
    factory.start();
    informer.wait_for_cache_sync().await.unwrap();
    assert_eq!(cached(&again), ["a/one@1"]);
    informer.shutdown().await;
    assert!(again.is_stopped());
    let next = factory.informer_for::<ConfigMap>();
    assert!(!next.is_stopped());
    factory.shutdown().await;
    assert!(next.is_stopped());
    assert_eq!(api.requests(), ["watch-list"]);
}

#[tokio::test(start_paused = true)]
async fn informers_that_have_started_are_not_started_again() {
    let api = Api::new();
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let (factory, informer) = informer(&api);
    factory.start();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    let running = tasks();
    factory.start();
    settle().await;
    assert_eq!(tasks(), running);
    assert_eq!(api.requests(), ["watch-list"]);
    assert_eq!(cached(&informer), ["a/one@1"]);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn generic_informer_is_found_by_its_resource() {
    let (factory, informer) = informer(&Api::new());
    for (resource, expected) in [("configmaps", true), ("secrets", false)] {
        let resource = GroupVersionResource::new("", "v1", resource);
        let generic = factory.generic_for::<ConfigMap>(&resource);
        let found = generic.is_some_and(|generic| generic.resource() == informer.resource());
        assert_eq!(found, expected, "{resource}");
    }
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn generic_informer_shows_what_the_typed_one_does() {
    let api = Api::new();
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let (factory, informer) = informer(&api);
    let generic = informer.generic();
    assert!(!generic.has_synced());
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    assert!(generic.has_synced());
    let name = generic.keys().pop().unwrap();
    let object = generic.get(&name).unwrap().downcast::<ConfigMap>().unwrap();
    assert_eq!(generic.metadata(&name).as_ref(), Some(&object.metadata));
    assert_eq!(generic.resource().to_string(), "configmaps.v1.");
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn transform_and_managed_fields() {
    for keep in [false, true] {
        let api = Api::new();
        api.answer([refuse(422, "Invalid"), list("10", ["a/one@1"])]);
        let builder = SharedInformerFactory::builder(api.client());
        let builder = if keep {
            builder.keep_managed_fields()
        } else {
            builder
        };
        let factory = builder.build();
        let informer = factory.informer_for::<ConfigMap>();
        informer.set_transform(|map| map.data = None).unwrap();
        factory.start();
        factory.wait_for_cache_sync().await.unwrap();
        let object = informer.lister().namespace("a").get("one").unwrap();
        assert_eq!(object.data, None);
        assert_eq!(object.metadata.managed_fields.is_some(), keep);
        let error = informer.set_transform(|_| {}).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the informer of configmaps.v1. has already started"
        );
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn metadata_alone_is_asked_for_where_that_is_all_there_is() {
    let api = Api::new();
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let factory = SharedInformerFactory::builder(api.client()).build();
    let informer = factory.informer_for::<PartialObjectMeta<ConfigMap>>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(informer.indexer().len(), 1);
    let accept = &api.recorded()[0].headers["accept"];
    assert!(
        accept
            .to_str()
            .unwrap()
            .contains("as=PartialObjectMetadata")
    );
    factory.shutdown().await;
}

/// As documented at `EventHandler`; a handler that holds a lister instead keeps nothing running.
#[tokio::test(start_paused = true)]
async fn handler_that_holds_its_informer_keeps_it_running_until_it_is_stopped() {
    for (holds_informer, is_running) in [(true, true), (false, false)] {
        let api = Api::new();
        let (feed, answer) = feed();
        feed.line(initial_events_end("10"));
        api.answer([answer]);
        let (factory, informer) = informer(&api);
        let (held, lister) = (holds_informer.then(|| informer.clone()), informer.lister());
        let alive = Arc::new(());
        let in_handler = Arc::clone(&alive);
        let handler = Handlers::new().on_add(move |_, _| {
            let _ = (&in_handler, &lister);
            held.iter().for_each(|informer| drop(informer.shutdown()));
        });
        informer.add_handler(handler).unwrap().detach();
        factory.start();
        settle().await;
        drop((factory, informer));
        settle().await;
        assert_eq!(feed.is_heard(), is_running);
        feed.line(added("a/one@11"));
        settle().await;
        assert!(!feed.is_heard());
        assert_eq!(Arc::strong_count(&alive), 1);
    }
}
