//! What informers measure of themselves.

use std::sync::Arc;

use genclient::informer::HandlerOptions;
use genclient::metrics::{
    Counter, Gauge, Histogram, INFORMER_PENDING_NOTIFICATIONS, INFORMER_PROCESSING_LATENCY,
    INFORMER_STORE_RESOURCE_VERSION, Metric, MetricKind, Provider, REFLECTOR_ITEMS_PER_LIST,
    REFLECTOR_ITEMS_PER_WATCH, REFLECTOR_LAST_RESOURCE_VERSION, REFLECTOR_LIST_DURATION,
    REFLECTOR_LISTS, REFLECTOR_SHORT_WATCHES, REFLECTOR_WATCH_DURATION, REFLECTOR_WATCHES,
};

use super::scripted::*;
use super::{Recorder, informer_with};

/// The unit tests' own, compiled here once more.
#[expect(dead_code, reason = "the unit tests use all of it")]
#[path = "../../src/metrics/recorder.rs"]
mod recorder;

/// The value of a series, or of a histogram how often it was told one.
fn value(metrics: &recorder::Recorder, metric: &Metric, labels: &[&str]) -> f64 {
    match metric.kind {
        MetricKind::Histogram(_) => metrics.values(metric, labels).len() as f64,
        MetricKind::Counter | MetricKind::Gauge => metrics.value(metric, labels),
    }
}

#[tokio::test(start_paused = true)]
async fn depths_of_queues_and_the_version_of_the_cache_are_measured() {
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
    // Nobody polls these two, which have one name.
    let idle = || HandlerOptions::new().name("idle").coalesce_above(0);
    let first = informer.subscribe_with(idle());
    factory.start();
    feed.line(added("a/one@1"));
    feed.line(added("a/two@2"));
    feed.line(initial_events_end("10"));
    settle().await;
    assert_eq!((depth("quick"), depth("idle")), (0.0, 2.0));
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
async fn lists_and_watches_of_reflectors_are_measured() {
    let api = Api::new();
    api.answer([
        list("10", ["a/one@1", "a/two@2"]),
        stream([modified("a/one@11"), bookmark("12")]).end(),
        // Refused, so no watch.
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
    api.asked(7).await;
    settle().await;
    for (metric, expected) in [
        (&REFLECTOR_LISTS, 3.0),
        (&REFLECTOR_LIST_DURATION, 2.0),
        (&REFLECTOR_ITEMS_PER_LIST, 2.0),
        (&REFLECTOR_WATCHES, 2.0),
        (&REFLECTOR_SHORT_WATCHES, 1.0),
        (&REFLECTOR_WATCH_DURATION, 2.0),
        (&REFLECTOR_ITEMS_PER_WATCH, 2.0),
        (&REFLECTOR_LAST_RESOURCE_VERSION, 20.0),
    ] {
        let found = value(&metrics, metric, &["tests/configmaps.v1."]);
        assert_eq!(found, expected, "{}", metric.name);
    }
    factory.shutdown().await;
}
