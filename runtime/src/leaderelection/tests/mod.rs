//! Tests of leader election: client-go's tests under their original names, with an in-process API
//! server.

mod attempts;
mod config;
mod healthz;
mod lock;
mod loss;
mod release;
mod running;

use std::sync::Arc;
use std::time::Duration;

use genclient_apiserver::{ApiServer, Fault, FaultyRequest, Verb};
use k8s_openapi::api::coordination::v1::Lease;
use kube::Client;
use kube::api::{Api, ListParams, Patch, PatchParams};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::lock::Record;
use super::{LeaderElector, LeaseLock};
use crate::record::EventRecorder;

/// Starts a fault.
type Begin = fn(Fault<'_>);

const VERBS: [Verb; 3] = [Verb::Get, Verb::Create, Verb::Update];

/// An API server for the lease `foo/bar`, which may not exist yet.
#[derive(Clone)]
struct Server(ApiServer);

impl Server {
    fn new() -> Self {
        Self::of([])
    }

    /// Returns a server with a lease that has `spec`.
    fn holding(spec: &Value) -> Self {
        let metadata = json!({"namespace": "foo", "name": "bar"});
        let api_version = "coordination.k8s.io/v1";
        Self::of([json!({
            "apiVersion": api_version, "kind": "Lease", "metadata": metadata, "spec": spec,
        })])
    }

    fn of<const N: usize>(leases: [Value; N]) -> Self {
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "foo"}});
        let server = ApiServer::builder().objects([namespace]).objects(leases);
        Self(server.build().unwrap())
    }

    /// Starts a fault for all requests of a candidate.
    fn fail(self, begin: impl Fn(Fault<'_>)) -> Self {
        for verb in VERBS {
            begin(self.0.fail(verb, "leases"));
        }
        self
    }

    /// Starts a fault for the requests of one verb.
    fn fail_one(self, verb: Verb, begin: impl FnOnce(Fault<'_>)) -> Self {
        begin(self.0.fail(verb, "leases"));
        self
    }

    fn lock(&self, identity: &str) -> LeaseLock {
        LeaseLock::new(self.connection(), "foo", "bar", identity)
    }

    /// Returns a connection without client retries.
    fn connection(&self) -> Client {
        Client::new(self.0.clone(), "foo")
    }

    /// Returns an elector for candidate `baz`, with the durations of client-go's tests.
    fn elector(&self) -> LeaderElector {
        elector(self.lock("baz"))
    }

    fn recorded_elector(&self, recorder: EventRecorder) -> LeaderElector {
        elector(self.lock("baz").recorder(recorder))
    }

    /// Records the times at which candidates send requests with `verb`.
    fn times_of(&self, verb: Verb) -> Arc<Mutex<Vec<Instant>>> {
        let times = Arc::<Mutex<Vec<_>>>::default();
        let noted = Arc::clone(&times);
        let note = move |_: &FaultyRequest<'_>| {
            noted.lock().push(Instant::now());
            false
        };
        self.0.fail(verb, "leases").when(note).hang();
        times
    }

    /// Returns the verbs of the requests of candidates.
    fn verbs(&self) -> Vec<Verb> {
        let requests = self.0.requests();
        let sent = requests
            .iter()
            .filter_map(|request| match &*request.to_string() {
                "get leases foo/bar" => Some(Verb::Get),
                "create leases foo" => Some(Verb::Create),
                "update leases foo/bar" => Some(Verb::Update),
                // Requests of the test itself.
                "list leases foo" | "patch leases foo/bar" | "delete leases foo/bar" => None,
                other => panic!("`{other}` is no business of a candidate"),
            });
        sent.collect()
    }

    fn leases(&self) -> Api<Lease> {
        Api::namespaced(self.connection(), "foo")
    }

    async fn lease(&self) -> Option<Lease> {
        let listed = self.leases().list(&ListParams::default()).await.unwrap();
        listed.items.into_iter().next()
    }

    /// Changes the lease, as another candidate or a user.
    async fn change(&self, path: &str, value: Value) {
        let patch = json!([{"op": "add", "path": path, "value": value}]);
        let patch: Patch<()> = Patch::Json(serde_json::from_value(patch).unwrap());
        let (leases, params) = (self.leases(), PatchParams::default());
        leases.patch("bar", &params, &patch).await.unwrap();
    }

    async fn put(&self, spec: Value) {
        self.change("/spec", spec).await;
    }

    async fn spec(&self) -> Value {
        serde_json::to_value(self.lease().await.unwrap().spec).unwrap()
    }

    async fn holder(&self) -> String {
        let spec = self.lease().await.unwrap().spec.unwrap();
        spec.holder_identity.unwrap()
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
