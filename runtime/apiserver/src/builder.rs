//! [`ApiServerBuilder`]: settings of a server.

use std::time::Duration;

use futures::FutureExt;
use genclient::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use http::Method;
use serde::Serialize;
use serde_json::{Value, json};

use crate::authorization::{Authorization, User};
use crate::clock::Clock;
use crate::server::ApiServer;

/// Namespaces that every cluster has.
const NAMESPACES: &[&str] = &["default", "kube-system", "kube-public", "kube-node-lease"];

/// How long watchers wait for a change at most, unless told otherwise.
const LAG: Duration = Duration::from_millis(5);

/// Settings of an [`ApiServer`].
#[derive(Debug)]
#[must_use]
pub struct ApiServerBuilder {
    crds: Vec<Value>,
    clock: Option<Clock>,
    seed: u64,
    lag: Duration,
    controllers: bool,
    authorization: Authorization,
}

impl Default for ApiServerBuilder {
    fn default() -> Self {
        Self {
            crds: Vec::new(),
            clock: None,
            seed: 0,
            lag: LAG,
            controllers: true,
            authorization: Authorization::default(),
        }
    }
}

/// A CustomResourceDefinition or an object that the server refuses.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct BuildError(Vec<String>);

impl ApiServerBuilder {
    /// Serves the kinds of these definitions: those of a generated client's `crds::all()`.
    pub fn crds(mut self, crds: impl IntoIterator<Item = CustomResourceDefinition>) -> Self {
        self.crds.extend(crds.into_iter().map(|crd| json_of(&crd)));
        self
    }

    /// The wall time. Default: [`Clock::system`].
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// The seed of uids, generated names and delays. Default: 0.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The longest time until watchers see a change; each takes a random part of it. Default: 5 ms.
    ///
    /// A cache in front of a real API server is never up to date either: what works only without
    /// a delay does not work.
    pub fn lag(mut self, lag: Duration) -> Self {
        self.lag = lag;
        self
    }

    /// Whether the controllers of kube-controller-manager run that an API server's users rely on:
    /// the garbage collector, the namespace controller and the aggregation of ClusterRoles.
    /// Default: true.
    ///
    /// Without them the server does what kube-apiserver alone does: dependents of deleted owners
    /// stay, and a namespace that is deleted stays `Terminating`.
    pub fn controllers(mut self, controllers: bool) -> Self {
        self.controllers = controllers;
        self
    }

    /// Requests with this bearer token are those of a user. Default: none.
    ///
    /// A token that nobody has is answered with 401; a request without one is that of an
    /// administrator, who may do everything.
    pub fn token(mut self, token: impl Into<String>, user: impl Into<User>) -> Self {
        self.authorization.tokens.insert(token.into(), user.into());
        self
    }

    /// Whether `blockOwnerDeletion` needs the right to update the owner's finalizers: the admission
    /// plug-in OwnerReferencesPermissionEnforcement. Default: off, as in kube-apiserver.
    pub fn enforce_owner_permissions(mut self, is_enforced: bool) -> Self {
        self.authorization.enforces_owners = is_enforced;
        self
    }

    /// Whether the rules of ClusterRoles with an `aggregationRule` are computed, as the controller
    /// manager of a cluster does. Default: on.
    pub fn aggregate_cluster_roles(mut self, is_on: bool) -> Self {
        self.authorization.aggregates = is_on;
        self
    }

    /// Starts the server.
    ///
    /// # Errors
    ///
    /// If a definition is refused, with every reason of every definition.
    pub fn build(self) -> Result<ApiServer, BuildError> {
        let clock = self.clock.unwrap_or_else(Clock::system);
        let mut authorization = self.authorization;
        authorization.aggregates &= self.controllers;
        let server = ApiServer::new(clock, self.seed, self.lag, authorization, self.controllers);
        let mut errors = Vec::new();
        let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let namespaces = NAMESPACES.iter().map(|name| {
            let namespace = json!({ "metadata": { "name": name } });
            ("/api/v1/namespaces", namespace)
        });
        let crds = self.crds.into_iter().map(|crd| (definitions, crd));
        for (path, object) in namespaces.chain(crds) {
            // Nothing waits: reads of a version that is not reached are all that does.
            let created = server.send(Method::POST, path, &object).now_or_never();
            match created {
                Some((201, _)) => {}
                Some((_, status)) => {
                    let message = status["message"].as_str().unwrap_or_default();
                    errors.push(message.to_owned());
                }
                None => errors.push("the server did not answer".to_owned()),
            }
        }
        server.forget_requests();
        match errors.is_empty() {
            true => Ok(server),
            false => Err(BuildError(errors)),
        }
    }
}

fn json_of(object: &impl Serialize) -> Value {
    serde_json::to_value(object).unwrap_or_default()
}
