//! Tests of deleting namespaces, against the recorded behavior of kube-apiserver and
//! kube-controller-manager.

use std::time::Duration;

use genclient_apiserver::ApiServer;
use serde_json::{Value, json};
use tokio::time::advance;

use super::api::{Api, DEFINITIONS, definition};

const NAMESPACES: &str = "/api/v1/namespaces";

async fn create_object(api: &Api, namespace: &str, plural: &str, name: &str, finalizers: Value) {
    let path = match plural {
        "widgets" => format!("/apis/example.com/v1/namespaces/{namespace}/widgets"),
        _ => format!("{NAMESPACES}/{namespace}/{plural}"),
    };
    let mut object = json!({ "metadata": { "name": name, "finalizers": finalizers } });
    match plural {
        "widgets" => {
            object["apiVersion"] = "example.com/v1".into();
            object["kind"] = "Widget".into();
        }
        "pods" => object["spec"] = json!({ "containers": [{ "name": "a", "image": "a" }] }),
        _ => {}
    }
    api.create(&path, object).await;
}

/// Formats conditions as `status reason: message`.
fn format_conditions(namespace: &Value) -> Vec<String> {
    let conditions = namespace["status"]["conditions"]
        .as_array()
        .into_iter()
        .flatten();
    let text = |condition: &Value| {
        let [status, reason, message] =
            ["status", "reason", "message"].map(|field| condition[field].as_str().unwrap());
        format!("{status} {reason}: {message}")
    };
    conditions.map(text).collect()
}

const SUCCESS_CONDITIONS: [&str; 5] = [
    "False ResourcesDiscovered: All resources successfully discovered",
    "False ParsedGroupVersions: All legacy kube types successfully parsed",
    "False ContentDeleted: All content successfully deleted, may be waiting on finalization",
    "False ContentRemoved: All content successfully removed",
    "False ContentHasNoFinalizers: All content-preserving finalizers finished",
];

async fn remove_finalizers(api: &Api, path: &str) {
    let path = format!("{NAMESPACES}/{path}");
    let (code, _) = api
        .patch(&path, json!({ "metadata": { "finalizers": null } }))
        .await;
    assert_eq!(code, 200);
}

#[tokio::test(start_paused = true)]
async fn namespace_deletion_deletes_objects_of_all_kinds_first() {
    let api = Api::immediate();
    api.create(DEFINITIONS, definition("Widget", "Namespaced"))
        .await;
    api.create(NAMESPACES, json!({ "metadata": { "name": "full" } }))
        .await;
    create_object(&api, "full", "configmaps", "a", json!(["x.y/z", "k.l/m"])).await;
    create_object(&api, "full", "configmaps", "b", json!(["x.y/z"])).await;
    create_object(&api, "full", "secrets", "a", json!(["x.y/z"])).await;
    create_object(&api, "full", "secrets", "b", json!(null)).await;
    create_object(&api, "full", "pods", "a", json!(null)).await;
    create_object(&api, "full", "widgets", "a", json!(["x.y/z"])).await;
    create_object(&api, "default", "configmaps", "other", json!(null)).await;
    let full = format!("{NAMESPACES}/full");

    let (code, deleted) = api.delete(&full, Value::Null).await;
    assert_eq!(
        (code, &deleted["status"]),
        (200, &json!({ "phase": "Terminating" }))
    );
    assert_eq!(
        deleted["metadata"]["deletionGracePeriodSeconds"],
        Value::Null
    );
    assert_eq!(api.names(&format!("{full}/secrets")).await, ["a"]);
    let (_, namespace) = api.get(&full).await;
    let mut expected = SUCCESS_CONDITIONS.map(str::to_owned);
    expected[3] = "True SomeResourcesRemain: Some resources are remaining: configmaps. has 2 \
                   resource instances, secrets. has 1 resource instances, widgets.example.com has \
                   1 resource instances"
        .to_owned();
    expected[4] = "True SomeFinalizersRemain: Some content in the namespace has finalizers \
                   remaining: k.l/m in 1 resource instances, x.y/z in 4 resource instances"
        .to_owned();
    assert_eq!(format_conditions(&namespace), expected);
    let mut managers = namespace["metadata"]["managedFields"]
        .as_array()
        .unwrap()
        .iter();
    assert!(managers.any(|entry| {
        entry["manager"] == "kube-controller-manager" && entry["subresource"] == "status"
    }));

    remove_finalizers(&api, "full/configmaps/a").await;
    let (_, namespace) = api.get(&full).await;
    assert!(format_conditions(&namespace)[4].contains("remaining: x.y/z in 3 resource instances"));
    remove_finalizers(&api, "full/configmaps/b").await;
    remove_finalizers(&api, "full/secrets/a").await;
    let widget = "/apis/example.com/v1/namespaces/full/widgets/a";
    api.patch(widget, json!({ "metadata": { "finalizers": null } }))
        .await;
    assert_eq!(api.get(&full).await.0, 404);
    assert_eq!(
        api.names(&format!("{NAMESPACES}/default/configmaps")).await,
        ["other"]
    );
}

#[tokio::test(start_paused = true)]
async fn namespace_deletion_deletes_pods_first() {
    let api = Api::immediate();
    api.create(NAMESPACES, json!({ "metadata": { "name": "n" } }))
        .await;
    create_object(&api, "n", "pods", "a", json!(["x.y/z"])).await;
    create_object(&api, "n", "secrets", "b", json!(null)).await;
    api.delete(&format!("{NAMESPACES}/n"), Value::Null).await;
    let (_, namespace) = api.get(&format!("{NAMESPACES}/n")).await;
    assert_eq!(format_conditions(&namespace), SUCCESS_CONDITIONS);
    assert_eq!(api.names(&format!("{NAMESPACES}/n/secrets")).await, ["b"]);
    remove_finalizers(&api, "n/pods/a").await;
    assert_eq!(api.get(&format!("{NAMESPACES}/n")).await.0, 404);
}

/// Without a node that ends a Pod, the namespace reports the Pod after its grace period.
#[tokio::test(start_paused = true)]
async fn namespace_deletion_waits_for_scheduled_pods() {
    let api = Api::immediate();
    api.create(NAMESPACES, json!({ "metadata": { "name": "n" } }))
        .await;
    let pod = json!({
        "metadata": { "name": "a" },
        "spec": {
            "nodeName": "n",
            "terminationGracePeriodSeconds": 7,
            "containers": [{ "name": "a", "image": "a" }],
        },
    });
    api.create(&format!("{NAMESPACES}/n/pods"), pod).await;
    let path = format!("{NAMESPACES}/n");
    api.delete(&path, Value::Null).await;
    let (_, namespace) = api.get(&path).await;
    assert_eq!(format_conditions(&namespace), SUCCESS_CONDITIONS);
    for _ in 0..2 {
        advance(Duration::from_secs(4)).await;
        api.get(&path).await;
    }
    let (_, namespace) = api.get(&path).await;
    let mut expected = SUCCESS_CONDITIONS.map(str::to_owned);
    expected[2] = "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: \
                   unexpected items still remain in namespace: n for gvr: /v1, Resource=pods"
        .to_owned();
    assert_eq!(format_conditions(&namespace), expected);
    api.delete(
        &format!("{path}/pods/a"),
        json!({ "gracePeriodSeconds": 0 }),
    )
    .await;
    assert_eq!(api.get(&path).await.0, 404);
}

#[tokio::test(start_paused = true)]
async fn creates_are_forbidden_in_terminating_namespaces() {
    let api = Api::immediate();
    api.create(NAMESPACES, json!({ "metadata": { "name": "n" } }))
        .await;
    create_object(&api, "n", "configmaps", "a", json!(["x.y/z"])).await;
    api.delete(&format!("{NAMESPACES}/n"), Value::Null).await;
    let reason = "is forbidden: unable to create new content in namespace n because it is being \
                  terminated";
    let maps = format!("{NAMESPACES}/n/configmaps");
    let lease = "/apis/coordination.k8s.io/v1/namespaces/n/leases/zz";
    let table = [
        ("POST", &*maps, json!({ "name": "c" }), "configmaps \"c\""),
        (
            "POST",
            &*maps,
            json!({ "generateName": "c" }),
            "configmaps \"c\"",
        ),
        (
            "PUT",
            lease,
            json!({ "name": "zz" }),
            "leases.coordination.k8s.io \"zz\"",
        ),
    ];
    for (method, path, metadata, object) in table {
        let (code, status) = api
            .send(method, path, json!({ "metadata": metadata }))
            .await;
        assert_eq!(
            (code, &status["message"]),
            (403, &json!(format!("{object} {reason}")))
        );
        assert_eq!(
            status["details"]["causes"][0]["reason"],
            "NamespaceTerminating"
        );
    }
}

fn without_controllers() -> Api {
    let server = ApiServer::builder().lag(Duration::ZERO).controllers(false);
    Api(server.build().unwrap())
}

/// Returns whether a namespace is being deleted, its finalizers, those of its spec, and its phase.
fn deletion_state(namespace: &Value) -> Value {
    let metadata = &namespace["metadata"];
    json!([
        metadata["deletionTimestamp"].is_string(),
        metadata["finalizers"],
        namespace["spec"]["finalizers"],
        namespace["status"]["phase"],
    ])
}

#[tokio::test(start_paused = true)]
async fn namespace_deletion_honors_preconditions_and_dry_run() {
    let api = without_controllers();
    let path = format!("{NAMESPACES}/n");
    let created = api
        .create(NAMESPACES, json!({ "metadata": { "name": "n" } }))
        .await;
    let options = json!({ "preconditions": { "uid": "x" } });
    let (code, status) = api.delete(&path, options).await;
    let message = format!(
        "Operation cannot be fulfilled on namespaces \"n\": Precondition failed: UID in \
         precondition: x, UID in object meta: {}",
        created["metadata"]["uid"].as_str().unwrap()
    );
    assert_eq!((code, &status["message"]), (409, &json!(message)));
    let (_, dry) = api.delete(&path, json!({ "dryRun": ["All"] })).await;
    assert_eq!(
        deletion_state(&dry),
        json!([true, null, ["kubernetes"], "Terminating"])
    );
    assert_eq!(api.get(&path).await, (200, created));
    let (code, status) = api.delete(NAMESPACES, Value::Null).await;
    let message = "the server does not allow this method on the requested resource";
    assert_eq!((code, &status["message"]), (405, &json!(message)));
}

/// Without the controller, `finalize` completes the deletion of a namespace.
#[tokio::test(start_paused = true)]
async fn namespaces_without_a_controller_wait_for_finalize() {
    let api = without_controllers();
    let path = format!("{NAMESPACES}/n");
    let finalize = json!({ "metadata": { "name": "n" }, "spec": { "finalizers": [] } });
    api.create(NAMESPACES, json!({ "metadata": { "name": "n" } }))
        .await;
    // `orphanDependents: false` means foreground deletion.
    let options = json!({ "orphanDependents": false });
    let (code, deleted) = api.delete(&path, options).await;
    let expected = json!([true, ["foregroundDeletion"], ["kubernetes"], "Terminating"]);
    assert_eq!((code, deletion_state(&deleted)), (202, expected.clone()));
    let options = json!({ "propagationPolicy": "Background" });
    let (_, again) = api.delete(&path, options).await;
    assert_eq!(again, deleted);
    // The metadata are taken from the request.
    let finalized = format!("{path}/finalize");
    let (code, last) = api.send("PUT", &finalized, finalize.clone()).await;
    assert_eq!(
        (code, deletion_state(&last)),
        (200, json!([true, null, null, "Terminating"]))
    );
    assert_eq!(api.get(&path).await.0, 404);

    let metadata = json!({ "name": "n", "finalizers": ["x.y/z"] });
    api.create(NAMESPACES, json!({ "metadata": metadata }))
        .await;
    api.delete(&path, Value::Null).await;
    remove_finalizers(&api, "n").await;
    let (_, found) = api.get(&path).await;
    assert_eq!(
        deletion_state(&found),
        json!([true, null, ["kubernetes"], "Terminating"])
    );
    api.send("PUT", &finalized, finalize).await;
    assert_eq!(api.get(&path).await.0, 404);
}
