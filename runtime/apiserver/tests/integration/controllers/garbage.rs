//! Tests of garbage collection apart from the random graphs: delays, watches, unserved kinds.

use std::time::Duration;

use genclient_apiserver::ApiServer;
use serde_json::{Value, json};
use tokio::time::{Instant, advance};

use super::api::{Api, CONFIG_MAPS, DEFINITIONS, definition, owner};

fn map(name: &str, owners: &[Value]) -> Value {
    json!({ "metadata": { "name": name, "ownerReferences": owners } })
}

#[tokio::test(start_paused = true)]
async fn dependents_are_deleted_with_their_owner() {
    let api = Api::immediate();
    let parent = api.create(CONFIG_MAPS, map("parent", &[])).await;
    let child = api
        .create(CONFIG_MAPS, map("child", &[owner(&parent, true)]))
        .await;
    api.create(CONFIG_MAPS, map("grandchild", &[owner(&child, true)]))
        .await;
    api.delete(&format!("{CONFIG_MAPS}/parent"), json!({}))
        .await;
    assert_eq!(api.names(CONFIG_MAPS).await, [""; 0]);
    // Requests of the collector are not recorded.
    let requests = api.0.requests();
    assert_eq!(requests.last().unwrap(), "list configmaps default");
    assert_eq!(requests.len(), 5);
}

/// Every write of the collector is a separate version and is attributed to it.
#[tokio::test(start_paused = true)]
async fn each_garbage_collector_write_sends_a_watch_event() {
    let api = Api::immediate();
    let parent = api.create(CONFIG_MAPS, map("parent", &[])).await;
    let child = api
        .create(CONFIG_MAPS, map("child", &[owner(&parent, true)]))
        .await;
    api.create(CONFIG_MAPS, map("grandchild", &[owner(&child, true)]))
        .await;
    let mut events = api.watch(CONFIG_MAPS).await;
    for _ in 0..3 {
        events.next().await;
    }
    let options = json!({ "propagationPolicy": "Foreground" });
    api.delete(&format!("{CONFIG_MAPS}/parent"), options).await;
    let foreground = json!(["foregroundDeletion"]);
    let expected = [
        ("MODIFIED", "parent", foreground.clone()),
        ("MODIFIED", "child", foreground.clone()),
        ("DELETED", "grandchild", json!(null)),
        ("DELETED", "child", foreground.clone()),
        ("DELETED", "parent", foreground),
    ];
    let mut version = 0;
    for (type_, name, finalizers) in expected {
        let (found, object) = events.next().await.unwrap();
        let metadata = &object["metadata"];
        assert_eq!((found.as_str(), &metadata["name"]), (type_, &json!(name)));
        assert_eq!(metadata["finalizers"], finalizers, "{type_} {name}");
        let newer: u64 = metadata["resourceVersion"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap();
        assert!(newer > version);
        version = newer;
    }
}

/// With a lag, dependents outlive their owner for a moment. A watch alone runs the collector.
#[tokio::test(start_paused = true)]
async fn garbage_collection_lags_behind_the_deletion() {
    let lag = Duration::from_secs(10);
    let api = Api(ApiServer::builder().lag(lag).seed(3).build().unwrap());
    let parent = api.create(CONFIG_MAPS, map("parent", &[])).await;
    api.create(CONFIG_MAPS, map("child", &[owner(&parent, true)]))
        .await;
    let mut events = api.watch(CONFIG_MAPS).await;
    for _ in 0..2 {
        events.next().await.unwrap();
    }
    let start = Instant::now();
    api.delete(&format!("{CONFIG_MAPS}/parent"), json!({}))
        .await;
    assert_eq!(api.names(CONFIG_MAPS).await, ["child"]);
    for name in ["parent", "child"] {
        let (type_, object) = events.next().await.unwrap();
        assert_eq!(
            (type_.as_str(), &object["metadata"]["name"]),
            ("DELETED", &json!(name))
        );
    }
    let elapsed = start.elapsed();
    assert!(
        elapsed > Duration::from_millis(10) && elapsed <= 2 * lag,
        "{elapsed:?}"
    );
}

/// A watch of another resource runs the collector, and so does a request without any watch.
#[tokio::test(start_paused = true)]
async fn garbage_collector_runs_on_any_request_or_watch() {
    let api = Api(ApiServer::builder().build().unwrap());
    let secrets = "/api/v1/namespaces/default/secrets";
    let parent = api.create(CONFIG_MAPS, map("parent", &[])).await;
    api.create(secrets, map("child", &[owner(&parent, false)]))
        .await;
    let mut events = api.watch(secrets).await;
    events.next().await.unwrap();
    api.delete(&format!("{CONFIG_MAPS}/parent"), json!({}))
        .await;
    assert_eq!(events.next().await.unwrap().0, "DELETED");

    let parent = api.create(CONFIG_MAPS, map("parent", &[])).await;
    api.create(secrets, map("child", &[owner(&parent, false)]))
        .await;
    api.delete(&format!("{CONFIG_MAPS}/parent"), json!({}))
        .await;
    advance(Duration::from_secs(1)).await;
    assert_eq!(api.names(secrets).await, [""; 0]);
}

/// References to owners of an unserved kind are resolved once the kind is served.
#[tokio::test(start_paused = true)]
async fn owners_of_unserved_kinds_are_resolved_once_served() {
    let api = Api::immediate();
    let unknown = json!({
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "name": "nobody",
        "uid": "none",
    });
    api.create(CONFIG_MAPS, map("child", &[unknown])).await;
    api.0.settle().await;
    assert_eq!(api.names(CONFIG_MAPS).await, ["child"]);
    api.create(DEFINITIONS, definition("Widget", "Namespaced"))
        .await;
    assert_eq!(api.names(CONFIG_MAPS).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_garbage_collected_without_controllers() {
    let server = ApiServer::builder()
        .lag(Duration::ZERO)
        .controllers(false)
        .build();
    let api = Api(server.unwrap());
    let parent = api.create(CONFIG_MAPS, map("parent", &[])).await;
    api.create(CONFIG_MAPS, map("child", &[owner(&parent, true)]))
        .await;
    let options = json!({ "propagationPolicy": "Foreground" });
    let (code, _) = api.delete(&format!("{CONFIG_MAPS}/parent"), options).await;
    assert_eq!(code, 200);
    api.0.settle().await;
    assert_eq!(api.names(CONFIG_MAPS).await, ["child", "parent"]);
    let options = json!({ "propagationPolicy": "Background" });
    api.delete(&format!("{CONFIG_MAPS}/parent"), options).await;
    assert_eq!(api.names(CONFIG_MAPS).await, ["child"]);
}

/// Two runtimes in sequence use one server: no task ends with the first.
#[test]
fn server_survives_the_shutdown_of_a_runtime() {
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
    };
    let (api, parent) = runtime().block_on(async {
        let api = Api(ApiServer::builder().build().unwrap());
        let parent = api.create(CONFIG_MAPS, map("parent", &[])).await;
        api.create(CONFIG_MAPS, map("child", &[owner(&parent, true)]))
            .await;
        (api, parent)
    });
    assert_eq!(parent["metadata"]["name"], "parent");
    runtime().block_on(async {
        api.delete(&format!("{CONFIG_MAPS}/parent"), json!({}))
            .await;
        api.0.settle().await;
        assert_eq!(api.names(CONFIG_MAPS).await, [""; 0]);
    });
}
