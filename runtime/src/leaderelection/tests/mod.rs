//! The behaviour that client-go's own tests ask for, under their names, against a server that is a script.

mod attempts;
mod config;
mod healthz;
mod lock;
mod loss;
mod release;
mod running;

use std::sync::Arc;
use std::time::Duration;

use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::Instant;
use tower::BoxError;

use super::record::Record;
use super::{LeaderElector, LeaseLock};
use crate::answers::{refusal, respond};
use crate::record::EventRecorder;

/// What a candidate asks of the server.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verb {
    Get,
    Create,
    Update,
}

/// What the server does with a request.
#[derive(Clone, Copy, Debug)]
enum Answer {
    /// What an API server does.
    Serve,
    /// The same after a while.
    ServeAfter(Duration),
    /// Does it, and never answers.
    ServeSilently,
    Refuse(u16, &'static str),
    /// Never answers.
    Hang,
}

#[derive(Default)]
struct State {
    lease: Option<Value>,
    version: u64,
    calls: Vec<(Verb, Instant)>,
}

/// An API server for one lease, `foo/bar`; what it does with the request of that number, from 1, is up to a script.
#[derive(Clone)]
struct Server {
    state: Arc<Mutex<State>>,
    script: Arc<dyn Fn(Verb, usize) -> Answer + Send + Sync>,
}

impl Server {
    fn new(script: impl Fn(Verb, usize) -> Answer + Send + Sync + 'static) -> Self {
        Self {
            state: Arc::default(),
            script: Arc::new(script),
        }
    }

    /// One that does what it is asked to.
    fn serving() -> Self {
        Self::new(|_, _| Answer::Serve)
    }

    /// The same with a lease in it.
    fn holding(self, spec: Value) -> Self {
        self.put(spec);
        self
    }

    fn put(&self, spec: Value) {
        let mut state = self.state.lock();
        state.store(json!({
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"namespace": "foo", "name": "bar"},
            "spec": spec,
        }));
    }

    fn lock(&self, identity: &str) -> LeaseLock {
        LeaseLock::new(self.connection(), "foo", "bar", identity)
    }

    fn connection(&self) -> Client {
        let server = self.clone();
        Client::new(
            tower::service_fn(move |request| server.clone().answer(request)),
            "foo",
        )
    }

    /// Candidate `baz`, with the times of client-go's tests.
    fn elector(&self) -> LeaderElector {
        elector(self.lock("baz"))
    }

    fn recorded_elector(&self, recorder: EventRecorder) -> LeaderElector {
        elector(self.lock("baz").recorder(recorder))
    }

    fn verbs(&self) -> Vec<Verb> {
        let state = self.state.lock();
        state.calls.iter().map(|(verb, _)| *verb).collect()
    }

    fn spec(&self) -> Value {
        let state = self.state.lock();
        state.lease.as_ref().unwrap()["spec"].clone()
    }

    fn holder(&self) -> String {
        self.spec()["holderIdentity"].as_str().unwrap().to_owned()
    }

    async fn answer(
        self,
        request: Request<Body>,
    ) -> Result<Response<Full<bytes::Bytes>>, BoxError> {
        let (parts, body) = request.into_parts();
        let path = "/apis/coordination.k8s.io/v1/namespaces/foo/leases";
        let (verb, expected) = match parts.method {
            Method::GET => (Verb::Get, format!("{path}/bar")),
            Method::POST => (Verb::Create, path.to_owned()),
            Method::PUT => (Verb::Update, format!("{path}/bar")),
            other => panic!("{other} is no business of a candidate"),
        };
        assert_eq!(parts.uri.path(), expected);
        let body = body.collect().await?.to_bytes();
        let number = {
            let mut state = self.state.lock();
            state.calls.push((verb, Instant::now()));
            state.calls.len()
        };
        match (self.script)(verb, number) {
            Answer::Serve => {}
            Answer::ServeAfter(delay) => tokio::time::sleep(delay).await,
            Answer::ServeSilently => {
                self.state.lock().serve(verb, &body);
                std::future::pending().await
            }
            Answer::Refuse(code, reason) => return Ok(refusal(code, reason)),
            Answer::Hang => std::future::pending().await,
        }
        Ok(self.state.lock().serve(verb, &body))
    }
}

impl State {
    fn serve(&mut self, verb: Verb, body: &[u8]) -> Response<Full<bytes::Bytes>> {
        let version = |lease: &Value| lease["metadata"]["resourceVersion"].clone();
        match (verb, &self.lease) {
            (Verb::Get | Verb::Update, None) => return refusal(404, "NotFound"),
            (Verb::Create, Some(_)) => return refusal(409, "AlreadyExists"),
            (Verb::Get, Some(lease)) => return respond(200, lease),
            (Verb::Create, None) | (Verb::Update, Some(_)) => {}
        }
        let lease: Value = serde_json::from_slice(body).unwrap();
        if let Some(stored) = &self.lease
            && version(stored) != version(&lease)
        {
            return refusal(409, "Conflict");
        }
        self.store(lease);
        respond(200, self.lease.as_ref().unwrap())
    }

    fn store(&mut self, mut lease: Value) {
        self.version += 1;
        lease["metadata"]["resourceVersion"] = self.version.to_string().into();
        self.lease = Some(lease);
    }
}

fn elector(lock: LeaseLock) -> LeaderElector {
    LeaderElector::builder(lock)
        .lease_duration(seconds(15))
        .renew_deadline(seconds(2))
        .retry_period(seconds(1))
        .build()
        .unwrap()
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn held_by(holder: &str) -> Record {
    Record {
        holder: holder.to_owned(),
        ..Record::default()
    }
}
