//! [`Client`]: reads from caches and writes to the API server, for objects of any kind.

use std::fmt::Debug;
use std::sync::Arc;

use genclient::applyconfiguration::Applicable;
use genclient::cache::ObjectName;
use genclient::client::{self, DeleteParams, Patch};
use genclient::kube;
use genclient::scheme::Object;
use serde::Serialize;

use super::kind::KindClient;
use super::operation::{WriteError, Written};
use super::read::{Query, ReadError};
use crate::cluster::{Cluster, OwnCaches};
use crate::mapper::Mapper;

/// Client that reads from the caches of watches and writes to the API server.
///
/// A read shows every earlier write of this program through a client of the same cluster. The read
/// waits until the cache shows the write, for up to the
/// [`read_timeout`](crate::ManagerBuilder::read_timeout). If no response to a write arrived, reads
/// do not wait for this write. With `ManagerBuilder::read_your_writes(false)`, they wait for no
/// write.
///
/// The client of a [`Context`](crate::Context) reads from the caches that its controller has
/// declared for the kind and the namespace. Without such caches, and in every other client, a read
/// uses the cache of all objects of the kind. If there is none, it uses every cache of the kind
/// that covers the namespace.
///
/// If the replicas [share the objects](crate::ManagerBuilder::shard_by), a cache may have only
/// those of this replica. A read of others is an error: [`ReadError::OtherReplicas`]. With
/// `shard-by=name`, a list of owned objects has those that an object of this replica owns, and
/// those without an owner; if a get finds no owned object, the API server is asked whether it
/// exists.
///
/// ```no_run
/// use genclient::cache::ObjectName;
/// use genclient_controller::{Client, Query, Result};
/// use k8s_openapi::api::core::v1::{ConfigMap, Pod};
///
/// # async fn example(client: &Client, map: ConfigMap) -> Result<()> {
/// client.create(&map).await?;
/// // Not `None`: the read waits until the cache shows the new object.
/// let cached = client.get::<ConfigMap>(&ObjectName::from_object(&map)).await?;
/// let pods = client.list::<Pod>(&Query::new().namespace("default")).await?;
/// # drop((cached, pods));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    cluster: Cluster,
    /// The caches of the controller whose reconcile uses the client; empty in other clients.
    own: OwnCaches,
    field_manager: Arc<str>,
}

impl Client {
    pub(crate) fn new(cluster: Cluster, field_manager: Arc<str>) -> Self {
        Self {
            cluster,
            own: OwnCaches::default(),
            field_manager,
        }
    }

    /// Returns a client that prefers `own`, the caches of a controller.
    pub(crate) fn with_own(self, own: OwnCaches) -> Self {
        Self { own, ..self }
    }

    /// Returns this client with another field manager for its writes: controller-runtime's
    /// `client.WithFieldOwner`. Default: the name of the manager.
    ///
    /// A field manager owns what it has applied last. So two parts of a program that apply
    /// different fields of one object need two names: under one name, each apply would remove the
    /// fields of the other. A field is removed only if no other manager owns it.
    ///
    /// If a program changes its name, the old name still owns what was applied under it. A field
    /// that the program no longer applies then stays in the object.
    ///
    /// [`Controller::field_manager`](crate::Controller::field_manager) sets the name for a
    /// controller.
    ///
    /// ```no_run
    /// use genclient::applyconfiguration::Applicable;
    /// use genclient_controller::{Client, Result};
    /// use k8s_openapi::api::core::v1::Pod;
    ///
    /// /// Applies an apply configuration that states labels of a Pod, and no other field.
    /// async fn set_labels(client: &Client, labels: &impl Applicable<Object = Pod>) -> Result<()> {
    ///     let labeler = client.with_field_manager("labeler");
    ///     labeler.apply(labels).await?;
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn with_field_manager(&self, name: impl Into<Arc<str>>) -> Self {
        Self {
            field_manager: name.into(),
            ..self.clone()
        }
    }

    /// Returns a client for looking up the object of a request. Of the controller's own caches, it
    /// reads only those with `CachePurpose::Reconciled`. Another cache of the same kind, such as
    /// one for `owns`, may have objects that the controller must not reconcile.
    pub(crate) fn reconciled<K: Object>(&self, types: K::DynamicType) -> KindClient<K> {
        KindClient {
            own: self.own.reconciled(),
            ..self.of(types)
        }
    }

    /// Returns the connection of [`Cluster::client`], for requests that bypass the caches. Reads of
    /// caches wait for writes through this connection, too.
    #[must_use]
    pub fn live(&self) -> &kube::Client {
        self.cluster.client()
    }

    /// Returns the cluster that the client reads and writes.
    #[must_use]
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Returns the mapper, which looks up kinds that are known only at run time.
    #[must_use]
    pub fn mapper(&self) -> &Mapper {
        self.cluster.mapper()
    }

    /// Returns a client of a kind that is known only at run time. `types` describes the kind: for a
    /// [`DynamicObject`](kube::core::DynamicObject), the `ApiResource` that a [`Mapper`] finds.
    pub fn of<K: Object>(&self, types: K::DynamicType) -> KindClient<K> {
        KindClient {
            cluster: self.cluster.clone(),
            own: self.own.clone(),
            field_manager: Arc::clone(&self.field_manager),
            types,
        }
    }

    fn kind<K: Object<DynamicType: Default>>(&self) -> KindClient<K> {
        self.of(K::DynamicType::default())
    }

    /// Returns the cached object `name`, or `None`. See [`KindClient::get`].
    ///
    /// # Errors
    ///
    /// See [`ReadError`].
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn get<K: Object<DynamicType: Default>>(
        &self,
        name: &ObjectName,
    ) -> Result<Option<Arc<K>>, ReadError> {
        self.kind().get(name).await
    }

    /// Returns the cached objects that match a query, in no particular order.
    ///
    /// # Errors
    ///
    /// See [`ReadError`].
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn list<K: Object<DynamicType: Default>>(
        &self,
        query: &Query,
    ) -> Result<Vec<Arc<K>>, ReadError> {
        self.kind().list(query).await
    }

    /// Creates an object. Returns it as the API server stored it.
    ///
    /// # Errors
    ///
    /// See [`KindClient::create`].
    ///
    /// # Cancel safety
    ///
    /// As for every write: if the future is dropped, the API server may or may not have carried out
    /// the write, and reads do not wait for it.
    pub async fn create<K>(&self, object: &K) -> client::Result<K>
    where
        K: Object<DynamicType: Default> + Serialize,
    {
        self.kind().create(object).await
    }

    /// Replaces an object. See [`KindClient::update`].
    ///
    /// # Errors
    ///
    /// See [`KindClient::update`].
    pub async fn update<K>(&self, object: &K) -> client::Result<K>
    where
        K: Object<DynamicType: Default> + Serialize,
    {
        self.kind().update(object).await
    }

    /// Replaces the status of an object, and nothing else.
    ///
    /// # Errors
    ///
    /// See [`KindClient::update_status`].
    pub async fn update_status<K>(&self, object: &K) -> client::Result<K>
    where
        K: Object<DynamicType: Default> + Serialize,
    {
        self.kind().update_status(object).await
    }

    /// Patches an object. The patch is sent unchanged.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::patch`](client::TypedClient::patch).
    pub async fn patch<K, P>(&self, name: &ObjectName, patch: &Patch<P>) -> client::Result<K>
    where
        K: Object<DynamicType: Default>,
        P: Serialize + Debug + Sync,
    {
        self.kind().patch(name, patch).await
    }

    /// Patches the status of an object. `patch` starts at the root of the object, such as
    /// `{"status": {…}}`, and is sent unchanged.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::patch_status`](client::TypedClient::patch_status).
    pub async fn patch_status<K, P>(&self, name: &ObjectName, patch: &Patch<P>) -> client::Result<K>
    where
        K: Object<DynamicType: Default>,
        P: Serialize + Debug + Sync,
    {
        self.kind().patch_status(name, patch).await
    }

    /// Applies an apply configuration or a whole object by server-side apply. See
    /// [`KindClient::apply`].
    ///
    /// # Errors
    ///
    /// See [`KindClient::apply`].
    pub async fn apply<A>(&self, object: &A) -> client::Result<A::Object>
    where
        A: Applicable<Object: Object<DynamicType: Default>>,
    {
        self.kind().apply(object).await
    }

    /// Applies the status in an apply configuration or a whole object by server-side apply. See
    /// [`KindClient::apply_status`].
    ///
    /// # Errors
    ///
    /// See [`KindClient::apply_status`].
    pub async fn apply_status<A>(&self, object: &A) -> client::Result<A::Object>
    where
        A: Applicable<Object: Object<DynamicType: Default>>,
    {
        self.kind().apply_status(object).await
    }

    /// Creates an object, or patches the existing one. See [`KindClient::create_or_patch`].
    ///
    /// # Errors
    ///
    /// See [`KindClient::create_or_patch`].
    ///
    /// # Cancel safety
    ///
    /// As for every write: see [`create`](Self::create). If the future is dropped after the object
    /// was written and before its status, the status is not written.
    pub async fn create_or_patch<K>(
        &self,
        new: K,
        change: impl FnOnce(&mut K),
    ) -> Result<Written<K>, WriteError>
    where
        K: Object<DynamicType: Default> + Serialize,
    {
        self.kind().create_or_patch(new, change).await
    }

    /// Applies an apply configuration or a whole object, with `owner` as its controller. See
    /// [`KindClient::apply_owned`].
    ///
    /// # Errors
    ///
    /// See [`WriteError`].
    ///
    /// # Cancel safety
    ///
    /// As for every write: see [`create`](Self::create).
    pub async fn apply_owned<O, A>(
        &self,
        owner: &O,
        object: &A,
    ) -> Result<Written<A::Object>, WriteError>
    where
        O: kube::Resource<DynamicType = ()>,
        A: Applicable<Object: Object<DynamicType: Default>> + Clone,
    {
        self.kind().apply_owned(owner, object).await
    }

    /// Deletes an object. The Pods of a Job stay: see [`KindClient::delete`].
    ///
    /// # Errors
    ///
    /// See [`KindClient::delete`].
    pub async fn delete<K>(&self, object: &K) -> client::Result<()>
    where
        K: Object<DynamicType: Default>,
    {
        self.kind().delete(object).await
    }

    /// Deletes an object with propagation policy, grace period, preconditions or `dryRun`. See
    /// [`KindClient::delete_with`].
    ///
    /// # Errors
    ///
    /// See [`KindClient::delete_with`].
    ///
    /// # Cancel safety
    ///
    /// As for every write: see [`create`](Self::create).
    pub async fn delete_with<K>(&self, object: &K, params: &DeleteParams) -> client::Result<()>
    where
        K: Object<DynamicType: Default>,
    {
        self.kind().delete_with(object, params).await
    }
}
