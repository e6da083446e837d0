//! Tests of snapshots: save, load and restore.

use genclient_apiserver::Snapshot;
use serde_json::json;

use super::api::{Api, CONFIG_MAPS, DEFINITIONS, definition, owner};

const WIDGETS: &str = "/apis/example.com/v1/namespaces/default/widgets";

#[tokio::test(start_paused = true)]
async fn restore_recovers_objects_definitions_and_owners() {
    let api = Api::immediate();
    api.create(DEFINITIONS, definition("Widget", "Namespaced"))
        .await;
    let widget = json!({
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": { "name": "a" },
        "spec": { "size": 3 },
    });
    let widget = api.create(WIDGETS, widget).await;
    let metadata = json!({ "name": "owned", "ownerReferences": [owner(&widget, true)] });
    let owned = api
        .create(CONFIG_MAPS, json!({ "metadata": metadata }))
        .await;
    let before = api.0.snapshot();
    let mut events = api.watch(CONFIG_MAPS).await;

    api.delete(&format!("{DEFINITIONS}/widgets.example.com"), json!({}))
        .await;
    assert_eq!(api.get(WIDGETS).await.0, 404);
    let version = api.0.resource_version();
    api.0.restore(&before);
    assert!(api.0.resource_version() > version);
    assert_eq!(api.get(&format!("{WIDGETS}/a")).await, (200, widget));
    assert_eq!(api.get(&format!("{CONFIG_MAPS}/owned")).await, (200, owned));
    while events.next().await.is_some() {}
    let old = format!("{CONFIG_MAPS}?watch=1&resourceVersion={version}");
    let (_, error) = api.get(&old).await;
    assert_eq!(error["object"]["code"], 410);

    api.delete(&format!("{WIDGETS}/a"), json!({})).await;
    assert_eq!(api.get(&format!("{CONFIG_MAPS}/owned")).await.0, 404);
}

#[tokio::test]
async fn snapshots_are_saved_to_and_loaded_from_files() {
    let api = Api::immediate();
    api.create(DEFINITIONS, definition("Widget", "Namespaced"))
        .await;
    let widget = json!({
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": { "name": "a" },
    });
    let widget = api.create(WIDGETS, widget).await;
    let path = std::env::temp_dir().join(format!("snapshot-{}", std::process::id()));
    api.0.snapshot().save(&path).unwrap();
    let other = Api::immediate();
    other.0.restore(&Snapshot::load(&path).unwrap());
    assert_eq!(other.get(&format!("{WIDGETS}/a")).await, (200, widget));
    assert!(other.0.resource_version() > api.0.resource_version());

    std::fs::write(&path, "{}\n").unwrap();
    let error = Snapshot::load(&path).unwrap_err().to_string();
    assert!(error.contains(":1: missing field `group`"), "{error}");
    std::fs::remove_file(&path).unwrap();
    assert!(Snapshot::load(&path).is_err());
}
