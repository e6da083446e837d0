//! Tests of the requests of an informer and their order, for given responses.

use std::sync::Arc;
use std::time::Duration;

use genclient::cache::Indexer;
use genclient::informer::{Deleted, EventHandler, HandlerOptions};
use k8s_openapi::api::core::v1::ConfigMap;

use super::scripted::*;
use super::{Recorder, cached, informer, informer_with, listed};

/// Runs an informer over a script until it has made the expected number of requests.
#[track_caller]
fn check(
    answers: impl IntoIterator<Item = Answer>,
    requests: &'static [&'static str],
    objects: &'static [&'static str],
) -> impl Future<Output = ()> {
    let api = Api::new();
    api.answer(answers);
    check_api(api, true, requests, objects)
}

/// As [`check`], without WatchList.
#[track_caller]
fn check_listing(
    answers: impl IntoIterator<Item = Answer>,
    requests: &'static [&'static str],
    objects: &'static [&'static str],
) -> impl Future<Output = ()> {
    let api = Api::new();
    api.answer(answers);
    check_api(api, false, requests, objects)
}

async fn check_api(api: Api, watch_list: bool, requests: &[&str], objects: &[&str]) {
    let (factory, informer) = informer_with(&api, |builder| builder.watch_list(watch_list));
    factory.start();
    api.asked(requests.len()).await;
    settle().await;
    assert_eq!(api.requests(), requests);
    assert_eq!(cached(&informer), objects);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn streamed_list_goes_on_as_a_watch() {
    let lines = [
        added("a/one@3"),
        added("a/two@2"),
        initial_events_end("10"),
        modified("a/one@11"),
        deleted("a/two@12"),
        added("b/three@13"),
    ];
    check(
        [stream(lines)],
        &["watch-list"],
        &["a/one@11", "b/three@13"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn streamed_list_may_change_while_it_arrives() {
    let lines = [
        added("a/one@3"),
        added("a/two@2"),
        added("a/three@5"),
        deleted("a/two@11"),
        modified("a/one@12"),
        added("a/two@13"),
        bookmark("13"),
        initial_events_end("14"),
    ];
    check(
        [stream(lines).end(), hang()],
        &["watch-list", "watch rv=14"],
        &["a/one@12", "a/three@5", "a/two@13"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_cached_before_a_streamed_list_is_complete() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    factory.start();
    feed.line(added("a/one@3"));
    feed.line(bookmark("9"));
    settle().await;
    assert!(!informer.has_synced());
    assert!(informer.indexer().is_empty());
    assert_eq!(informer.last_resource_version(), None);
    feed.line(initial_events_end("10"));
    settle().await;
    assert!(informer.has_synced());
    assert_eq!(informer.last_resource_version().as_deref(), Some("10"));
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn lists_where_streaming_is_refused() {
    check(
        [refuse(422, "Invalid"), list("10", ["a/one@5"]), hang()],
        &["watch-list", "list rv=0 limit=500", "watch rv=10"],
        &["a/one@5"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn lists_where_a_streamed_list_stands_still_or_ends_at_once() {
    for broken in [
        stream([added("a/old@1"), bookmark("2")]),
        stream([]).end(),
        stream([]).broken(),
        stream([failed(500, "InternalError")]),
        lost_connection(),
        body(200, "<html>not an API server</html>"),
    ] {
        check(
            [broken, list("10", ["a/one@5"]), hang()],
            &["watch-list", "list rv=0 limit=500", "watch rv=10"],
            &["a/one@5"],
        )
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn lists_where_streamed_lists_end_too_soon() {
    for broken in [
        || stream([added("a/old@1")]).end(),
        || stream([added("a/old@1")]).broken(),
    ] {
        check(
            [broken(), broken(), list("10", ["a/one@5"]), hang()],
            &[
                "watch-list",
                "watch-list",
                "list rv=0 limit=500",
                "watch rv=10",
            ],
            &["a/one@5"],
        )
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn overload_is_waited_out_without_listing() {
    check(
        [
            refused_connection(),
            refuse(429, "TooManyRequests"),
            stream([initial_events_end("10")]).end(),
            refuse(429, "TooManyRequests"),
            refused_connection(),
            stream([failed(429, "TooManyRequests")]),
            stream([added("a/one@11")]).end(),
            hang(),
        ],
        &[
            "watch-list",
            "watch-list",
            "watch-list",
            "watch rv=10",
            "watch rv=10",
            "watch rv=10",
            "watch rv=10",
            "watch rv=11",
        ],
        &["a/one@11"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn ended_watch_is_followed_by_one_from_where_it_ended() {
    check_listing(
        [
            list("10", ["a/one@5"]),
            stream([modified("a/one@12")]).end(),
            stream([bookmark("20")]).end(),
            stream([deleted("a/one@21")]).broken(),
            hang(),
        ],
        &[
            "list rv=0 limit=500",
            "watch rv=10",
            "watch rv=12",
            "watch rv=20",
            "watch rv=21",
        ],
        &[],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn half_an_event_is_none() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([list("10", ["a/one@5"]), answer, hang()]);
    let (factory, informer) = informer_with(&api, |builder| builder.watch_list(false));
    factory.start();
    let (line, half) = (added("a/two@11"), added("a/three@12"));
    feed.piece(&line[..20]);
    settle().await;
    feed.piece(format!("{}\n{}", &line[20..], &half[..40]));
    drop(feed);
    api.asked(3).await;
    assert_eq!(api.requests()[2], "watch rv=11");
    assert_eq!(cached(&informer), ["a/one@5", "a/two@11"]);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn expired_version_is_listed_again_from_where_it_was() {
    for gone in [
        refuse(410, "Expired"),
        refuse(410, "Gone"),
        stream([failed(410, "Expired")]),
        body(410, ""),
    ] {
        check_listing(
            [
                list("10", ["a/one@5"]),
                gone,
                list("20", ["a/two@15"]),
                hang(),
            ],
            &[
                "list rv=0 limit=500",
                "watch rv=10",
                "list rv=10",
                "watch rv=20",
            ],
            &["a/two@15"],
        )
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn version_that_a_list_cannot_have_is_not_asked_for_twice() {
    for unavailable in [
        refuse(410, "Expired"),
        body(
            504,
            r#"{"status":"Failure","reason":"Timeout","message":"Too large resource version: 10"}"#,
        ),
        body(
            504,
            r#"{"status":"Failure","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}}"#,
        ),
    ] {
        check_listing(
            [
                list("10", []),
                stream([failed(410, "Expired")]),
                unavailable,
                list("20", ["a/one@15"]),
                stream([failed(410, "Expired")]),
                list("30", []),
                hang(),
            ],
            &[
                "list rv=0 limit=500",
                "watch rv=10",
                "list rv=10",
                "list limit=500",
                "watch rv=20",
                "list rv=20",
                "watch rv=30",
            ],
            &[],
        )
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn streaming_is_tried_again_in_every_round() {
    check(
        [
            stream([added("a/one@5"), initial_events_end("10")]).end(),
            refuse(410, "Expired"),
            refuse(410, "Expired"),
            stream([added("a/two@15"), initial_events_end("20")]),
        ],
        &[
            "watch-list",
            "watch rv=10",
            "watch-list rv=10",
            "watch-list",
        ],
        &["a/two@15"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn pages_are_put_together() {
    check_listing(
        [
            page("10", ["a/one@1"], "second"),
            page("11", ["a/two@2"], "third"),
            page("12", ["a/three@3"], ""),
            stream([failed(410, "Expired")]),
            page("20", ["a/four@15"], ""),
            hang(),
        ],
        &[
            "list rv=0 limit=500",
            "list limit=500 continue=second",
            "list limit=500 continue=third",
            "watch rv=10",
            // A server that pages although any version is acceptable does not serve from its watch
            // cache, so a limit costs nothing.
            "list rv=10 limit=500 match=NotOlderThan",
            "watch rv=20",
        ],
        &["a/four@15"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn expired_continue_token_leads_to_a_list_of_everything() {
    check_listing(
        [
            page("10", ["a/one@1"], "second"),
            refuse(410, "Expired"),
            list("12", ["a/one@1", "a/two@11"]),
            hang(),
        ],
        &[
            "list rv=0 limit=500",
            "list limit=500 continue=second",
            "list rv=0",
            "watch rv=12",
        ],
        &["a/one@1", "a/two@11"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn page_size_is_asked_for_always() {
    let api = Api::new();
    api.answer([
        list("10", []),
        refuse(410, "Expired"),
        list("20", []),
        hang(),
    ]);
    let (factory, _informer) =
        informer_with(&api, |builder| builder.watch_list(false).page_size(4));
    factory.start();
    api.asked(4).await;
    let requests = api.requests();
    assert_eq!(
        requests,
        [
            "list rv=0 limit=4",
            "watch rv=10",
            "list rv=10 limit=4 match=NotOlderThan",
            "watch rv=20"
        ]
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn very_short_watch_is_followed_by_a_list() {
    check_listing(
        [list("10", []), stream([]).end(), list("20", []), hang()],
        &[
            "list rv=0 limit=500",
            "watch rv=10",
            "list rv=10",
            "watch rv=20",
        ],
        &[],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn hanging_list_is_given_up() {
    check_listing(
        [hang(), list("10", []), hang()],
        &["list rv=0 limit=500", "list rv=0 limit=500", "watch rv=10"],
        &[],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn requests_carry_selectors_and_refuse_compressed_streams() {
    let api = Api::new();
    api.answer([refuse(422, "Invalid"), list("10", []), hang()]);
    let (factory, _informer) = informer_with(&api, |builder| {
        builder.tweak_list_params(|selectors| {
            selectors.labels = Some("app".into());
            selectors.fields = Some("metadata.name".into());
        })
    });
    factory.start();
    api.asked(3).await;
    for request in api.recorded() {
        assert_eq!(request.query["labelSelector"], "app");
        assert_eq!(request.query["fieldSelector"], "metadata.name");
        if request.query.contains_key("watch") {
            assert_eq!(request.headers["accept-encoding"], "identity");
            assert_eq!(request.query["allowWatchBookmarks"], "true");
        }
    }
    let streamed = &api.recorded()[0].query;
    assert_eq!(streamed["resourceVersionMatch"], "NotOlderThan");
    factory.shutdown().await;
}

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
async fn relisting_tells_deletions_first_and_then_what_changed() {
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

#[tokio::test(start_paused = true)]
async fn additions_on_a_watch_from_no_version_are_in_no_order() {
    check_listing(
        [
            list("", []),
            stream([added("a/one@7"), added("a/two@5")]).end(),
            stream([added("a/one@7"), modified("a/two@9"), added("a/three@11")]).end(),
            hang(),
        ],
        &["list rv=0 limit=500", "watch", "watch", "watch rv=11"],
        &["a/one@7", "a/three@11", "a/two@9"],
    )
    .await;
}
