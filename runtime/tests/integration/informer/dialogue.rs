//! Tests of the requests of an informer and their order, for given responses.

use genclient::client::{ShardField, ShardSelector};

use super::scripted::*;
use super::{cached, informer, informer_with};

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
pub(super) fn check_listing(
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
async fn streamed_list_continues_as_a_watch() {
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
async fn streamed_list_may_contain_changes() {
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
async fn streamed_list_is_cached_only_when_complete() {
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
async fn falls_back_to_a_list_if_streaming_is_rejected() {
    check(
        [refuse(422, "Invalid"), list("10", ["a/one@5"]), hang()],
        &["watch-list", "list rv=0 limit=500", "watch rv=10"],
        &["a/one@5"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn falls_back_to_a_list_if_streaming_stalls_or_fails() {
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
async fn falls_back_to_a_list_after_two_truncated_streams() {
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
async fn overload_is_retried_without_a_list() {
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
async fn ended_watch_resumes_at_the_last_resource_version() {
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
async fn truncated_event_is_ignored() {
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
async fn expired_watch_relists_at_the_last_resource_version() {
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
async fn streaming_is_retried_on_every_relist() {
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
async fn very_short_watch_leads_to_a_relist() {
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
async fn requests_send_selectors_and_disable_stream_compression() {
    let api = Api::new();
    api.answer([refuse(422, "Invalid"), list("10", []), hang()]);
    let (factory, _informer) = informer_with(&api, |builder| {
        builder.tweak_list_params(|selectors| {
            selectors.labels = Some("app".into());
            selectors.fields = Some("metadata.name".into());
            selectors.shards = ShardSelector::new(ShardField::Uid, [0..=9, 20..=u64::MAX]);
        })
    });
    factory.start();
    api.asked(3).await;
    for request in api.recorded() {
        assert_eq!(request.query["labelSelector"], "app");
        assert_eq!(request.query["fieldSelector"], "metadata.name");
        assert_eq!(
            request.query["shardSelector"],
            "shardRange(object.metadata.uid,%20'0x0000000000000000',%20'0x000000000000000a')\
             %20%7C%7C%20\
             shardRange(object.metadata.uid,%20'0x0000000000000014',%20'0x10000000000000000')"
        );
        if request.query.contains_key("watch") {
            assert_eq!(request.headers["accept-encoding"], "identity");
            assert_eq!(request.query["allowWatchBookmarks"], "true");
        }
    }
    let streamed = &api.recorded()[0].query;
    assert_eq!(streamed["resourceVersionMatch"], "NotOlderThan");
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn additions_of_an_unversioned_watch_are_unordered() {
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
