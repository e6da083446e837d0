//! Tests of grace periods of Pods, against recorded responses of kube-apiserver.

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

/// Returns the compared state: generation, whole seconds until the deletion timestamp, grace
/// period, finalizers.
fn compared_state(object: &Value, created: &Value) -> Value {
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

/// Spec and finalizers of a Pod, then requests, each with the state in the response and the state
/// after.
const PERIODS: &str = r#"
{} null
DELETE {} [2,0,0,null] 404

{} null
DELETE {"gracePeriodSeconds":10} [2,0,0,null] 404

{} ["x.y/z"]
DELETE {} [2,0,0,["x.y/z"]] [2,0,0,["x.y/z"]]
DELETE {} [2,0,0,["x.y/z"]] [2,0,0,["x.y/z"]]
PATCH {"metadata":{"finalizers":null}} [2,0,0,null] 404

{"nodeName":"n"} null
DELETE {} [2,30,30,null] [2,30,30,null]
DELETE {} [2,30,30,null] [2,30,30,null]
DELETE {"gracePeriodSeconds":40} [2,30,30,null] [2,30,30,null]
DELETE {"gracePeriodSeconds":10} [2,10,10,null] [2,10,10,null]
DELETE {"propagationPolicy":"Foreground"} [2,10,10,null] [2,10,10,null]
DELETE {"gracePeriodSeconds":-3} [2,1,1,null] [2,1,1,null]
DELETE {"gracePeriodSeconds":0} [2,0,0,null] 404

{"nodeName":"n","terminationGracePeriodSeconds":0} null
DELETE {} [2,0,0,null] 404

{"nodeName":"n"} null
PATCH/status {"status":{"phase":"Failed"}} [1,null,null,null] [1,null,null,null]
DELETE {} [2,0,0,null] 404

{"nodeName":"n"} ["x.y/z"]
DELETE {"gracePeriodSeconds":5} [2,5,5,["x.y/z"]] [2,5,5,["x.y/z"]]
PATCH {"metadata":{"finalizers":null}} [2,5,5,null] [2,5,5,null]
DELETE {"gracePeriodSeconds":0} [2,0,0,null] 404

{"nodeName":"n"} null
DELETE {"dryRun":["All"]} [2,30,30,null] [1,null,null,null]
DELETE {"dryRun":["All"],"gracePeriodSeconds":0} [2,0,0,null] [1,null,null,null]
"#;

/// Parses the values of a line, which are separated by blanks.
fn parse_values(line: &str) -> Vec<Value> {
    line.split(' ')
        .map(|text| serde_json::from_str(text).unwrap())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn repeated_pod_deletions_keep_or_shorten_the_grace_period() {
    let api = Api::immediate();
    for (number, case) in PERIODS.trim().split("\n\n").enumerate() {
        let (head, steps) = case.split_once('\n').unwrap();
        let [spec, finalizers] = &parse_values(head)[..] else {
            panic!("{head}");
        };
        let name = format!("pod-{number}");
        let created = api.create(PODS, pod(&name, spec, finalizers)).await;
        let path = format!("{PODS}/{name}");
        for step in steps.lines() {
            let (verb, rest) = step.split_once(' ').unwrap();
            let (method, subresource) = verb.split_once('/').unwrap_or((verb, ""));
            let [body, answer, after] = &parse_values(rest)[..] else {
                panic!("{step}");
            };
            let target = format!("{path}/{subresource}");
            let (_, found) = api.send(method, &target, body.clone()).await;
            assert_eq!(
                &compared_state(&found, &created),
                answer,
                "{head}: {step}: {found}"
            );
            let (_, found) = api.get(&path).await;
            assert_eq!(
                &compared_state(&found, &created),
                after,
                "{head}: {step}: {found}"
            );
        }
    }
}

/// A Pod that is deleted at once is marked before, which watchers see.
#[tokio::test(start_paused = true)]
async fn immediate_pod_deletion_sends_a_modified_event_first() {
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

/// Shortening a period that is nearly over leaves a second. Deletions never extend it.
#[tokio::test(start_paused = true)]
async fn grace_period_counts_from_the_first_deletion() {
    let api = Api::immediate();
    let spec = json!({ "nodeName": "n" });
    let created = api.create(PODS, pod("a", &spec, &json!(null))).await;
    let path = format!("{PODS}/a");
    api.delete(&path, json!({})).await;
    tokio::time::advance(std::time::Duration::from_secs(20)).await;
    let (_, shortened) = api.delete(&path, json!({ "gracePeriodSeconds": 25 })).await;
    assert_eq!(
        compared_state(&shortened, &created),
        json!([2, 25, 25, null])
    );
    let (_, shortened) = api.delete(&path, json!({ "gracePeriodSeconds": 10 })).await;
    assert_eq!(
        compared_state(&shortened, &created),
        json!([2, 20, 1, null])
    );
    let (_, collection) = api.delete(PODS, json!({ "gracePeriodSeconds": 0 })).await;
    assert_eq!(
        collection["items"][0]["metadata"]["deletionGracePeriodSeconds"],
        1
    );
    assert_eq!(api.names(PODS).await, [""; 0]);
}
