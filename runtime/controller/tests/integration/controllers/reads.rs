//! Tests of cached reads: declared kinds, indexes, and errors.

use genclient_controller::{Query, Watch};
use k8s_openapi::api::core::v1::{Pod, Secret};

use super::*;

/// All watches of a kind share one informer. A kind without a watch has none.
#[tokio::test(start_paused = true)]
async fn reads_are_served_for_declared_kinds_only() {
    let api = Api::new();
    for name in ["one", "two"] {
        api.put(
            "secrets",
            json!({ "metadata": { "namespace": "a", "name": name, "labels": { "app": name } } }),
        );
    }
    let mut client = None;
    let running = Running::start(&api, |manager| {
        let by_label = |secret: &Secret| {
            secret
                .metadata
                .labels
                .clone()
                .unwrap_or_default()
                .into_values()
        };
        let secrets = Watch::<Secret>::new().index("app", by_label);
        manager
            .add(Scripted::idle().controller().caches(secrets))
            .unwrap();
        client = Some(manager.client());
    })
    .await;
    settle().await;
    let client = client.unwrap();
    let secrets = |query: Query| {
        let client = client.clone();
        async move {
            let found = client.list::<Secret>(&query).await?;
            Ok::<_, genclient_controller::ReadError>(found.len())
        }
    };
    assert_eq!(secrets(Query::new()).await.unwrap(), 2);
    assert_eq!(secrets(Query::new().namespace("b")).await.unwrap(), 0);
    assert_eq!(secrets(Query::new().index("app", "one")).await.unwrap(), 1);
    assert_eq!(
        secrets(Query::new().index("app", "one").namespace("b"))
            .await
            .unwrap(),
        0
    );
    assert_eq!(
        secrets(Query::new().labels([("app", "two")]))
            .await
            .unwrap(),
        1
    );
    let error = secrets(Query::new().index("none", "one"))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "index `none` does not exist in the cache of secrets.v1: add it with `Watch::index`"
    );
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn read_of_an_uncached_kind_suggests_a_watch() {
    let api = Api::new();
    let manager = Manager::builder("tests")
        .client(api.client())
        .build()
        .await
        .unwrap();
    let name = ObjectName::namespaced("a", "one");
    let error = manager.client().get::<Pod>(&name).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "pods.v1 is not cached: add `.owns(Watch::<Pod>::new())` to the controller, or `.caches(..)` if its changes should not trigger reconciles"
    );
}

#[tokio::test(start_paused = true)]
async fn read_before_the_run_is_an_error() {
    let api = Api::new();
    let mut manager = Manager::builder("tests")
        .client(api.client())
        .build()
        .await
        .unwrap();
    manager.add(Scripted::idle().controller()).unwrap();
    let name = ObjectName::namespaced("a", "one");
    let error = manager.client().get::<ConfigMap>(&name).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the cache of configmaps.v1 has not synced"
    );
}

/// A read waits for the sync of its cache, at most the read timeout of 5 s.
#[tokio::test(start_paused = true)]
async fn reads_wait_for_the_sync_of_their_cache() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let released = CancellationToken::new();
    let held = startup::client_holding_requests(&api, "configmaps", &released);
    let settings = |builder: ManagerBuilder| builder.client(held);
    let mut client = None;
    let running = Running::start_with(&api, settings, |manager| {
        manager.add(Scripted::idle().controller()).unwrap();
        client = Some(manager.client());
    });
    let (running, client) = (running.await, client.unwrap());
    settle().await;
    let name = ObjectName::namespaced("a", "one");
    let begun = tokio::time::Instant::now();
    let late = client.get::<ConfigMap>(&name).await.unwrap_err();
    assert!(late.to_string().contains("has not synced"), "{late}");
    let late = client.list::<ConfigMap>(&Query::new()).await.unwrap_err();
    assert!(late.to_string().contains("has not synced"), "{late}");
    assert_eq!(begun.elapsed().as_secs(), 10);
    let all = Query::new();
    let (read, listed, ()) = tokio::join!(
        client.get::<ConfigMap>(&name),
        client.list::<ConfigMap>(&all),
        async {
            advance(Duration::from_secs(1)).await;
            released.cancel();
        }
    );
    assert!(read.unwrap().is_some());
    assert_eq!(listed.unwrap().len(), 1);
    running.stop().await.unwrap();
}
