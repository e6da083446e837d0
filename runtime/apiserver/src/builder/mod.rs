//! [`ApiServerBuilder`]: settings of an in-process API server.

mod startup;

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use genclient::conversion::Versions;
use genclient::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use genclient::kube::Resource;
use http::{Request, Response};
use http_body_util::Full;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower::{BoxError, Service};

use crate::admission::{AdmissionPlugin, DynAdmissionPlugin};
use crate::clock::Clock;
use crate::conversion_functions::ConversionFunctions;
use crate::feature_gate::FeatureGate;
use crate::manifests::{self, Manifest};
use crate::rbac::{AuthorizationState, User};
use crate::server::ApiServer;
use crate::token_file;
use crate::webhook_services::WebhookServices;

/// Default of [`ApiServerBuilder::lag`].
const DEFAULT_LAG: Duration = Duration::from_millis(5);

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
    authorization: AuthorizationState,
    webhooks: WebhookServices,
    admission: Vec<Box<dyn DynAdmissionPlugin>>,
    conversions: ConversionFunctions,
    feature_gates: BTreeSet<FeatureGate>,
}

impl Default for ApiServerBuilder {
    fn default() -> Self {
        Self {
            manifests: Vec::new(),
            unreadable: Vec::new(),
            clock: None,
            seed: 0,
            lag: DEFAULT_LAG,
            controllers: true,
            authorization: AuthorizationState::default(),
            webhooks: WebhookServices::default(),
            admission: Vec::new(),
            conversions: ConversionFunctions::default(),
            feature_gates: BTreeSet::new(),
        }
    }
}

/// Error of [`ApiServerBuilder::build`]. It lists every rejected object and every unreadable file.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct BuildError(Vec<String>);

impl ApiServer {
    /// Returns a builder for a server with Kubernetes' built-in kinds and the namespaces of a new
    /// cluster, such as `default`.
    pub fn builder() -> ApiServerBuilder {
        ApiServerBuilder::default()
    }
}

impl ApiServerBuilder {
    /// Serves the custom resources of CustomResourceDefinitions, such as those in a generated
    /// client's `crds::all()`.
    pub fn crds(self, crds: impl IntoIterator<Item = CustomResourceDefinition>) -> Self {
        self.objects(crds)
    }

    /// Creates these objects: CustomResourceDefinitions first, then Namespaces, then all others in
    /// the given order. The server must serve their `apiVersion` and `kind`. A namespaced object
    /// without a namespace is created in `default`, as by kubectl.
    ///
    /// All objects of one call have the same Rust type, such as a type of k8s-openapi or
    /// [`serde_json::Value`]. Repeated calls add further objects.
    ///
    /// ```
    /// use genclient_apiserver::ApiServer;
    /// use k8s_openapi::api::core::v1::Namespace;
    /// use serde_json::json;
    ///
    /// let mut team = Namespace::default();
    /// team.metadata.name = Some("team".to_owned());
    /// let server = ApiServer::builder()
    ///     .objects([team])
    ///     .objects([json!({
    ///         "apiVersion": "v1", "kind": "ConfigMap",
    ///         "metadata": { "name": "settings", "namespace": "team" },
    ///         "data": { "level": "info" },
    ///     })])
    ///     .build()?;
    /// # Ok::<(), genclient_apiserver::BuildError>(())
    /// ```
    pub fn objects<T: Serialize>(mut self, objects: impl IntoIterator<Item = T>) -> Self {
        let objects = objects.into_iter().map(|object| to_json(&object));
        self.manifests.extend(objects.map(Manifest::from_object));
        self
    }

    /// Serves the custom resources that the CustomResourceDefinitions in a file or folder define.
    /// In a folder, the files that end in `.yaml`, `.yml` or `.json` are read; subfolders are not.
    /// Objects of other kinds are ignored.
    pub fn crd_files(mut self, path: impl AsRef<Path>) -> Self {
        let read = manifests::read_manifests(path.as_ref());
        self.add_manifests(read.map(|mut found| {
            found.retain(Manifest::is_definition);
            found
        }));
        self
    }

    /// Creates the objects in a file or folder, as [`objects`](Self::objects) does. In a folder,
    /// the files that end in `.yaml`, `.yml` or `.json` are read; subfolders are not.
    pub fn manifests(mut self, path: impl AsRef<Path>) -> Self {
        self.add_manifests(manifests::read_manifests(path.as_ref()));
        self
    }

    fn add_manifests(&mut self, read: Result<Vec<Manifest>, Vec<String>>) {
        match read {
            Ok(found) => self.manifests.extend(found),
            Err(errors) => self.unreadable.extend(errors),
        }
    }

    /// Sets the wall clock. Default: [`Clock::system`].
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Sets the seed of uids, generated names and delays. Default: 0.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the longest time until watches see a change. The delay of each change is random, from
    /// zero to `lag`. Default: 5 ms.
    ///
    /// The watch cache of a real API server also lags behind its writes. Without a delay, a test
    /// could pass although the tested code fails in a cluster.
    pub fn lag(mut self, lag: Duration) -> Self {
        self.lag = lag;
        self
    }

    /// Enables the controllers of kube-controller-manager that users of an API server rely on:
    /// garbage collection, deletion of namespaces, and aggregation of ClusterRoles. Default: true.
    ///
    /// Without them the server behaves as kube-apiserver without a controller manager: dependents
    /// of deleted owners remain, and a deleted namespace stays `Terminating`.
    pub fn controllers(mut self, controllers: bool) -> Self {
        self.controllers = controllers;
        self
    }

    /// Turns a feature gate on or off, as kube-apiserver's `--feature-gates` does. Default: all are
    /// off.
    pub fn feature_gate(mut self, gate: FeatureGate, is_on: bool) -> Self {
        if is_on {
            self.feature_gates.insert(gate);
        } else {
            self.feature_gates.remove(&gate);
        }
        self
    }

    /// Adds a bearer token, by which requests are authenticated as `user`. Default: no tokens.
    ///
    /// A request with an unknown token gets 401. A request without a token comes from the user of
    /// [`ApiServer::client_as`], or else from an administrator, who may do everything.
    pub fn token(mut self, token: impl Into<String>, user: impl Into<User>) -> Self {
        self.authorization.tokens.insert(token.into(), user.into());
        self
    }

    /// Adds the tokens and users in a file, as [`token`](Self::token) does.
    ///
    /// The format is that of kube-apiserver's `--token-auth-file`: CSV with the columns token, user
    /// name, uid, and groups in quotes. Lines with an empty token are ignored, and so are columns
    /// after the groups.
    pub fn token_auth_file(mut self, path: impl AsRef<Path>) -> Self {
        match token_file::read_token_file(path.as_ref()) {
            Ok(tokens) => self.authorization.tokens.extend(tokens),
            Err(error) => self.unreadable.push(error),
        }
        self
    }

    /// Enables the admission plug-in OwnerReferencesPermissionEnforcement. To change the owner
    /// references of an existing object, a user needs the right to delete the object. To set
    /// `blockOwnerDeletion`, even in a create, a user needs the right to update the owner's
    /// finalizers. Default: off, as in kube-apiserver.
    pub fn enforce_owner_permissions(mut self, is_enforced: bool) -> Self {
        self.authorization.enforces_owners = is_enforced;
        self
    }

    /// Enables the aggregation of ClusterRoles, as by kube-controller-manager: the server computes
    /// the rules of ClusterRoles with an `aggregationRule`. The aggregation is also off if
    /// [`controllers`](Self::controllers) is false. Default: on.
    pub fn aggregate_cluster_roles(mut self, is_on: bool) -> Self {
        self.authorization.aggregates = is_on;
        self
    }

    /// Adds an [`AdmissionPlugin`], which mutates or rejects writes. Plug-ins run in the order in
    /// which they are added.
    pub fn admission_plugin(mut self, plugin: impl AdmissionPlugin) -> Self {
        self.admission.push(Box::new(plugin));
        self
    }

    /// Registers a webhook server in this process. `service` handles the calls of webhooks whose
    /// `clientConfig.service` has this namespace and name.
    ///
    /// The service gets the calls of admission and conversion webhooks, whatever the port. The URL
    /// of a call has the path of the `clientConfig` and the timeout: `/validate?timeout=10s`. TLS
    /// and the `caBundle` are ignored. A call to a Service that is not registered fails. Webhooks
    /// with a URL are called over HTTPS if the feature `webhooks` is enabled.
    pub fn webhook_service<S, B>(
        mut self,
        namespace: impl Into<String>,
        name: impl Into<String>,
        service: S,
    ) -> Self
    where
        S: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send + 'static,
        B: http_body::Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        self.webhooks.insert(namespace.into(), name.into(), service);
        self
    }

    /// Converts the custom resources of a kind in this process instead of calling the conversion
    /// webhook. The module `conversion` of a generated client has a function that returns
    /// `versions`.
    ///
    /// `versions` is used only for a CustomResourceDefinition with
    /// `spec.conversion.strategy: Webhook`. Without this setting, the server calls the webhook of
    /// the definition: a [`webhook_service`](Self::webhook_service) or a URL.
    ///
    /// ```
    /// # use genclient::conversion::{Inconvertible, Spoke, Versions};
    /// # use genclient::prelude::*;
    /// # mod v1 {
    /// #     use genclient::prelude::*;
    /// #     #[genclient]
    /// #     #[group = "example.com"]
    /// #     pub struct Backup { pub metadata: ObjectMeta, pub spec: BackupSpec }
    /// #     #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    /// #     pub struct BackupSpec { pub keep_days: u32 }
    /// # }
    /// # mod v1alpha1 {
    /// #     use genclient::prelude::*;
    /// #     #[genclient]
    /// #     #[group = "example.com"]
    /// #     pub struct Backup { pub metadata: ObjectMeta, pub spec: BackupSpec }
    /// #     #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    /// #     pub struct BackupSpec { pub keep: String }
    /// # }
    /// # impl Spoke for v1alpha1::Backup {
    /// #     type Hub = v1::Backup;
    /// #     fn to_hub(self) -> Result<v1::Backup, Inconvertible> {
    /// #         let days = self.spec.keep.strip_suffix('d').ok_or("no unit `d`")?;
    /// #         let spec = v1::BackupSpec { keep_days: days.parse()? };
    /// #         Ok(v1::Backup { metadata: self.metadata, spec })
    /// #     }
    /// #     fn from_hub(hub: v1::Backup) -> Result<Self, Inconvertible> {
    /// #         let spec = v1alpha1::BackupSpec { keep: format!("{}d", hub.spec.keep_days) };
    /// #         Ok(Self { metadata: hub.metadata, spec })
    /// #     }
    /// # }
    /// # fn backups() -> Versions<v1::Backup> {
    /// #     Versions::hub().spoke::<v1alpha1::Backup>()
    /// # }
    /// use genclient_apiserver::ApiServer;
    ///
    /// # let schema = |field: &str, type_: &str| serde_json::json!({ "openAPIV3Schema": {
    /// #     "type": "object",
    /// #     "properties": { "spec": {
    /// #         "type": "object", "properties": { field: { "type": type_ } },
    /// #     } },
    /// # } });
    /// # let definition = serde_json::json!({
    /// #     "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    /// #     "metadata": { "name": "backups.example.com" },
    /// #     "spec": {
    /// #         "group": "example.com", "scope": "Namespaced",
    /// #         "names": { "kind": "Backup", "plural": "backups" },
    /// #         "conversion": { "strategy": "Webhook", "webhook": {
    /// #             "conversionReviewVersions": ["v1"],
    /// #             "clientConfig": { "service": { "namespace": "default", "name": "hooks" } },
    /// #         } },
    /// #         "versions": [
    /// #             { "name": "v1", "served": true, "storage": true,
    /// #               "schema": schema("keep_days", "integer") },
    /// #             { "name": "v1alpha1", "served": true, "storage": false,
    /// #               "schema": schema("keep", "string") },
    /// #         ],
    /// #     },
    /// # });
    /// # let backup = serde_json::json!({
    /// #     "apiVersion": "example.com/v1alpha1", "kind": "Backup",
    /// #     "metadata": { "name": "nightly" }, "spec": { "keep": "7d" },
    /// # });
    /// let server = ApiServer::builder()
    ///     .objects([definition])
    ///     .conversion(backups())
    ///     .objects([backup])
    ///     .build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn conversion<H>(mut self, versions: Versions<H>) -> Self
    where
        H: Resource<DynamicType = ()> + Serialize + DeserializeOwned + 'static,
    {
        self.conversions.insert_versions(versions);
        self
    }

    /// Converts the custom resources of a CustomResourceDefinition, such as `backups.example.com`,
    /// by a function. The function gets the object and the target `apiVersion`, and returns the
    /// converted object.
    ///
    /// As for a conversion webhook, the function must not change metadata other than labels and
    /// annotations. An error or a panic fails the request.
    ///
    /// ```
    /// use genclient_apiserver::ApiServer;
    /// use serde_json::Value;
    ///
    /// let builder = ApiServer::builder().conversion_by("backups.example.com", |object, version| {
    ///     let mut object = object.clone();
    ///     object["apiVersion"] = version.into();
    ///     Ok::<Value, String>(object)
    /// });
    /// ```
    pub fn conversion_by<E: Display>(
        mut self,
        definition: impl Into<String>,
        function: impl Fn(&Value, &str) -> Result<Value, E> + Send + Sync + 'static,
    ) -> Self {
        self.conversions.insert(definition.into(), function);
        self
    }
}

fn to_json(object: &impl Serialize) -> Value {
    serde_json::to_value(object).unwrap_or_default()
}
