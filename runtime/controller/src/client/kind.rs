//! [`KindClient`]: client of one kind. This module has the writes that do not begin with a read.

use std::fmt::Debug;
use std::sync::Arc;

use genclient::applyconfiguration::Applicable;
use genclient::cache::ObjectName;
use genclient::client::{
    self, DeleteParams, GetParams, Patch, PatchParams, PostParams, Preconditions, TypedClient,
};
use genclient::kube::{self, ResourceExt};
use genclient::scheme::{GroupVersionResource, Object};
use serde::Serialize;

use crate::cluster::{Cluster, OwnCaches};

/// A [`Client`](super::Client) of one kind, from [`Client::of`](super::Client::of).
#[derive(Clone, Debug)]
pub struct KindClient<K: Object> {
    pub(super) cluster: Cluster,
    pub(super) own: OwnCaches,
    pub(super) field_manager: Arc<str>,
    pub(super) types: K::DynamicType,
}

impl<K: Object> KindClient<K> {
    /// Creates an object. Returns it as the API server stored it.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::create`]. The call also fails for types that have only the metadata of
    /// objects.
    ///
    /// # Cancel safety
    ///
    /// As for every write: if the future is dropped, the API server may or may not have carried out
    /// the write, and reads do not wait for it.
    pub async fn create(&self, object: &K) -> client::Result<K>
    where
        K: Serialize,
    {
        self.refuse_metadata()?;
        self.client_for(object)
            .create(object, &self.post_params())
            .await
    }

    /// Replaces an object. If `object` has a `resourceVersion` that is not the current one, the
    /// update fails with 409 `Conflict`.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::update`]. The update also fails for types that have only the metadata of
    /// objects, and if the client reads a cache with a [transform](crate::Watch::transform): the
    /// update would delete the fields that the transform drops.
    pub async fn update(&self, object: &K) -> client::Result<K>
    where
        K: Serialize,
    {
        self.refuse_metadata()?;
        self.refuse_transformed(
            object.namespace().as_deref(),
            "cannot be updated: a transform drops fields of the cached objects, and an update would delete them; use `apply` or `patch`",
        )?;
        self.client_for(object)
            .update(object, &self.post_params())
            .await
    }

    /// Replaces the status of an object, and nothing else.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::update_status`]. The update also fails for types that have only the
    /// metadata of objects.
    pub async fn update_status(&self, object: &K) -> client::Result<K>
    where
        K: Serialize,
    {
        self.refuse_metadata()?;
        let client = self.client_for(object);
        client.update_status(object, &self.post_params()).await
    }

    /// Patches an object. The patch is sent unchanged.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::patch`].
    pub async fn patch<P>(&self, name: &ObjectName, patch: &Patch<P>) -> client::Result<K>
    where
        P: Serialize + Debug + Sync,
    {
        let client = self.client_in(name.namespace());
        client
            .patch(name.name(), patch, &self.patch_params(patch))
            .await
    }

    /// Patches the status of an object. `patch` starts at the root of the object, such as
    /// `{"status": {…}}`, and is sent unchanged.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::patch_status`].
    pub async fn patch_status<P>(&self, name: &ObjectName, patch: &Patch<P>) -> client::Result<K>
    where
        P: Serialize + Debug + Sync,
    {
        let client = self.client_in(name.namespace());
        let params = self.patch_params(patch);
        client.patch_status(name.name(), patch, &params).await
    }

    /// Applies an apply configuration or a whole object by server-side apply. A missing object is
    /// created. In an existing object, only the fields in `object` change. Fields of other managers
    /// are taken over (`force`), as is usual for controllers. A field that was applied earlier
    /// under the same [field manager](super::Client::with_field_manager), and that `object` lacks,
    /// is removed, unless another manager owns it.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::apply_with`].
    pub async fn apply(&self, object: &impl Applicable<Object = K>) -> client::Result<K> {
        let client = self.client_in(object.metadata().namespace.as_deref());
        client.apply_with(object, &self.apply_params()).await
    }

    /// Applies the status in an apply configuration or a whole object by server-side apply. No
    /// other field is sent.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::apply_status_with`].
    pub async fn apply_status(&self, object: &impl Applicable<Object = K>) -> client::Result<K> {
        let client = self.client_in(object.metadata().namespace.as_deref());
        client.apply_status_with(object, &self.apply_params()).await
    }

    /// Deletes an object. If `object` has a `uid`, a newer object of the same name is not deleted.
    /// Succeeds if the object is gone already.
    ///
    /// The garbage collector deletes the dependents of the object, except for those of Jobs and
    /// ReplicationControllers: the Pods of a deleted Job stay, unless
    /// [`delete_with`](Self::delete_with) is called with [`DeleteParams::background`]
    /// (`DefaultGarbageCollectionPolicy` in Kubernetes' `pkg/registry/batch/job/strategy.go`).
    ///
    /// # Errors
    ///
    /// See [`TypedClient::delete`]. After a 409 `Conflict`, the object is read from the API server.
    /// The call succeeds if the object is gone or being deleted, or if a newer object has its name.
    pub async fn delete(&self, object: &K) -> client::Result<()> {
        self.delete_with(object, &DeleteParams::default()).await
    }

    /// Like [`delete`](Self::delete), with propagation policy, grace period, preconditions or
    /// `dryRun`. If the preconditions have no uid, that of `object` is one.
    ///
    /// ```no_run
    /// use genclient::client::{DeleteParams, Preconditions};
    /// use genclient_controller::{Client, Result};
    /// use k8s_openapi::api::batch::v1::Job;
    ///
    /// # async fn example(client: &Client, job: Job) -> Result<()> {
    /// // The Pods of the Job are deleted after it.
    /// client.delete_with(&job, &DeleteParams::background()).await?;
    ///
    /// // Only if nobody has changed the Job since it was read.
    /// let unchanged = Preconditions {
    ///     resource_version: job.metadata.resource_version.clone(),
    ///     ..Preconditions::default()
    /// };
    /// let params = DeleteParams::foreground().preconditions(unchanged);
    /// client.delete_with(&job, &params).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// See [`delete`](Self::delete). If the preconditions have a resource version, every 409
    /// `Conflict` is an error: the object has changed.
    ///
    /// # Cancel safety
    ///
    /// As for every write: see [`create`](Self::create).
    pub async fn delete_with(&self, object: &K, params: &DeleteParams) -> client::Result<()> {
        let given = params.preconditions.clone().unwrap_or_default();
        let uid = given.uid.or_else(|| object.uid());
        let has_version = given.resource_version.is_some();
        let identified = params.clone().preconditions(Preconditions {
            uid: uid.clone(),
            resource_version: given.resource_version,
        });
        let (client, name) = (self.client_for(object), object.name_any());
        let conflict = match client.delete(&name, &identified).await {
            Err(kube::Error::Api(status)) if status.code == 404 => return Ok(()),
            Err(kube::Error::Api(status)) if status.code == 409 && !has_version => status,
            deleted => return deleted.map(drop),
        };
        match client.get(&name, &GetParams::default()).await {
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            Ok(found) if is_deleted(uid.as_deref(), &found) => Ok(()),
            _ => Err(kube::Error::Api(conflict)),
        }
    }

    /// Refuses types that have only the metadata of objects: a write would drop all other fields.
    fn refuse_metadata(&self) -> client::Result<()> {
        if K::metadata_api() {
            return Err(
                self.refusal("cannot be created or updated using only metadata; use `patch`")
            );
        }
        Ok(())
    }

    /// Refuses a write if the client reads a cache with a transform: cached objects may then lack
    /// fields that the API server has.
    pub(super) fn refuse_transformed(
        &self,
        namespace: Option<&str>,
        why: &str,
    ) -> client::Result<()> {
        let caches = self.known_caches(namespace);
        if caches.iter().any(|cached| cached.has_transform()) {
            return Err(self.refusal(why));
        }
        Ok(())
    }

    fn refusal(&self, why: &str) -> kube::Error {
        let refusal = format!("{} {why}", self.resource());
        kube::Error::BuildRequest(kube::core::request::Error::Validation(refusal))
    }

    pub(super) fn resource(&self) -> GroupVersionResource {
        GroupVersionResource::of::<K>(&self.types)
    }

    /// Returns a client for the namespace of an object.
    pub(super) fn client_for(&self, object: &K) -> TypedClient<K> {
        self.client_in(object.namespace().as_deref())
    }

    pub(super) fn client_in(&self, namespace: Option<&str>) -> TypedClient<K> {
        let (client, types) = (self.cluster.client().clone(), self.types.clone());
        match namespace {
            Some(namespace) => TypedClient::namespaced_with(client, namespace, types),
            None => TypedClient::cluster_with(client, types),
        }
    }

    fn post_params(&self) -> PostParams {
        PostParams {
            field_manager: Some(self.field_manager.to_string()),
            ..PostParams::default()
        }
    }

    fn apply_params(&self) -> PatchParams {
        PatchParams::apply(&self.field_manager).force()
    }

    fn patch_params<P: Serialize + Debug>(&self, patch: &Patch<P>) -> PatchParams {
        match patch {
            Patch::Apply(_) => self.apply_params(),
            _ => PatchParams {
                field_manager: Some(self.field_manager.to_string()),
                ..PatchParams::default()
            },
        }
    }
}

/// Returns whether the object with this uid is gone or being deleted, if `found` has its name now.
fn is_deleted<K: Object>(uid: Option<&str>, found: &K) -> bool {
    let is_newer = uid.is_some() && found.meta().uid.as_deref() != uid;
    is_newer || found.meta().deletion_timestamp.is_some()
}
