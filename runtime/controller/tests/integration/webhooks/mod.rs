//! Tests of webhooks, as a service and over TLS in a manager.

mod admission;
mod certificates;
mod conversion;
mod conversion_limits;
mod defaults;
mod denials;
mod paths;
mod replica;
mod serving;
mod settings;

use bytes::Bytes;
use genclient_controller::webhook::{WebhookService, Webhooks};
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use tower::ServiceExt as _;

/// Sends a body to a path. Returns the status and the body of the answer.
async fn post_body(
    service: &WebhookService,
    path: &str,
    body: impl Into<Bytes>,
) -> (StatusCode, Value) {
    let request = Request::post(path)
        .header("content-type", "application/json")
        .body(Full::new(body.into()))
        .unwrap();
    send_request(service, request).await
}

async fn send_request(
    service: &WebhookService,
    request: Request<Full<Bytes>>,
) -> (StatusCode, Value) {
    let answer = service.clone().oneshot(request).await.unwrap();
    let status = answer.status();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    let text = || Value::String(String::from_utf8_lossy(&body).into_owned());
    (
        status,
        serde_json::from_slice(&body).unwrap_or_else(|_| text()),
    )
}

/// Returns a review of an operation on ConfigMaps.
fn admission_review(operation: &str, object: Value, old: Value) -> Value {
    json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "f0b2",
            "kind": { "group": "", "version": "v1", "kind": "ConfigMap" },
            "resource": { "group": "", "version": "v1", "resource": "configmaps" },
            "name": "settings",
            "namespace": "default",
            "operation": operation,
            "userInfo": { "username": "alice", "groups": ["system:authenticated"] },
            "object": object,
            "oldObject": old,
            "dryRun": false,
            "options": { "apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions" },
        },
    })
}

/// Returns the response to a review.
async fn send_review(webhooks: Webhooks, path: &str, review: &Value) -> Value {
    let (status, mut answer) =
        post_body(&webhooks.into_service().unwrap(), path, review.to_string()).await;
    assert_eq!(status, StatusCode::OK);
    answer["response"].take()
}
