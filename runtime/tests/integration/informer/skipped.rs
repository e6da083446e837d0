//! Tests of objects that cannot be decoded.

use super::scripted::*;
use super::{Recorder, cached, informer, informer_with};

#[tokio::test(start_paused = true)]
async fn undecodable_object_does_not_stop_the_informer() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer, hang()]);
    let (factory, informer) = informer(&api);
    let recorder = Recorder::default();
    let _registration = informer.add_handler(recorder.clone()).unwrap();
    factory.start();
    for line in [
        added("a/one@1"),
        added("a/bad@2!"),
        initial_events_end("10"),
    ] {
        feed.line(line);
    }
    let synced = factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(synced.skipped(), 1);
    assert_eq!(synced.skipped[0].0.to_string(), "configmaps.v1");
    feed.line(modified("a/one@11!"));
    feed.line(added("a/two@12"));
    settle().await;
    assert_eq!(cached(&informer), ["a/one@1", "a/two@12"]);
    let skipped: Vec<_> = informer
        .skipped()
        .iter()
        .map(|skipped| format!("{}@{}", skipped.name, skipped.resource_version))
        .collect();
    assert_eq!(skipped, ["a/bad@2", "a/one@11"]);
    let synced = factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(synced.skipped(), 2);
    let cause = &informer.skipped()[0].cause;
    assert!(
        cause.contains("invalid type: integer, expected a map"),
        "{cause}"
    );

    // Once it is readable again, the update starts from the cached state.
    feed.line(modified("a/one@13"));
    feed.line(deleted("a/bad@14!"));
    settle().await;
    assert_eq!(informer.skipped(), []);
    assert_eq!(informer.wait_for_cache_sync().await.unwrap().skipped(), 0);
    let synced = factory.wait_for_cache_sync().await.unwrap();
    assert!(synced.skipped.is_empty(), "{synced:?}");
    assert_eq!(
        recorder.take(),
        [
            "add a/one@1 initial",
            "add a/two@12",
            "update a/one@13 from 1",
            "delete a/bad last seen at never",
        ]
    );
    // The next watch starts after the unreadable object.
    feed.line(added("a/worse@20!"));
    drop(feed);
    api.asked(2).await;
    assert_eq!(api.requests()[1], "watch rv=20");
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn undecodable_listed_object_keeps_its_cached_state() {
    let api = Api::new();
    api.answer([
        list("10", ["a/one@1", "a/two@2"]),
        refuse(410, "Expired"),
        list("20", ["a/one@15!", "a/new@16!"]),
        hang(),
    ]);
    let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
    let recorder = Recorder::default();
    let _registration = informer.add_handler(recorder.clone()).unwrap();
    factory.start();
    api.asked(4).await;
    settle().await;
    assert_eq!(cached(&informer), ["a/one@1"]);
    assert_eq!(informer.skipped().len(), 2);
    assert_eq!(
        recorder.take().last().unwrap(),
        "delete a/two last seen at 2"
    );
    factory.shutdown().await;
}

/// The cached object is deleted, even if another one has its name.
#[tokio::test(start_paused = true)]
async fn undecodable_object_evicts_an_older_one_of_the_same_name() {
    for relists in [true, false] {
        let api = Api::new();
        let (feed, answer) = feed();
        api.answer([list("10", ["a/one@1", "a/two@2"]), answer]);
        let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
        let recorder = Recorder::default();
        let _registration = informer.add_handler(recorder.clone()).unwrap();
        factory.start();
        api.asked(2).await;
        if relists {
            api.answer([list("20", ["a/one@15*!", "a/two@2"])]);
            feed.line(failed(410, "Expired"));
        } else {
            feed.line(added("a/one@15*!"));
        }
        eventually(|| !informer.skipped().is_empty()).await;
        settle().await;
        assert_eq!(cached(&informer), ["a/two@2"]);
        assert_eq!(recorder.take()[2..], ["delete a/one last seen at 1"]);
        let skipped = &informer.skipped()[0];
        assert_eq!(skipped.name.to_string(), "a/one");
        assert_eq!(skipped.uid, "second-uid-of-one");
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn unnamed_undecodable_object_is_forgotten_by_the_next_list() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer_in("a", [list("10", ["@1!"]), answer, list("20", []), hang()]);
    let (factory, informer) =
        informer_with(&api, |builder| builder.watch_list(false).namespace("a"));
    factory.start();
    assert_eq!(factory.wait_for_cache_sync().await.unwrap().skipped(), 1);
    api.asked(2).await;
    feed.line(modified("@11!"));
    settle().await;
    assert_eq!(informer.skipped().len(), 1);
    feed.line(failed(410, "Expired"));
    api.asked(4).await;
    assert_eq!(informer.skipped(), []);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn deletion_with_an_undecodable_last_state_is_applied() {
    let api = Api::new();
    api.answer([stream([
        added("a/one@1"),
        initial_events_end("10"),
        deleted("a/one@11!"),
    ])]);
    let (factory, informer) = informer(&api);
    let recorder = Recorder::default();
    let _registration = informer.add_handler(recorder.clone()).unwrap();
    factory.start();
    settle().await;
    assert!(informer.indexer().is_empty());
    assert_eq!(recorder.take()[1..], ["delete a/one last seen at 1"]);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn panicking_transform_skips_only_its_object() {
    let api = Api::new();
    api.answer([stream([
        added("a/bad@1"),
        added("a/good@2"),
        initial_events_end("10"),
    ])]);
    let (factory, informer) = informer(&api);
    informer
        .set_transform(|map| assert!(map.metadata.name.as_deref() != Some("bad"), "as told"))
        .unwrap();
    factory.start();
    assert_eq!(factory.wait_for_cache_sync().await.unwrap().skipped(), 1);
    assert_eq!(cached(&informer), ["a/good@2"]);
    factory.shutdown().await;
}
