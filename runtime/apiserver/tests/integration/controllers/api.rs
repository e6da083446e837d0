//! Test client that sends paths and JSON, and returns codes and JSON.

use std::time::Duration;

use bytes::Bytes;
use genclient_apiserver::{ApiServer, ResponseBody};
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower::ServiceExt;

/// Server that is called without a client.
pub struct Api(pub ApiServer);

/// Status code, and an object or a Status.
pub type Answer = (u16, Value);

impl Api {
    /// Returns a server whose controllers run within the request that triggers them.
    pub fn immediate() -> Self {
        let server = ApiServer::builder().lag(Duration::ZERO).build();
        Self(server.unwrap())
    }

    /// Returns a server whose controllers run when the test calls them.
    pub fn deferred(seed: u64) -> Self {
        let server = ApiServer::builder().lag(Duration::from_secs(1 << 30));
        Self(server.seed(seed).build().unwrap())
    }

    pub async fn send(&self, method: &str, path: &str, body: Value) -> Answer {
        let media_type = match method {
            "PATCH" => "application/merge-patch+json",
            _ => "application/json",
        };
        let response = self.respond(method, path, media_type, body).await;
        let code = response.status().as_u16();
        let text = response.into_body().collect().await.unwrap().to_bytes();
        (code, serde_json::from_slice(&text).unwrap_or_default())
    }

    async fn respond(
        &self,
        method: &str,
        path: &str,
        media_type: &str,
        body: Value,
    ) -> Response<ResponseBody> {
        let body = match body {
            Value::Null => Bytes::new(),
            body => body.to_string().into(),
        };
        let request = Request::builder()
            .method(Method::from_bytes(method.as_bytes()).unwrap())
            .uri(path)
            .header("content-type", media_type)
            .body(Full::new(body))
            .unwrap();
        self.0.clone().oneshot(request).await.unwrap()
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, Value::Null).await
    }

    pub async fn create(&self, path: &str, object: Value) -> Value {
        let (code, created) = self.send("POST", path, object).await;
        assert_eq!(code, 201, "{created}");
        created
    }

    pub async fn delete(&self, path: &str, options: Value) -> Answer {
        self.send("DELETE", path, options).await
    }

    pub async fn patch(&self, path: &str, patch: Value) -> Answer {
        self.send("PATCH", path, patch).await
    }

    pub async fn names(&self, path: &str) -> Vec<String> {
        let (code, list) = self.get(path).await;
        assert_eq!(code, 200, "{list}");
        let items = list["items"].as_array().unwrap().iter();
        items
            .map(|item| item["metadata"]["name"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Watches a collection from its start.
    pub async fn watch(&self, path: &str) -> Events {
        let path = format!("{path}?watch=1&timeoutSeconds=100000");
        Events {
            body: self
                .respond("GET", &path, "", Value::Null)
                .await
                .into_body(),
            text: String::new(),
        }
    }
}

/// Events of a watch.
pub struct Events {
    body: ResponseBody,
    text: String,
}

impl Events {
    /// Returns the next event; `None` at the end.
    pub async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            if let Some((line, rest)) = self.text.split_once('\n') {
                let mut event: Value = serde_json::from_str(line).unwrap();
                self.text = rest.to_owned();
                let type_ = event["type"].as_str().unwrap().to_owned();
                return Some((type_, event["object"].take()));
            }
            let frame = self.body.frame().await?.unwrap();
            let data = frame.into_data().unwrap();
            self.text.push_str(std::str::from_utf8(&data).unwrap());
        }
    }
}

/// Returns a reference to an owner.
pub fn owner(owner: &Value, blocks: bool) -> Value {
    json!({
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "blockOwnerDeletion": blocks,
    })
}

/// Returns a definition of the namespaced or cluster-scoped kind `kind` in the group example.com.
/// The plural is the lower-case kind with an `s`.
pub fn definition(kind: &str, scope: &str) -> Value {
    let singular = kind.to_lowercase();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{singular}s.example.com") },
        "spec": {
            "group": "example.com",
            "scope": scope,
            "names": { "plural": format!("{singular}s"), "singular": singular, "kind": kind, "listKind": format!("{kind}List") },
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": { "openAPIV3Schema": {
                    "type": "object",
                    "x-kubernetes-preserve-unknown-fields": true,
                } },
            }],
        },
    })
}

pub const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
pub const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
