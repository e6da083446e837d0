//! Soak test of a long-running informer on a paused clock: memory must not grow with time. Objects
//! come and go, watches and connections fail, handlers fall behind, are added and removed.
//!
//! `SOAK_ROUNDS` sets the number of rounds. The default, 150 rounds, is half a day of the
//! informer's time.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, and so do its helpers"
)]
#![allow(
    dead_code,
    unused_imports,
    reason = "the informer's tests use all of it"
)]

#[path = "integration/informer/scripted/mod.rs"]
mod scripted;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use genclient::cache::ObjectName;
use genclient::informer::{HandlerOptions, Handlers, SharedInformer, SharedInformerFactory};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::sleep;

use scripted::*;

const OBJECTS: u64 = 100;
const CHANGES: u64 = 400;

/// The objects, and their watch.
#[derive(Default)]
struct Source {
    version: u64,
    objects: BTreeMap<String, u64>,
    watch: Option<Feed>,
    requests: u64,
}

impl Source {
    fn answer(&mut self, request: &Recorded) -> Answer {
        self.requests += 1;
        let text = |key| request.query.get(key).map_or("", String::as_str);
        let version = self.version.to_string();
        match (self.requests % 7, text("watch"), text("sendInitialEvents")) {
            (1, ..) => refuse(503, "ServiceUnavailable"),
            (3, ..) => refused_connection(),
            (_, "", _) => list(&version, self.texts().iter().map(String::as_str)),
            (_, _, "") if text("resourceVersion") != version => refuse(410, "Expired"),
            (_, _, "") => self.watched().1,
            (5, ..) => refuse(422, "Invalid"),
            (..) => {
                let texts = self.texts();
                let (feed, answer) = self.watched();
                texts.iter().for_each(|object| feed.line(added(object)));
                feed.line(initial_events_end(&version));
                answer
            }
        }
    }

    fn watched(&mut self) -> (&Feed, Answer) {
        let (feed, answer) = feed();
        (self.watch.insert(feed), answer)
    }

    fn texts(&self) -> Vec<String> {
        let objects = self.objects.iter();
        objects
            .map(|(name, version)| format!("a/{name}@{version}"))
            .collect()
    }

    /// Makes one object the newest, and deletes the oldest.
    fn change(&mut self, at: u64) {
        self.version += 1;
        // Half of the names are never reused.
        let name = match at % 2 {
            0 => format!("same-{}", at % OBJECTS),
            _ => format!("new-{}", self.version),
        };
        self.put(&name);
        if self.objects.len() as u64 > OBJECTS {
            let oldest = self
                .objects
                .iter()
                .min_by_key(|(_, version)| **version)
                .unwrap()
                .0
                .clone();
            self.version += 1;
            self.objects.remove(&oldest);
            self.tell(&deleted(&format!("a/{oldest}@{}", self.version)));
        }
    }

    fn put(&mut self, name: &str) {
        let text = format!("a/{name}@{}", self.version);
        let line = match self.objects.insert(name.to_owned(), self.version) {
            Some(_) => modified(&text),
            None => added(&text),
        };
        self.tell(&line);
    }

    fn tell(&self, line: &str) {
        self.watch.iter().for_each(|watch| watch.line(line));
    }
}

/// Returns the resident memory of this process in KiB, or `None` if it cannot be read.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

/// Returns a handler that takes a second for each event, and so falls behind.
fn slow() -> Handlers<ConfigMap> {
    let pause = || std::panic::resume_unwind(Box::new("a second each"));
    Handlers::new()
        .on_add(move |_, _| pause())
        .on_update(move |_, _| pause())
        .on_delete(move |_| pause())
}

async fn round(at: u64, source: &Mutex<Source>, informer: &SharedInformer<ConfigMap>) {
    let added = informer
        .add_handler_with(
            slow(),
            HandlerOptions::new().resync(Duration::from_secs(10)),
        )
        .unwrap();
    for change in 0..CHANGES {
        source.lock().unwrap().change(at * CHANGES + change);
        if change.is_multiple_of(16) {
            settle().await;
        }
        if change == CHANGES / 2 {
            source.lock().unwrap().watch = None;
        }
    }
    sleep(Duration::from_secs(300)).await;
    if at.is_multiple_of(3) {
        added.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn memory_does_not_grow_with_time() {
    let rounds = std::env::var("SOAK_ROUNDS").map_or(150, |rounds| rounds.parse().unwrap());
    let (api, source) = (Api::new(), Arc::new(Mutex::new(Source::default())));
    source.lock().unwrap().version = 1;
    let answering = Arc::clone(&source);
    api.serve(move |request| answering.lock().unwrap().answer(request));
    let factory = SharedInformerFactory::builder(api.client()).build();
    let informer = factory.informer_for::<ConfigMap>();
    informer
        .indexer()
        .add_indexer("name", |map: &ConfigMap| {
            map.metadata.name.clone().into_iter().collect()
        })
        .unwrap();
    let always_behind = informer
        .add_handler_with(slow(), HandlerOptions::new().coalesce_above(10))
        .unwrap();
    let never_polled = informer.subscribe();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    let mut early = None;
    for at in 0..rounds {
        round(at, &source, &informer).await;
        // Bounded by the events queued before coalescing, and by the existing and notified objects.
        assert!(always_behind.depth() as u64 <= 10 + 3 * OBJECTS);
        assert!(never_polled.depth() as u64 <= 1024 + 3 * (1024 + OBJECTS));
        if at == rounds / 5 {
            early = resident();
        }
    }
    let late = resident();
    let there = || source.lock().unwrap().objects.clone();
    eventually(|| cached(&informer) == there()).await;
    assert_eq!(
        informer.indexer().index_values("name").unwrap().len(),
        there().len()
    );
    if let (Some(early), Some(late)) = (early, late) {
        println!("{rounds} rounds: {early} KiB after a fifth of them, {late} KiB in the end");
        assert!(
            late <= early + early / 4 + 2048,
            "{early} KiB, then {late} KiB"
        );
    }
    drop(never_polled.map(drop).collect::<Vec<_>>().now_or_never());
    factory.shutdown().await;
}

fn cached(informer: &SharedInformer<ConfigMap>) -> BTreeMap<String, u64> {
    let objects = informer.indexer().list();
    let cached = objects.iter().map(|object| {
        let version = object.metadata.resource_version.as_ref().unwrap();
        (
            ObjectName::from_object(&**object).name().to_owned(),
            version.parse().unwrap(),
        )
    });
    cached.collect()
}
