//! Tests of event recording: client-go's tests under their original names, with an in-process API
//! server.

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

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use genclient_apiserver::{ApiServer, Fault, Verb};
use http::{Method, Request};
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use kube::api::{Api, DeleteParams, ListParams};
use kube::client::Body;
use kube::core::{NamespaceResourceScope, Resource};
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tower::{BoxError, ServiceExt};

/// Starts a fault.
type Begin = fn(Fault<'_>);

const MINUTE: Duration = Duration::from_secs(60);

/// A request as the server received it.
#[derive(Clone, Debug, PartialEq)]
struct Call {
    method: Method,
    path: String,
    content_type: Option<String>,
    body: Value,
}

/// An API server with the namespace `baz`, and the requests of its clients.
#[derive(Clone)]
struct Server {
    api: ApiServer,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Server {
    fn new() -> Self {
        let baz = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "baz"}});
        let api = ApiServer::builder().controllers(false).objects([baz]);
        Self {
            api: api.build().unwrap(),
            calls: Arc::default(),
        }
    }

    /// Starts a fault for writes of events.
    fn fail(self, begin: impl Fn(Fault<'_>)) -> Self {
        for verb in [Verb::Create, Verb::Patch] {
            begin(self.api.fail(verb, "events"));
        }
        self
    }

    /// Starts a fault for every request.
    fn outage(self, begin: impl FnOnce(Fault<'_>)) -> Self {
        begin(self.api.outage());
        self
    }

    fn client(&self) -> Client {
        let server = self.clone();
        let answer = move |request: Request<Body>| {
            let server = server.clone();
            async move {
                server
                    .api
                    .clone()
                    .oneshot(server.record_call(request).await?)
                    .await
                    .map_err(BoxError::from)
            }
        };
        Client::new(tower::service_fn(answer), "default")
    }

    async fn record_call(&self, request: Request<Body>) -> Result<Request<Body>, BoxError> {
        let (head, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let content_type = head.headers.get("content-type");
        self.calls.lock().push(Call {
            method: head.method.clone(),
            path: head.uri.path().to_owned(),
            content_type: content_type.map(|value| value.to_str().unwrap().to_owned()),
            body: serde_json::from_slice(&body).unwrap_or_default(),
        });
        Ok(Request::from_parts(head, Body::from(body)))
    }

    fn calls(&self) -> Vec<Call> {
        self.calls.lock().clone()
    }

    /// Returns the requests, without the discovery of `events.k8s.io/v1`.
    fn writes(&self) -> Vec<Call> {
        let mut calls = self.calls();
        calls.retain(|call| call.method != Method::GET);
        calls
    }

    /// Returns the events in one of the APIs, through a client whose requests are not recorded.
    fn events<K>(&self) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    {
        Api::namespaced(Client::new(self.api.clone(), "baz"), "baz")
    }

    async fn stored<K>(&self) -> Vec<K>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
            + Clone
            + DeserializeOwned
            + Debug,
    {
        self.events()
            .list(&ListParams::default())
            .await
            .unwrap()
            .items
    }

    /// Deletes all events, as when they have expired.
    async fn forget_events(&self) {
        let (params, all) = (DeleteParams::default(), ListParams::default());
        let events = self.events::<Event>();
        events.delete_collection(&params, &all).await.unwrap();
    }
}

fn already_exists() -> String {
    json!({"kind": "Status", "status": "Failure", "code": 409, "reason": "AlreadyExists"})
        .to_string()
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
