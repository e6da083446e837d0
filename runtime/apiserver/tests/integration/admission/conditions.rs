//! Tests of match conditions against recorded results of kube-apiserver (`conditions.tsv`).

use genclient_apiserver::ApiServer;
use http::Method;
use serde_json::{Value, json};

use super::allowing::{Allowing, send};

const CONDITIONS: &str = include_str!("../../admission/conditions.tsv");
const WEBHOOKS: &str = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const MAPS: &str = "/api/v1/namespaces/default/configmaps?dryRun=All";

#[tokio::test]
async fn match_conditions_are_evaluated_as_by_kube_apiserver() {
    let allowing = Allowing::default();
    let server = ApiServer::builder()
        .objects(permissions_of_bob())
        .webhook_service("default", "hook", allowing.service())
        .build()
        .unwrap();
    for line in CONDITIONS.lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('\t');
        let (verdict, expression) = (columns.next().unwrap(), columns.next().unwrap());
        let message = columns.next().map(|error| {
            format!(
                "configmaps \"q\" is forbidden: expression '{expression}' resulted in error: \
                 {error}"
            )
        });
        let configuration = configuration(expression);
        let (code, _) = send(&server, "admin", Method::POST, WEBHOOKS, &configuration).await;
        assert_eq!(code == 422, verdict == "refused", "{line}: {code}");
        if code == 422 {
            continue;
        }
        let map = json!({ "metadata": { "name": "q" } });
        let (code, answer) = send(&server, "bob", Method::POST, MAPS, &map).await;
        assert_eq!(code == 403, verdict == "failed", "{line}: {answer}");
        let is_called = !allowing.take().is_empty();
        assert_eq!(is_called, verdict == "called", "{line}");
        if let Some(message) = message {
            assert_eq!(answer["message"], message);
        }
        let path = format!("{WEBHOOKS}/condition");
        send(&server, "admin", Method::DELETE, &path, &json!({})).await;
    }
}

/// Returns a role and a binding: all rights on ConfigMaps and on one path.
fn permissions_of_bob() -> [Value; 2] {
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": { "name": "bobr" },
        "rules": [
            { "apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"] },
            { "nonResourceURLs": ["/healthz"], "verbs": ["get"] },
        ],
    });
    let group = "rbac.authorization.k8s.io";
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": { "name": "bobr" },
        "roleRef": { "apiGroup": group, "kind": "ClusterRole", "name": "bobr" },
        "subjects": [{ "apiGroup": group, "kind": "User", "name": "bob" }],
    });
    [role, binding]
}

fn configuration(expression: &str) -> Value {
    json!({
        "metadata": { "name": "condition" },
        "webhooks": [{
            "name": "condition.example.com",
            "clientConfig": { "service": { "namespace": "default", "name": "hook" } },
            "rules": [{
                "apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"],
                "resources": ["configmaps"],
            }],
            "matchConditions": [{ "name": "c", "expression": expression }],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }],
    })
}
