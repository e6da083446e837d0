//! [`GenericInformer`]: type-erased informer, for kinds known only at run time.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tokio::runtime::Handle;

use super::shared::{InformerInner, SharedInformer};
use super::status::{StopCause, SyncError};
use crate::cache::ObjectName;
use crate::scheme::{GroupVersionResource, Object};

/// Type-erased informer, for example for a garbage collector or a metrics exporter. Clones of this
/// handle share one informer.
#[derive(Clone)]
pub struct GenericInformer {
    informer: Arc<dyn AnyInformer>,
}

/// Error of a generated factory: it has no informer for the requested resource.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no informer found for {resource}")]
#[non_exhaustive]
pub struct NoInformerError {
    /// The requested resource.
    pub resource: GroupVersionResource,
}

impl NoInformerError {
    /// Returns the error for `resource`.
    #[must_use]
    pub fn new(resource: GroupVersionResource) -> Self {
        Self { resource }
    }
}

/// Methods of an informer that do not depend on the Rust type of its objects.
pub(super) trait AnyInformer: Any + Send + Sync {
    fn resource(&self) -> &GroupVersionResource;
    fn has_synced(&self) -> bool;
    /// Number of objects that currently cannot be decoded.
    fn skipped(&self) -> usize;
    fn keys(&self) -> Vec<ObjectName>;
    fn get(&self, name: &ObjectName) -> Option<Arc<dyn Any + Send + Sync>>;
    fn metadata(&self, name: &ObjectName) -> Option<ObjectMeta>;
    fn start(&self, runtime: &Handle);
    fn stop(&self);
    /// Whether the informer was shut down, as opposed to stopped by a failure.
    fn was_shut_down(&self) -> bool;
    fn has_ended(&self) -> bool;
    fn wait_stopped(&self) -> BoxFuture<'static, ()>;
    fn wait_synced(&self) -> BoxFuture<'_, Result<(), SyncError>>;
}

impl<K: Object> SharedInformer<K> {
    /// Returns the type-erased informer, for code that learns at run time which kinds to cache.
    #[must_use]
    pub fn generic(&self) -> GenericInformer {
        GenericInformer::new(self)
    }
}

impl GenericInformer {
    fn new<K: Object>(informer: &SharedInformer<K>) -> Self {
        Self {
            informer: Arc::clone(&informer.inner) as _,
        }
    }

    /// Returns the resource whose objects are cached.
    #[must_use]
    pub fn resource(&self) -> &GroupVersionResource {
        self.informer.resource()
    }

    /// Returns whether the cache has the complete initial list. Returns `false` again after the
    /// informer has stopped.
    #[must_use]
    pub fn has_synced(&self) -> bool {
        self.informer.has_synced()
    }

    /// Returns the names of all cached objects, in no particular order.
    #[must_use]
    pub fn keys(&self) -> Vec<ObjectName> {
        self.informer.keys()
    }

    /// Returns the cached object `name`, to be downcast to its type.
    #[must_use]
    pub fn get(&self, name: &ObjectName) -> Option<Arc<dyn Any + Send + Sync>> {
        self.informer.get(name)
    }

    /// Returns a copy of the metadata of the cached object `name`.
    #[must_use]
    pub fn metadata(&self, name: &ObjectName) -> Option<ObjectMeta> {
        self.informer.metadata(name)
    }
}

impl fmt::Debug for GenericInformer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenericInformer")
            .field("resource", &self.resource().to_string())
            .field("has_synced", &self.has_synced())
            .finish_non_exhaustive()
    }
}

impl<K: Object> AnyInformer for InformerInner<K> {
    fn resource(&self) -> &GroupVersionResource {
        &self.core.resource
    }

    fn has_synced(&self) -> bool {
        self.core.status.borrow().is_synced()
    }

    fn skipped(&self) -> usize {
        self.core.read_store(|store| store.skipped().len())
    }

    fn keys(&self) -> Vec<ObjectName> {
        self.core.indexer.keys()
    }

    fn get(&self, name: &ObjectName) -> Option<Arc<dyn Any + Send + Sync>> {
        Some(self.core.indexer.get(name)? as _)
    }

    fn metadata(&self, name: &ObjectName) -> Option<ObjectMeta> {
        Some(self.core.indexer.get(name)?.meta().clone())
    }

    fn start(&self, runtime: &Handle) {
        self.core.start(runtime.clone());
    }

    fn stop(&self) {
        self.core.stop(StopCause::Shutdown);
    }

    fn was_shut_down(&self) -> bool {
        let status = self.core.status.borrow();
        matches!(status.stop_cause(), Some(StopCause::Shutdown))
    }

    fn has_ended(&self) -> bool {
        self.core.tasks.is_closed() && self.core.tasks.is_empty()
    }

    fn wait_stopped(&self) -> BoxFuture<'static, ()> {
        let tasks = self.core.tasks.clone();
        async move { tasks.wait().await }.boxed()
    }

    fn wait_synced(&self) -> BoxFuture<'_, Result<(), SyncError>> {
        InformerInner::wait_synced(self).boxed()
    }
}
