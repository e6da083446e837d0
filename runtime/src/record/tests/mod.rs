//! The behaviour that client-go's own tests ask for, under their names, against a server that is a script.

mod broadcaster;
mod correlator;
mod writer;

use std::collections::HashMap;
use std::sync::Arc;

use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tower::BoxError;

use crate::answers::{refusal, respond};

/// A request as the server saw it.
#[derive(Clone, Debug, PartialEq)]
struct Call {
    method: Method,
    path: String,
    content_type: String,
    body: Value,
}

/// What the server does with a request.
#[derive(Clone, Copy, Debug)]
enum Answer {
    /// Stores, or patches, the event.
    Serve,
    Refuse(u16, &'static str),
    /// Is no event.
    Garbage,
    /// Breaks the connection.
    Break,
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

    fn stored(&self) -> Vec<Event> {
        self.stored
            .lock()
            .values()
            .map(|event| serde_json::from_value(event.clone()).unwrap())
            .collect()
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
            content_type: parts.headers["content-type"].to_str()?.to_owned(),
            body: serde_json::from_slice(&body)?,
        };
        self.calls.lock().push(call.clone());
        match (self.script)(&call) {
            Answer::Serve => Ok(self.serve(&call)),
            Answer::Refuse(code, reason) => Ok(refusal(code, reason)),
            Answer::Garbage => Ok(respond(200, &json!("no event"))),
            Answer::Break => Err("connection reset".into()),
            Answer::Hang => std::future::pending().await,
        }
    }

    fn serve(&self, call: &Call) -> Response<Full<bytes::Bytes>> {
        let mut stored = self.stored.lock();
        let version = (self.calls.lock().len()).to_string();
        let mut event = if call.method == Method::POST {
            call.body.clone()
        } else {
            let name = call.path.rsplit('/').next().unwrap();
            let Some(known) = stored.get(name) else {
                return refusal(404, "NotFound");
            };
            let mut event = known.clone();
            event
                .as_object_mut()
                .unwrap()
                .extend(call.body.as_object().unwrap().clone());
            event
        };
        event["metadata"]["resourceVersion"] = version.into();
        stored.insert(
            event["metadata"]["name"].as_str().unwrap().to_owned(),
            event.clone(),
        );
        respond(200, &event)
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
