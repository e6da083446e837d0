//! Tests of streamed lists: client-go's `tools/cache/reflector_watchlist_test.go`.

use genclient::informer::SharedInformerFactory;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::{ApiResource, DynamicObject};

use super::scripted::*;
use super::{cached, informer, informer_with};

/// A scenario of `TestWatchList`.
struct Scenario {
    name: &'static str,
    watch_list: bool,
    answers: Vec<Answer>,
    requests: &'static [&'static str],
    /// Expected cache; `None` before the first sync.
    cached: Option<&'static [&'static str]>,
}

/// Returns a bookmark whose annotation has another value.
fn no_initial_events_end(version: &str) -> String {
    initial_events_end(version).replace("\"true\"", "\"false\"")
}

async fn check(scenario: Scenario) {
    let api = Api::new();
    api.answer(scenario.answers);
    let (factory, informer) =
        informer_with(&api, |builder| builder.watch_list(scenario.watch_list));
    factory.start();
    api.asked(scenario.requests.len()).await;
    settle().await;
    assert_eq!(api.requests(), scenario.requests, "{}", scenario.name);
    for request in api.recorded() {
        let is_streamed = request.query.contains_key("sendInitialEvents");
        let matching = request
            .query
            .get("resourceVersionMatch")
            .map(String::as_str);
        assert_eq!(matching, is_streamed.then_some("NotOlderThan"));
        let has_timeout = request.query.contains_key("timeoutSeconds");
        assert_eq!(has_timeout, request.query.contains_key("watch"));
    }
    assert_eq!(informer.has_synced(), scenario.cached.is_some());
    assert_eq!(
        cached(&informer),
        scenario.cached.unwrap_or_default(),
        "{}",
        scenario.name
    );
    factory.shutdown().await;
}

/// Scenarios in which the stream provides the list.
fn streamed() -> Vec<Scenario> {
    vec![
        Scenario {
            name: "not synced without the bookmark",
            watch_list: true,
            answers: vec![stream([added("a/p1@1")])],
            requests: &["watch-list"],
            cached: None,
        },
        Scenario {
            name: "synced with the bookmark",
            watch_list: true,
            answers: vec![stream([
                added("a/p1@1"),
                added("a/p2@2"),
                initial_events_end("2"),
            ])],
            requests: &["watch-list"],
            cached: Some(&["a/p1@1", "a/p2@2"]),
        },
        Scenario {
            name: "updates and deletions count while streaming",
            watch_list: true,
            answers: vec![stream([
                added("a/p1@1"),
                added("a/p2@2"),
                modified("a/p1@3"),
                added("a/p3@4"),
                deleted("a/p3@5"),
                initial_events_end("5"),
            ])],
            requests: &["watch-list"],
            cached: Some(&["a/p1@3", "a/p2@2"]),
        },
        Scenario {
            name: "the value of the annotation counts",
            watch_list: true,
            answers: vec![stream([
                added("a/p1@1"),
                added("a/p2@2"),
                no_initial_events_end("2"),
            ])],
            requests: &["watch-list"],
            cached: None,
        },
    ]
}

/// Scenarios with a fallback to a list.
fn listed() -> Vec<Scenario> {
    let listed = || list("1", ["a/p1@1"]);
    let second = || stream([added("a/p2@2")]);
    let fallback = &["watch-list", "list rv=0 limit=500", "watch rv=1"];
    vec![
        Scenario {
            name: "list and watch where WatchList is turned off",
            watch_list: false,
            answers: vec![listed(), hang()],
            requests: &["list rv=0 limit=500", "watch rv=1"],
            cached: Some(&["a/p1@1"]),
        },
        Scenario {
            name: "any error forces the fallback",
            watch_list: true,
            answers: vec![refuse(400, "BadRequest"), listed(), second()],
            requests: fallback,
            cached: Some(&["a/p1@1", "a/p2@2"]),
        },
        Scenario {
            name: "a server that does not stream forces the fallback",
            watch_list: true,
            answers: vec![refuse(422, "Invalid"), listed(), second()],
            requests: fallback,
            cached: Some(&["a/p1@1", "a/p2@2"]),
        },
    ]
}

/// Scenarios in which the stream is requested again.
fn asked_again() -> Vec<Scenario> {
    let one = || [added("a/p1@1"), initial_events_end("2"), added("a/p3@3")];
    let busy = || refuse(429, "TooManyRequests");
    vec![
        Scenario {
            name: "429 is tried again",
            watch_list: true,
            answers: vec![
                busy(),
                busy(),
                stream([added("a/p1@1"), initial_events_end("2")]),
            ],
            requests: &["watch-list", "watch-list", "watch-list"],
            cached: Some(&["a/p1@1"]),
        },
        Scenario {
            name: "a watch that ends before the sync is asked for anew",
            watch_list: true,
            answers: vec![
                stream([added("a/old@1")]).end(),
                stream([added("a/p1@1"), initial_events_end("1")]),
            ],
            requests: &["watch-list", "watch-list"],
            cached: Some(&["a/p1@1"]),
        },
        Scenario {
            name: "a watch that ends after the sync is followed by a watch",
            watch_list: true,
            answers: vec![stream(one()).end(), stream([added("a/p4@4")])],
            requests: &["watch-list", "watch rv=3"],
            cached: Some(&["a/p1@1", "a/p3@3", "a/p4@4"]),
        },
        Scenario {
            name: "a watch that expires ends the round",
            watch_list: true,
            answers: vec![stream(one()).end(), refuse(410, "Expired"), hang()],
            requests: &["watch-list", "watch rv=3", "watch-list rv=3"],
            cached: Some(&["a/p1@1", "a/p3@3"]),
        },
    ]
}

/// `TestWatchListSemanticsSimple` and `TestUnSupportWatchListSemantics` of client-go's typed,
/// dynamic and metadata informers: they sync when the stream contains only the end of the list, and
/// when the server does not stream.
#[tokio::test(start_paused = true)]
async fn every_form_of_informer_syncs_with_and_without_streaming() {
    type Form = fn(&SharedInformerFactory);
    let forms: [Form; 3] = [
        |factory| drop(factory.informer_for::<ConfigMap>()),
        |factory| {
            let types = ApiResource::erase::<ConfigMap>(&());
            drop(factory.informer_for_with::<DynamicObject>(types));
        },
        |factory| drop(factory.metadata_informer_for::<ConfigMap>()),
    ];
    for form in forms {
        let streamed = vec![stream([initial_events_end("10")])];
        let listed = vec![refuse(422, "Invalid"), list("10", []), hang()];
        for (answers, requests) in [
            (streamed, vec!["watch-list"]),
            (
                listed,
                vec!["watch-list", "list rv=0 limit=500", "watch rv=10"],
            ),
        ] {
            let api = Api::new();
            api.answer_in("ns", answers);
            let builder = SharedInformerFactory::builder(api.client());
            let factory = builder.namespace("ns").build();
            form(&factory);
            factory.start();
            factory.wait_for_cache_sync().await.unwrap();
            api.asked(requests.len()).await;
            assert_eq!(api.requests(), requests);
            factory.shutdown().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn watch_list() {
    // TestWatchList, TestNewReflectorWithDisablementWatchList
    for scenario in [streamed(), listed(), asked_again()].into_iter().flatten() {
        check(scenario).await;
    }
}

#[tokio::test(start_paused = true)]
async fn resource_version_is_taken_from_the_bookmark() {
    // TestWatchListResourceVersion
    for (lines, version) in [
        (vec![], None),
        (vec![added("a/p1@1")], None),
        (vec![added("a/p1@1"), initial_events_end("2")], Some("2")),
    ] {
        let api = Api::new();
        api.answer([stream(lines)]);
        let (factory, informer) = informer(&api);
        factory.start();
        settle().await;
        assert_eq!(informer.last_resource_version().as_deref(), version);
        factory.shutdown().await;
    }
}
