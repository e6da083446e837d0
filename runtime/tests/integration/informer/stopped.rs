//! Tests of stopped informers and their stop causes.

use std::error::Error;
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use genclient::informer::{SharedInformer, SharedInformerFactory, StopCause, SyncError};
use genclient::kube::Client;
use genclient::kube::client::Body;
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::ConfigMap;
use tracing::dispatcher::DefaultGuard;
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

use super::scripted::*;
use super::{cached, informer, seconds};

/// Where a layer of the client panics.
#[derive(Clone, Copy, Debug)]
enum Panics {
    /// In the call, which ends the task behind the client.
    Call,
    Answer,
    Stream,
}

/// Returns a client of `api` whose request with this number panics.
fn panicking(api: &Api, request: usize, panics: Panics) -> Client {
    let inner = api.client();
    let mut requests = 0;
    let service = tower::service_fn(move |sent: http::Request<Body>| {
        requests += 1;
        let is_hit = requests == request;
        assert!(!is_hit || !matches!(panics, Panics::Call), "in the call");
        let inner = inner.clone();
        async move {
            let answer = inner.send(sent).await?;
            assert!(
                !is_hit || !matches!(panics, Panics::Answer),
                "in the answer"
            );
            Ok::<_, kube::Error>(answer.map(|body| {
                body.map_frame(move |frame| {
                    assert!(!is_hit, "in the body");
                    frame
                })
            }))
        }
    });
    Client::new(service, "default")
}

#[tokio::test(start_paused = true)]
async fn client_panic_stops_the_informer_and_is_its_cause() {
    for (panics, expected) in [
        (Panics::Call, "the client is closed"),
        (Panics::Answer, "a list or watch panicked: in the answer"),
        (Panics::Stream, "a list or watch panicked: in the body"),
    ] {
        let api = Api::new();
        let first = stream([added("a/one@1"), initial_events_end("10")]).end();
        api.answer([first, stream([added("a/two@11")])]);
        let client = panicking(&api, 2, panics);
        let factory = SharedInformerFactory::builder(client).build();
        let informer = factory.informer_for::<ConfigMap>();
        let stopped = informer.stopped();
        factory.start();
        factory.wait_for_cache_sync().await.unwrap();
        assert!(informer.has_synced());

        let cause = tokio::time::timeout(seconds(5), stopped).await.unwrap();
        assert_eq!(cause.to_string(), expected, "{panics:?}");
        assert!(informer.is_stopped());
        assert!(!informer.has_synced());
        assert!(!informer.generic().has_synced());
        let error = informer.wait_for_cache_sync().await.unwrap_err();
        assert!(matches!(error, SyncError::Stopped { .. }), "{error}");
        assert_eq!(error.source().unwrap().to_string(), expected);
        let is_failed_request = matches!(panics, Panics::Call);
        assert_eq!(error.cause().is_some(), is_failed_request, "{panics:?}");
        assert_eq!(cached(&informer), ["a/one@1"], "stale, but readable");
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn factory_waits_for_the_informer_that_replaced_a_failed_one() {
    let api = Api::new();
    // The first answer panics.
    api.answer([
        stream([]),
        stream([added("a/two@11"), initial_events_end("11")]),
    ]);
    let factory = SharedInformerFactory::builder(panicking(&api, 1, Panics::Answer)).build();
    let failed = factory.informer_for::<ConfigMap>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap_err();
    failed.stopped().await;
    factory.wait_for_cache_sync().await.unwrap_err();

    let informer = factory.informer_for::<ConfigMap>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(cached(&informer), ["a/two@11"]);

    // The failed informer does not count again once the one that replaced it is gone.
    informer.shutdown().await;
    factory.wait_for_cache_sync().await.unwrap();
    factory.shutdown().await;
}

/// Subscriber that calls the informer on each logged error, and records whether the call returned.
/// The call runs on another thread, which waits for ever if the informer logs under its lock.
struct Asking(SharedInformer<ConfigMap>, Arc<Mutex<Vec<bool>>>);

impl Subscriber for Asking {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("genclient") && *metadata.level() == Level::ERROR
    }

    fn event(&self, _: &Event<'_>) {
        let (done, is_done) = std::sync::mpsc::channel();
        let informer = self.0.clone();
        std::thread::spawn(move || done.send((informer.has_synced(), informer.skipped())));
        let is_answered = is_done.recv_timeout(seconds(5)).is_ok();
        self.1.lock().unwrap().push(is_answered);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Installs an [`Asking`] for this thread until the guards are dropped.
fn asking(
    informer: &SharedInformer<ConfigMap>,
    asked: &Arc<Mutex<Vec<bool>>>,
) -> (Dispatch, DefaultGuard) {
    let asking = || Dispatch::new(Asking(informer.clone(), Arc::clone(asked)));
    // A second dispatcher: with a single one, threads without a dispatcher disable events for all
    // threads.
    let another = asking();
    (another, tracing::dispatcher::set_default(&asking()))
}

#[tokio::test(start_paused = true)]
async fn logger_may_query_the_stopping_informer() {
    let api = Api::new();
    api.answer([
        stream([initial_events_end("10")]).end(),
        stream([bookmark("11")]),
    ]);
    let client = panicking(&api, 2, Panics::Stream);
    let factory = SharedInformerFactory::builder(client).build();
    let informer = factory.informer_for::<ConfigMap>();
    let asked = Arc::new(Mutex::default());
    let _logging = asking(&informer, &asked);
    factory.start();
    informer.stopped().await;
    settle().await;
    assert_eq!(*asked.lock().unwrap(), [true]);
}

#[tokio::test(start_paused = true)]
async fn shutdown_is_not_logged_as_an_error() {
    let api = Api::new();
    let (factory, informer) = informer(&api);
    let errors = Arc::new(Mutex::default());
    let _logging = asking(&informer, &errors);
    factory.start();
    factory.shutdown().await;
    assert!(informer.is_stopped());
    assert!(errors.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn stopped_resolves_when_a_shutdown_begins() {
    let api = Api::new();
    let (factory, informer) = informer(&api);
    factory.start();
    let mut stopped = tokio_test::task::spawn(informer.stopped());
    tokio_test::assert_pending!(stopped.poll());
    drop(factory.shutdown());
    let cause = tokio_test::assert_ready!(stopped.poll());
    assert!(matches!(cause, StopCause::Shutdown), "{cause}");
    let again = informer.stopped().await;
    assert!(matches!(again, StopCause::Shutdown), "{again}");
}

#[tokio::test(start_paused = true)]
async fn stopped_future_does_not_keep_the_informer_alive() {
    let api = Api::new();
    let (factory, informer) = informer(&api);
    factory.start();
    let stopped = informer.stopped();
    drop((factory, informer));
    let cause = tokio::time::timeout(seconds(5), stopped).await.unwrap();
    assert!(matches!(cause, StopCause::Shutdown), "{cause}");
}

#[test]
fn informer_stops_with_its_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (_factory, informer) = runtime.block_on(async {
        let api = Api::new();
        let (factory, informer) = informer(&api);
        factory.start();
        settle().await;
        (factory, informer)
    });
    drop(runtime);
    let cause = informer.stopped().now_or_never().unwrap();
    assert!(matches!(cause, StopCause::RuntimeShutdown), "{cause}");
}
