//! The behaviour that client-go's own tests ask for, under their names, against a server that is a script.

mod broadcaster;
mod correlator;
mod events_v1;
mod fake;
mod log;
mod model;
mod recorder;
mod selector;
mod series;
mod shutdown;
mod writer;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tower::BoxError;

use crate::answers::{refusal, respond};

const MINUTE: Duration = Duration::from_secs(60);

/// A request as the server saw it.
#[derive(Clone, Debug, PartialEq)]
struct Call {
    method: Method,
    path: String,
    content_type: Option<String>,
    body: Value,
}

/// What the server does with a request.
#[derive(Clone, Copy, Debug)]
enum Answer {
    /// Stores, or patches, the event. Asked for `events.k8s.io/v1`, says that it is there.
    Serve,
    Refuse(u16, &'static str),
    /// Refuses what is to be created in a namespace that is being deleted.
    RefuseTerminating,
    /// Is no event.
    Garbage,
    /// Breaks the connection.
    Break,
    /// Stores the event, and breaks the connection before it says so.
    Lose,
    /// Never answers.
    Hang,
}

/// An API server for events; what it does is up to a script.
#[derive(Clone)]
struct Server {
    calls: Arc<Mutex<Vec<Call>>>,
    stored: Arc<Mutex<HashMap<String, Value>>>,
    script: Arc<dyn Fn(&Call) -> Answer + Send + Sync>,
}

impl Server {
    fn new(script: impl Fn(&Call) -> Answer + Send + Sync + 'static) -> Self {
        Self {
            calls: Arc::default(),
            stored: Arc::default(),
            script: Arc::new(script),
        }
    }

    fn client(&self) -> Client {
        let server = self.clone();
        Client::new(
            tower::service_fn(move |request| server.clone().answer(request)),
            "default",
        )
    }

    fn calls(&self) -> Vec<Call> {
        self.calls.lock().clone()
    }

    /// The calls but for the question whether there is `events.k8s.io/v1`.
    fn writes(&self) -> Vec<Call> {
        let mut calls = self.calls();
        calls.retain(|call| call.method != Method::GET);
        calls
    }

    fn stored(&self) -> Vec<Value> {
        self.stored.lock().values().cloned().collect()
    }

    async fn answer(
        self,
        request: Request<Body>,
    ) -> Result<Response<Full<bytes::Bytes>>, BoxError> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let call = Call {
            method: parts.method,
            path: parts.uri.path().to_owned(),
            content_type: parts
                .headers
                .get("content-type")
                .map(|value| value.to_str().unwrap().to_owned()),
            body: serde_json::from_slice(&body).unwrap_or_default(),
        };
        self.calls.lock().push(call.clone());
        match (self.script)(&call) {
            Answer::Serve => Ok(self.serve(&call)),
            Answer::Refuse(code, reason) => Ok(refusal(code, reason)),
            Answer::RefuseTerminating => Ok(respond(403, &terminating())),
            Answer::Garbage => Ok(respond(200, &json!("no event"))),
            Answer::Break => Err("connection reset".into()),
            Answer::Lose => {
                self.serve(&call);
                Err("connection reset".into())
            }
            Answer::Hang => std::future::pending().await,
        }
    }

    fn serve(&self, call: &Call) -> Response<Full<bytes::Bytes>> {
        let mut stored = self.stored.lock();
        let name = call.path.rsplit('/').next().unwrap();
        let mut event = match call.method {
            Method::GET => {
                return respond(
                    200,
                    &json!({"groupVersion": "events.k8s.io/v1", "resources": []}),
                );
            }
            Method::POST => call.body.clone(),
            _ => match stored.get(name) {
                None => return refusal(404, "NotFound"),
                Some(known) => {
                    let mut event = known.clone();
                    let patch = call.body.as_object().unwrap().clone();
                    event.as_object_mut().unwrap().extend(patch);
                    event
                }
            },
        };
        let name = event["metadata"]["name"].as_str().unwrap().to_owned();
        if call.method == Method::POST && stored.contains_key(&name) {
            return refusal(409, "AlreadyExists");
        }
        event["metadata"]["resourceVersion"] = self.calls.lock().len().to_string().into();
        stored.insert(name, event.clone());
        respond(200, &event)
    }
}

/// The `Status` of the admission plugin `NamespaceLifecycle`.
fn terminating() -> Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 403,
        "reason": "Forbidden", "message": "namespace baz is being terminated",
        "details": {"causes": [{
            "reason": "NamespaceTerminating", "message": "namespace baz is being terminated", "field": "metadata.namespace",
        }]},
    })
}

fn pod(uid: &str) -> Pod {
    let metadata = ObjectMeta {
        name: Some("foo".to_owned()),
        namespace: Some("baz".to_owned()),
        uid: Some(uid.to_owned()),
        resource_version: Some("7".to_owned()),
        ..ObjectMeta::default()
    };
    Pod {
        metadata,
        ..Pod::default()
    }
}

fn object_reference(kind: &str, name: &str, namespace: &str) -> ObjectReference {
    ObjectReference {
        kind: Some(kind.to_owned()),
        name: Some(name.to_owned()),
        namespace: Some(namespace.to_owned()),
        uid: Some("C934D34AFB20242".to_owned()),
        api_version: Some("version".to_owned()),
        field_path: Some("spec.containers{mycontainer}".to_owned()),
        ..ObjectReference::default()
    }
}

fn make_event(reason: &str, message: &str, object: ObjectReference) -> Event {
    Event {
        reason: Some(reason.to_owned()),
        message: Some(message.to_owned()),
        involved_object: object,
        source: Some(EventSource {
            component: Some("kubelet".to_owned()),
            host: Some("kubelet.node1".to_owned()),
        }),
        count: Some(1),
        type_: Some("Normal".to_owned()),
        ..Event::default()
    }
}
