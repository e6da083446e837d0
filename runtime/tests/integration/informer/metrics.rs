//! Tests of the metrics of informers.

use std::sync::{Arc, Mutex};

use genclient::informer::{HandlerOptions, SharedInformer, SharedInformerFactory};
use genclient::metrics::{
    Counter, Gauge, Histogram, INFORMER_PENDING_NOTIFICATIONS, INFORMER_PROCESSING_LATENCY,
    INFORMER_STORE_RESOURCE_VERSION, Metric, MetricKind, NoMetrics, Provider,
    REFLECTOR_ITEMS_PER_LIST, REFLECTOR_ITEMS_PER_WATCH, REFLECTOR_LAST_RESOURCE_VERSION,
    REFLECTOR_LIST_DURATION, REFLECTOR_LISTS, REFLECTOR_SHORT_WATCHES, REFLECTOR_WATCH_DURATION,
    REFLECTOR_WATCHES,
};

use k8s_openapi::api::core::v1::{ConfigMap, Node};

use super::scripted::*;
use super::{Recorder, informer_with, seconds};

/// The recorder of the unit tests, included by path.
#[expect(dead_code, reason = "the unit tests use all of it")]
#[path = "../../../src/metrics/recorder.rs"]
mod recorder;

/// Returns the value of a series; for a histogram, the number of observations.
fn value(metrics: &recorder::Recorder, metric: &Metric, labels: &[&str]) -> f64 {
    match metric.kind {
        MetricKind::Histogram(_) => metrics.values(metric, labels).len() as f64,
        MetricKind::Counter | MetricKind::Gauge => metrics.value(metric, labels),
    }
}

#[tokio::test(start_paused = true)]
async fn handler_depth_and_cache_version_are_measured() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let metrics = recorder::Recorder::default();
    let (factory, informer) = informer_with(&api, |builder| {
        builder.metrics("tests", Arc::new(metrics.clone()))
    });
    let depth = |handler| {
        let labels = ["tests", "", "v1", "configmaps", handler];
        value(&metrics, &INFORMER_PENDING_NOTIFICATIONS, &labels)
    };
    let of_cache = |metric| value(&metrics, metric, &["tests", "", "v1", "configmaps"]);
    let quick = HandlerOptions::new().name("quick");
    let quick = informer.add_handler_with(Recorder::default(), quick);
    // These two have the same name and are never polled.
    let idle = || HandlerOptions::new().name("idle").coalesce_above(0);
    let first = informer.subscribe_with(idle());
    factory.start();
    feed.line(added("a/one@1"));
    feed.line(added("a/two@2"));
    feed.line(initial_events_end("10"));
    settle().await;
    assert_eq!((depth("quick"), depth("idle")), (0.0, 2.0));
    assert_eq!(first.depth(), 2);
    let second = informer.subscribe_with(idle());
    assert_eq!(depth("idle"), 4.0);
    feed.line(modified("a/one@11"));
    feed.line(deleted("a/two@12"));
    settle().await;
    assert_eq!(depth("idle"), 2.0);
    assert_eq!((first.depth(), second.depth()), (1, 1));
    assert_eq!(of_cache(&INFORMER_STORE_RESOURCE_VERSION), 12.0);
    assert_eq!(of_cache(&INFORMER_PROCESSING_LATENCY), 3.0);
    drop(second);
    assert_eq!(depth("idle"), 1.0);
    factory.shutdown().await;
    assert_eq!(depth("idle"), 0.0);
    drop((first, quick));
    assert_eq!(depth("idle"), 0.0);
}

#[tokio::test(start_paused = true)]
async fn reflector_lists_and_watches_are_measured() {
    let api = Api::new();
    api.answer([
        list("10", ["a/one@1", "a/two@2"]),
        stream([modified("a/one@11"), bookmark("12")]).end(),
        stream([bookmark("13")]).end(),
        // Rejected, so it does not count as a watch.
        refuse(429, "TooManyRequests"),
        stream([]).end(),
        refuse(500, "InternalError"),
        list("20", []),
        hang(),
    ]);
    let metrics = recorder::Recorder::default();
    let (factory, _informer) = informer_with(&api, |builder| {
        let builder = builder.metrics("tests", Arc::new(metrics.clone()));
        builder.watch_list(false)
    });
    factory.start();
    api.asked(8).await;
    settle().await;
    for (metric, expected) in [
        (&REFLECTOR_LISTS, 3.0),
        (&REFLECTOR_LIST_DURATION, 2.0),
        (&REFLECTOR_ITEMS_PER_LIST, 2.0),
        (&REFLECTOR_WATCHES, 3.0),
        (&REFLECTOR_SHORT_WATCHES, 1.0),
        (&REFLECTOR_WATCH_DURATION, 3.0),
        (&REFLECTOR_ITEMS_PER_WATCH, 3.0),
        (&REFLECTOR_LAST_RESOURCE_VERSION, 20.0),
    ] {
        let found = value(&metrics, metric, &["tests/configmaps.v1"]);
        assert_eq!(found, expected, "{}", metric.name);
    }
    factory.shutdown().await;
}

/// Provider that reads the factory and its informer on each request for an instrument, from a
/// thread that could deadlock. Records whether the reads returned.
#[derive(Default)]
struct Looking {
    seen: Mutex<Option<(SharedInformerFactory, SharedInformer<ConfigMap>)>>,
    has_seen: Mutex<Vec<bool>>,
}

impl Looking {
    fn look(&self) {
        let (done, is_done) = std::sync::mpsc::channel();
        if let Some((factory, informer)) = self.seen.lock().unwrap().clone() {
            std::thread::spawn(move || done.send((format!("{factory:?}"), informer.skipped())));
            let has_seen = is_done.recv_timeout(seconds(2)).is_ok();
            self.has_seen.lock().unwrap().push(has_seen);
        }
    }
}

impl Provider for Looking {
    fn counter(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Counter> {
        self.look();
        NoMetrics.counter(metric, labels)
    }

    fn gauge(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Gauge> {
        self.look();
        NoMetrics.gauge(metric, labels)
    }

    fn histogram(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Histogram> {
        self.look();
        NoMetrics.histogram(metric, labels)
    }
}

#[tokio::test(start_paused = true)]
async fn instruments_are_created_without_holding_locks() {
    let looking = Arc::new(Looking::default());
    let provider = Arc::clone(&looking);
    let (factory, informer) =
        informer_with(&Api::new(), |builder| builder.metrics("tests", provider));
    *looking.seen.lock().unwrap() = Some((factory.clone(), informer.clone()));
    let _registration = informer.add_handler(Recorder::default()).unwrap();
    let _subscription = informer.subscribe();
    let _nodes = factory.informer_for::<Node>();
    let made = looking.has_seen.lock().unwrap().len();
    factory.start();
    assert!(looking.has_seen.lock().unwrap().len() > made);
    let has_seen = std::mem::take(&mut *looking.has_seen.lock().unwrap());
    assert!(
        has_seen.len() >= 3 && !has_seen.contains(&false),
        "{has_seen:?}"
    );
    looking.seen.lock().unwrap().take();
    factory.shutdown().await;
}
