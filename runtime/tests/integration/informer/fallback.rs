//! Tests of the fallback from streamed lists to paged ones: servers without WatchList, missing
//! permissions, lost connections.

use super::scripted::*;
use super::{cached, informer, informer_with, seconds};

// === servers that do not know WatchList, and say nothing ===

#[tokio::test(start_paused = true)]
async fn changes_do_not_hide_a_stalled_streamed_list() {
    // The objects are sent, then every change, but never the end of the list.
    for (change, least, most) in [
        (modified("a/one@7"), 30, 31),
        (deleted("a/one@7"), 30, 31),
        (bookmark("7"), 30, 31),
        // Additions alone may be the initial objects, however long that takes.
        (added("a/new@7"), 300, 301),
    ] {
        let api = Api::new();
        let (feed, answer) = feed();
        api.answer([answer, list("10", ["a/two@9"]), hang()]);
        let (factory, informer) = informer(&api);
        factory.start();
        api.asked(1).await;
        let changes = async {
            loop {
                feed.line(change.clone());
                tokio::time::sleep(seconds(1) / 10).await;
            }
        };
        tokio::select! {
            () = changes => unreachable!("it has no end"),
            () = api.asked(3) => {}
        }
        settle().await;
        let requests = api.recorded();
        let given_up_after = (requests[1].at - requests[0].at).as_secs();
        assert!(
            (least..=most).contains(&given_up_after),
            "{change}: {given_up_after} s"
        );
        assert_eq!(
            api.requests(),
            ["watch-list", "list rv=0 limit=500", "watch rv=10"]
        );
        assert_eq!(cached(&informer), ["a/two@9"]);
        assert!(!feed.has_reader());
        factory.shutdown().await;
    }
}

/// A silent server may be overloaded, and a list is the most expensive request.
#[tokio::test(start_paused = true)]
async fn silent_stream_is_retried_once_before_a_list() {
    // No response, a response without events, and objects without an end of the list.
    let some = || stream([added("a/old@1")]);
    for silent in [hang as fn() -> Answer, || stream([]), some] {
        let api = Api::new();
        api.answer([silent(), silent(), list("10", ["a/one@5"]), hang()]);
        let (factory, informer) = informer(&api);
        factory.start();
        api.asked(4).await;
        settle().await;
        assert_eq!(
            api.requests(),
            [
                "watch-list",
                "watch-list",
                "list rv=0 limit=500",
                "watch rv=10"
            ]
        );
        assert_eq!(cached(&informer), ["a/one@5"]);
        let requests = api.recorded();
        for pair in requests[..3].windows(2) {
            let waited = (pair[1].at - pair[0].at).as_secs_f64();
            assert!((30.8..=31.7).contains(&waited), "{waited} s");
        }
        factory.shutdown().await;

        // If the server has recovered, no list is requested.
        let api = Api::new();
        api.answer([
            silent(),
            stream([added("a/one@5"), initial_events_end("10")]),
        ]);
        let (factory, informer) = self::informer(&api);
        factory.start();
        factory.wait_for_cache_sync().await.unwrap();
        assert_eq!(api.requests(), ["watch-list", "watch-list"]);
        assert_eq!(cached(&informer), ["a/one@5"]);
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn slow_streamed_list_does_not_time_out() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, informer) = informer(&api);
    factory.start();
    for number in 0..14 {
        feed.line(added(&format!("a/one-{number}@{number}")));
        tokio::time::sleep(seconds(20)).await;
    }
    feed.line(modified("a/one-1@20"));
    tokio::time::sleep(seconds(15)).await;
    feed.line(initial_events_end("21"));
    settle().await;
    assert_eq!(informer.indexer().len(), 14);
    assert_eq!(api.requests(), ["watch-list"]);
    factory.shutdown().await;
}

// === permissions ===

#[tokio::test(start_paused = true)]
async fn watch_permission_suffices_for_streamed_lists() {
    let api = Api::new();
    let forbidden = || refuse(403, "Forbidden");
    api.answer([
        // A broken stream is retried once before the list, which is forbidden.
        stream([added("a/old@1")]).broken(),
        stream([added("a/old@1")]).broken(),
        forbidden(),
        stream([added("a/one@5"), initial_events_end("10")]).end(),
        refuse(410, "Expired"),
        stream([added("a/two@15"), initial_events_end("20")]),
    ]);
    let (factory, informer) = informer(&api);
    factory.start();
    api.asked(6).await;
    settle().await;
    assert_eq!(
        api.requests(),
        [
            "watch-list",
            "watch-list",
            "list rv=0 limit=500",
            "watch-list",
            "watch rv=10",
            "watch-list rv=10"
        ]
    );
    assert_eq!(cached(&informer), ["a/two@15"]);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn list_permission_alone_relists_periodically() {
    let api = Api::new();
    let forbidden = || refuse(403, "Forbidden");
    api.answer([forbidden(), list("10", ["a/one@5"]), forbidden()]);
    api.answer([forbidden(), list("20", ["a/two@15"]), forbidden()]);
    let (factory, informer) = informer(&api);
    factory.start();
    api.asked(7).await;
    assert_eq!(
        api.requests()[..6],
        [
            "watch-list",
            "list rv=0 limit=500",
            "watch rv=10",
            "watch-list rv=10",
            "list rv=10",
            "watch rv=20"
        ]
    );
    assert_eq!(cached(&informer), ["a/two@15"]);
    factory.shutdown().await;
}

// === connections that break ===

#[tokio::test(start_paused = true)]
async fn repeatedly_lost_connections_lead_to_a_list() {
    for is_streamed in [true, false] {
        let api = Api::new();
        if is_streamed {
            api.answer([lost_connection()]);
        }
        api.answer([list("10", ["a/one@5"])]);
        api.answer((0..40).map(|_| lost_connection()));
        let (factory, _informer) = informer_with(&api, |builder| builder.watch_list(is_streamed));
        factory.start();
        let lists = |api: &Api| {
            let requests = api.requests();
            requests.iter().filter(|it| it.starts_with("list")).count()
        };
        eventually(|| lists(&api) == 2).await;
        let requests = api.recorded();
        let watched = requests
            .iter()
            .position(|it| it.query.get("resourceVersion").is_some_and(|it| it == "10"));
        let waited = requests[requests.len() - 1].at - requests[watched.unwrap()].at;
        assert!(waited >= seconds(30) && waited <= seconds(40), "{waited:?}");
        factory.shutdown().await;
    }
}
