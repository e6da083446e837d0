//! Tests of informers of several namespaces with one cache.

use k8s_openapi::api::core::v1::Node;
use tokio::time::timeout;

use super::scripted::*;
use super::{Recorder, cached, informer_with, seconds};

#[tokio::test(start_paused = true)]
async fn several_namespaces_share_one_cache() {
    let api = Api::new();
    let ((in_a, answer_a), (in_b, answer_b)) = (feed(), feed());
    api.answer_in("a", [answer_a]);
    api.answer_in("b", [answer_b]);
    let (factory, informer) = informer_with(&api, |builder| builder.namespaces(["b", "a", "b"]));
    let recorder = Recorder::default();
    let registration = informer.add_handler(recorder.clone()).unwrap();
    factory.start();
    in_a.line(added("a/one@1"));
    in_a.line(initial_events_end("10"));
    settle().await;
    assert_eq!(recorder.take(), ["add a/one@1 initial"]);
    assert!(!informer.has_synced());
    assert!(!registration.has_synced());

    in_b.line(added("b/two@2"));
    in_b.line(initial_events_end("9"));
    settle().await;
    assert!(informer.has_synced());
    assert!(registration.has_synced());
    assert_eq!(recorder.take(), ["add b/two@2 initial"]);
    assert_eq!(cached(&informer), ["a/one@1", "b/two@2"]);
    assert_eq!(informer.last_resource_version().as_deref(), Some("9"));
    in_b.line(bookmark("100"));
    settle().await;
    assert_eq!(informer.last_resource_version().as_deref(), Some("10"));
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn relisting_one_namespace_keeps_the_others() {
    let api = Api::new();
    api.answer_in(
        "a",
        [
            stream([added("a/one@1"), initial_events_end("10")]).end(),
            refuse(410, "Expired"),
            stream([added("a/new@15"), initial_events_end("20")]),
        ],
    );
    api.answer_in("b", [stream([added("b/two@2"), initial_events_end("10")])]);
    let (factory, informer) = informer_with(&api, |builder| builder.namespaces(["a", "b"]));
    let recorder = Recorder::default();
    let _registration = informer.add_handler(recorder.clone()).unwrap();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    settle().await;
    recorder.take();
    api.asked(4).await;
    settle().await;
    assert_eq!(
        recorder.take(),
        ["delete a/one last seen at 1", "add a/new@15"]
    );
    assert_eq!(cached(&informer), ["a/new@15", "b/two@2"]);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn cluster_scoped_kinds_have_no_namespace() {
    let api = Api::new();
    api.answer_path("/api/v1/nodes", [stream([initial_events_end("10")])]);
    let (factory, _informer) = informer_with(&api, |builder| builder.namespace("a"));
    let nodes = factory.informer_for::<Node>();
    factory.start();
    api.asked(2).await;
    settle().await;
    let mut paths: Vec<_> = api
        .recorded()
        .into_iter()
        .map(|request| request.path)
        .collect();
    paths.sort();
    assert_eq!(paths, ["/api/v1/namespaces/a/configmaps", "/api/v1/nodes"]);
    assert!(nodes.has_synced());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn empty_namespace_selects_all_namespaces() {
    let api = Api::new();
    let (factory, _informer) = informer_with(&api, |builder| builder.namespaces(["a", ""]));
    factory.start();
    settle().await;
    assert_eq!(api.recorded().len(), 1);
    assert_eq!(api.recorded()[0].path, "/api/v1/configmaps");
    factory.shutdown().await;
}

/// On real threads: the namespaces of one informer sync at the same time, while handlers are added.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_namespace_syncs_are_reported_once() {
    const NAMESPACES: usize = 8;
    for _ in 0..40 {
        let api = Api::new();
        let names: Vec<_> = (0..NAMESPACES).map(|at| format!("ns-{at}")).collect();
        let mut expected = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let object = format!("{name}/one@{}", at + 1);
            // Each has an unreadable object, so that the skipped objects of all namespaces are
            // counted.
            let unreadable = format!("{name}/bad@5!");
            let lines = [added(&object), added(&unreadable), initial_events_end("10")];
            api.answer_in(name, [stream(lines)]);
            expected.push(format!("add {object} initial"));
        }
        let (factory, informer) = informer_with(&api, |builder| builder.namespaces(names));
        let early = Recorder::default();
        let first = informer.add_handler(early.clone()).unwrap();
        factory.start();
        let late = Recorder::default();
        let second = informer.add_handler(late.clone()).unwrap();
        let synced = timeout(seconds(60), factory.wait_for_cache_sync()).await;
        // After the sync, the cache is complete, and the number of skipped objects is known.
        assert_eq!(synced.unwrap().unwrap().skipped(), NAMESPACES);
        assert_eq!(informer.indexer().len(), NAMESPACES);
        assert_eq!(informer.last_resource_version().as_deref(), Some("10"));
        for (registration, recorder) in [(first, early), (second, late)] {
            let synced = timeout(seconds(60), registration.synced()).await;
            synced.unwrap().unwrap();
            let mut told = recorder.take();
            told.sort();
            assert_eq!(told, expected);
        }
        factory.shutdown().await;
    }
}

/// As may result from a list in an environment variable.
#[tokio::test(start_paused = true)]
async fn empty_list_of_namespaces_selects_none() {
    let api = Api::new();
    api.answer_path("/api/v1/nodes", [stream([initial_events_end("10")])]);
    let none: [&str; 0] = [];
    let (factory, informer) = informer_with(&api, |builder| builder.namespaces(none));
    let nodes = factory.informer_for::<Node>();
    let registration = informer.add_handler(Recorder::default()).unwrap();
    assert!(!informer.has_synced());
    factory.start();
    assert_eq!(factory.wait_for_cache_sync().await.unwrap().skipped(), 0);
    settle().await;
    assert!(informer.has_synced() && registration.has_synced() && nodes.has_synced());
    assert!(informer.indexer().is_empty());
    // Cluster-scoped objects are still cached.
    assert_eq!(api.recorded().len(), 1);
    assert_eq!(api.recorded()[0].path, "/api/v1/nodes");
    let error = informer.wait_for_resource_version("1").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the informer of configmaps.v1 does not cache any namespace"
    );
    factory.shutdown().await;
}
