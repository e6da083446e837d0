//! Tests of the expiry of events.

use std::time::Duration;

use genclient_apiserver::ApiServer;
use serde_json::{Value, json};
use tokio::time::{Instant, advance};

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
    // The watch itself runs the due expiry.
    let (type_, object) = events.next().await.unwrap();
    assert_eq!(
        (type_.as_str(), &object["metadata"]["name"]),
        ("DELETED", &json!("renewed"))
    );
}

/// Events have no dependents: finalizers for these are removed and never added.
#[tokio::test(start_paused = true)]
async fn garbage_collection_finalizers_are_removed_from_events() {
    let api = Api::immediate();
    let mut object = event("a");
    object["metadata"]["finalizers"] = json!(["orphan", "x.y/z"]);
    api.create(EVENTS, object).await;
    let options = json!({ "propagationPolicy": "Foreground" });
    let (_, deleted) = api.delete(&format!("{EVENTS}/a"), options).await;
    assert_eq!(deleted["metadata"]["finalizers"], json!(["x.y/z"]));
}

#[tokio::test(start_paused = true)]
async fn events_expire_on_time_despite_watch_lag() {
    let api = Api(ApiServer::builder().build().unwrap());
    let start = Instant::now();
    let mut gone = Vec::new();
    let mut known = Vec::new();
    for step in 0..220 {
        let seconds = step * 30;
        for (at, name) in [(0, "a"), (600, "b"), (2400, "c")] {
            if seconds == at {
                api.create(EVENTS, event(name)).await;
            }
        }
        let names = api.names(EVENTS).await;
        let left = known.iter().filter(|name| !names.contains(name));
        gone.extend(left.map(|name: &String| (name.clone(), start.elapsed().as_secs())));
        known = names;
        advance(Duration::from_secs(30)).await;
    }
    let expected = [("a", 3600), ("b", 4200), ("c", 6000)];
    let expected = expected.map(|(name, at)| (name.to_owned(), at + 30));
    assert_eq!(gone, expected);
}
