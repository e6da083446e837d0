//! [`Client`]: reads from the caches, writes to the API server.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use genclient::cache::ObjectName;
use genclient::client::{self, DeleteParams, Patch, PatchParams, PostParams, TypedClient};
use genclient::informer::ProgressError;
use genclient::kube::api::Preconditions;
use genclient::kube::core::SelectorExt;
use genclient::kube::{self, ResourceExt};
use genclient::lister::Selector;
use genclient::scheme::{GroupVersionResource, Object};
use serde::Serialize;

use crate::cluster::{Cached, CatchUpError, Cluster};

/// Reads from the caches that watches have declared, and writes to the API server.
///
/// A read shows what this program has written before, over this client or any other that was made
/// from [`Cluster::client`]: it waits until the cache has it, for a few seconds at most. Only
/// a write whose answer did not arrive is not waited for.
///
/// ```no_run
/// use genclient::cache::ObjectName;
/// use genclient_controller::{Client, Query, Result};
/// use k8s_openapi::api::core::v1::{ConfigMap, Pod};
///
/// # async fn example(client: &Client, map: ConfigMap) -> Result<()> {
/// client.create(&map).await?;
/// // There, as the cache was waited for.
/// let cached = client.get::<ConfigMap>(&ObjectName::from_object(&map)).await?;
/// let pods = client.list::<Pod>(&Query::new().namespace("default")).await?;
/// # drop((cached, pods));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    cluster: Cluster,
    field_manager: Arc<str>,
}

/// What a list is to have.
///
/// ```
/// use genclient_controller::Query;
///
/// let query = Query::new().namespace("default").index("node", "worker");
/// # drop(query);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a query does nothing until it is given to `Client::list`"]
pub struct Query {
    namespace: Option<String>,
    labels: Selector,
    index: Option<(String, String)>,
}

/// A read from a cache failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// No controller watches the kind, so there is no cache of it.
    #[error(
        "{resource} is not cached: add `.caches(Watch::<{kind}>::new())` to a controller, or read it from the API server by `live()`"
    )]
    NotCached {
        /// The resource.
        resource: GroupVersionResource,
        /// The kind.
        kind: String,
    },
    /// The cache does not show yet what this program has written. A reconcile that fails with it is
    /// tried again, and not counted as a failure.
    #[error("the cache of {resource} does not show after {} s what was written", waited.as_secs_f64())]
    Stale {
        /// The resource.
        resource: GroupVersionResource,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The cache cannot be waited for.
    #[error(transparent)]
    Cache(#[from] ProgressError),
    /// The cache has no index of that name.
    #[error("the cache of {resource} has no index `{index}`: add it by `Watch::index`")]
    NoSuchIndex {
        /// The resource.
        resource: GroupVersionResource,
        /// The name.
        index: String,
    },
}

impl Query {
    /// Every object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only those in a namespace.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Only those that the label selector matches. Of several, all have to.
    pub fn labels(mut self, selector: Selector) -> Self {
        self.labels.extend(selector);
        self
    }

    /// Only those that an index has under `value`: see [`Watch::index`](crate::Watch::index).
    pub fn index(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.index = Some((name.into(), value.into()));
        self
    }
}

impl Client {
    pub(crate) fn new(cluster: Cluster, field_manager: Arc<str>) -> Self {
        Self {
            cluster,
            field_manager,
        }
    }

    /// The connection, for requests that go past the caches. It is that of
    /// [`Cluster::client`]: what is written over it is read again here.
    #[must_use]
    pub fn live(&self) -> &kube::Client {
        self.cluster.client()
    }

    /// The cluster that it reads and writes.
    #[must_use]
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// A client of a kind that is described by a value, such as that of
    /// [`DynamicObject`](kube::core::DynamicObject).
    pub fn of<K: Object>(&self, types: K::DynamicType) -> KindClient<K> {
        KindClient {
            client: self.clone(),
            types,
        }
    }

    fn kind<K: Object<DynamicType: Default>>(&self) -> KindClient<K> {
        self.of(K::DynamicType::default())
    }

    /// Reads an object from the cache; `None` if there is none of that name. See
    /// [`KindClient::get`].
    ///
    /// # Errors
    ///
    /// See [`ReadError`].
    pub async fn get<K: Object<DynamicType: Default>>(
        &self,
        name: &ObjectName,
    ) -> Result<Option<Arc<K>>, ReadError> {
        self.kind().get(name).await
    }

    /// Reads the objects that a query selects from the cache, in no particular order.
    ///
    /// # Errors
    ///
    /// See [`ReadError`].
    pub async fn list<K: Object<DynamicType: Default>>(
        &self,
        query: &Query,
    ) -> Result<Vec<Arc<K>>, ReadError> {
        self.kind().list(query).await
    }

    /// Creates an object. Returns what the API server stored.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::create`].
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

    /// Replaces the status of an object, and nothing else of it.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::update_status`].
    pub async fn update_status<K>(&self, object: &K) -> client::Result<K>
    where
        K: Object<DynamicType: Default> + Serialize,
    {
        self.kind().update_status(object).await
    }

    /// Changes an object by a patch, which is sent as it is.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::patch`].
    pub async fn patch<K, P>(&self, name: &ObjectName, patch: &Patch<P>) -> client::Result<K>
    where
        K: Object<DynamicType: Default>,
        P: Serialize + Debug + Sync,
    {
        self.kind().patch(name, patch).await
    }

    /// Changes the status of an object by a patch of the whole object, which is sent as it is.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::patch_status`].
    pub async fn patch_status<K, P>(&self, name: &ObjectName, patch: &Patch<P>) -> client::Result<K>
    where
        K: Object<DynamicType: Default>,
        P: Serialize + Debug + Sync,
    {
        self.kind().patch_status(name, patch).await
    }

    /// Applies an object by server-side apply. See [`KindClient::apply`].
    ///
    /// # Errors
    ///
    /// See [`TypedClient::apply`].
    pub async fn apply<K>(&self, object: &K) -> client::Result<K>
    where
        K: Object<DynamicType: Default> + Serialize,
    {
        self.kind().apply(object).await
    }

    /// Applies the status of an object by server-side apply. See [`KindClient::apply`].
    ///
    /// # Errors
    ///
    /// See [`TypedClient::apply_status`].
    pub async fn apply_status<K>(&self, object: &K) -> client::Result<K>
    where
        K: Object<DynamicType: Default> + Serialize,
    {
        self.kind().apply_status(object).await
    }

    /// Deletes this object. See [`KindClient::delete`].
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
}

/// A [`Client`] of one kind: see [`Client::of`].
#[derive(Clone, Debug)]
pub struct KindClient<K: Object> {
    client: Client,
    types: K::DynamicType,
}

impl<K: Object> KindClient<K> {
    /// Reads an object from the cache; `None` if there is none of that name, or if the selectors of
    /// the watch leave it out.
    ///
    /// # Errors
    ///
    /// See [`ReadError`].
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn get(&self, name: &ObjectName) -> Result<Option<Arc<K>>, ReadError> {
        let cached = self.cached()?;
        let caught_up = self.cluster().catch_up(&cached, &self.types, name).await;
        caught_up.map_err(|error| self.stale(error))?;
        Ok(cached.informer.indexer().get(name))
    }

    /// Reads the objects that a query selects from the cache, in no particular order.
    ///
    /// # Errors
    ///
    /// See [`ReadError`].
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn list(&self, query: &Query) -> Result<Vec<Arc<K>>, ReadError> {
        let cached = self.cached()?;
        let namespace = query.namespace.as_deref();
        let caught_up = self.cluster().catch_up_all(&cached, &self.types, namespace);
        caught_up.await.map_err(|error| self.stale(error))?;
        let indexer = cached.informer.indexer();
        let Some((index, value)) = &query.index else {
            let lister = cached.informer.lister();
            return Ok(match namespace {
                Some(namespace) => lister.namespace(namespace).list(&query.labels),
                None => lister.list(&query.labels),
            });
        };
        let found = indexer.by_index(index, value);
        let mut found = found.map_err(|_| ReadError::NoSuchIndex {
            resource: self.resource(),
            index: index.clone(),
        })?;
        found.retain(|object| query.selects(&**object));
        Ok(found)
    }

    /// Creates an object. Returns what the API server stored.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::create`].
    ///
    /// # Cancel safety
    ///
    /// Of this and every write: dropping the future leaves open whether the API server has acted,
    /// and reads do not wait for it.
    pub async fn create(&self, object: &K) -> client::Result<K>
    where
        K: Serialize,
    {
        self.beside(object).create(object, &self.post()).await
    }

    /// Replaces an object. With a `resourceVersion` in it, only that version is replaced.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::update`]; an error that says so if a [transform](crate::Watch::transform)
    /// has dropped fields of the cached objects of this kind, as the update would delete them.
    pub async fn update(&self, object: &K) -> client::Result<K>
    where
        K: Serialize,
    {
        let cached = self.cluster().cached::<K>(&self.types);
        if cached.is_some_and(|cached| cached.is_slimmed()) {
            let refusal = format!(
                "{} cannot be updated: a transform drops fields of what is cached, which an update would delete; write it by `apply` or `patch`",
                self.resource()
            );
            let refusal = kube::core::request::Error::Validation(refusal);
            return Err(kube::Error::BuildRequest(refusal));
        }
        self.beside(object).update(object, &self.post()).await
    }

    /// Replaces the status of an object, and nothing else of it.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::update_status`].
    pub async fn update_status(&self, object: &K) -> client::Result<K>
    where
        K: Serialize,
    {
        let client = self.beside(object);
        client.update_status(object, &self.post()).await
    }

    /// Changes an object by a patch, which is sent as it is.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::patch`].
    pub async fn patch<P>(&self, name: &ObjectName, patch: &Patch<P>) -> client::Result<K>
    where
        P: Serialize + Debug + Sync,
    {
        let client = self.within(name.namespace());
        client
            .patch(name.name(), patch, &self.patching(patch))
            .await
    }

    /// Changes the status of an object by a patch of the whole object, which is sent as it is.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::patch_status`].
    pub async fn patch_status<P>(&self, name: &ObjectName, patch: &Patch<P>) -> client::Result<K>
    where
        P: Serialize + Debug + Sync,
    {
        let client = self.within(name.namespace());
        let params = self.patching(patch);
        client.patch_status(name.name(), patch, &params).await
    }

    /// Applies an object by server-side apply: it is created if there is none, and of one that is
    /// there only the fields in `object` change. Fields that others own are taken over, as is due
    /// to a controller.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::apply`].
    pub async fn apply(&self, object: &K) -> client::Result<K>
    where
        K: Serialize,
    {
        let client = self.beside(object);
        client
            .apply(&object.name_any(), object, &self.applying())
            .await
    }

    /// Applies the status of an object by server-side apply.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::apply_status`].
    pub async fn apply_status(&self, object: &K) -> client::Result<K>
    where
        K: Serialize,
    {
        let (client, name) = (self.beside(object), object.name_any());
        client.apply_status(&name, object, &self.applying()).await
    }

    /// Deletes this object, and no other that may have got its name since. That it is gone already
    /// is no error.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::delete`].
    pub async fn delete(&self, object: &K) -> client::Result<()> {
        let params = DeleteParams::default().preconditions(Preconditions {
            uid: object.uid(),
            ..Preconditions::default()
        });
        match self
            .beside(object)
            .delete(&object.name_any(), &params)
            .await
        {
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(()),
            deleted => deleted.map(drop),
        }
    }

    fn cluster(&self) -> &Cluster {
        &self.client.cluster
    }

    fn resource(&self) -> GroupVersionResource {
        GroupVersionResource::of::<K>(&self.types)
    }

    fn cached(&self) -> Result<Arc<Cached<K>>, ReadError> {
        let cached = self.cluster().cached::<K>(&self.types);
        cached.ok_or_else(|| ReadError::NotCached {
            resource: self.resource(),
            kind: K::kind(&self.types).into_owned(),
        })
    }

    fn stale(&self, error: CatchUpError) -> ReadError {
        match error {
            CatchUpError::Cache(error) => ReadError::Cache(error),
            CatchUpError::Late(waited) => ReadError::Stale {
                resource: self.resource(),
                waited,
            },
        }
    }

    /// The verbs where the object is.
    fn beside(&self, object: &K) -> TypedClient<K> {
        self.within(object.namespace().as_deref())
    }

    fn within(&self, namespace: Option<&str>) -> TypedClient<K> {
        let (client, types) = (self.cluster().client().clone(), self.types.clone());
        match namespace {
            Some(namespace) => TypedClient::namespaced_with(client, namespace, types),
            None => TypedClient::cluster_with(client, types),
        }
    }

    fn post(&self) -> PostParams {
        PostParams {
            field_manager: Some(self.client.field_manager.to_string()),
            ..PostParams::default()
        }
    }

    fn applying(&self) -> PatchParams {
        PatchParams::apply(&self.client.field_manager).force()
    }

    fn patching<P: Serialize + Debug>(&self, patch: &Patch<P>) -> PatchParams {
        match patch {
            Patch::Apply(_) => self.applying(),
            _ => PatchParams {
                field_manager: Some(self.client.field_manager.to_string()),
                ..PatchParams::default()
            },
        }
    }
}

impl Query {
    /// Whether an object of the index is in the namespace and has the labels.
    fn selects<K: kube::Resource>(&self, object: &K) -> bool {
        let is_inside = |namespace: &String| object.namespace().as_ref() == Some(namespace);
        let labels = object.meta().labels.clone().unwrap_or_default();
        self.namespace.as_ref().is_none_or(is_inside) && self.labels.matches(&labels)
    }
}
