//! [`SharedInformer`]: the handle of one informer.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;

use super::core::{Core, Plan};
use super::error::{AlreadyStartedError, StopCause, SyncError};
use super::status::{Patience, Synced, wait};
use crate::cache::{IndexConflictError, IndexFunc, Indexer};
use crate::lister::Lister;
use crate::reflector::{ListWatchError, Skipped};
use crate::scheme::{GroupVersionResource, Object};

/// Handle of an informer, which caches one kind for its listers, handlers and subscribers.
///
/// Clones of this handle share one informer. Dropping the last handle stops the informer. The
/// factory holds a handle, too.
pub struct SharedInformer<K: Object> {
    pub(super) inner: Arc<InformerInner<K>>,
}

/// Owner of the informer's tasks. Tasks hold the core but not the owner, so dropping the owner
/// stops the tasks.
pub(super) struct InformerInner<K: Object> {
    pub(super) core: Arc<Core<K>>,
    /// Resync period of handlers that do not set their own.
    pub(super) resync: Duration,
    patience: Patience,
}

impl<K: Object> SharedInformer<K> {
    pub(super) fn new(plan: Plan<K>, resync: Duration, patience: Patience) -> Self {
        Self {
            inner: Arc::new(InformerInner {
                core: Arc::new(Core::new(plan)),
                resync,
                patience,
            }),
        }
    }

    /// Returns the cache. It stays readable after the informer has stopped.
    #[must_use]
    pub fn indexer(&self) -> Indexer<K> {
        self.inner.core.indexer.clone()
    }

    /// Returns a lister of the cache.
    #[must_use]
    pub fn lister(&self) -> Lister<K> {
        Lister::new(self.indexer())
    }

    /// Adds indices to the cache, before or after the start. Index functions must not call the
    /// informer; see [`IndexFunc`].
    ///
    /// # Errors
    ///
    /// [`IndexConflictError`] if the name of an index is taken. Then no index is added.
    pub fn add_indexers(
        &self,
        indexers: impl IntoIterator<Item = (String, IndexFunc<K>)>,
    ) -> Result<(), IndexConflictError> {
        self.inner.core.indexer.add_indexers(indexers)
    }

    /// Sets a function that changes every object before it is cached, for example to drop unused
    /// fields. The function must not change the namespace, name or resource version. If it panics,
    /// the object is skipped.
    ///
    /// ```no_run
    /// # fn run(pods: genclient::informer::SharedInformer<k8s_openapi::api::core::v1::Pod>)
    /// # -> Result<(), genclient::informer::AlreadyStartedError> {
    /// pods.set_transform(|pod| pod.status = None)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`AlreadyStartedError`] if the informer has started or stopped. A later transform would
    /// leave cached objects untransformed.
    pub fn set_transform(
        &self,
        transform: impl Fn(&mut K) + Send + Sync + 'static,
    ) -> Result<(), AlreadyStartedError> {
        self.inner
            .core
            .configure(|state| state.transform.replace(Arc::new(transform)))
            .map(drop)
    }

    /// Sets a callback for failed lists and watches, which are logged as well: client-go's
    /// `SetWatchErrorHandler`. The callback is not called for silent watches. If a streamed list
    /// fails, it is called only for a refused connection or 429. The callback is called before the
    /// reflector pauses, and must not block. Another call of this method replaces the callback.
    ///
    /// # Errors
    ///
    /// [`AlreadyStartedError`] if the informer has started or stopped.
    pub fn set_watch_error_handler(
        &self,
        on_error: impl Fn(&ListWatchError) + Send + Sync + 'static,
    ) -> Result<(), AlreadyStartedError> {
        self.inner
            .core
            .configure(|state| state.on_error.replace(Arc::new(on_error)))
            .map(drop)
    }

    /// Returns the resource whose objects are cached.
    #[must_use]
    pub fn resource(&self) -> &GroupVersionResource {
        &self.inner.core.resource
    }

    /// Returns whether the cache has the complete initial list. Returns `false` after the informer
    /// has stopped, since its cache is stale then; client-go's `HasSynced` stays true.
    #[must_use]
    pub fn has_synced(&self) -> bool {
        self.inner.core.status.borrow().is_synced()
    }

    /// Waits until [`SharedInformer::has_synced`] returns `true`, with the errors and limits of
    /// [`wait_for_cache_sync`](super::SharedInformerFactory::wait_for_cache_sync).
    ///
    /// # Errors
    ///
    /// See [`SyncError`].
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn wait_for_cache_sync(&self) -> Result<Synced, SyncError> {
        self.inner.wait_synced().await?;
        let skipped = self.inner.core.state.lock().skipped.len();
        Ok(Synced::of([(self.resource().clone(), skipped)]))
    }

    /// Returns the permanent failure that keeps the cache from syncing, with a hint on how to fix
    /// it. Returns `None` while nothing fails permanently, and always after the first sync.
    /// [`wait_for_cache_sync`](Self::wait_for_cache_sync) returns the same error after a grace
    /// period.
    #[must_use]
    pub fn refusal(&self) -> Option<SyncError> {
        let status = self.inner.core.status.borrow();
        let result = status.sync_result(self.resource(), Duration::ZERO, Instant::now());
        result?
            .err()
            .filter(|error| matches!(error, SyncError::Refused { .. }))
    }

    /// Returns the objects that currently cannot be decoded, sorted by name. The cache holds an
    /// older state of such an object, or lacks it.
    #[must_use]
    pub fn skipped(&self) -> Vec<Skipped> {
        self.inner
            .core
            .state
            .lock()
            .skipped
            .values()
            .cloned()
            .collect()
    }

    /// Starts to list and watch. Does nothing if the informer has started or stopped.
    /// [`SharedInformerFactory::start`](super::SharedInformerFactory::start) starts all informers
    /// of the factory.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, which runs the informer's tasks.
    pub fn start(&self) {
        self.inner.core.start(Handle::current());
    }

    /// Stops the informer. Waits until its tasks have ended, so until every handler has returned
    /// from its current call. Pending events are not delivered.
    ///
    /// # Cancel safety
    ///
    /// The informer stops even if the future is dropped.
    pub fn shutdown(&self) -> impl Future<Output = ()> + Send + 'static {
        self.inner.core.stop(StopCause::Shutdown);
        let tasks = self.inner.core.tasks.clone();
        async move { tasks.wait().await }
    }

    /// Waits until the informer stops, and returns the cause: a shutdown, or a failure that ended
    /// its tasks, such as a panic in a layer of the client. After a failure the cache is no longer
    /// updated, so the program should exit.
    ///
    /// The future does not keep the informer running.
    ///
    /// ```no_run
    /// # use genclient::informer::{SharedInformer, StopCause};
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # async fn run(pods: SharedInformer<Pod>) -> Result<(), StopCause> {
    /// match pods.stopped().await {
    ///     StopCause::Shutdown => Ok(()),
    ///     failure => Err(failure),
    /// }
    /// # }
    /// ```
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub fn stopped(&self) -> impl Future<Output = StopCause> + Send + 'static {
        let mut status = self.inner.core.status.subscribe();
        async move {
            let stopped = status
                .wait_for(|status| status.stop_cause().is_some())
                .await;
            // There is always a cause, since the informer stops before the sender is dropped.
            let cause = stopped.ok().and_then(|status| status.stop_cause().cloned());
            cause.unwrap_or(StopCause::Shutdown)
        }
    }

    /// Returns whether the informer has stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.inner.core.is_stopped()
    }
}

impl<K: Object> InformerInner<K> {
    pub(super) async fn wait_synced(&self) -> Result<(), SyncError> {
        wait(&self.core.status, &self.core.resource, self.patience).await
    }
}

impl<K: Object> Drop for InformerInner<K> {
    fn drop(&mut self) {
        self.core.stop(StopCause::Shutdown);
    }
}

impl<K: Object> Clone for SharedInformer<K> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
        }
    }
}

impl<K: Object> fmt::Debug for SharedInformer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformer")
            .field("resource", &self.resource().to_string())
            .field("has_synced", &self.has_synced())
            .finish_non_exhaustive()
    }
}
