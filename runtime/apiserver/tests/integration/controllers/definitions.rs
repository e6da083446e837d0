//! Tests of deleting definitions with objects, against recorded responses of kube-apiserver.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::api::{Api, DEFINITIONS, definition};

const WIDGETS: &str = "/apis/example.com/v1/namespaces/default/widgets";
const DEFINITION: &str =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";

fn widget(name: &str, finalizers: Value) -> Value {
    json!({
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": { "name": name, "finalizers": finalizers },
    })
}

fn terminating_condition(definition: &Value) -> Value {
    let conditions = definition["status"]["conditions"].as_array().unwrap();
    let found = conditions
        .iter()
        .find(|condition| condition["type"] == "Terminating");
    let Some(condition) = found else {
        return Value::Null;
    };
    json!([
        condition["status"],
        condition["reason"],
        condition["message"]
    ])
}

async fn serve_two_widgets() -> Api {
    let api = Api::immediate();
    api.create(DEFINITIONS, definition("Widget", "Namespaced"))
        .await;
    api.create(WIDGETS, widget("kept", json!(["x.y/z"]))).await;
    api.create(WIDGETS, widget("free", json!(null))).await;
    api
}

const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

#[tokio::test(start_paused = true)]
async fn terminating_condition_reports_instance_deletion() {
    let api = serve_two_widgets().await;
    let mut definitions = api.watch(DEFINITIONS).await;
    definitions.next().await;
    let pending = json!([
        "True",
        "InstanceDeletionPending",
        "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    ]);
    let in_progress = json!([
        "True",
        "InstanceDeletionInProgress",
        "CustomResource deletion is in progress"
    ]);

    let options = json!({ "propagationPolicy": "Orphan" });
    let (code, deleted) = api.delete(DEFINITION, options).await;
    assert_eq!(
        (code, terminating_condition(&deleted)),
        (200, pending.clone())
    );
    let metadata = &deleted["metadata"];
    assert!(metadata["deletionTimestamp"].is_string());
    assert_eq!(metadata["deletionGracePeriodSeconds"], Value::Null);
    assert_eq!(metadata["finalizers"], json!([CLEANUP]));
    assert_eq!(metadata["generation"], 1);
    for expected in [pending, in_progress] {
        let (type_, definition) = definitions.next().await.unwrap();
        assert_eq!(type_, "MODIFIED");
        assert_eq!(terminating_condition(&definition), expected);
    }

    // A second deletion follows the rules of other kinds.
    let (_, again) = api.delete(DEFINITION, json!({})).await;
    assert_eq!(again["metadata"]["deletionGracePeriodSeconds"], 0);
    definitions.next().await;
    remove_finalizers(&api).await;
    assert_eq!(api.get(DEFINITION).await.0, 404);
    let (type_, last) = definitions.next().await.unwrap();
    assert_eq!(type_, "DELETED");
    assert_eq!(last["metadata"]["finalizers"], json!([CLEANUP]));
}

async fn remove_finalizers(api: &Api) {
    let patch = json!({ "metadata": { "finalizers": null } });
    let (code, _) = api.patch(&format!("{WIDGETS}/kept"), patch).await;
    assert_eq!(code, 200);
}

#[tokio::test(start_paused = true)]
async fn definition_deletion_waits_for_objects_with_finalizers() {
    let api = serve_two_widgets().await;
    let mut widgets = api.watch(WIDGETS).await;
    for _ in 0..2 {
        widgets.next().await;
    }
    api.delete(DEFINITION, Value::Null).await;
    assert_eq!(api.names(WIDGETS).await, ["kept"]);
    let patch = json!({ "spec": { "size": 2 } });
    let (code, patched) = api.patch(&format!("{WIDGETS}/kept"), patch).await;
    assert_eq!((code, &patched["metadata"]["generation"]), (200, &json!(3)));
    remove_finalizers(&api).await;
    assert_eq!(api.get(WIDGETS).await, (404, Value::Null));
    let seen = [
        "DELETED free",
        "MODIFIED kept",
        "MODIFIED kept",
        "DELETED kept",
    ];
    let before = Instant::now();
    for expected in seen {
        let (type_, object) = widgets.next().await.unwrap();
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        assert_eq!(format!("{type_} {name}"), expected);
    }
    // The watch ends when the kind is removed.
    assert_eq!(widgets.next().await, None);
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn creates_are_forbidden_while_the_definition_terminates() {
    let api = serve_two_widgets().await;
    api.delete(DEFINITION, Value::Null).await;
    let generated = json!({
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": { "generateName": "new" },
    });
    let refused = [
        (
            widget("new", json!(null)),
            "widgets.example.com \"new\" is forbidden",
        ),
        (generated, "widgets.example.com is forbidden"),
    ];
    for (object, start) in refused {
        let (code, status) = api.send("POST", WIDGETS, object).await;
        let reason = "create not allowed while custom resource definition is terminating";
        assert_eq!(code, 403);
        assert_eq!(status["message"], format!("{start}: {reason}"));
    }
}

#[tokio::test(start_paused = true)]
async fn definition_deletion_honors_preconditions_and_dry_run() {
    let api = serve_two_widgets().await;
    let (_, before) = api.get(DEFINITION).await;
    let (code, status) = api
        .delete(DEFINITION, json!({ "preconditions": { "uid": "x" } }))
        .await;
    let uid = before["metadata"]["uid"].as_str().unwrap();
    let message = format!(
        "Operation cannot be fulfilled on customresourcedefinitions.apiextensions.k8s.io \
         \"widgets.example.com\": Precondition failed: UID in precondition: x, UID in object meta: \
         {uid}"
    );
    assert_eq!((code, &status["message"]), (409, &json!(message)));
    let (code, deleted) = api.delete(DEFINITION, json!({ "dryRun": ["All"] })).await;
    assert_eq!(
        (code, &deleted["metadata"]["finalizers"][0]),
        (200, &json!("customresourcecleanup.apiextensions.k8s.io"))
    );
    assert_eq!(api.get(DEFINITION).await, (200, before));
}

/// A collection of definitions is deleted without cleanup, as on the real server.
#[tokio::test(start_paused = true)]
async fn deletecollection_of_definitions_skips_cleanup() {
    let api = serve_two_widgets().await;
    let (code, _) = api.delete(DEFINITIONS, Value::Null).await;
    assert_eq!(code, 200);
    assert_eq!(api.names(DEFINITIONS).await, [""; 0]);
    assert_eq!(api.get(WIDGETS).await.0, 404);
}

/// Objects in all namespaces are deleted, and those of other definitions remain.
#[tokio::test(start_paused = true)]
async fn deleting_a_definition_deletes_objects_in_all_namespaces() {
    let api = serve_two_widgets().await;
    api.create(
        "/api/v1/namespaces",
        json!({ "metadata": { "name": "other" } }),
    )
    .await;
    let other = "/apis/example.com/v1/namespaces/other/widgets";
    api.create(other, widget("b", json!(null))).await;
    api.create(DEFINITIONS, definition("Gadget", "Cluster"))
        .await;
    let gadget = json!({
        "apiVersion": "example.com/v1",
        "kind": "Gadget",
        "metadata": { "name": "g" },
    });
    api.create("/apis/example.com/v1/gadgets", gadget).await;
    api.delete(DEFINITION, Value::Null).await;
    assert_eq!(api.names(other).await, [""; 0]);
    assert_eq!(api.names("/apis/example.com/v1/gadgets").await, ["g"]);
    api.delete(&format!("{DEFINITIONS}/gadgets.example.com"), Value::Null)
        .await;
    assert_eq!(api.names(DEFINITIONS).await, ["widgets.example.com"]);
}
