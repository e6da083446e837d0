//! Tests of relists: their events, and the cache that handlers see meanwhile.

use std::sync::Arc;
use std::time::Duration;

use genclient::cache::Indexer;
use genclient::informer::{Deleted, EventHandler, HandlerOptions};
use k8s_openapi::api::core::v1::ConfigMap;

use super::scripted::*;
use super::{Recorder, cached, informer_with, listed};

/// A handler that records the whole cache at each event.
struct Lister {
    cache: Indexer<ConfigMap>,
    lists: Recorder,
}

impl Lister {
    fn list(&self) {
        self.lists.write(listed(&self.cache).join(" "));
    }
}

impl EventHandler<ConfigMap> for Lister {
    fn on_add(&self, _: Arc<ConfigMap>, _: bool) {
        self.list();
    }

    fn on_update(&self, _: Arc<ConfigMap>, _: Arc<ConfigMap>) {
        self.list();
    }

    fn on_delete(&self, _: Deleted<ConfigMap>) {
        self.list();
    }
}

/// The tests of client-go's `UndeltaStore`, which pushes its whole content at each change.
#[tokio::test(start_paused = true)]
async fn handlers_may_list_the_cache_at_every_change() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([list("10", []), answer, list("20", ["a/b@15"]), hang()]);
    let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
    let lists = Recorder::default();
    let lister = Lister {
        cache: informer.indexer(),
        lists: lists.clone(),
    };
    informer.add_handler(lister).unwrap().detach();
    factory.start();
    api.asked(2).await;
    for (line, list) in [
        (added("a/a@11"), "a/a@11"),
        (modified("a/a@12"), "a/a@12"),
        (added("a/c@13"), "a/a@12 a/c@13"),
        (deleted("a/c@14"), "a/a@12"),
        (deleted("a/a@14"), ""),
        (failed(410, "Expired"), "a/b@15"),
    ] {
        feed.line(line);
        eventually(|| lists.len() > 0).await;
        assert_eq!(cached(&informer).join(" "), list);
        assert_eq!(lists.take(), [list]);
    }
    factory.shutdown().await;
}

/// The cases of `TestReplaceEvents`. When a handler receives the first event of a list, the cache
/// holds the whole list.
#[tokio::test(start_paused = true)]
async fn replace_events() {
    let cases: [(&[&str], &[&str], &[&str]); 3] = [
        (&[], &["a/pod-1@1"], &["add a/pod-1@1"]),
        (
            &["a/pod-1@1", "a/pod-3@2"],
            &[],
            &[
                "delete a/pod-1 last seen at 1",
                "delete a/pod-3 last seen at 2",
            ],
        ),
        (
            &["a/pod-1@1", "a/pod-2@2", "a/pod-3@3"],
            &["a/pod-1@4", "a/pod-2@5", "a/pod-4@6"],
            &[
                "delete a/pod-3 last seen at 3",
                "update a/pod-1@4 from 1",
                "update a/pod-2@5 from 2",
                "add a/pod-4@6",
            ],
        ),
    ];
    for (initial, replaced, expected) in cases {
        let api = Api::new();
        let (feed, answer) = feed();
        let lists = [initial, replaced].map(|objects| list("10", objects.iter().copied()));
        let [first, second] = lists;
        api.answer([first, answer, second, hang()]);
        let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
        let recorder = Recorder::default();
        informer.add_handler(recorder.clone()).unwrap().detach();
        let lists = Recorder::default();
        let lister = Lister {
            cache: informer.indexer(),
            lists: lists.clone(),
        };
        informer.add_handler(lister).unwrap().detach();
        factory.start();
        api.asked(2).await;
        settle().await;
        assert_eq!(recorder.take().len(), initial.len());
        assert_eq!(lists.take().len(), initial.len());

        feed.line(failed(410, "Expired"));
        api.asked(4).await;
        settle().await;
        let mut events = recorder.take();
        // As in client-go, deletions come first, in no particular order.
        let deletions = events.partition_point(|event| event.starts_with("delete"));
        events[..deletions].sort();
        assert_eq!(events, expected);
        assert_eq!(cached(&informer), replaced);
        assert_eq!(lists.take(), vec![replaced.join(" "); expected.len()]);
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn relist_notifies_deletions_before_changes() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([
        list("10", ["a/same@1", "a/changed@2", "a/gone@3"]),
        answer,
        list("20", ["a/new@15", "a/changed@16", "a/same@1"]),
        hang(),
    ]);
    let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
    let (plain, resyncing) = (Recorder::default(), Recorder::default());
    informer.add_handler(plain.clone()).unwrap().detach();
    let hour = Duration::from_secs(3600);
    informer
        .add_handler_with(resyncing.clone(), HandlerOptions::new().resync(hour))
        .unwrap()
        .detach();
    factory.start();
    settle().await;
    assert_eq!(
        plain.take(),
        [
            "add a/same@1 initial",
            "add a/changed@2 initial",
            "add a/gone@3 initial"
        ]
    );
    assert_eq!(resyncing.take().len(), 3);

    feed.line(failed(410, "Expired"));
    api.asked(4).await;
    settle().await;
    let changes = [
        "delete a/gone last seen at 3",
        "add a/new@15",
        "update a/changed@16 from 2",
    ];
    assert_eq!(plain.take(), changes);
    let resynced = resyncing.take();
    assert_eq!(resynced[..3], changes);
    assert_eq!(resynced[3..], ["update a/same@1 from 1"]);
    factory.shutdown().await;
}
