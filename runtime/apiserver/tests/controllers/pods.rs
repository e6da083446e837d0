//! Grace periods of Pods, as kube-apiserver answered the same requests.

use serde_json::{Value, json};

use super::api::Api;

const PODS: &str = "/api/v1/namespaces/default/pods";

fn pod(name: &str, spec: &Value, finalizers: &Value) -> Value {
    let mut pod = json!({
        "metadata": { "name": name, "finalizers": finalizers },
        "spec": spec,
    });
    pod["spec"]["containers"] = json!([{ "name": "a", "image": "a" }]);
    pod
}

/// What tells states apart: generation, whole seconds until the object is to be gone, grace
/// period, finalizers.
fn state(object: &Value, created: &Value) -> Value {
    let metadata = &object["metadata"];
    if object["kind"] == "Status" {
        return object["code"].clone();
    }
    let at = |object: &Value, field: &str| -> Option<i64> {
        let text = object["metadata"][field].as_str()?;
        let at: genclient::k8s_openapi::jiff::Timestamp = text.parse().unwrap();
        Some(at.as_second())
    };
    let since = at(object, "deletionTimestamp").zip(at(created, "creationTimestamp"));
    let after = since.map(|(until, created)| until - created);
    json!([
        metadata["generation"],
        after,
        metadata["deletionGracePeriodSeconds"],
        metadata["finalizers"],
    ])
}

/// Spec, finalizers, and then the options of deletions, or patches, with the states after them.
#[tokio::test(start_paused = true)]
async fn grace_periods_are_left_and_shortened() {
    let bound = json!({ "nodeName": "n" });
    let brief = json!({ "nodeName": "n", "terminationGracePeriodSeconds": 0 });
    let delete = |options: Value| ("", "DELETE", options);
    let patch = |patch: Value| ("", "PATCH", patch);
    let gone = json!(404);
    let table = [
        (
            json!({}),
            json!(null),
            vec![(delete(json!({})), json!([2, 0, 0, null]), gone.clone())],
        ),
        (
            json!({}),
            json!(null),
            vec![(
                delete(json!({ "gracePeriodSeconds": 10 })),
                json!([2, 0, 0, null]),
                gone.clone(),
            )],
        ),
        (
            json!({}),
            json!(["x.y/z"]),
            vec![
                (
                    delete(json!({})),
                    json!([2, 0, 0, ["x.y/z"]]),
                    json!([2, 0, 0, ["x.y/z"]]),
                ),
                (
                    delete(json!({})),
                    json!([2, 0, 0, ["x.y/z"]]),
                    json!([2, 0, 0, ["x.y/z"]]),
                ),
                (
                    patch(json!({ "metadata": { "finalizers": null } })),
                    json!([2, 0, 0, null]),
                    gone.clone(),
                ),
            ],
        ),
        (
            bound.clone(),
            json!(null),
            vec![
                (
                    delete(json!({})),
                    json!([2, 30, 30, null]),
                    json!([2, 30, 30, null]),
                ),
                (
                    delete(json!({})),
                    json!([2, 30, 30, null]),
                    json!([2, 30, 30, null]),
                ),
                (
                    delete(json!({ "gracePeriodSeconds": 40 })),
                    json!([2, 30, 30, null]),
                    json!([2, 30, 30, null]),
                ),
                (
                    delete(json!({ "gracePeriodSeconds": 10 })),
                    json!([2, 10, 10, null]),
                    json!([2, 10, 10, null]),
                ),
                (
                    delete(json!({ "propagationPolicy": "Foreground" })),
                    json!([2, 10, 10, null]),
                    json!([2, 10, 10, null]),
                ),
                (
                    delete(json!({ "gracePeriodSeconds": -3 })),
                    json!([2, 1, 1, null]),
                    json!([2, 1, 1, null]),
                ),
                (
                    delete(json!({ "gracePeriodSeconds": 0 })),
                    json!([2, 0, 0, null]),
                    gone.clone(),
                ),
            ],
        ),
        (
            brief,
            json!(null),
            vec![(delete(json!({})), json!([2, 0, 0, null]), gone.clone())],
        ),
        (
            bound.clone(),
            json!(null),
            vec![
                (
                    (
                        "/status",
                        "PATCH",
                        json!({ "status": { "phase": "Failed" } }),
                    ),
                    json!([1, null, null, null]),
                    json!([1, null, null, null]),
                ),
                (delete(json!({})), json!([2, 0, 0, null]), gone.clone()),
            ],
        ),
        (
            bound.clone(),
            json!(["x.y/z"]),
            vec![
                (
                    delete(json!({ "gracePeriodSeconds": 5 })),
                    json!([2, 5, 5, ["x.y/z"]]),
                    json!([2, 5, 5, ["x.y/z"]]),
                ),
                (
                    patch(json!({ "metadata": { "finalizers": null } })),
                    json!([2, 5, 5, null]),
                    json!([2, 5, 5, null]),
                ),
                (
                    delete(json!({ "gracePeriodSeconds": 0 })),
                    json!([2, 0, 0, null]),
                    gone.clone(),
                ),
            ],
        ),
        (
            bound,
            json!(null),
            vec![
                (
                    delete(json!({ "dryRun": ["All"] })),
                    json!([2, 30, 30, null]),
                    json!([1, null, null, null]),
                ),
                (
                    delete(json!({ "dryRun": ["All"], "gracePeriodSeconds": 0 })),
                    json!([2, 0, 0, null]),
                    json!([1, null, null, null]),
                ),
            ],
        ),
    ];
    let api = Api::immediate();
    for (number, (spec, finalizers, steps)) in table.iter().enumerate() {
        let name = format!("pod-{number}");
        let created = api.create(PODS, pod(&name, spec, finalizers)).await;
        for ((subresource, method, body), answer, after) in steps {
            let path = format!("{PODS}/{name}");
            let found = api
                .send(method, &format!("{path}{subresource}"), body.clone())
                .await;
            let case = format!("{spec} {finalizers} {method} {body}: {found:?}");
            assert_eq!(&state(&found.1, &created), answer, "{case}");
            let (_, found) = api.get(&path).await;
            assert_eq!(&state(&found, &created), after, "{case}");
        }
    }
}

/// A Pod that is deleted at once is written before, as watchers see.
#[tokio::test(start_paused = true)]
async fn deletions_at_once_are_written_first() {
    let api = Api::immediate();
    let created = api.create(PODS, pod("a", &json!({}), &json!(null))).await;
    let mut events = api.watch(PODS).await;
    let version = |object: &Value| -> u64 {
        let version = object["metadata"]["resourceVersion"].as_str().unwrap();
        version.parse().unwrap()
    };
    let (code, deleted) = api.delete(&format!("{PODS}/a"), json!({})).await;
    assert_eq!((code, version(&deleted)), (200, version(&created) + 2));
    let seen = [("ADDED", 1, 0), ("MODIFIED", 2, 1), ("DELETED", 2, 2)];
    for (type_, generation, later) in seen {
        let (found, object) = events.next().await.unwrap();
        assert_eq!(found, type_);
        assert_eq!(object["metadata"]["generation"], generation);
        assert_eq!(version(&object), version(&created) + later);
    }
}

/// Shortening a period that is nearly over leaves a second; deletions never lengthen it.
#[tokio::test(start_paused = true)]
async fn periods_are_counted_from_the_first_deletion() {
    let api = Api::immediate();
    let spec = json!({ "nodeName": "n" });
    let created = api.create(PODS, pod("a", &spec, &json!(null))).await;
    let path = format!("{PODS}/a");
    api.delete(&path, json!({})).await;
    tokio::time::advance(std::time::Duration::from_secs(20)).await;
    let (_, shortened) = api.delete(&path, json!({ "gracePeriodSeconds": 25 })).await;
    assert_eq!(state(&shortened, &created), json!([2, 25, 25, null]));
    let (_, shortened) = api.delete(&path, json!({ "gracePeriodSeconds": 10 })).await;
    assert_eq!(state(&shortened, &created), json!([2, 20, 1, null]));
    let (_, collection) = api.delete(PODS, json!({ "gracePeriodSeconds": 0 })).await;
    assert_eq!(
        collection["items"][0]["metadata"]["deletionGracePeriodSeconds"],
        1
    );
    assert_eq!(api.names(PODS).await, [""; 0]);
}
