//! client-go's `tools/cache/reflector_test.go`, test by test. `docs/client-go.md` says which is where.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::{ApiResource, DynamicObject};
use serde_json::json;

use super::scripted::*;
use super::{Recorder, cached, informer, informer_with, seconds};

/// How a round ends that another is to follow.
fn expired() -> Answer {
    stream([failed(410, "Expired")])
}

/// What is asked for without WatchList, whatever the answers are: every list, and how many watches.
async fn check_lists(page_size: Option<u32>, answers: Vec<Answer>, lists: &[&str]) -> Vec<String> {
    let (api, requests) = (Api::new(), answers.len() + 1);
    api.answer(answers);
    let (factory, informer) = informer_with(&api, |builder| {
        let builder = builder.watch_list(false);
        page_size
            .into_iter()
            .fold(builder, |builder, size| builder.page_size(size))
    });
    factory.start();
    api.asked(requests).await;
    settle().await;
    let asked = api.requests();
    let asked: Vec<_> = asked.iter().filter(|it| it.starts_with("list")).collect();
    assert_eq!(asked, lists);
    factory.shutdown().await;
    cached(&informer)
}

fn pods(numbers: std::ops::Range<u32>) -> Vec<String> {
    numbers.map(|n| format!("a/pod-{n}@{n}")).collect()
}

fn pages(version: &str, first: &'static str) -> Vec<Answer> {
    let pods = pods(0..10);
    let part = |range: std::ops::Range<usize>, next| {
        page(version, pods[range].iter().map(String::as_str), next)
    };
    vec![part(0..4, first), part(4..8, "C2"), part(8..10, "")]
}

// === the beginning and the end of a watch ===

#[tokio::test(start_paused = true)]
async fn watches_are_closed_when_they_are_over() {
    // TestCloseWatchChannelOnError, TestRunUntil, TestReflectorWatchStoppedAfter, TestReflectorHandleWatchStoppedAfter
    for line in [Some(failed(410, "Expired")), None] {
        let api = Api::new();
        let (feed, answer) = feed();
        api.answer([list("1", []), answer]);
        let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
        factory.start();
        feed.line(added("a/bar@2"));
        eventually(|| cached(&informer).len() == 1).await;
        assert!(feed.is_heard());
        match &line {
            Some(line) => feed.line(line.clone()),
            None => factory.shutdown().await,
        }
        eventually(|| !feed.is_heard()).await;
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn stopped_before_is_never_begun() {
    // TestReflectorWatchStoppedBefore, TestReflectorHandleWatchStoppedBefore, TestReflectorStopWatch
    let api = Api::new();
    let (factory, informer) = informer(&api);
    factory.shutdown().await;
    factory.start();
    settle().await;
    assert_eq!(api.requests(), [""; 0]);
    assert!(informer.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn watch_that_closes_at_once_is_followed_by_a_list() {
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

// === what events do ===

#[tokio::test(start_paused = true)]
async fn events_are_applied_and_their_versions_kept() {
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
        // Not a larger one, but the last one.
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

// === failures that are waited out ===

#[tokio::test(start_paused = true)]
async fn refused_connections_are_waited_out_in_growing_pauses() {
    // TestReflectorListAndWatchInitConnBackoff
    for (refused, least, most) in [(5, 24.8, 49.6), (40, 50.4 + 34.0 * 30.0, 2.0 * 1070.4)] {
        let api = Api::new();
        api.answer([list("1", [])]);
        api.answer((0..refused).map(|_| refused_connection()));
        let (factory, _informer) = informer_with(&api, |builder| builder.watch_list(false));
        factory.start();
        api.asked(refused + 2).await;
        let requests = api.recorded();
        let took = (requests[refused + 1].at - requests[1].at).as_secs_f64();
        assert!((least..=most + 1.0).contains(&took), "{refused}: {took} s");
        assert_eq!(api.requests()[2..], vec!["watch rv=1"; refused]);
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn too_many_requests_are_waited_out_without_a_list() {
    // TestBackoffOnTooManyRequests, TestNoRelistOnTooManyRequests
    let busy = || refuse(429, "TooManyRequests");
    let busy_stream = || stream([failed(429, "TooManyRequests")]);
    for answers in [
        vec![busy(), busy_stream()],
        vec![busy(), busy(), busy(), busy()],
    ] {
        let (api, pauses) = (Api::new(), answers.len());
        api.answer([list("1", [])].into_iter().chain(answers));
        let (factory, _informer) = informer_with(&api, |builder| builder.watch_list(false));
        factory.start();
        api.asked(pauses + 2).await;
        assert_eq!(api.requests()[1..], vec!["watch rv=1"; pauses + 1]);
        let watches = api.recorded().split_off(1);
        for (number, pair) in watches.windows(2).enumerate() {
            let pause = (pair[1].at - pair[0].at).as_secs_f64();
            let least = 0.8 * 2_f64.powi(number.try_into().unwrap());
            assert!((least..=2.0 * least + 0.1).contains(&pause), "{pause}");
        }
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn internal_errors_are_retried_for_as_long_as_is_asked_for() {
    // TestRetryInternalError
    let failure = || stream([failed(500, "InternalError")]);
    for (longest, is_healthy_once, least, most) in
        [(0, false, 0, 0), (30, false, 30, 90), (30, true, 31, 180)]
    {
        let api = Api::new();
        api.answer([list("1", [])]);
        api.answer((0..4).map(|_| failure()));
        if is_healthy_once {
            api.answer([stream([bookmark("2"), failed(500, "InternalError")])]);
        }
        api.answer((0..20).map(|_| failure()));
        let (factory, _informer) = informer_with(&api, |builder| {
            builder
                .watch_list(false)
                .max_internal_error_retry(seconds(longest))
        });
        factory.start();
        let is_list = |it: &String| it.starts_with("list");
        eventually(|| api.requests().iter().filter(|it| is_list(it)).count() == 2).await;
        let requests = api.recorded();
        let waited = (requests[requests.len() - 1].at - requests[1].at).as_secs();
        // Zero, but for the pause before a round.
        let most = most.max(2);
        assert!((least..=most).contains(&waited), "{waited} s");
        let healthy = api.requests().iter().any(|it| it == "watch rv=2");
        assert_eq!(healthy, is_healthy_once);
        factory.shutdown().await;
    }
}

// === which resource version, and which pages ===

#[tokio::test(start_paused = true)]
async fn page_size_is_kept_for_every_version() {
    // TestReflectorWatchListPageSize
    let mut answers = vec![list("10", []), expired()];
    answers.extend(pages("10", "C1"));
    let lists = &[
        "list rv=0 limit=4",
        "list rv=10 limit=4",
        "list limit=4 continue=C1",
        "list limit=4 continue=C2",
    ];
    assert_eq!(check_lists(Some(4), answers, lists).await, pods(0..10));
}

#[tokio::test(start_paused = true)]
async fn reads_from_memory_are_not_paged() {
    // TestReflectorNotPaginatingNotConsistentReads
    let all = pods(0..10);
    let all = list("10", all.iter().map(String::as_str));
    let answers = vec![list("10", []), expired(), all];
    let lists = &["list rv=0 limit=500", "list rv=10"];
    assert_eq!(check_lists(None, answers, lists).await, pods(0..10));
}

#[tokio::test(start_paused = true)]
async fn reads_are_paged_where_there_is_no_watch_cache() {
    // TestReflectorPaginatingNonConsistentReadsIfWatchCacheDisabled
    let mut answers = pages("10", "C1");
    answers.push(expired());
    answers.extend(pages("10", "C1"));
    let lists = &[
        "list rv=0 limit=500",
        "list limit=500 continue=C1",
        "list limit=500 continue=C2",
        "list rv=10 limit=500",
        "list limit=500 continue=C1",
        "list limit=500 continue=C2",
    ];
    assert_eq!(check_lists(None, answers, lists).await, pods(0..10));
}

#[tokio::test(start_paused = true)]
async fn lists_begin_where_the_last_one_was() {
    // TestReflectorResyncWithResourceVersion: "0", "10"
    // TestReflectorExpiredExactResourceVersion: "0", "10", ""
    let few = || list("10", ["a/pod-0@0"]);
    let more = || list("11", ["a/pod-0@0", "a/pod-1@1"]);
    for (answers, lists) in [
        (
            vec![few(), expired(), more()],
            &["list rv=0 limit=500", "list rv=10"] as &[_],
        ),
        (
            vec![few(), expired(), refuse(410, "Expired"), more()],
            &["list rv=0 limit=500", "list rv=10", "list limit=500"],
        ),
    ] {
        assert_eq!(check_lists(None, answers, lists).await, pods(0..2));
    }
}

#[tokio::test(start_paused = true)]
async fn expired_page_leads_to_one_list_of_all() {
    // TestReflectorFullListIfExpired: "0", "10", "", "10"
    let answers = vec![
        list("10", ["a/pod-0@0"]),
        expired(),
        page("11", ["a/pod-0@0"], "C1"),
        refuse(410, "Expired"),
        list("11", ["a/pod-0@0", "a/pod-1@1"]),
    ];
    let lists = &[
        "list rv=0 limit=4",
        "list rv=10 limit=4",
        "list limit=4 continue=C1",
        "list rv=10",
    ];
    assert_eq!(check_lists(Some(4), answers, lists).await, pods(0..2));
}

#[tokio::test(start_paused = true)]
async fn version_too_large_leads_to_a_list_of_the_latest() {
    // TestReflectorFullListIfTooLarge: "0", "20", "", "30", "", "40", "", in the words of three generations of servers
    let timeout = |message: &str, cause: serde_json::Value| {
        let details = json!({"causes": [cause]});
        let status = json!({"status": "Failure", "reason": "Timeout", "code": 504, "message": message, "details": details});
        body(504, status.to_string())
    };
    let answers = vec![
        list("20", []),
        expired(),
        timeout(
            "too large resource version",
            json!({"reason": "ResourceVersionTooLarge"}),
        ),
        list("30", []),
        expired(),
        timeout(
            "too large resource version",
            json!({"message": "Too large resource version"}),
        ),
        list("40", []),
        expired(),
        timeout("Too large resource version", json!({})),
        list("50", []),
    ];
    let lists = &[
        "list rv=0 limit=500",
        "list rv=20",
        "list limit=500",
        "list rv=30",
        "list limit=500",
        "list rv=40",
        "list limit=500",
    ];
    check_lists(None, answers, lists).await;
}

// === odds and ends ===

#[tokio::test(start_paused = true)]
async fn watch_timeout_is_between_the_least_and_twice_that() {
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

#[tokio::test(start_paused = true)]
async fn listed_objects_do_not_keep_one_another() {
    // TestReflectorListExtract
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([list("10", ["a/kept@1", "a/gone@2"]), answer]);
    let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
    factory.start();
    api.asked(2).await;
    let gone = Arc::downgrade(&informer.indexer().get_parts("a", "gone").unwrap());
    feed.line(deleted("a/gone@11"));
    settle().await;
    assert_eq!(cached(&informer), ["a/kept@1"]);
    assert!(gone.upgrade().is_none());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn listed_objects_are_those_of_before_unless_they_changed() {
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
        let object = |name| informer.indexer().get_parts("a", name).unwrap();
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

#[tokio::test(start_paused = true)]
async fn other_kinds_are_no_objects_of_a_dynamic_informer() {
    // TestGetExpectedGVKFromObject, TestIsUnsupportedTableObject
    let object = |api_version, kind| {
        let metadata = json!({"namespace": "a", "name": "one", "resourceVersion": "11"});
        event(
            "ADDED",
            &json!({"apiVersion": api_version, "kind": kind, "metadata": metadata}),
        )
    };
    for (api_version, kind, cause) in [
        ("v1", "ConfigMap", None),
        (
            "v1",
            "Secret",
            Some("it is a `Secret` of `v1`, not a `ConfigMap` of `v1`"),
        ),
        (
            "meta.k8s.io/v1",
            "Table",
            Some("it is a `Table` of `meta.k8s.io/v1`, not a `ConfigMap` of `v1`"),
        ),
        (
            "meta.k8s.io/v1beta1",
            "Table",
            Some("it is a `Table` of `meta.k8s.io/v1beta1`, not a `ConfigMap` of `v1`"),
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
