//! [`TypedClient`]: the verbs of one kind.

use std::fmt;

use kube::core::Request;
use kube::{Client, Error, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::answer::object_or_status;
use super::path::{collection, invalid, push_segment, request};
use super::{
    DeleteParams, Deletion, GetParams, ListParams, ObjectList, Patch, PatchParams, PostParams,
    Result, WatchParams, WatchStream,
};

/// The verbs of one kind, in one namespace, in all of them, or in the cluster.
///
/// Cheap to make and to clone: every client of a program shares one connection pool. Generated clients delegate to it and offer
/// the verbs that their kind allows.
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
/// Every verb fails with [`kube::Error::Api`] if the API server refuses, holding its
/// [`Status`](super::Status); with [`kube::Error::BuildRequest`] if there is nothing worth sending,
/// say an empty name; with [`kube::Error::SerdeError`] if the answer cannot be read, without a word
/// of what is in it; and with kube's other errors if the answer does not arrive. The connection
/// decides what is sent again: [`ClientBuilder::max_retries`](super::ClientBuilder::max_retries).
///
/// # Cancel safety
///
/// Dropping the future of a reading verb is harmless. Of a writing verb, it leaves open whether the API server has acted.
pub struct TypedClient<K: Resource> {
    client: Client,
    /// `None` for cluster scoped kinds; empty for all namespaces.
    namespace: Option<String>,
    types: K::DynamicType,
}

impl<K: Resource<DynamicType: Default>> TypedClient<K> {
    /// The verbs in `namespace`. The empty string stands for all namespaces, where only `list`, `watch` and `delete_collection`
    /// make sense; the others fail without asking the API server, as in client-go.
    #[must_use]
    pub fn namespaced(client: Client, namespace: &str) -> Self {
        Self::namespaced_with(client, namespace, K::DynamicType::default())
    }

    /// The verbs of a cluster scoped kind.
    #[must_use]
    pub fn cluster(client: Client) -> Self {
        Self::cluster_with(client, K::DynamicType::default())
    }
}

impl<K: Resource> TypedClient<K> {
    /// As [`namespaced`](Self::namespaced), of a kind that is described by a value, such as that of
    /// [`DynamicObject`](kube::core::DynamicObject).
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

    /// As [`cluster`](Self::cluster), of a kind that is described by a value.
    #[must_use]
    pub fn cluster_with(client: Client, types: K::DynamicType) -> Self {
        Self {
            client,
            namespace: None,
            types,
        }
    }

    /// Describes the kind: `()`, or the value that this client was made with.
    pub(crate) fn types(&self) -> &K::DynamicType {
        &self.types
    }

    /// The connection that requests go over.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The namespace that requests name: `None` for cluster scoped kinds, empty for all namespaces.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }
}

/// The verbs.
impl<K> TypedClient<K>
where
    K: Resource + Clone + DeserializeOwned + Send + 'static,
{
    /// Creates an object; the name is in it, or its `generateName`. Returns what the API server stored.
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

    /// Replaces an object; the name is in it. With a `resourceVersion` in it, only that version is replaced. The status stays as
    /// it is if it is a subresource.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]; `Conflict` if another version is stored.
    pub async fn update(&self, object: &K, params: &PostParams) -> Result<K>
    where
        K: Serialize,
    {
        self.update_as(name_of(object)?, None, object, params).await
    }

    /// Replaces the status of an object, and nothing else of it.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]; `Conflict` if another version is stored.
    pub async fn update_status(&self, object: &K, params: &PostParams) -> Result<K>
    where
        K: Serialize,
    {
        self.update_as(name_of(object)?, Some("status"), object, params)
            .await
    }

    /// Deletes an object, which stays while finalizers or its grace period hold it.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]; `NotFound` if there is none.
    pub async fn delete(&self, name: &str, params: &DeleteParams) -> Result<Deletion<K>> {
        // kube's builder puts the name into the path again, so it gets the collection and the name apart.
        let mut segment = String::new();
        push_segment(&mut segment, name)?;
        let request = self.object_request(None, None)?.delete(&segment, params);
        object_or_status(&self.client, built(request, "delete")?).await
    }

    /// Deletes every object that `list` selects.
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
        let request = built(request, "delete_collection")?;
        object_or_status(&self.client, request).await
    }

    /// Reads an object from the API server.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]; `NotFound` if there is none.
    pub async fn get(&self, name: &str, params: &GetParams) -> Result<K> {
        self.get_as(name, None, params).await
    }

    /// Reads the objects that `params` selects, at most `params.limit` of them.
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]; `Expired` (410) if a continue token is too old.
    pub async fn list(&self, params: &ListParams) -> Result<ObjectList<K>> {
        self.list_as(None, None, params).await
    }

    /// Follows changes after `resource_version` until the API server ends the stream, after `params.timeout` seconds (kube's
    /// default is 290).
    ///
    /// This is the bare verb: nothing is re-opened. For a cache, or handlers that never miss a change, use an
    /// [informer](crate::informer).
    ///
    /// # Errors
    ///
    /// See [`TypedClient`]. The stream's items fail with [`kube::Error`] too; an `ERROR` event of the API server is an `Ok` item.
    pub async fn watch(
        &self,
        params: &WatchParams,
        resource_version: &str,
    ) -> Result<WatchStream<K>> {
        let request = self.collection()?.watch(params, resource_version);
        let events = self.client.request_events(built(request, "watch")?).await?;
        Ok(WatchStream::new(events))
    }

    /// Changes an object by `patch`, which is sent as it is.
    ///
    /// A merge patch deletes what is `null` in it. A struct with `None` fields that are not skipped by serde deletes those fields;
    /// a server-side apply ([`TypedClient::apply`]) has no such trap.
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

    /// Sends `patch` for the status of an object, as it is, through the status subresource. The
    /// patch is one of the whole object: `{ "status": { "ready": true } }`.
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
    /// A builder for requests to the collection itself.
    pub(super) fn collection(&self) -> Result<Request> {
        self.request(None, None)
    }

    /// A builder for requests that create an object or name one, which need a namespace.
    pub(crate) fn object_request(
        &self,
        name: Option<&str>,
        subresource: Option<&str>,
    ) -> Result<Request> {
        if self.namespace.as_deref() == Some("") {
            return Err(invalid(
                "a namespace is needed to create an object or to name one",
            ));
        }
        self.request(name, subresource)
    }

    pub(super) fn request(&self, name: Option<&str>, subresource: Option<&str>) -> Result<Request> {
        let namespace = self.namespace.as_deref().filter(|name| !name.is_empty());
        let collection = collection::<K>(&self.types, namespace)?;
        request(collection, name, subresource)
    }
}

/// Marks a built request with the name of its verb, which kube's traces show.
pub(super) fn built(
    request: std::result::Result<http::Request<Vec<u8>>, kube::core::request::Error>,
    verb: &'static str,
) -> Result<http::Request<Vec<u8>>> {
    let mut request = request.map_err(Error::BuildRequest)?;
    request.extensions_mut().insert(verb);
    Ok(request)
}

fn name_of<K: Resource>(object: &K) -> Result<&str> {
    let name = object.meta().name.as_deref();
    name.ok_or_else(|| invalid("the object has no name"))
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
