//! Tests of factories: one informer for each kind, generic informers, and metadata informers.

use std::sync::{Arc, Mutex};

use futures::FutureExt;
use genclient::informer::{Handlers, SharedInformerFactory};
use genclient::lister::Selector;
use genclient::scheme::GroupVersionResource;
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube::core::{ApiResource, DynamicObject, PartialObjectMeta};

use super::scripted::*;
use super::{cached, informer};

#[tokio::test(start_paused = true)]
async fn factory_drops_informers_that_were_shut_down_individually() {
    let api = Api::new();
    api.answer([stream([initial_events_end("10")])]);
    let node = r#"{"metadata":{"name":"one","resourceVersion":"1"}}"#;
    let nodes = stream([event("ADDED", node), initial_events_end("10")]);
    api.answer_path("/api/v1/nodes", [nodes]);
    let (factory, _informer) = informer(&api);
    let nodes = factory.informer_for::<Node>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    let cached = Arc::downgrade(&nodes.lister().list(&Selector::default())[0]);
    nodes.shutdown().await;
    factory.wait_for_cache_sync().await.unwrap();
    drop(nodes);
    assert_eq!(cached.strong_count(), 0);
    factory.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn factory_shutdown_waits_for_handlers_of_stopped_informers() {
    let api = Api::new();
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let (factory, informer) = informer(&api);
    let (begun, has_begun) = std::sync::mpsc::channel();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = Mutex::new(released);
    let handler = Handlers::new().on_add(move |_, _| {
        begun.send(()).unwrap();
        let _ = released.lock().unwrap().recv();
    });
    informer.add_handler(handler).unwrap().detach();
    factory.start();
    let wait = move || has_begun.recv().unwrap();
    tokio::task::spawn_blocking(wait).await.unwrap();

    drop(informer.shutdown());
    // Each of these calls visits all informers.
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    let _again = factory.informer_for::<ConfigMap>();
    let mut ended = Box::pin(factory.shutdown());
    assert!(ended.as_mut().now_or_never().is_none());
    release.send(()).unwrap();
    ended.await;
}

#[tokio::test(start_paused = true)]
async fn sync_wait_fails_for_an_informer_that_was_not_started() {
    let api = Api::new();
    api.answer([stream([initial_events_end("10")])]);
    api.answer_path("/api/v1/nodes", [stream([initial_events_end("10")])]);
    let (factory, _informer) = informer(&api);
    factory.start();
    let _nodes = factory.informer_for::<Node>();
    let error = factory.wait_for_cache_sync().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the informer of nodes.v1 has not been started: call `start` after creating all informers"
    );
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn one_kind_has_one_informer() {
    let api = Api::new();
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let (factory, informer) = informer(&api);
    let again = factory.clone().informer_for::<ConfigMap>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(cached(&again), ["a/one@1"]);
    assert_eq!(api.requests(), ["watch-list"]);

    // The same kind with another type, and the same type with another kind.
    let partial = factory.informer_for::<PartialObjectMeta<ConfigMap>>();
    assert!(partial.indexer().is_empty());
    let of = |plural: &str| ApiResource {
        plural: plural.into(),
        ..ApiResource::erase::<ConfigMap>(&())
    };
    let dynamic = factory.informer_for_with::<DynamicObject>(of("configmaps"));
    let other = factory.informer_for_with::<DynamicObject>(of("secrets"));
    assert_eq!(dynamic.resource(), informer.resource());
    assert_eq!(
        *other.resource(),
        GroupVersionResource::new("", "v1", "secrets")
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn informers_of_a_kind_are_shared_until_shutdown() {
    let api = Api::new();
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let (factory, informer) = informer(&api);
    let again = factory.informer_for::<ConfigMap>();
    factory.start();
    informer.wait_for_cache_sync().await.unwrap();
    assert_eq!(cached(&again), ["a/one@1"]);
    informer.shutdown().await;
    assert!(again.is_stopped());
    let next = factory.informer_for::<ConfigMap>();
    assert!(!next.is_stopped());
    factory.shutdown().await;
    assert!(next.is_stopped());
    assert_eq!(api.requests(), ["watch-list"]);
}

#[tokio::test(start_paused = true)]
async fn generic_informer_is_found_by_its_resource() {
    let (factory, informer) = informer(&Api::new());
    for (resource, expected) in [("configmaps", true), ("secrets", false)] {
        let resource = GroupVersionResource::new("", "v1", resource);
        let generic = factory.generic_for::<ConfigMap>(&resource);
        let found = generic.is_some_and(|generic| generic.resource() == informer.resource());
        assert_eq!(found, expected, "{resource}");
    }
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn generic_informer_matches_the_typed_one() {
    let api = Api::new();
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let (factory, informer) = informer(&api);
    let generic = informer.generic();
    assert!(!generic.has_synced());
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    assert!(generic.has_synced());
    let name = generic.keys().pop().unwrap();
    let object = generic.get(&name).unwrap().downcast::<ConfigMap>().unwrap();
    assert_eq!(generic.metadata(&name).as_ref(), Some(&object.metadata));
    assert_eq!(generic.resource().to_string(), "configmaps.v1");
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn transforms_run_and_managed_fields_are_dropped_by_default() {
    for keep in [false, true] {
        let api = Api::new();
        api.answer([refuse(422, "Invalid"), list("10", ["a/one@1"])]);
        let builder = SharedInformerFactory::builder(api.client());
        let builder = if keep {
            builder.keep_managed_fields()
        } else {
            builder
        };
        let factory = builder.build();
        let informer = factory.informer_for::<ConfigMap>();
        informer.set_transform(|map| map.data = None).unwrap();
        factory.start();
        factory.wait_for_cache_sync().await.unwrap();
        let object = informer.lister().namespace("a").get("one").unwrap();
        assert_eq!(object.data, None);
        assert_eq!(object.metadata.managed_fields.is_some(), keep);
        let error = informer.set_transform(|_| {}).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the informer of configmaps.v1 has already started or stopped"
        );
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn metadata_types_request_metadata_only() {
    let api = Api::new();
    api.answer([stream([added("a/one@1"), initial_events_end("10")])]);
    let factory = SharedInformerFactory::builder(api.client()).build();
    let informer = factory.informer_for::<PartialObjectMeta<ConfigMap>>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(informer.indexer().len(), 1);
    let accept = &api.recorded()[0].headers["accept"];
    assert!(
        accept
            .to_str()
            .unwrap()
            .contains("as=PartialObjectMetadata")
    );
    factory.shutdown().await;
}
