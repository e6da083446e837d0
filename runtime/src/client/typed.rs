//! [`TypedClient`]: the verbs of one kind.

use std::fmt;

use kube::core::Request;
use kube::{Client, Error, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::path::{
    add_shard_selector, collection_path, invalid_request, object_request_builder, push_segment,
};
use super::response::{request_object, request_object_or_status};
use super::{
    DeleteParams, Deletion, GetParams, ListParams, ObjectList, Patch, PatchParams, PostParams,
    Result, ShardSelector, WatchParams, WatchStream,
};

/// Client of one kind: its verbs in one namespace, in all namespaces, or in cluster scope.
///
/// Cheap to create and to clone: clients made from one [`kube::Client`] share its TCP connections.
/// Generated clients call these verbs, and offer only those that their kind allows.
///
/// ```no_run
/// use genclient::client::{GetParams, ListParams, TypedClient};
/// use k8s_openapi::api::core::v1::Pod;
///
/// # async fn example(client: genclient::kube::Client) -> genclient::client::Result<()> {
/// let pods = TypedClient::<Pod>::namespaced(client, "default");
/// let pod = pods.get("train", &GetParams::default()).await?;
/// let on_gpus = pods.list(&ListParams::default().labels("gpu=a100")).await?;
/// println!("{:?}, and {} with a GPU", pod.metadata.name, on_gpus.items.len());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Every verb fails
///
/// - with [`kube::Error::Api`], which holds the [`Status`](super::Status), if the API server
///   rejects the request;
/// - with [`kube::Error::BuildRequest`] if the request cannot be built, for example with an empty
///   name;
/// - with [`kube::Error::SerdeError`] if an object cannot be encoded, or the response cannot be
///   decoded; the message does not quote values of the response;
/// - with other errors of kube if there is no response.
///
/// [`ClientBuilder::max_retries`](super::ClientBuilder::max_retries) of the connection applies to
/// every verb.
///
/// # Cancel safety
///
/// Dropping the future of a read is harmless. If the future of a write is dropped, the API server
/// may or may not have executed it.
pub struct TypedClient<K: Resource> {
    client: Client,
    /// `None` for cluster-scoped kinds; empty for all namespaces.
    namespace: Option<String>,
    types: K::DynamicType,
}

impl<K: Resource<DynamicType: Default>> TypedClient<K> {
    /// Returns a client for `namespace`. An empty string means all namespaces; prefer
    /// [`all_namespaces`](Self::all_namespaces).
    #[must_use]
    pub fn namespaced(client: Client, namespace: &str) -> Self {
        Self::namespaced_with(client, namespace, K::DynamicType::default())
    }

    /// Returns a client of a namespaced kind for all namespaces, client-go's `NamespaceAll`. It
    /// lists and watches. The API server refuses `delete_collection` without a namespace. Verbs on
    /// one object return an error without a request, as in client-go.
    ///
    /// ```no_run
    /// use genclient::client::{ListParams, TypedClient};
    /// use k8s_openapi::api::core::v1::Pod;
    ///
    /// # async fn example(client: genclient::kube::Client) -> genclient::client::Result<()> {
    /// let pods = TypedClient::<Pod>::all_namespaces(client);
    /// let pending = ListParams::default().fields("status.phase=Pending");
    /// for pod in pods.list(&pending).await? {
    ///     println!("{:?}/{:?}", pod.metadata.namespace, pod.metadata.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn all_namespaces(client: Client) -> Self {
        Self::all_namespaces_with(client, K::DynamicType::default())
    }

    /// Returns a client of a cluster-scoped kind.
    #[must_use]
    pub fn cluster(client: Client) -> Self {
        Self::cluster_with(client, K::DynamicType::default())
    }
}

impl<K: Resource> TypedClient<K> {
    /// Like [`namespaced`](Self::namespaced), for a kind that is described by a value, such as the
    /// `ApiResource` of a [`DynamicObject`](kube::core::DynamicObject).
    ///
    /// ```no_run
    /// use genclient::client::{ListParams, TypedClient};
    /// use genclient::kube::core::{ApiResource, DynamicObject, GroupVersionKind};
    ///
    /// # async fn example(client: genclient::kube::Client) -> genclient::client::Result<()> {
    /// let kind = GroupVersionKind::gvk("falldio.com", "v1", "GPUTask");
    /// let tasks = TypedClient::<DynamicObject>::namespaced_with(
    ///     client,
    ///     "default",
    ///     ApiResource::from_gvk_with_plural(&kind, "gputasks"),
    /// );
    /// println!("{} tasks", tasks.list(&ListParams::default()).await?.items.len());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn namespaced_with(client: Client, namespace: &str, types: K::DynamicType) -> Self {
        Self {
            client,
            namespace: Some(namespace.to_owned()),
            types,
        }
    }

    /// Like [`all_namespaces`](Self::all_namespaces), for a kind that is described by a value.
    #[must_use]
    pub fn all_namespaces_with(client: Client, types: K::DynamicType) -> Self {
        Self::namespaced_with(client, "", types)
    }

    /// Like [`cluster`](Self::cluster), for a kind that is described by a value.
    #[must_use]
    pub fn cluster_with(client: Client, types: K::DynamicType) -> Self {
        Self {
            client,
            namespace: None,
            types,
        }
    }

    /// Returns the value that describes the kind: `()` for a Rust type with a fixed kind, or the
    /// value that was passed to the constructor.
    pub(crate) fn types(&self) -> &K::DynamicType {
        &self.types
    }

    /// Returns the connection of this client.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the namespace of this client: `None` for cluster-scoped kinds, empty for all
    /// namespaces.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }
}

/// Verbs of a kind.
impl<K> TypedClient<K>
where
    K: Resource + Clone + DeserializeOwned + Send + 'static,
{
    /// Creates an object, with its `metadata.name` or with a name generated from `generateName`.
    /// Returns the stored object.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]; `AlreadyExists` if the name is taken.
    pub async fn create(&self, object: &K, params: &PostParams) -> Result<K>
    where
        K: Serialize,
    {
        self.create_as(None, None, object, params).await
    }

    /// Replaces the object of the same name. If `object` has a `resourceVersion`, only that version
    /// is replaced. If the kind has a status subresource, the status is not changed.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]; `Conflict` if `object` has an outdated `resourceVersion`.
    pub async fn update(&self, object: &K, params: &PostParams) -> Result<K>
    where
        K: Serialize,
    {
        self.update_as(name_of(object)?, None, object, params).await
    }

    /// Replaces only the status of an object.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]; `Conflict` if `object` has an outdated `resourceVersion`.
    pub async fn update_status(&self, object: &K, params: &PostParams) -> Result<K>
    where
        K: Serialize,
    {
        self.update_as(name_of(object)?, Some("status"), object, params)
            .await
    }

    /// Deletes an object. The object still exists while finalizers or its grace period delay the
    /// deletion.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]; `NotFound` if it does not exist.
    pub async fn delete(&self, name: &str, params: &DeleteParams) -> Result<Deletion<K>> {
        // kube's builder appends the name to the path, so it gets collection and name separately.
        let mut segment = String::new();
        push_segment(&mut segment, name)?;
        let request = self.object_request(None, None)?.delete(&segment, params);
        request_object_or_status(&self.client, add_verb(request, "delete")?).await
    }

    /// Deletes all objects that match `list`.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`].
    pub async fn delete_collection(
        &self,
        params: &DeleteParams,
        list: &ListParams,
    ) -> Result<Deletion<ObjectList<K>>> {
        let request = self.collection()?.delete_collection(params, list);
        let request = add_verb(request, "delete_collection")?;
        request_object_or_status(&self.client, request).await
    }

    /// Reads one object from the API server.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]; `NotFound` if it does not exist.
    pub async fn get(&self, name: &str, params: &GetParams) -> Result<K> {
        self.get_as(name, None, params).await
    }

    /// Reads the objects that match `params`, at most `params.limit` of them.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]; `Expired` (410) if a continue token is too old.
    pub async fn list(&self, params: &ListParams) -> Result<ObjectList<K>> {
        self.list_as(None, None, params).await
    }

    /// Reads the objects that both `params` and `shards` select, at most `params.limit` of them.
    ///
    /// An API server without the feature gate `ShardedListAndWatch` ignores `shards`. If it applies
    /// them, lists of built-in kinds have `metadata.shardInfo`; those of custom resources never do.
    ///
    /// ```no_run
    /// use genclient::client::{ListParams, ShardField, ShardSelector, TypedClient};
    /// use k8s_openapi::api::core::v1::Pod;
    ///
    /// # async fn example(pods: TypedClient<Pod>) -> genclient::client::Result<()> {
    /// if let Some(shards) = ShardSelector::new(ShardField::Uid, [0..=u64::MAX / 2]) {
    ///     let half = pods.list_shards(&ListParams::default(), &shards).await?;
    ///     println!("{} Pods", half.items.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`list`](Self::list).
    pub async fn list_shards(
        &self,
        params: &ListParams,
        shards: &ShardSelector,
    ) -> Result<ObjectList<K>> {
        let mut request = add_verb(self.collection()?.list(params), "list")?;
        add_shard_selector(&mut request, shards)?;
        request_object(&self.client, request).await
    }

    /// Watches changes after `resource_version`. With `"0"` or an empty string, the existing
    /// objects come first, as `ADDED` events. The API server ends the watch after `params.timeout`
    /// seconds (kube's default is 290).
    ///
    /// This is one request: after its end, no other watch follows. For a cache, or for handlers
    /// that miss no change, use an [informer](crate::informer).
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]. After the watch has started, errors are items of the stream: `Err` if
    /// an event cannot be read or decoded, and `Ok(WatchEvent::Error(..))` if the API server sends
    /// an `ERROR` event, for example because `resource_version` is too old.
    pub async fn watch(
        &self,
        params: &WatchParams,
        resource_version: &str,
    ) -> Result<WatchStream<K>> {
        let request = self.collection()?.watch(params, resource_version);
        let events = self
            .client
            .request_events(add_verb(request, "watch")?)
            .await?;
        Ok(WatchStream::new(events))
    }

    /// Watches changes of the objects that both `params` and `shards` select. Otherwise as
    /// [`watch`](Self::watch).
    ///
    /// An API server without the feature gate `ShardedListAndWatch` ignores `shards`.
    ///
    /// # Errors
    ///
    /// As for [`watch`](Self::watch).
    pub async fn watch_shards(
        &self,
        params: &WatchParams,
        resource_version: &str,
        shards: &ShardSelector,
    ) -> Result<WatchStream<K>> {
        let request = self.collection()?.watch(params, resource_version);
        let mut request = add_verb(request, "watch")?;
        add_shard_selector(&mut request, shards)?;
        Ok(WatchStream::new(self.client.request_events(request).await?))
    }

    /// Patches an object. Null fields of the patch are sent, too.
    ///
    /// A merge patch deletes the fields that are `null` in it. So if serde does not skip the `None`
    /// fields of a struct, these fields are deleted. [`TypedClient::apply`] sends no null fields.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`].
    pub async fn patch<P: Serialize>(
        &self,
        name: &str,
        patch: &Patch<P>,
        params: &PatchParams,
    ) -> Result<K> {
        self.patch_as(name, None, patch, params).await
    }

    /// Patches the status of an object through the status subresource. `patch` is a patch of the
    /// whole object, such as `{ "status": { "ready": true } }`. Its null fields are sent, too.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`].
    pub async fn patch_status<P: Serialize>(
        &self,
        name: &str,
        patch: &Patch<P>,
        params: &PatchParams,
    ) -> Result<K> {
        self.patch_as(name, Some("status"), patch, params).await
    }
}

impl<K: Resource> TypedClient<K> {
    pub(super) fn collection(&self) -> Result<Request> {
        self.request(None, None)
    }

    /// Returns a request builder for a create, or for a verb on one object. Fails if this client
    /// covers all namespaces, since such a request needs one namespace.
    pub(crate) fn object_request(
        &self,
        name: Option<&str>,
        subresource: Option<&str>,
    ) -> Result<Request> {
        if self.namespace.as_deref() == Some("") {
            return Err(invalid_request(
                "an empty namespace may not be set during creation or when a resource name is provided",
            ));
        }
        self.request(name, subresource)
    }

    pub(super) fn request(&self, name: Option<&str>, subresource: Option<&str>) -> Result<Request> {
        let namespace = self.namespace.as_deref().filter(|name| !name.is_empty());
        let collection = collection_path::<K>(&self.types, namespace)?;
        object_request_builder(collection, name, subresource)
    }
}

/// Adds the name of the verb to a request. kube shows it in traces.
pub(super) fn add_verb(
    request: std::result::Result<http::Request<Vec<u8>>, kube::core::request::Error>,
    verb: &'static str,
) -> Result<http::Request<Vec<u8>>> {
    let mut request = request.map_err(Error::BuildRequest)?;
    request.extensions_mut().insert(verb);
    Ok(request)
}

fn name_of<K: Resource>(object: &K) -> Result<&str> {
    let name = object.meta().name.as_deref();
    name.ok_or_else(|| invalid_request("the object has no name"))
}

impl<K: Resource<DynamicType: Clone>> Clone for TypedClient<K> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            namespace: self.namespace.clone(),
            types: self.types.clone(),
        }
    }
}

impl<K: Resource> fmt::Debug for TypedClient<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedClient")
            .field("kind", &K::kind(&self.types))
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}
