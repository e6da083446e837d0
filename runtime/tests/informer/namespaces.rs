//! Several namespaces in one cache.

use k8s_openapi::api::core::v1::Node;

use super::scripted::*;
use super::{Recorder, cached, informer_with};

#[tokio::test(start_paused = true)]
async fn several_namespaces_are_one_cache() {
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
async fn relisting_one_namespace_leaves_the_others_alone() {
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
async fn empty_namespace_is_all_of_them() {
    let api = Api::new();
    let (factory, _informer) = informer_with(&api, |builder| builder.namespaces(["a", ""]));
    factory.start();
    settle().await;
    assert_eq!(api.recorded().len(), 1);
    assert_eq!(api.recorded()[0].path, "/api/v1/configmaps");
    factory.shutdown().await;
}
