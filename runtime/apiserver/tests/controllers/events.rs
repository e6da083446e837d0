//! Expiry of events.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::advance;

use super::api::Api;

const EVENTS: &str = "/api/v1/namespaces/default/events";

fn event(name: &str) -> Value {
    json!({
        "metadata": { "name": name },
        "involvedObject": { "kind": "Pod", "namespace": "default", "name": "p" },
        "reason": "Started",
        "type": "Normal",
    })
}

#[tokio::test(start_paused = true)]
async fn events_expire_an_hour_after_their_last_write() {
    let api = Api::immediate();
    api.create(EVENTS, event("left")).await;
    api.create(EVENTS, event("renewed")).await;
    let mut events = api.watch(EVENTS).await;
    for _ in 0..2 {
        events.next().await.unwrap();
    }
    advance(Duration::from_secs(59 * 60)).await;
    let (code, _) = api
        .patch(&format!("{EVENTS}/renewed"), json!({ "count": 2 }))
        .await;
    assert_eq!(code, 200);
    assert_eq!(api.names(EVENTS).await, ["left", "renewed"]);
    advance(Duration::from_secs(60)).await;
    assert_eq!(api.names(EVENTS).await, ["renewed"]);
    assert_eq!(events.next().await.unwrap().0, "MODIFIED");
    let (type_, object) = events.next().await.unwrap();
    assert_eq!(
        (type_.as_str(), &object["metadata"]["name"]),
        ("DELETED", &json!("left"))
    );
    // The watch itself wakes up for what expires.
    let (type_, object) = events.next().await.unwrap();
    assert_eq!(
        (type_.as_str(), &object["metadata"]["name"]),
        ("DELETED", &json!("renewed"))
    );
}

/// Events have no dependents: finalizers for these are taken off, and never added.
#[tokio::test(start_paused = true)]
async fn events_wait_for_no_dependents() {
    let api = Api::immediate();
    let mut object = event("a");
    object["metadata"]["finalizers"] = json!(["orphan", "x.y/z"]);
    api.create(EVENTS, object).await;
    let options = json!({ "propagationPolicy": "Foreground" });
    let (_, deleted) = api.delete(&format!("{EVENTS}/a"), options).await;
    assert_eq!(deleted["metadata"]["finalizers"], json!(["x.y/z"]));
}
