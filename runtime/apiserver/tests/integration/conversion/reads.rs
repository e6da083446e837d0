//! Tests of reads in another version than the stored one.

use std::collections::VecDeque;
use std::time::Duration;

use futures::StreamExt;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{APPLY, DEFINITION, Lab, MERGE, V1, V2, host};

const FAILED: &str = "conversion webhook for lab.example.com/v1, Kind=Host failed: no way";

#[tokio::test]
async fn storage_version_requests_do_not_call_the_webhook() {
    let lab = Lab::new();
    lab.hook.set("fail");
    lab.create("a").await;
    let (code, _) = lab.get(&format!("{V1}/a")).await;
    assert_eq!(code, 200);
    let patch = json!({ "spec": { "replicas": 2 } });
    let (code, _) = lab.send_as("PATCH", &format!("{V1}/a"), MERGE, patch).await;
    assert_eq!(code, 200);
    assert_eq!(lab.get(V1).await.0, 200);
    assert_eq!(
        lab.send("DELETE", &format!("{V1}/a"), Value::Null).await.0,
        200
    );
    assert_eq!(lab.hook.log(), [""; 0]);
}

#[tokio::test]
async fn repeated_lists_convert_each_object_once() {
    let lab = Lab::new();
    for name in ["a", "b"] {
        lab.create(name).await;
    }
    let (_, list) = lab.get(V2).await;
    let spec = json!({ "host": "h", "port": "1" });
    assert_eq!(list["items"][1]["spec"], spec);
    assert_eq!(list["items"][1]["apiVersion"], "lab.example.com/v2");
    assert_eq!(list["kind"], "HostList");
    assert_eq!(lab.hook.log(), ["v1 a -> v2", "v1 b -> v2"]);
    let (_, list) = lab
        .get(&format!("{V2}?fieldSelector=spec.host%3Dh&limit=1"))
        .await;
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    assert_eq!(lab.hook.log(), [""; 0]);
    // A read of one object bypasses the cache.
    lab.get(&format!("{V2}/a")).await;
    assert_eq!(lab.hook.log(), ["v1 a -> v2"]);
    lab.get(&format!("{V2}/a?resourceVersion=0")).await;
    assert_eq!(lab.hook.log(), [""; 0]);
}

#[tokio::test]
async fn conversion_reviews_contain_the_stored_object() {
    let lab = Lab::new();
    lab.create("a").await;
    lab.get(&format!("{V2}/a")).await;
    let review = lab.hook.review.lock().clone();
    assert_eq!(review["request"]["desiredAPIVersion"], "lab.example.com/v2");
    let object = &review["request"]["objects"][0];
    assert_eq!(object["apiVersion"], "lab.example.com/v1");
    assert_eq!(object["spec"], json!({ "d1": "one", "hostPort": "h:1" }));
    assert_eq!(object["metadata"].get("resourceVersion"), None);
    assert!(object["metadata"]["managedFields"].is_array());
}

#[tokio::test]
async fn lists_fail_if_an_object_cannot_be_converted() {
    let lab = Lab::new();
    lab.create("a").await;
    lab.hook.set("fail");
    // After a change of the definition, the server has no state of this version.
    let patch = json!({ "spec": { "names": { "shortNames": ["ho"] } } });
    let (code, _) = lab.send_as("PATCH", DEFINITION, MERGE, patch).await;
    assert_eq!(code, 200);
    let (code, answer) = lab.get(V2).await;
    assert_eq!((code, &answer["reason"]), (429, &json!("TooManyRequests")));
    let expected = format!(
        "storage is (re)initializing: failed to list lab.example.com/v2, Kind=Host: {FAILED}"
    );
    assert_eq!(answer["message"], expected);
    assert_eq!(answer["details"], json!({ "retryAfterSeconds": 1 }));
    let (code, answer) = lab.get(&format!("{V2}?watch=true")).await;
    assert_eq!((code, &answer["message"]), (429, &json!(expected)));
    // A page is read from the store.
    let (code, answer) = lab.get(&format!("{V2}?limit=5")).await;
    assert_eq!((code, &answer["message"]), (500, &json!(FAILED)));
    lab.hook.set("");
    assert_eq!(lab.get(V2).await.0, 200);
    // Cached objects are served while the webhook fails.
    lab.hook.set("fail");
    assert_eq!(lab.get(V2).await.0, 200);
    lab.create("b").await;
    let (code, answer) = lab.get(V2).await;
    assert_eq!((code, &answer["message"]), (500, &json!(FAILED)));
}

/// A page is converted alone: the objects before and after the one that fails can be read.
#[tokio::test]
async fn pages_fail_only_if_one_of_their_objects_cannot_be_converted() {
    let lab = Lab::new();
    for name in ["a", "b", "c"] {
        lab.create(name).await;
    }
    lab.hook.set("fail@b");
    let (code, page) = lab.get(&format!("{V2}?limit=1")).await;
    assert_eq!(
        (code, &page["items"][0]["metadata"]["name"]),
        (200, &json!("a"))
    );
    assert_eq!(page["metadata"]["remainingItemCount"], 2);
    let token = page["metadata"]["continue"].as_str().unwrap();
    let second = |version: &str| format!("{version}?limit=1&continue={token}");
    let (code, answer) = lab.get(&second(V2)).await;
    assert_eq!((code, &answer["message"]), (500, &json!(FAILED)));
    // A token of one version is valid in the others.
    let (_, page) = lab.get(&second(V1)).await;
    assert_eq!(page["items"][0]["metadata"]["name"], "b");
    let token = page["metadata"]["continue"].as_str().unwrap();
    let (code, page) = lab.get(&format!("{V2}?limit=1&continue={token}")).await;
    assert_eq!(
        (code, &page["items"][0]["metadata"]["name"]),
        (200, &json!("c"))
    );
    assert_eq!(lab.get(&format!("{V2}?limit=2")).await.0, 500);
}

#[tokio::test]
async fn empty_lists_do_not_call_the_conversion_webhook() {
    let lab = Lab::new();
    lab.hook.set("fail");
    assert_eq!(lab.get(V2).await.0, 200);
    lab.create("a").await;
    assert_eq!(lab.get(V2).await.0, 500);
}

#[tokio::test]
async fn label_selectors_match_converted_labels() {
    let lab = Lab::new();
    lab.create("a").await;
    lab.hook.set("/0/metadata/labels={\"app\":\"web\"}");
    let selected = |version: &str| format!("{version}?labelSelector=app%3Dweb");
    let (_, list) = lab.get(&selected(V2)).await;
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    let (_, list) = lab.get(&selected(V1)).await;
    assert_eq!(list["items"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn watch_events_wait_for_the_conversion_webhook() {
    let lab = Lab::new();
    lab.create("a").await;
    let request = http::Request::get(format!("{V2}?watch=true&timeoutSeconds=60"))
        .body(Vec::new().into())
        .unwrap();
    let response = lab.client().send(request).await.unwrap();
    let mut chunks = response.into_body().into_data_stream();
    let mut lines = VecDeque::new();
    let mut next = async || -> Option<Value> {
        while lines.is_empty() {
            let chunk = timeout(Duration::from_secs(5), chunks.next()).await;
            let chunk = String::from_utf8(chunk.ok()??.unwrap().into()).unwrap();
            lines.extend(chunk.lines().map(str::to_owned));
        }
        Some(serde_json::from_str(&lines.pop_front()?).unwrap())
    };
    let spec = |event: &Value| event["object"]["spec"].clone();
    let first = next().await.unwrap();
    assert_eq!(
        (&first["type"], spec(&first)),
        (&json!("ADDED"), json!({ "host": "h", "port": "1" }))
    );
    lab.hook.set("fail");
    lab.create("b").await;
    lab.create("c").await;
    // Events wait while no conversion succeeds.
    assert_eq!(next().await, None);
    // Only conversions to v1 fail; the watch needs those to v2.
    lab.hook.set("fail@v1");
    let event = next().await.unwrap();
    assert_eq!(event["object"]["metadata"]["name"], "b");
    let event = next().await.unwrap();
    assert_eq!(event["object"]["metadata"]["name"], "c");
    lab.send("DELETE", &format!("{V1}/b"), Value::Null).await;
    let event = next().await.unwrap();
    assert_eq!(
        (&event["type"], spec(&event)),
        (&json!("DELETED"), json!({ "host": "h", "port": "1" }))
    );
    // The definition of the watched kind changes.
    let patch = json!({ "spec": { "conversion": { "webhook": {
        "conversionReviewVersions": ["v1beta1"],
    } } } });
    let (code, _) = lab.send_as("PATCH", DEFINITION, MERGE, patch).await;
    assert_eq!(code, 200);
    let end = timeout(Duration::from_secs(1), chunks.next()).await;
    assert!(end.unwrap().is_none());
}

#[tokio::test]
async fn apply_converts_between_the_versions_of_field_managers() {
    let lab = Lab::new();
    let apply = async |version: &str, path: &str, manager: &str, spec: Value| {
        let path = format!("{path}/a?fieldManager={manager}");
        let object = host(version, "a", spec);
        lab.send_as("PATCH", &path, APPLY, object).await
    };
    let (code, _) = apply("v1", V1, "one", json!({ "hostPort": "h:1" })).await;
    assert_eq!(code, 201);
    let (code, answer) = apply("v2", V2, "two", json!({ "host": "g", "port": "1" })).await;
    assert_eq!(code, 409);
    assert_eq!(
        answer["message"],
        "Apply failed with 1 conflict: conflict with \"one\": .spec.hostPort"
    );
    let (code, answer) = apply("v2", V2, "two", json!({ "replicas": 2 })).await;
    assert_eq!(code, 200, "{answer}");
    // A field that the webhook leaves and the new version does not declare fails the apply.
    lab.hook.set("/0/spec/d1=\"x\"@v2");
    let (code, answer) = apply("v1", V1, "one", json!({})).await;
    let message = ".spec.d1: field not declared in schema";
    assert_eq!((code, &answer["message"]), (500, &json!(message)));
    lab.hook.set("");
    let (code, answer) = apply("v1", V1, "one", json!({})).await;
    let spec = json!({ "d1": "one", "replicas": 2 });
    assert_eq!((code, &answer["spec"]), (200, &spec));
}
