//! What informers measure of themselves.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use genclient::informer::HandlerOptions;
use genclient::metrics::{
    Counter, Gauge, Histogram, INFORMER_PENDING_NOTIFICATIONS, INFORMER_PROCESSING_LATENCY,
    INFORMER_STORE_RESOURCE_VERSION, Metric, Provider, REFLECTOR_ITEMS_PER_LIST,
    REFLECTOR_ITEMS_PER_WATCH, REFLECTOR_LAST_RESOURCE_VERSION, REFLECTOR_LIST_DURATION,
    REFLECTOR_LISTS, REFLECTOR_SHORT_WATCHES, REFLECTOR_WATCH_DURATION, REFLECTOR_WATCHES,
};

use super::scripted::*;
use super::{Recorder, informer_with};

/// Where instruments of one series add up: a gauge to its value, a histogram to how often it was told one.
#[derive(Clone, Default)]
struct Board(Arc<Mutex<BTreeMap<String, f64>>>);

struct Series(Board, String);

impl Board {
    fn value(&self, metric: &Metric, labels: &[&str]) -> f64 {
        let series = self.series(metric, labels);
        self.0.lock().unwrap()[&series.1]
    }

    fn series(&self, metric: &Metric, labels: &[&str]) -> Series {
        assert_eq!(metric.labels.len(), labels.len());
        let name = format!("{} {}", metric.name, labels.join(" "));
        self.0.lock().unwrap().entry(name.clone()).or_default();
        Series(self.clone(), name)
    }
}

impl Series {
    fn change(&self, change: impl FnOnce(f64) -> f64) {
        let mut board = self.0.0.lock().unwrap();
        let value = board.get_mut(&self.1).unwrap();
        *value = change(*value);
    }
}

impl Counter for Series {
    fn add(&self, count: u64) {
        self.change(|value| value + count as f64);
    }
}

impl Gauge for Series {
    fn set(&self, value: f64) {
        self.change(|_| value);
    }

    fn add(&self, change: f64) {
        self.change(|value| value + change);
    }
}

impl Histogram for Series {
    fn observe(&self, _value: f64) {
        self.change(|times| times + 1.0);
    }
}

impl Provider for Board {
    fn counter(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Counter> {
        Arc::new(self.series(metric, labels))
    }

    fn gauge(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Gauge> {
        Arc::new(self.series(metric, labels))
    }

    fn histogram(&self, metric: &'static Metric, labels: &[&str]) -> Arc<dyn Histogram> {
        Arc::new(self.series(metric, labels))
    }
}

#[tokio::test(start_paused = true)]
async fn depths_of_queues_and_the_version_of_the_cache_are_measured() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let board = Board::default();
    let (factory, informer) = informer_with(&api, |builder| {
        builder.metrics("tests", Arc::new(board.clone()))
    });
    let depth = |handler| {
        let labels = ["tests", "", "v1", "configmaps", handler];
        board.value(&INFORMER_PENDING_NOTIFICATIONS, &labels)
    };
    let of_cache = |metric| board.value(metric, &["tests", "", "v1", "configmaps"]);
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
    let board = Board::default();
    let (factory, _informer) = informer_with(&api, |builder| {
        let builder = builder.metrics("tests", Arc::new(board.clone()));
        builder.watch_list(false)
    });
    factory.start();
    api.asked(7).await;
    settle().await;
    for (metric, value) in [
        (&REFLECTOR_LISTS, 3.0),
        (&REFLECTOR_LIST_DURATION, 2.0),
        (&REFLECTOR_ITEMS_PER_LIST, 2.0),
        (&REFLECTOR_WATCHES, 2.0),
        (&REFLECTOR_SHORT_WATCHES, 1.0),
        (&REFLECTOR_WATCH_DURATION, 2.0),
        (&REFLECTOR_ITEMS_PER_WATCH, 2.0),
        (&REFLECTOR_LAST_RESOURCE_VERSION, 20.0),
    ] {
        let found = board.value(metric, &["tests/configmaps.v1."]);
        assert_eq!(found, value, "{}", metric.name);
    }
    factory.shutdown().await;
}
