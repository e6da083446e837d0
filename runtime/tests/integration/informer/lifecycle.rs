//! Tests of the start and shutdown of informers: no task or handler is leaked.

use std::sync::Arc;

use genclient::informer::{Handlers, SyncError};
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use tokio::runtime::Handle;

use super::scripted::*;
use super::{Recorder, cached, informer};

/// Returns the number of tasks of the runtime.
fn tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

#[tokio::test(start_paused = true)]
async fn shutdown_leaves_no_tasks_in_any_state() {
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
async fn handlers_leave_no_tasks_behind() {
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
fn informer_is_stopped_after_its_runtime_is_dropped() {
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
fn informer_is_stopped_if_its_runtime_never_ran() {
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

#[tokio::test(start_paused = true)]
async fn busy_reflector_yields_and_can_be_stopped() {
    let api = Api::new();
    let changes: Vec<_> = (11..5011)
        .map(|version| modified(&format!("a/one@{version}")))
        .collect();
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
async fn shutdown_interrupts_the_pause_after_a_panic() {
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
async fn stopped_informer_rejects_handlers_and_restarts() {
    let api = Api::new();
    let (factory, informer) = informer(&api);
    factory.start();
    factory.start();
    informer.shutdown().await;
    informer.shutdown().await;
    let error = informer.add_handler(Recorder::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the handler was not added to the informer of configmaps.v1 because it has stopped already"
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
async fn sync_wait_fails_when_the_informer_stops() {
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

/// As documented at `EventHandler`; a handler that holds a lister instead keeps nothing running.
#[tokio::test(start_paused = true)]
async fn handler_holding_its_informer_keeps_it_running() {
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
        assert_eq!(feed.has_reader(), is_running);
        feed.line(added("a/one@11"));
        settle().await;
        assert!(!feed.has_reader());
        assert_eq!(Arc::strong_count(&alive), 1);
    }
}
