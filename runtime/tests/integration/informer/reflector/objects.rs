//! Reflector tests of objects: memory, replacement and transforms.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use futures::StreamExt;
use genclient::cache::ObjectName;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::{ApiResource, DynamicObject};
use serde_json::json;

use super::super::scripted::{self, *};
use super::super::{Recorder, cached, describe, informer, informer_with, short};

/// One object of each of five pages stays cached; it must not keep the other objects in memory.
#[tokio::test(start_paused = true)]
async fn listed_objects_do_not_share_memory() {
    // TestReflectorListExtract
    let pages: Vec<Vec<_>> = (0..5)
        .map(|page| (0..10).map(|at| format!("a/{page}-{at}@1")).collect())
        .collect();
    let api = Api::new();
    for (at, page) in pages.iter().enumerate() {
        let next = ["1", "2", "3", "4", ""][at];
        let objects = page.iter().map(String::as_str);
        api.answer([scripted::page("10", objects, next)]);
    }
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
    factory.start();
    api.asked(6).await;
    let objects = informer.indexer().list();
    let weak: Vec<_> = objects.iter().map(Arc::downgrade).collect();
    drop(objects);
    assert_eq!(weak.len(), 50);
    for object in pages.iter().flat_map(|page| &page[..9]) {
        feed.line(deleted(&object.replace("@1", "@11")));
    }
    settle().await;
    let kept: Vec<_> = pages.iter().map(|page| &*page[9]).collect();
    assert_eq!(cached(&informer), kept);
    assert_eq!(weak.iter().filter_map(Weak::upgrade).count(), kept.len());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn relists_reuse_unchanged_cached_objects() {
    let same = ["a/same@1", "a/changed@2"];
    for (is_streamed, first, second) in [
        (
            false,
            list("10", same),
            list("20", ["a/same@1", "a/changed@15"]),
        ),
        (
            true,
            stream([added(same[0]), added(same[1]), initial_events_end("10")]).end(),
            stream([
                added("a/same@1"),
                added("a/changed@15"),
                initial_events_end("20"),
            ]),
        ),
    ] {
        let api = Api::new();
        let (feed, answer) = feed();
        api.answer([first, answer, second]);
        let (factory, informer) = informer_with(&api, |builder| builder.watch_list(is_streamed));
        factory.start();
        api.asked(2).await;
        settle().await;
        let object = |name| {
            informer
                .indexer()
                .get(&ObjectName::namespaced("a", name))
                .unwrap()
        };
        let before = [object("same"), object("changed")];
        feed.line(failed(410, "Expired"));
        eventually(|| cached(&informer) == ["a/changed@15", "a/same@1"]).await;
        assert!(Arc::ptr_eq(&before[0], &object("same")));
        assert!(!Arc::ptr_eq(&before[1], &object("changed")));
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn unsafe_deletion_replaces_the_cache() {
    // TestReflectorReplacesStoreOnUnsafeDelete
    let api = Api::new();
    let objects = ["a/foo-1@1", "a/foo-2@2", "a/foo-3@3"];
    api.answer([
        list("3", objects),
        stream([added("a/foo@4"), failed(500, "StorageReadError")]),
        list("5", objects),
        hang(),
    ]);
    let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
    let recorder = Recorder::default();
    informer.add_handler(recorder.clone()).unwrap().detach();
    factory.start();
    api.asked(4).await;
    settle().await;
    assert_eq!(
        api.requests()[1..],
        ["watch rv=3", "list rv=4", "watch rv=5"]
    );
    assert_eq!(cached(&informer), objects);
    assert_eq!(
        recorder.take()[3..],
        ["add a/foo@4", "delete a/foo last seen at 4"]
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn every_object_is_transformed_once() {
    // TestReflectorRespectStoreTransformer
    let api = Api::new();
    api.answer([stream([
        added("a/foo-1@1"),
        added("a/foo-2@2"),
        initial_events_end("3"),
        added("a/foo-3@3"),
    ])]);
    let (factory, informer) = informer(&api);
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    informer
        .set_transform(move |map: &mut ConfigMap| {
            counted.fetch_add(1, Ordering::Relaxed);
            map.immutable = Some(true);
        })
        .unwrap();
    factory.start();
    eventually(|| cached(&informer).len() == 3).await;
    let objects = informer.indexer().list();
    assert!(objects.iter().all(|map| map.immutable == Some(true)));
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    factory.shutdown().await;
}

/// `TestRealFIFO_transformer` and `TestDeltaFIFO_transformer`: the object in an event is
/// transformed once, also if it was deleted or is missing from a list.
#[tokio::test(start_paused = true)]
async fn tombstones_are_not_transformed_again() {
    let api = Api::new();
    let (first, answer) = feed();
    let (second, next) = feed();
    api.answer([list("5", []), answer, list("15", []), next, list("20", [])]);
    let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
    let transform = |map: &mut ConfigMap| {
        let count = map.data.get_or_insert_default().entry("xfrm".to_owned());
        count.or_default().push('x');
    };
    informer.set_transform(transform).unwrap();
    let events = informer.subscribe().map(|event| {
        let (verb, map) = short(event);
        let count = &map.data.as_ref().unwrap()["xfrm"];
        format!("{verb} {} {count}", describe(&map))
    });
    factory.start();
    for line in [
        added("a/foo@10"),
        added("a/bar@11"),
        modified("a/foo@12"),
        deleted("a/foo@15"),
        failed(410, "Expired"),
    ] {
        first.line(line);
    }
    api.asked(4).await;
    second.line(added("a/bar@16"));
    second.line(failed(410, "Expired"));
    assert_eq!(
        events.take(7).collect::<Vec<_>>().await,
        [
            "add a/foo@10 x",
            "add a/bar@11 x",
            "update a/foo@12 x",
            "delete a/foo@15 x",
            "lose a/bar@11 x",
            "add a/bar@16 x",
            "lose a/bar@16 x",
        ]
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn dynamic_informer_rejects_other_kinds() {
    // TestGetExpectedGVKFromObject, TestIsUnsupportedTableObject
    let object = |api_version, kind| {
        let metadata = json!({"namespace": "a", "name": "one", "resourceVersion": "11"});
        event(
            "ADDED",
            json!({"apiVersion": api_version, "kind": kind, "metadata": metadata}),
        )
    };
    for (api_version, kind, cause) in [
        ("v1", "ConfigMap", None),
        (
            "v1",
            "Secret",
            Some("expected `ConfigMap` of `v1`, found `Secret` of `v1`"),
        ),
        (
            "meta.k8s.io/v1",
            "Table",
            Some("expected `ConfigMap` of `v1`, found `Table` of `meta.k8s.io/v1`"),
        ),
        (
            "meta.k8s.io/v1beta1",
            "Table",
            Some("expected `ConfigMap` of `v1`, found `Table` of `meta.k8s.io/v1beta1`"),
        ),
    ] {
        let api = Api::new();
        api.answer([stream([
            object(api_version, kind),
            initial_events_end("20"),
        ])]);
        let (factory, _) = informer(&api);
        let types = ApiResource::erase::<ConfigMap>(&());
        let informer = factory.informer_for_with::<DynamicObject>(types);
        informer.start();
        informer.wait_for_cache_sync().await.unwrap();
        let skipped = informer.skipped();
        let found = skipped.first().map(|skipped| &*skipped.cause);
        assert_eq!(found, cause);
        assert_eq!(informer.indexer().len(), usize::from(cause.is_none()));
        factory.shutdown().await;
    }
}
