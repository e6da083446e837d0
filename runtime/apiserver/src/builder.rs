//! [`ApiServerBuilder`]: settings of a server.

use std::path::Path;
use std::time::Duration;

use futures::FutureExt;
use genclient::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use http::Method;
use serde::Serialize;
use serde_json::{Value, json};

use crate::authorization::{Authorization, User};
use crate::clock::Clock;
use crate::manifests::{self, Manifest};
use crate::server::ApiServer;

/// Namespaces that every cluster has.
const NAMESPACES: &[&str] = &["default", "kube-system", "kube-public", "kube-node-lease"];

/// How long watchers wait for a change at most, unless told otherwise.
const LAG: Duration = Duration::from_millis(5);

/// Settings of an [`ApiServer`].
#[derive(Debug)]
#[must_use]
pub struct ApiServerBuilder {
    manifests: Vec<Manifest>,
    unreadable: Vec<String>,
    clock: Option<Clock>,
    seed: u64,
    lag: Duration,
    controllers: bool,
    authorization: Authorization,
}

impl Default for ApiServerBuilder {
    fn default() -> Self {
        Self {
            manifests: Vec::new(),
            unreadable: Vec::new(),
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
    pub fn crds(self, crds: impl IntoIterator<Item = CustomResourceDefinition>) -> Self {
        self.objects(crds)
    }

    /// Creates these objects, whose `apiVersion` and `kind` are served: definitions first, then
    /// namespaces, then the others in their order.
    pub fn objects<T: Serialize>(mut self, objects: impl IntoIterator<Item = T>) -> Self {
        let objects = objects.into_iter().map(|object| json_of(&object));
        self.manifests.extend(objects.map(Manifest::of));
        self
    }

    /// Serves the kinds of the definitions in a file, or in the files of a folder that end in
    /// `.yaml`, `.yml` or `.json`; other objects there are left out.
    pub fn crd_files(mut self, path: impl AsRef<Path>) -> Self {
        let read = manifests::read(path.as_ref());
        self.add(read.map(|mut found| {
            found.retain(Manifest::is_definition);
            found
        }));
        self
    }

    /// Creates the objects in a file, or in the files of a folder that end in `.yaml`, `.yml` or
    /// `.json`. One without a namespace goes to `default`, as with kubectl.
    pub fn manifests(mut self, path: impl AsRef<Path>) -> Self {
        self.add(manifests::read(path.as_ref()));
        self
    }

    fn add(&mut self, read: Result<Vec<Manifest>, Vec<String>>) {
        match read {
            Ok(found) => self.manifests.extend(found),
            Err(errors) => self.unreadable.extend(errors),
        }
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
    /// If a definition or an object is refused or a file cannot be read, with every reason of
    /// every one of them.
    pub fn build(self) -> Result<ApiServer, BuildError> {
        let clock = self.clock.unwrap_or_else(Clock::system);
        let mut authorization = self.authorization;
        authorization.aggregates &= self.controllers;
        let server = ApiServer::new(clock, self.seed, self.lag, authorization, self.controllers);
        let mut errors = self.unreadable;
        for name in NAMESPACES {
            let namespace = json!({ "metadata": { "name": name } });
            errors.extend(create(&server, "/api/v1/namespaces", &namespace).err());
        }
        let mut manifests = self.manifests;
        manifests::sort(&mut manifests);
        for manifest in &manifests {
            let path = manifest.path(&server.inner.kinds);
            let created = path.and_then(|path| create(&server, &path, &manifest.object));
            errors.extend(created.err().map(|error| manifest.explain(&error)));
        }
        server.forget_requests();
        match errors.is_empty() {
            true => Ok(server),
            false => Err(BuildError(errors)),
        }
    }
}

/// Creates an object; what the server says if it refuses it.
fn create(server: &ApiServer, path: &str, object: &Value) -> Result<(), String> {
    // Nothing waits: reads of a version that is not reached are all that does.
    match server.send(Method::POST, path, object).now_or_never() {
        Some((201, _)) => Ok(()),
        Some((_, status)) => Err(status["message"].as_str().unwrap_or_default().to_owned()),
        None => Err("the server did not answer".to_owned()),
    }
}

fn json_of(object: &impl Serialize) -> Value {
    serde_json::to_value(object).unwrap_or_default()
}
