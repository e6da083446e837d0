//! Tests of webhooks for equivalent resources: another version of a kind, or another API of the
//! same object.

use genclient_apiserver::ApiServer;
use http::Method;
use serde_json::{Value, json};

use super::allowing::{Allowing, send};

const WEBHOOKS: &str = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const CORE: &str = "/api/v1/namespaces/default/events";
const EVENTS: &str = "/apis/events.k8s.io/v1/namespaces/default/events";
const ROBOTS: &str = "/apis/example.com/v1/namespaces/default/robots";

/// Returns a server with a webhook for one group version, which records its calls.
async fn start_server(group: &str, version: &str, resources: Value) -> (ApiServer, Allowing) {
    let allowing = Allowing::default();
    let server = ApiServer::builder()
        .objects([definition()])
        .webhook_service("default", "hook", allowing.service())
        .build()
        .unwrap();
    let configuration = json!({
        "metadata": { "name": "equivalent" },
        "webhooks": [{
            "name": "equivalent.example.com",
            "clientConfig": { "service": { "namespace": "default", "name": "hook" } },
            "rules": [{
                "apiGroups": [group], "apiVersions": [version], "operations": ["*"],
                "resources": resources,
            }],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }],
    });
    write_object(&server, Method::POST, WEBHOOKS, &configuration).await;
    (server, allowing)
}

async fn write_object(server: &ApiServer, method: Method, path: &str, body: &Value) -> Value {
    let (code, answer) = send(server, "admin", method, path, body).await;
    assert!(code < 300, "{answer}");
    answer
}

/// Returns a definition whose `v2` is not served and has no subresources.
fn definition() -> Value {
    let schema = json!({ "openAPIV3Schema": {
        "type": "object",
        "properties": {
            "spec": { "type": "object", "properties": { "replicas": { "type": "integer" } } },
            "status": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
        },
    }});
    let subresources = json!({
        "status": {},
        "scale": { "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas" },
    });
    let version = |name: &str, served: bool, subresources: &Value| {
        json!({
            "name": name, "served": served, "storage": name == "v1", "schema": schema,
            "subresources": subresources,
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "robots.example.com" },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "plural": "robots", "kind": "Robot" },
            "versions": [
                version("v1", true, &subresources),
                version("v2", false, &json!({})),
                version("v3", true, &subresources),
            ],
        },
    })
}

fn received_calls(allowing: &Allowing) -> Vec<String> {
    let calls = allowing.take().into_iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let calls = calls.map(|call| {
        let parts = [
            &call["operation"],
            &call["kind"]["kind"],
            &call["resource"]["version"],
            &call["subResource"],
        ];
        let object = [&call["object"], &call["oldObject"]];
        let object = object.into_iter().find(|it| it.is_object()).unwrap();
        let parts: Vec<_> = parts.iter().map(|part| text(part)).collect();
        format!("{} {}", parts.join(" "), text(&object["apiVersion"]))
    });
    calls.collect()
}

#[tokio::test]
async fn equivalent_match_requires_the_subresource_but_not_serving() {
    for (version, expected) in [
        (
            "v2",
            &[
                "CREATE Robot v2  example.com/v2",
                "DELETE Robot v2  example.com/v2",
            ][..],
        ),
        (
            "v3",
            &[
                "CREATE Robot v3  example.com/v3",
                "UPDATE Robot v3 status example.com/v3",
                "UPDATE Scale v3 scale autoscaling/v1",
                "DELETE Robot v3  example.com/v3",
            ],
        ),
    ] {
        let resources = json!(["robots", "robots/*"]);
        let (server, allowing) = start_server("example.com", version, resources).await;
        let robot = json!({
            "apiVersion": "example.com/v1", "kind": "Robot", "metadata": { "name": "a" },
            "spec": { "replicas": 1 },
        });
        let created = write_object(&server, Method::POST, ROBOTS, &robot).await;
        assert_eq!(created["apiVersion"], "example.com/v1");
        assert_eq!(created["metadata"]["labels"]["by"], "webhook");
        let (status, scale) = (
            json!({"status": {"x": 1}}),
            json!({"spec": {"replicas": 2}}),
        );
        let path = format!("{ROBOTS}/a");
        write_object(&server, Method::PATCH, &format!("{path}/status"), &status).await;
        write_object(&server, Method::PATCH, &format!("{path}/scale"), &scale).await;
        write_object(&server, Method::DELETE, &path, &json!({})).await;
        assert_eq!(received_calls(&allowing), expected, "{version}");
    }
}

#[tokio::test]
async fn webhook_rules_match_events_of_both_api_groups() {
    let core = json!({
        "metadata": { "name": "a" }, "involvedObject": { "name": "p", "namespace": "default" },
        "message": "m", "reason": "r", "type": "Normal",
    });
    let younger = json!({
        "metadata": { "name": "a" }, "regarding": { "name": "p", "namespace": "default" },
        "note": "m", "reason": "r", "action": "a", "type": "Normal", "reportingController": "x.y/c",
        "reportingInstance": "i", "eventTime": "2026-01-01T00:00:00.000000Z",
    });
    for (path, event, group, shown, stored) in [
        (CORE, core, "events.k8s.io", "note", "message"),
        (EVENTS, younger, "", "message", "note"),
    ] {
        let (server, allowing) = start_server(group, "v1", json!(["events"])).await;
        let created = write_object(&server, Method::POST, path, &event).await;
        assert_eq!(created[stored], "m", "{created}");
        assert_eq!(created["metadata"]["labels"]["by"], "webhook");
        let calls = allowing.take();
        assert_eq!(calls.len(), 1, "{path}");
        let call = &calls[0];
        assert_eq!(call["resource"]["group"], group);
        assert_ne!(call["requestResource"]["group"], group);
        assert_eq!(call["object"][shown], "m", "{call}");
    }
}
