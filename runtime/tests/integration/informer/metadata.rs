//! Tests of metadata-only informers, with client-go's `metadata/metadatainformer/informer_test.go`.

use std::sync::{Arc, Mutex};

use genclient::cache::ObjectName;
use genclient::informer::Handlers;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::{ApiResource, DynamicObject, PartialObjectMeta};
use serde_json::json;

use super::scripted::*;
use super::{informer, informer_with};

/// Returns a watch event of a `PartialObjectMetadata`.
fn partial(kind: &str, name: &str, version: &str) -> String {
    event(
        kind,
        json!({
            "kind": "PartialObjectMetadata",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": {
                "namespace": "a",
                "name": name,
                "resourceVersion": version,
                "managedFields": [{"manager": "kubectl"}],
            },
        }),
    )
}

fn partial_list() -> Answer {
    let item = json!({"metadata": {"namespace": "a", "name": "one", "resourceVersion": "5"}});
    let list = json!({
        "kind": "PartialObjectMetadataList",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": "10"},
        "items": [item],
    });
    body(200, list.to_string())
}

#[tokio::test(start_paused = true)]
async fn metadata_informer_requests_metadata_only() {
    let api = Api::new();
    api.answer([
        refuse(422, "Invalid"),
        partial_list(),
        stream([partial("ADDED", "two", "11")]),
    ]);
    let (factory, whole) = informer(&api);
    let informer = factory.metadata_informer_for::<ConfigMap>();
    informer.start();
    eventually(|| informer.indexer().len() == 2).await;
    let accepted: Vec<_> = api
        .recorded()
        .iter()
        .map(|request| request.headers["accept"].to_str().unwrap().to_owned())
        .collect();
    let one = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    let list = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    assert_eq!(accepted, [one, list, one]);
    assert_eq!(
        api.requests(),
        ["watch-list", "list rv=0 limit=500", "watch rv=10"]
    );
    let two = informer
        .indexer()
        .get(&ObjectName::namespaced("a", "two"))
        .unwrap();
    assert_eq!(two.metadata.managed_fields, None);
    // The informer of whole objects is a separate one.
    assert!(whole.indexer().is_empty());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn metadata_handlers_receive_adds_updates_and_deletes() {
    // TestMetadataSharedInformerFactory
    let api = Api::new();
    api.answer([stream([
        partial("ADDED", "one", "1"),
        initial_events_end("10"),
        partial("ADDED", "two", "11"),
        partial("MODIFIED", "one", "12"),
        partial("DELETED", "two", "13"),
    ])]);
    let (factory, _) = informer(&api);
    let informer = factory.metadata_informer_for::<ConfigMap>();
    let told = Arc::new(Mutex::new(Vec::new()));
    type Map = PartialObjectMeta<ConfigMap>;
    let write = |what: &'static str| {
        let told = Arc::clone(&told);
        move |map: &Map| {
            let name = map.metadata.name.clone().unwrap();
            told.lock().unwrap().push(format!("{what} {name}"));
        }
    };
    let (add, update, delete) = (write("add"), write("update"), write("delete"));
    let handlers = Handlers::new()
        .on_add(move |map: Arc<Map>, _| add(&map))
        .on_update(move |_, map: Arc<Map>| update(&map))
        .on_delete(move |map| delete(map.object().unwrap()));
    informer.add_handler(handlers).unwrap().detach();
    informer.start();
    eventually(|| told.lock().unwrap().len() == 4).await;
    assert_eq!(
        *told.lock().unwrap(),
        ["add one", "add two", "update one", "delete two"]
    );
    assert_eq!(api.requests(), ["watch-list"]);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn metadata_informer_accepts_whole_objects() {
    for is_streamed in [true, false] {
        let api = Api::new();
        if is_streamed {
            api.answer([stream([added("a/one@5"), initial_events_end("10")])]);
        } else {
            api.answer([list("10", ["a/one@5"]), hang()]);
        }
        let (factory, _) = informer_with(&api, |builder| builder.watch_list(is_streamed));
        let types = ApiResource::erase::<ConfigMap>(&());
        let informer = factory.metadata_informer_for_with::<DynamicObject>(types);
        informer.start();
        informer.wait_for_cache_sync().await.unwrap();
        let one = informer
            .indexer()
            .get(&ObjectName::namespaced("a", "one"))
            .unwrap();
        assert_eq!(one.metadata.resource_version.as_deref(), Some("5"));
        factory.shutdown().await;
    }
}
