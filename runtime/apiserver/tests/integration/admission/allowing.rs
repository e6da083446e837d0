//! Test webhook that allows everything, and requests of users.

use std::io;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use genclient_apiserver::{ApiServer, User};
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower::{Service, ServiceExt, service_fn};

/// Webhook that records the requests of its reviews.
#[derive(Clone, Default)]
pub struct Allowing(Arc<Mutex<Vec<Value>>>);

impl Allowing {
    pub fn service(
        &self,
    ) -> impl Service<
        Request<Full<Bytes>>,
        Response = Response<Full<Bytes>>,
        Error = io::Error,
        Future: Send + 'static,
    > + Clone
    + Send
    + 'static {
        let allowing = self.clone();
        service_fn(move |request| allowing.clone().answer(request))
    }

    async fn answer(self, request: Request<Full<Bytes>>) -> io::Result<Response<Full<Bytes>>> {
        let body = request.into_body().collect().await.unwrap().to_bytes();
        let review: Value = serde_json::from_slice(&body).unwrap();
        let mut response = json!({ "uid": review["request"]["uid"], "allowed": true });
        if review["request"]["object"].is_object() {
            let patch = br#"[{"op":"add","path":"/metadata/labels","value":{"by":"webhook"}}]"#;
            response["patch"] = genclient_builtins::types::encode_base64(patch).into();
            response["patchType"] = "JSONPatch".into();
        }
        let answer = json!({
            "apiVersion": review["apiVersion"], "kind": review["kind"], "response": response,
        });
        self.0.lock().unwrap().push(review["request"].clone());
        Ok(Response::new(Full::new(answer.to_string().into())))
    }

    /// Returns the requests since the last call.
    pub fn take(&self) -> Vec<Value> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Sends a request as a user; `admin` may do everything.
pub async fn send(
    server: &ApiServer,
    user: &str,
    method: Method,
    path: &str,
    body: &Value,
) -> (u16, Value) {
    let user = match user {
        "admin" => User::new(user).group("system:masters"),
        user => User::new(user),
    };
    let media_type = match method {
        Method::PATCH => "application/merge-patch+json",
        _ => "application/json",
    };
    let request = Request::builder()
        .method(method)
        .uri(path)
        .extension(user)
        .header("content-type", media_type)
        .body(Full::new(Bytes::from(body.to_string())));
    let response = server.clone().oneshot(request.unwrap()).await.unwrap();
    let code = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (code, serde_json::from_slice(&body).unwrap())
}
