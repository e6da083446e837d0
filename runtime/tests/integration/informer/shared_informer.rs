//! Tests of client-go's `shared_informer_test.go` that no other file covers.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use genclient::cache::IndexFunc;
use genclient::informer::{HandlerOptions, Handlers, SharedInformerFactory};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::{sleep, timeout};

use super::scripted::*;
use super::{Recorder, cached, describe, informer, informer_with, seconds};

fn by_name(object: &ConfigMap) -> Vec<String> {
    object.metadata.name.clone().into_iter().collect()
}

/// TestIndexer.
#[tokio::test(start_paused = true)]
async fn indices_are_added_before_and_after_the_start() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    let index = |name: &str| [(name.to_owned(), Arc::new(by_name) as IndexFunc<ConfigMap>)];
    informer.add_indexers(index("early")).unwrap();
    factory.start();
    feed.line(added("a/one@1"));
    feed.line(added("b/one@2"));
    feed.line(initial_events_end("10"));
    settle().await;
    informer.add_indexers(index("late")).unwrap();
    feed.line(added("c/one@11"));
    feed.line(deleted("a/one@12"));
    feed.line(added("c/two@13"));
    settle().await;
    for name in ["early", "late"] {
        let mut found: Vec<_> = informer
            .indexer()
            .by_index(name, "one")
            .unwrap()
            .iter()
            .map(|object| describe(object))
            .collect();
        found.sort();
        assert_eq!(found, ["b/one@2", "c/one@11"]);
        let mut values = informer.indexer().index_values(name).unwrap();
        values.sort();
        assert_eq!(values, ["one", "two"]);
        let error = informer.add_indexers(index(name)).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("indexer conflict: {name} exists already")
        );
    }
    factory.shutdown().await;
    // A stopped informer's cache stays readable.
    informer.add_indexers(index("last")).unwrap();
    assert_eq!(informer.indexer().by_index("last", "two").unwrap().len(), 1);
}

/// TestResyncCheckPeriod. A handler gets its own resync period, regardless of other handlers and of
/// when it is added; there is no common period to round to.
#[tokio::test(start_paused = true)]
async fn late_handler_gets_its_own_resync_period() {
    let api = Api::new();
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let hours = seconds(12 * 3600);
    let (factory, informer) = informer_with(&api, |builder| builder.resync(hours));
    let [never, minute, default] = std::array::from_fn(|_| Recorder::default());
    let add = |recorder: &Recorder, period| {
        let registration =
            informer.add_handler_with(recorder.clone(), HandlerOptions::new().resync(period));
        registration.unwrap().detach();
    };
    add(&never, Duration::ZERO);
    add(&minute, seconds(60));
    informer.add_handler(default.clone()).unwrap().detach();
    factory.start();
    sleep(Duration::from_millis(500)).await;
    let five_seconds = Recorder::default();
    add(&five_seconds, seconds(5));
    sleep(seconds(61)).await;
    let resyncs = [&never, &default, &minute, &five_seconds].map(|it| it.take().len() - 1);
    assert_eq!(resyncs, [0, 0, 1, 12]);
    factory.shutdown().await;
}

/// `WithCustomResyncConfig` of a factory.
#[tokio::test(start_paused = true)]
async fn kind_has_its_own_resync_period_and_selectors() {
    use k8s_openapi::api::core::v1::Secret;

    let api = Api::new();
    let path = "/api/v1/secrets";
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    api.answer_path(path, [hang()]);
    let (factory, informer) = informer_with(&api, |builder| {
        builder
            .resync(seconds(60))
            .tweak_list_params(|selectors| selectors.labels = Some("app".into()))
            .resync_for::<ConfigMap>(seconds(7))
            .tweak_list_params_for::<Secret>(|selectors| {
                assert_eq!(selectors.labels.as_deref(), Some("app"));
                selectors.fields = Some("type=Opaque".into());
            })
    });
    let _secrets = factory.informer_for::<Secret>();
    let recorder = Recorder::default();
    let _registration = informer.add_handler(recorder.clone()).unwrap();
    factory.start();
    sleep(seconds(15)).await;
    assert_eq!(recorder.take().len(), 1 + 2);
    for request in api.recorded() {
        assert_eq!(request.query["labelSelector"], "app");
        let fields = request.query.get("fieldSelector").map(String::as_str);
        assert_eq!(fields, (request.path == path).then_some("type%3DOpaque"));
    }
    factory.shutdown().await;
}

/// TestSharedInformerErrorHandling.
#[tokio::test(start_paused = true)]
async fn watch_error_handler_receives_the_error() {
    let api = Api::new();
    api.answer([refuse(403, "Forbidden"), refuse(403, "Forbidden")]);
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let (factory, informer) = informer(&api);
    let errors = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&errors);
    informer
        .set_watch_error_handler(move |error| {
            told.lock().unwrap().push(error.to_string());
            panic!("which is contained");
        })
        .unwrap();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(
        *errors.lock().unwrap(),
        ["the API server returned 403 Forbidden: told to say Forbidden"]
    );
    assert!(informer.set_watch_error_handler(|_| {}).is_err());
    factory.shutdown().await;
}

/// TestSharedInformerInitializationRace, TestSharedInformerStartRace and
/// TestSharedInformerHandlerAbuse, on real threads: handlers are added and removed while the
/// informer starts, changes and stops.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_handler_changes_do_not_affect_others() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    let is_over = Arc::new(AtomicBool::new(false));
    let workers: Vec<_> = (0..8)
        .map(|seed: usize| {
            let (informer, is_over) = (informer.clone(), Arc::clone(&is_over));
            tokio::spawn(async move {
                let mut registrations = Vec::new();
                let mut added = 0;
                while !is_over.load(Ordering::Relaxed) {
                    let handler = Handlers::<ConfigMap>::new().on_add(|_, _| {});
                    match informer
                        .add_handler_with(handler, HandlerOptions::new().resync(seconds(1)))
                    {
                        Ok(registration) => registrations.push(registration),
                        Err(_) => break,
                    }
                    added += 1;
                    let _ = informer.set_transform(|_| {});
                    if registrations.len() > 3 + seed {
                        let registration = registrations.swap_remove(added % registrations.len());
                        if added.is_multiple_of(3) {
                            registration.shutdown().await;
                        }
                    }
                    tokio::task::yield_now().await;
                }
                added
            })
        })
        .collect();
    let recorder = Recorder::default();
    let _registration = informer.add_handler(recorder.clone()).unwrap();
    factory.start();
    feed.line(initial_events_end("10"));
    for version in 0..500 {
        feed.line(added(&format!("a/{version}@{}", 11 + 2 * version)));
        feed.line(deleted(&format!("a/{version}@{}", 12 + 2 * version)));
    }
    let told = async {
        while recorder.len() < 1000 {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(seconds(60), told).await.unwrap();
    factory.shutdown().await;
    is_over.store(true, Ordering::Relaxed);
    for worker in workers {
        assert!(worker.await.unwrap() > 0);
    }
}

/// TestStateSharedInformer and TestRemoveOnStoppedSharedInformer.
#[tokio::test(start_paused = true)]
async fn registrations_can_outlive_their_informer() {
    let api = Api::new();
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let (factory, informer) = informer(&api);
    let first = informer.add_handler(Recorder::default()).unwrap();
    let second = informer.add_handler(Recorder::default()).unwrap();
    assert!(!informer.is_stopped());
    factory.start();
    first.synced().await.unwrap();
    assert!(!informer.is_stopped());
    factory.shutdown().await;
    assert!(informer.is_stopped());
    assert_eq!(first.depth(), 0);
    drop(first);
    second.shutdown().await;
    // False although it had synced, since nothing updates the cache any more.
    assert!(!informer.has_synced());
}

/// TestRemoveEventHandler_AsynchronousPanic and _SynchronousShutdown: dropping a registration does
/// not wait for a handler call in progress; `shutdown` does.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn handler_shutdown_waits_for_the_running_call() {
    for waits in [false, true] {
        let api = Api::new();
        api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
        let (factory, informer) = informer(&api);
        let (entered, is_in) = mpsc::channel::<()>();
        let (release, held) = mpsc::channel::<()>();
        let held = Mutex::new(held);
        let returned = Arc::new(AtomicUsize::new(0));
        let returns = Arc::clone(&returned);
        let handler = Handlers::<ConfigMap>::new().on_add(move |_, _| {
            entered.send(()).unwrap();
            held.lock().unwrap().recv().unwrap();
            returns.fetch_add(1, Ordering::SeqCst);
        });
        let registration = informer.add_handler(handler).unwrap();
        factory.start();
        is_in.recv().unwrap();
        if waits {
            let shut_down = tokio::spawn(registration.shutdown());
            sleep(Duration::from_millis(20)).await;
            assert!(!shut_down.is_finished());
            release.send(()).unwrap();
            timeout(seconds(60), shut_down).await.unwrap().unwrap();
            assert_eq!(returned.load(Ordering::SeqCst), 1);
        } else {
            drop(registration);
            assert_eq!(returned.load(Ordering::SeqCst), 0);
            release.send(()).unwrap();
        }
        timeout(seconds(60), factory.shutdown()).await.unwrap();
        assert_eq!(returned.load(Ordering::SeqCst), 1);
    }
}

/// Not possible in client-go (kubernetes#79610): one informer is stopped while the others continue,
/// and its kind can be requested again.
#[tokio::test(start_paused = true)]
async fn stopped_informer_can_be_recreated_by_the_factory() {
    use k8s_openapi::api::core::v1::Secret;

    let api = Api::new();
    let (other, answer) = feed();
    api.answer_path("/api/v1/secrets", [answer]);
    api.answer([
        stream([added("a/old@1"), initial_events_end("10")]),
        stream([added("a/new@11"), initial_events_end("20")]),
    ]);
    let factory = SharedInformerFactory::builder(api.client()).build();
    let (secrets, first) = (
        factory.informer_for::<Secret>(),
        factory.informer_for::<ConfigMap>(),
    );
    factory.start();
    other.line(initial_events_end("10"));
    factory.wait_for_cache_sync().await.unwrap();
    first.shutdown().await;
    assert!(first.is_stopped() && !secrets.is_stopped());

    let second = factory.informer_for::<ConfigMap>();
    assert!(!second.is_stopped());
    assert_eq!(cached(&second), [""; 0]);
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(cached(&second), ["a/new@11"]);
    assert_eq!(cached(&first), ["a/old@1"]);
    other.line(bookmark("12"));
    secrets.wait_for_resource_version("12").await.unwrap();
    factory.shutdown().await;
    assert!(second.is_stopped() && secrets.is_stopped());
}
