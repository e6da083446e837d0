//! Tests of conversion by webhooks: requests in another version than the stored one. The messages
//! are those of kube-apiserver 1.36.3 with the same webhook.

mod answers;
mod hook;
mod reads;
mod state;
mod writes;

use std::sync::Arc;

use genclient::kube::Client;
use genclient_apiserver::ApiServer;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use self::hook::Hook;

/// Server with a kind of two versions and its conversion webhook; `v1` is the storage version.
pub(crate) struct Lab {
    pub(crate) server: ApiServer,
    pub(crate) hook: Arc<Hook>,
}

pub(crate) const V1: &str = "/apis/lab.example.com/v1/namespaces/default/hosts";
pub(crate) const V2: &str = "/apis/lab.example.com/v2/namespaces/default/hosts";

pub(crate) const DEFINITION: &str =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/hosts.lab.example.com";

pub(crate) const MERGE: &str = "application/merge-patch+json";
pub(crate) const APPLY: &str = "application/apply-patch+yaml";

impl Lab {
    pub(crate) fn new() -> Self {
        Self::with(definition(&["v1", "v1beta1"]))
    }

    pub(crate) fn with(definition: Value) -> Self {
        let hook = Arc::new(Hook::default());
        let service = Arc::clone(&hook);
        let server = ApiServer::builder()
            .objects([definition])
            .webhook_service("default", "hosts", hook::service(service))
            .build()
            .unwrap();
        Self { server, hook }
    }

    /// Returns a client without retries.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.server.clone(), "default")
    }

    pub(crate) async fn send(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        self.send_as(method, path, "application/json", body).await
    }

    pub(crate) async fn send_as(
        &self,
        method: &str,
        path: &str,
        media_type: &str,
        body: Value,
    ) -> (u16, Value) {
        let body = match body {
            Value::Null => Vec::new(),
            body => body.to_string().into_bytes(),
        };
        let request = http::Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", media_type)
            .header("user-agent", "lab/1")
            .body(body.into())
            .unwrap();
        let response = self.client().send(request).await.unwrap();
        let code = response.status().as_u16();
        let text = response.into_body().collect().await.unwrap().to_bytes();
        (code, serde_json::from_slice(&text).unwrap_or_default())
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, Value) {
        self.send("GET", path, Value::Null).await
    }

    /// Creates the host `name` in `v1`.
    pub(crate) async fn create(&self, name: &str) -> Value {
        let object = host("v1", name, json!({ "hostPort": "h:1" }));
        let (code, created) = self.send("POST", V1, object).await;
        assert_eq!(code, 201, "{created}");
        created
    }
}

pub(crate) fn host(version: &str, name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": format!("lab.example.com/{version}"),
        "kind": "Host",
        "metadata": { "name": name },
        "spec": spec,
    })
}

/// Returns the definition of hosts with these review versions.
pub(crate) fn definition(review_versions: &[&str]) -> Value {
    let version = |name: &str, own: Value, field: &str| {
        let mut spec = own;
        spec["replicas"] = json!({ "type": "integer" });
        let status = json!({
            "replicas": { "type": "integer" }, "phase": { "type": "string" },
        });
        json!({
            "name": name,
            "served": true,
            "storage": name == "v1",
            "subresources": {
                "status": {},
                "scale": {
                    "specReplicasPath": ".spec.replicas",
                    "statusReplicasPath": ".status.replicas",
                },
            },
            "selectableFields": [{ "jsonPath": field }],
            "schema": { "openAPIV3Schema": { "type": "object", "properties": {
                "spec": { "type": "object", "properties": spec },
                "status": { "type": "object", "properties": status },
            } } },
        })
    };
    let text = json!({ "type": "string" });
    let one = json!({ "hostPort": text, "d1": { "type": "string", "default": "one" } });
    let two = json!({ "host": text, "port": text, "d2": { "type": "string", "default": "two" } });
    let service = json!({ "namespace": "default", "name": "hosts", "path": "/convert" });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "hosts.lab.example.com" },
        "spec": {
            "group": "lab.example.com",
            "scope": "Namespaced",
            "names": { "plural": "hosts", "kind": "Host" },
            "conversion": { "strategy": "Webhook", "webhook": {
                "conversionReviewVersions": review_versions,
                "clientConfig": { "service": service },
            } },
            "versions": [version("v1", one, ".spec.hostPort"), version("v2", two, ".spec.host")],
        },
    })
}
