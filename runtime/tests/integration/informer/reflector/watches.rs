//! Reflector tests of watches: start, end and effects of events.

use std::time::Duration;

use serde_json::json;

use super::super::scripted::*;
use super::super::{Recorder, cached, informer, informer_with, seconds};
use super::check_lists;

#[tokio::test(start_paused = true)]
async fn watch_connections_are_closed_on_error_and_stop() {
    // TestCloseWatchChannelOnError, TestRunUntil, TestReflectorWatchStoppedAfter,
    // TestReflectorHandleWatchStoppedAfter
    for line in [Some(failed(410, "Expired")), None] {
        let api = Api::new();
        let (feed, answer) = feed();
        api.answer([list("1", []), answer]);
        let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
        factory.start();
        feed.line(added("a/bar@2"));
        eventually(|| cached(&informer).len() == 1).await;
        assert!(feed.has_reader());
        match &line {
            Some(line) => feed.line(line.clone()),
            None => factory.shutdown().await,
        }
        eventually(|| !feed.has_reader()).await;
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn invalid_watch_line_leads_to_a_relist() {
    // An event that the end of the connection truncates is read again by the next watch.
    for (end, next) in [("\n", "list rv=11"), ("", "watch rv=11")] {
        let api = Api::new();
        let (feed, answer) = feed();
        api.answer([list("1", []), answer]);
        let (factory, _informer) = informer_with(&api, |builder| builder.watch_list(false));
        factory.start();
        feed.line(added("a/bar@11"));
        feed.piece(r#"{"type":"ADDED""#.to_owned() + end);
        drop(feed);
        api.asked(3).await;
        assert_eq!(api.requests()[2], next);
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn informer_stopped_before_its_start_sends_no_requests() {
    // TestReflectorWatchStoppedBefore, TestReflectorHandleWatchStoppedBefore,
    // TestReflectorStopWatch
    let api = Api::new();
    let (factory, informer) = informer(&api);
    factory.shutdown().await;
    factory.start();
    settle().await;
    assert_eq!(api.requests(), [""; 0]);
    assert!(informer.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn watch_that_closes_within_a_second_leads_to_a_relist() {
    // TestReflectorHandleWatchResultChanClosedBefore, …After
    for lasts in [0, 10, 999] {
        let api = Api::new();
        let (feed, answer) = feed();
        api.answer([list("10", []), answer, list("20", []), hang()]);
        let (factory, _informer) = informer_with(&api, |builder| builder.watch_list(false));
        factory.start();
        api.asked(2).await;
        tokio::time::sleep(Duration::from_millis(lasts) / 2).await;
        drop(feed);
        api.asked(4).await;
        assert_eq!(api.requests()[2..], ["list rv=10", "watch rv=20"]);
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn watch_events_update_the_cache_and_the_version() {
    // TestReflectorWatchHandler, TestReflectorResourceVersionUpdate
    let service = json!({"kind": "Service", "apiVersion": "v1", "metadata": {"name": "rejected"}});
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([list("10", ["a/foo@1", "a/bar@2"]), answer]);
    let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
    factory.start();
    settle().await;
    for (line, version, objects) in [
        (
            event("ADDED", &service),
            "10",
            &["a/bar@2", "a/foo@1"] as &[_],
        ),
        (deleted("a/foo@20"), "20", &["a/bar@2"]),
        (modified("a/bar@55"), "55", &["a/bar@55"]),
        (bookmark("60"), "60", &["a/bar@55"]),
        // Not the highest version, but the last one.
        (added("a/baz@32"), "32", &["a/bar@55", "a/baz@32"]),
    ] {
        feed.line(line);
        settle().await;
        assert_eq!(informer.last_resource_version().as_deref(), Some(version));
        assert_eq!(cached(&informer), objects);
    }
    assert_eq!(informer.skipped().len(), 1);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn list_and_watch() {
    // TestReflectorListAndWatch
    let changes = [
        modified("a/foo@2"),
        added("a/bar@3"),
        added("a/baz@4"),
        added("a/qux@5"),
        added("a/zoo@6"),
    ];
    let streamed = [added("a/foo@1"), initial_events_end("1")];
    for (answers, requests) in [
        (
            vec![stream(streamed.into_iter().chain(changes.clone()))],
            &["watch-list"] as &[_],
        ),
        (
            vec![list("1", ["a/foo@1"]), stream(changes)],
            &["list rv=0 limit=500", "watch rv=1"],
        ),
    ] {
        let api = Api::new();
        api.answer(answers);
        let (factory, informer) =
            informer_with(&api, |builder| builder.watch_list(requests.len() == 1));
        let recorder = Recorder::default();
        informer.add_handler(recorder.clone()).unwrap().detach();
        factory.start();
        eventually(|| recorder.len() == 6).await;
        assert_eq!(
            recorder.take(),
            [
                "add a/foo@1 initial",
                "update a/foo@2 from 1",
                "add a/bar@3",
                "add a/baz@4",
                "add a/qux@5",
                "add a/zoo@6"
            ]
        );
        assert_eq!(api.requests(), requests);
        for request in api.recorded() {
            let expected = request.query.contains_key("watch").then_some("true");
            let bookmarks = request.query.get("allowWatchBookmarks").map(String::as_str);
            assert_eq!(bookmarks, expected);
        }
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn list_and_watch_with_errors() {
    // TestReflectorListAndWatchWithErrors
    let end = || failed(410, "Expired");
    let cached = check_lists(
        None,
        vec![
            list("1", []),
            stream([added("a/foo@2"), added("a/bar@3"), end()]),
            list("3", ["a/foo@2", "a/bar@3"]),
            stream([deleted("a/foo@4"), added("a/qux@5"), end()]),
            refuse(400, "BadRequest"),
            list("5", ["a/bar@3", "a/qux@5"]),
            refuse(400, "BadRequest"),
            list("5", ["a/bar@3", "a/qux@5"]),
            stream([added("a/baz@6"), end()]),
            list("6", ["a/bar@3", "a/qux@5", "a/baz@6"]),
        ],
        &[
            "list rv=0 limit=500",
            "list rv=3",
            "list rv=5",
            "list rv=5",
            "list rv=5",
            "list rv=6",
        ],
    )
    .await;
    assert_eq!(cached, ["a/bar@3", "a/baz@6", "a/qux@5"]);
}

#[tokio::test(start_paused = true)]
async fn watch_timeout_is_between_the_minimum_and_twice_it() {
    // TestWatchTimeout
    for (asked, least) in [(None, 300), (Some(1), 300), (Some(1800), 1800)] {
        let api = Api::new();
        api.answer([list("10", []), hang()]);
        let (factory, _informer) = informer_with(&api, |builder| {
            let builder = builder.watch_list(false);
            asked.into_iter().fold(builder, |builder, asked| {
                builder.min_watch_timeout(seconds(asked))
            })
        });
        factory.start();
        api.asked(2).await;
        let timeout: u64 = api.recorded()[1].query["timeoutSeconds"].parse().unwrap();
        assert!((least..=2 * least).contains(&timeout), "{timeout}");
        factory.shutdown().await;
    }
}
