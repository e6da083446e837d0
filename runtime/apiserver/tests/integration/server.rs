//! Tests of reads, writes and watches by a client.

#![allow(clippy::too_many_lines, reason = "a test tells one story")]

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use genclient::k8s_openapi::api::core::v1::{ConfigMap, Pod};
use genclient::kube::api::{
    Api, DeleteParams, ListParams, LogParams, Patch, PatchParams, PostParams, WatchEvent,
    WatchParams,
};
use genclient::kube::client::Body;
use genclient_apiserver::{ApiServer, FeatureGate};
use http::Request;
use serde_json::json;

fn config_map(name: &str, value: &str) -> ConfigMap {
    serde_json::from_value(json!({
        "metadata": { "name": name, "labels": { "app": name } },
        "data": { "key": value },
    }))
    .unwrap()
}

#[tokio::test]
async fn objects_are_created_changed_listed_and_deleted() {
    let server = ApiServer::builder().build().unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let created = maps
        .create(&PostParams::default(), &config_map("one", "1"))
        .await
        .unwrap();
    assert!(created.metadata.uid.is_some() && created.metadata.creation_timestamp.is_some());
    let again = maps
        .create(&PostParams::default(), &config_map("one", "1"))
        .await;
    let message = r#"configmaps "one" already exists: AlreadyExists"#;
    assert!(
        again
            .unwrap_err()
            .to_string()
            .contains("configmaps \"one\" already exists"),
        "{message}"
    );

    let mut stale = created.clone();
    stale.data = Some([("key".to_owned(), "2".to_owned())].into());
    let updated = maps
        .replace("one", &PostParams::default(), &stale)
        .await
        .unwrap();
    assert_ne!(
        updated.metadata.resource_version,
        created.metadata.resource_version
    );
    let conflict = maps
        .replace("one", &PostParams::default(), &stale)
        .await
        .unwrap_err();
    assert!(
        conflict
            .to_string()
            .contains("the object has been modified"),
        "{conflict}"
    );

    let patch = Patch::Merge(json!({ "data": { "key": null, "other": "3" } }));
    let patched = maps
        .patch("one", &PatchParams::default(), &patch)
        .await
        .unwrap();
    assert_eq!(
        patched.data,
        Some([("other".to_owned(), "3".to_owned())].into())
    );

    maps.create(&PostParams::default(), &config_map("two", "2"))
        .await
        .unwrap();
    let page = maps.list(&ListParams::default().limit(1)).await.unwrap();
    assert_eq!(page.metadata.remaining_item_count, Some(1));
    let next = ListParams::default()
        .limit(1)
        .continue_token(&page.metadata.continue_.unwrap());
    let rest = maps.list(&next).await.unwrap();
    assert_eq!(rest.items[0].metadata.name.as_deref(), Some("two"));
    let selected = maps
        .list(&ListParams::default().labels("app=two"))
        .await
        .unwrap();
    assert_eq!(selected.items.len(), 1);

    maps.delete("one", &DeleteParams::default()).await.unwrap();
    let gone = maps.get("one").await.unwrap_err();
    assert!(
        gone.to_string().contains("configmaps \"one\" not found"),
        "{gone}"
    );
    assert_eq!(
        server.requests()[..3],
        [
            "create configmaps default",
            "create configmaps default",
            "update configmaps default/one"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn watches_start_at_the_resource_version_of_a_list() {
    let server = ApiServer::builder().build().unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    maps.create(&PostParams::default(), &config_map("one", "1"))
        .await
        .unwrap();
    let list = maps.list(&ListParams::default()).await.unwrap();
    let version = list.metadata.resource_version.unwrap();
    maps.create(&PostParams::default(), &config_map("two", "2"))
        .await
        .unwrap();
    maps.delete("one", &DeleteParams::default()).await.unwrap();
    let events: Vec<_> = maps
        .watch(&WatchParams::default(), &version)
        .await
        .unwrap()
        .take(2)
        .try_collect()
        .await
        .unwrap();
    let name = |map: &ConfigMap| map.metadata.name.clone().unwrap();
    assert!(matches!(&events[0], WatchEvent::Added(map) if name(map) == "two"));
    assert!(matches!(&events[1], WatchEvent::Deleted(map) if name(map) == "one"));

    server.compact();
    let events: Vec<_> = maps
        .watch(&WatchParams::default(), "1")
        .await
        .unwrap()
        .take(1)
        .try_collect()
        .await
        .unwrap();
    assert!(matches!(&events[0], WatchEvent::Error(status) if status.code == 410));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_writes_are_not_lost() {
    const CALLERS: usize = 8;
    const WRITES: usize = 50;
    let server = ApiServer::builder().build().unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let post = PostParams::default();
    maps.create(&post, &config_map("counted", "0"))
        .await
        .unwrap();
    maps.create(&post, &config_map("replaced", "0"))
        .await
        .unwrap();
    let callers = (0..CALLERS).map(|caller| {
        let maps = maps.clone();
        tokio::spawn(async move {
            let post = PostParams::default();
            for _ in 0..WRITES {
                // An update without a resource version never conflicts.
                let replaced = config_map("replaced", &caller.to_string());
                maps.replace("replaced", &post, &replaced).await.unwrap();
                while let Err(error) = increment(&maps).await {
                    assert!(error.to_string().contains("has been modified"), "{error}");
                }
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.unwrap();
    }
    let counted = maps.get("counted").await.unwrap();
    assert_eq!(counted.data.unwrap()["key"], (CALLERS * WRITES).to_string());
}

/// Increments a counter with optimistic concurrency.
async fn increment(maps: &Api<ConfigMap>) -> genclient::kube::Result<()> {
    let mut map = maps.get("counted").await?;
    let count: usize = map.data.as_ref().unwrap()["key"].parse().unwrap();
    let next = (count + 1).to_string();
    map.data = Some([("key".to_owned(), next)].into());
    maps.replace("counted", &PostParams::default(), &map)
        .await?;
    Ok(())
}

/// If a bookmark and a change are due at once, the change comes first.
#[tokio::test(start_paused = true)]
async fn changes_are_sent_before_bookmarks_that_are_due() {
    let server = ApiServer::builder().build().unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    for round in 0..20 {
        let version = server.resource_version().to_string();
        let params = WatchParams::default();
        let mut events = maps.watch(&params, &version).await.unwrap().boxed();
        assert!(
            tokio::time::timeout(Duration::from_secs(1), events.next())
                .await
                .is_err()
        );
        tokio::time::sleep(Duration::from_secs(60)).await;
        let map = config_map(&format!("map-{round}"), "1");
        maps.create(&PostParams::default(), &map).await.unwrap();
        let event = events.try_next().await.unwrap().unwrap();
        let is_added = matches!(&event, WatchEvent::Added(added)
            if added.metadata.name == map.metadata.name);
        assert!(is_added, "{round}: {event:?}");
    }
}

#[tokio::test]
async fn logs_of_pods_without_a_node_are_empty() {
    let server = ApiServer::builder().build().unwrap();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let container = json!({ "name": "a", "image": "i" });
    let pod = |spec: serde_json::Value| {
        serde_json::from_value(json!({ "metadata": { "name": "one" }, "spec": spec })).unwrap()
    };
    let unscheduled = pod(json!({ "containers": [container] }));
    pods.create(&PostParams::default(), &unscheduled)
        .await
        .unwrap();
    let log = pods.logs("one", &LogParams::default()).await.unwrap();
    assert_eq!(log, "");
}

#[tokio::test(start_paused = true)]
async fn a_bookmark_ends_the_initial_events_of_a_watch() {
    let server = ApiServer::builder().build().unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    maps.create(&PostParams::default(), &config_map("one", "1"))
        .await
        .unwrap();
    for (version, expected) in [("0", vec!["added", "end"]), ("1", vec!["added"])] {
        let events: Vec<_> = maps
            .watch(&WatchParams::default().timeout(1), version)
            .await
            .unwrap()
            .map_ok(|event| match event {
                WatchEvent::Added(_) => "added",
                WatchEvent::Bookmark(mark)
                    if mark
                        .metadata
                        .annotations
                        .contains_key("k8s.io/initial-events-end") =>
                {
                    "end"
                }
                _ => "other",
            })
            .try_collect()
            .await
            .unwrap();
        assert_eq!(events, expected, "{version}");
    }
}

#[tokio::test]
async fn shard_selectors_are_ignored_without_their_feature_gate() {
    let list = "/api/v1/namespaces?shardSelector=x";
    for (gate, code) in [(false, 200), (true, 500)] {
        let server = ApiServer::builder().feature_gate(FeatureGate::ShardedListAndWatch, gate);
        let client = server.build().unwrap().client();
        let request = Request::get(list).body(Body::empty()).unwrap();
        let response = client.send(request).await.unwrap();
        assert_eq!(response.status(), code);
    }
}
