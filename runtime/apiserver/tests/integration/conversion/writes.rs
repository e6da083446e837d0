//! Tests of writes in another version than the stored one.

use genclient_apiserver::Snapshot;
use serde_json::{Value, json};

use super::{APPLY, DEFINITION, Lab, MERGE, V1, V2, host};

const OF_V1: &str = "conversion webhook for lab.example.com/v1, Kind=Host failed: no way";
const OF_V2: &str = "conversion webhook for lab.example.com/v2, Kind=Host failed: no way";

#[tokio::test]
async fn writes_convert_to_the_storage_version_and_back() {
    let lab = Lab::new();
    let object = host("v2", "a", json!({ "host": "h", "port": "1", "d2": "gone" }));
    let (code, created) = lab.send("POST", V2, object).await;
    assert_eq!(
        (code, &created["spec"]),
        (201, &json!({ "host": "h", "port": "1" }))
    );
    assert_eq!(lab.hook.log(), ["v2 a -> v1", "v1 a -> v2"]);
    let (_, stored) = lab.get(&format!("{V1}/a")).await;
    assert_eq!(stored["spec"], json!({ "hostPort": "h:1", "d1": "one" }));
    let patch = json!({ "spec": { "port": "2" } });
    let (code, patched) = lab.send_as("PATCH", &format!("{V2}/a"), MERGE, patch).await;
    assert_eq!((code, &patched["spec"]["port"]), (200, &json!("2")));
    let scale = json!({ "spec": { "replicas": 3 } });
    let (code, scale) = lab
        .send_as("PATCH", &format!("{V2}/a/scale"), MERGE, scale)
        .await;
    assert_eq!((code, &scale["spec"]["replicas"]), (200, &json!(3)));
    let status = json!({ "status": { "phase": "Ready" } });
    let (code, _) = lab
        .send_as("PATCH", &format!("{V2}/a/status"), MERGE, status)
        .await;
    assert_eq!(code, 200);
    let (_, stored) = lab.get(&format!("{V1}/a")).await;
    assert_eq!(
        stored["spec"],
        json!({ "hostPort": "h:2", "d1": "one", "replicas": 3 })
    );
    assert_eq!(stored["status"]["phase"], "Ready");
}

#[tokio::test]
async fn nothing_is_written_if_conversion_to_storage_version_fails() {
    let lab = Lab::new();
    lab.create("a").await;
    assert_eq!(lab.get(V2).await.0, 200);
    lab.hook.set("fail@v1");
    let path = format!("{V2}/a");
    let before = lab.server.resource_version();
    let mut put = host("v2", "a", json!({ "host": "h", "port": "9" }));
    put["metadata"]["resourceVersion"] = before.to_string().into();
    let spec = json!({ "spec": { "port": "9" } });
    let apply = host("v2", "a", json!({ "replicas": 9 }));
    let applied = format!("{path}?fieldManager=x");
    let answers = [
        lab.send("POST", V2, host("v2", "b", json!({ "host": "h" })))
            .await,
        lab.send("PUT", &path, put).await,
        lab.send_as("PATCH", &path, MERGE, spec).await,
        lab.send_as("PATCH", &applied, APPLY, apply).await,
        lab.send("DELETE", &path, Value::Null).await,
    ];
    for (code, answer) in answers {
        assert_eq!((code, &answer["message"]), (500, &json!(OF_V2)));
    }
    assert_eq!(lab.server.resource_version(), before);
}

#[tokio::test]
async fn write_persists_if_its_response_cannot_be_converted() {
    let lab = Lab::new();
    lab.hook.set("fail@v2");
    let object = host("v2", "a", json!({ "host": "h", "port": "1" }));
    let (code, answer) = lab.send("POST", V2, object).await;
    assert_eq!((code, &answer["message"]), (500, &json!(OF_V1)));
    let (code, stored) = lab.get(&format!("{V1}/a")).await;
    assert_eq!((code, &stored["spec"]["hostPort"]), (200, &json!("h:1")));
    // The read before a write fails first.
    let (code, answer) = lab.send("DELETE", &format!("{V2}/a"), Value::Null).await;
    assert_eq!((code, &answer["message"]), (500, &json!(OF_V1)));
    assert_eq!(lab.get(&format!("{V1}/a")).await.0, 200);
}

#[tokio::test]
async fn writes_migrate_objects_to_the_new_storage_version() {
    let lab = Lab::new();
    lab.create("a").await;
    let patch = json!([
        { "op": "replace", "path": "/spec/versions/0/storage", "value": false },
        { "op": "replace", "path": "/spec/versions/1/storage", "value": true },
    ]);
    let media_type = "application/json-patch+json";
    let (code, answer) = lab.send_as("PATCH", DEFINITION, media_type, patch).await;
    assert_eq!(
        (code, &answer["status"]["storedVersions"]),
        (200, &json!(["v1", "v2"]))
    );
    lab.hook.set("");
    // The object keeps its storage version until it is written.
    let (_, object) = lab.get(&format!("{V1}/a")).await;
    assert_eq!(object["spec"]["hostPort"], "h:1");
    assert_eq!(lab.hook.log(), [""; 0]);
    let (_, object) = lab.get(&format!("{V2}/a")).await;
    assert_eq!(lab.hook.log(), ["v1 a -> v2"]);
    let (code, written) = lab.send("PUT", &format!("{V2}/a"), object.clone()).await;
    assert_eq!(code, 200);
    assert_ne!(
        written["metadata"]["resourceVersion"],
        object["metadata"]["resourceVersion"]
    );
    lab.hook.set("");
    lab.get(&format!("{V2}/a")).await;
    assert_eq!(lab.hook.log(), [""; 0]);
    lab.get(&format!("{V1}/a")).await;
    assert_eq!(lab.hook.log(), ["v2 a -> v1"]);
}

#[tokio::test]
async fn empty_apply_persists_defaults_of_the_storage_version() {
    let lab = Lab::new();
    let created = host("v2", "a", json!({ "host": "h", "port": "1" }));
    let (_, created) = lab.send("POST", V2, created).await;
    let path = format!("{V1}/a/status?fieldManager=one");
    let nothing = host("v1", "a", json!({}));
    let mut versions = vec![created["metadata"]["resourceVersion"].clone()];
    for _ in 0..2 {
        let (code, applied) = lab.send_as("PATCH", &path, APPLY, nothing.clone()).await;
        assert_eq!((code, &applied["spec"]["d1"]), (200, &json!("one")));
        versions.push(applied["metadata"]["resourceVersion"].clone());
    }
    assert_ne!(versions[0], versions[1], "d1 was not stored");
    assert_eq!(versions[1], versions[2]);
}

#[tokio::test]
async fn spec_created_by_a_scale_update_is_defaulted_on_read() {
    let lab = Lab::new();
    let created = json!({ "apiVersion": "lab.example.com/v1", "kind": "Host",
        "metadata": { "name": "a" } });
    lab.send("POST", V1, created).await;
    let scale = json!({ "apiVersion": "autoscaling/v1", "kind": "Scale",
        "metadata": { "name": "a" }, "spec": { "replicas": 2 } });
    let (code, _) = lab.send("PUT", &format!("{V1}/a/scale"), scale).await;
    assert_eq!(code, 200);
    let (_, object) = lab.get(&format!("{V1}/a")).await;
    assert_eq!(object["spec"], json!({ "d1": "one", "replicas": 2 }));
}

#[tokio::test]
async fn snapshots_record_each_objects_storage_version() {
    let lab = Lab::new();
    lab.create("a").await;
    let patch = json!([
        { "op": "replace", "path": "/spec/versions/0/storage", "value": false },
        { "op": "replace", "path": "/spec/versions/1/storage", "value": true },
    ]);
    let media_type = "application/json-patch+json";
    let (code, _) = lab.send_as("PATCH", DEFINITION, media_type, patch).await;
    assert_eq!(code, 200);
    let file = std::env::temp_dir().join(format!("conversion-{}.jsonl", std::process::id()));
    lab.server.snapshot().save(&file).unwrap();
    let snapshot = Snapshot::load(&file).unwrap();
    std::fs::remove_file(file).unwrap();
    lab.server.restore(&snapshot);
    lab.hook.set("");
    let (_, object) = lab.get(&format!("{V1}/a")).await;
    assert_eq!(object["spec"]["hostPort"], "h:1");
    assert_eq!(lab.hook.log(), [""; 0]);
    lab.get(&format!("{V2}/a")).await;
    assert_eq!(lab.hook.log(), ["v1 a -> v2"]);
}
