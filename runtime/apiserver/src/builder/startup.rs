//! Startup of a server: creation of the default objects and of the builder's objects.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use futures::FutureExt;
use futures::future::BoxFuture;
use http::Method;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::{ApiServerBuilder, BuildError};
use crate::addresses;
use crate::clock::Clock;
use crate::controllers::Controllers;
use crate::manifests::{self, Manifest};
use crate::server::ApiServer;
use crate::state::ServerState;

/// Namespaces that exist in every cluster.
const NAMESPACES: &[&str] = &["default", "kube-system", "kube-public", "kube-node-lease"];

/// Priority classes that exist in every cluster (`SystemPriorityClasses` of
/// pkg/apis/scheduling/v1).
const PRIORITY_CLASSES: &[(&str, i64, &str)] = &[
    (
        "system-node-critical",
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
    (
        "system-cluster-critical",
        2_000_000_000,
        "Used for system critical pods that must run in the cluster, but can be moved to another \
         node if necessary.",
    ),
];

impl ApiServerBuilder {
    /// Starts the server and creates its objects.
    ///
    /// # Errors
    ///
    /// If an object is rejected or a file cannot be read.
    pub fn build(self) -> Result<ApiServer, BuildError> {
        let clock = self.clock.unwrap_or_else(Clock::system);
        let mut authorization = self.authorization;
        authorization.aggregates &= self.controllers;
        let mut state = ServerState::new(clock, self.seed, self.lag, authorization);
        state.webhooks = self.webhooks;
        state.admission = self.admission;
        state.conversions = self.conversions;
        state.feature_gates = self.feature_gates;
        let server = ApiServer {
            state: Arc::new(state),
            controllers: Arc::new(Controllers::new(self.controllers)),
        };
        let mut errors = self.unreadable;
        for name in NAMESPACES {
            let namespace = json!({ "metadata": { "name": name } });
            let path = "/api/v1/namespaces?fieldManager=kube-apiserver";
            errors.extend(create_object(&server, path, &namespace).err());
        }
        for (name, value, description) in PRIORITY_CLASSES {
            let path = "/apis/scheduling.k8s.io/v1/priorityclasses?fieldManager=kube-apiserver";
            let metadata = json!({ "name": name });
            let class = json!({ "metadata": metadata, "value": value, "description": description });
            errors.extend(create_object(&server, path, &class).err());
        }
        let path = "/api/v1/namespaces/default/services?fieldManager=kube-apiserver";
        errors.extend(create_object(&server, path, &kubernetes_service()).err());
        let mut manifests = self.manifests;
        manifests::sort_for_creation(&mut manifests);
        // `build` is not async. Without webhooks, a create never waits, so that one poll completes
        // it; a webhook service may wait for anything, and needs a runtime.
        errors.extend(if server.state.webhooks.is_empty() {
            create_all(&server, &manifests, poll_once)
        } else {
            run_on_own_thread(|runtime| {
                create_all(&server, &manifests, |request| runtime.block_on(request))
            })
        });
        // Tests assert on their own requests only.
        server.forget_requests();
        server.state.finish_building();
        if errors.is_empty() {
            Ok(server)
        } else {
            Err(BuildError(errors))
        }
    }
}

/// Returns the Service of the API server (`CreateOrUpdateMasterServiceIfNeeded` in
/// pkg/controlplane/controller/kubernetesservice).
fn kubernetes_service() -> Value {
    json!({
        "metadata": {
            "name": "kubernetes",
            "labels": { "component": "apiserver", "provider": "kubernetes" },
        },
        "spec": {
            "clusterIP": addresses::KUBERNETES.to_string(),
            "ipFamilyPolicy": "SingleStack",
            "ports": [{ "name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443 }],
            "sessionAffinity": "None",
            "type": "ClusterIP",
        },
    })
}

/// Creates objects, and returns an error for each object that is rejected. `wait` runs a request to
/// completion.
fn create_all(
    server: &ApiServer,
    manifests: &[Manifest],
    wait: impl Fn(ResponseFuture<'_>) -> CodeAndBody,
) -> Vec<String> {
    let errors = manifests.iter().filter_map(|manifest| {
        let created = manifest.create_path(&server.state.kinds).and_then(|path| {
            let request = server.send(Method::POST, &path, &manifest.object);
            check_created(wait(request.boxed()))
        });
        Some(manifest.with_source(&created.err()?))
    });
    errors.collect()
}

/// Creates an object by a POST at `path`. The error is the message of the server's Status.
fn create_object(server: &ApiServer, path: &str, object: &Value) -> Result<(), String> {
    check_created(poll_once(server.send(Method::POST, path, object).boxed()))
}

fn check_created((code, status): CodeAndBody) -> Result<(), String> {
    match code {
        201 => Ok(()),
        _ => Err(status["message"].as_str().unwrap_or_default().to_owned()),
    }
}

/// Returns the response of a request that completes at its first poll, such as a create that calls
/// no webhook.
fn poll_once(request: ResponseFuture<'_>) -> CodeAndBody {
    // Without `unconstrained`, the request would not complete if the calling task has used up
    // tokio's cooperative budget.
    tokio::task::unconstrained(request)
        .now_or_never()
        .unwrap_or_else(|| (504, json!({ "message": "the server did not answer" })))
}

/// Runs `work` on a new thread with its own tokio runtime, because the calling thread may be in a
/// runtime, where `block_on` panics.
fn run_on_own_thread(work: impl FnOnce(&Runtime) -> Vec<String> + Send) -> Vec<String> {
    let work = || match Builder::new_current_thread().enable_time().build() {
        Ok(runtime) => work(&runtime),
        Err(error) => vec![format!("cannot start a runtime for the webhooks: {error}")],
    };
    let worked = thread::scope(|scope| scope.spawn(work).join());
    worked.unwrap_or_else(|panic| resume_unwind(panic))
}

type CodeAndBody = (u16, Value);

/// Future of a response, as status code and body.
type ResponseFuture<'a> = BoxFuture<'a, CodeAndBody>;
