//! Webhooks of the replayed cases, whose responses `behaviours.json` defines by path.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use genclient_builtins::types::encode_base64;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

const BEHAVIOURS: &str = include_str!("../../admission/behaviours.json");

/// Webhooks that record their reviews.
#[derive(Clone)]
pub struct Hooks {
    behaviours: Arc<Value>,
    calls: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Hooks {
    pub fn new() -> Self {
        Self {
            behaviours: Arc::new(serde_json::from_str(BEHAVIOURS).unwrap()),
            calls: Arc::default(),
        }
    }

    /// Returns the reviews since the last call.
    pub fn take(&self) -> Vec<(String, Value)> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    pub async fn answer(
        self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        let path = request.uri().path_and_query().unwrap().to_string();
        let name = path.split('/').nth(1).unwrap_or_default();
        let behaviour = &self.behaviours[name];
        let body = request.into_body().collect().await.unwrap().to_bytes();
        let review: Value = serde_json::from_slice(&body).unwrap();
        let text = match behaviour["body"].as_str() {
            Some(text) => text.to_owned(),
            None => build_review(behaviour, &review).to_string(),
        };
        self.calls.lock().unwrap().push((path, review));
        let media_type = behaviour["media_type"].as_str();
        let code = behaviour["code"].as_u64().unwrap_or(200);
        let response = Response::builder()
            .status(u16::try_from(code).unwrap())
            .header("content-type", media_type.unwrap_or("application/json"));
        Ok(response.body(Full::new(text.into())).unwrap())
    }
}

fn build_review(behaviour: &Value, review: &Value) -> Value {
    if let Some(review) = behaviour.get("review") {
        return review.clone();
    }
    let mut response = json!({ "uid": review["request"]["uid"] });
    if let Some(patch) = behaviour.get("patch") {
        response["patch"] = encode_base64(patch.to_string().as_bytes()).into();
        response["patchType"] = "JSONPatch".into();
    }
    for (name, value) in behaviour["response"].as_object().unwrap() {
        response[name] = value.clone();
    }
    json!({
        "kind": "AdmissionReview",
        "apiVersion": review["apiVersion"],
        "response": response,
    })
}
