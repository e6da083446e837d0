//! [`Cluster`]: the connection to one API server, and its caches. Reads wait here until a cache
//! shows the program's own writes.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, join, join_all, select_all};
use futures::{FutureExt, StreamExt, stream};
use genclient::cache::ObjectName;
use genclient::informer::{
    ProgressError, Reachability, SharedInformerFactory, StopCause, SyncError,
};
use genclient::kube;
use genclient::scheme::{GroupVersionResource, Object};
use parking_lot::{Mutex, RwLock};
use tokio::time::{Instant, sleep, timeout};

use super::cached::{AnyCached, Cached};
use super::connection::observe_requests;
use super::live::get_live_metadata;
use super::state::{CacheSettings, ClusterState};
use crate::ledger::{Ledger, Write, is_newer};
use crate::mapper::Mapper;
use crate::request_cancellation;

/// Maximum number of concurrent requests of one read, which check whether deletions are lost.
const CONCURRENT_CHECKS: usize = 8;

/// Connection to one API server, with an informer for each watched combination of kind, selectors
/// and namespaces.
///
/// Clones share the connection and the informers.
#[derive(Clone)]
pub struct Cluster {
    pub(super) inner: Arc<ClusterInner>,
}

pub(super) struct ClusterInner {
    pub(super) name: String,
    pub(super) client: kube::Client,
    pub(super) reachability: Reachability,
    mapper: Mapper,
    pub(super) ledger: Arc<Ledger>,
    pub(super) settings: CacheSettings,
    pub(super) state: RwLock<ClusterState>,
    /// Running shutdowns of unused caches.
    stopping: Mutex<Vec<BoxFuture<'static, ()>>>,
}

impl Cluster {
    pub(crate) fn new(name: String, client: kube::Client, settings: CacheSettings) -> Self {
        let ledger = Arc::new(Ledger::default());
        let recorder = settings.read_your_writes.then(|| Arc::clone(&ledger));
        let client = observe_requests(client, recorder);
        Self {
            inner: Arc::new(ClusterInner {
                name,
                mapper: Mapper::new(client.clone()),
                client,
                reachability: Reachability::new(),
                ledger,
                settings,
                state: RwLock::default(),
                stopping: Mutex::default(),
            }),
        }
    }

    /// Returns the name of the cluster; empty for the manager's own cluster.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Returns the connection. Cached reads wait for all writes through this connection, including
    /// the writes of clientsets that use it.
    #[must_use]
    pub fn client(&self) -> &kube::Client {
        &self.inner.client
    }

    /// Returns whether the API server can be reached, as the informers of the cluster know it.
    #[cfg(feature = "webhook")]
    pub(crate) fn reachability(&self) -> &Reachability {
        &self.inner.reachability
    }

    /// Returns the mapper, which looks up kinds that are known only at run time.
    #[must_use]
    pub fn mapper(&self) -> &Mapper {
        &self.inner.mapper
    }

    /// Starts the declared informers.
    pub(crate) fn start(&self) {
        let factories = self.inner.state.read().factories();
        factories.iter().for_each(SharedInformerFactory::start);
    }

    /// Returns the resources that have not synced, each with the reason.
    pub(crate) fn unsynced(&self) -> Vec<String> {
        let caches = self.caches().into_iter();
        let unsynced = caches.filter_map(|cached| cached.unsynced());
        unsynced
            .map(|why| cluster_prefix(self.name()) + &why)
            .collect()
    }

    /// Waits until one of the current informers ends without being shut down.
    pub(crate) async fn failed(&self) -> (GroupVersionResource, StopCause) {
        let failures: Vec<_> = self
            .caches()
            .into_iter()
            .map(|cached| {
                // The futures must not keep a cache alive: it must be dropped with its last handle.
                let (resource, failed) = (cached.resource().clone(), cached.failed());
                failed.map(|cause| (resource, cause))
            })
            .collect();
        if failures.is_empty() {
            return std::future::pending().await;
        }
        select_all(failures).await.0
    }

    /// Stops an unused cache. [`Self::shutdown`] waits until it has stopped.
    pub(super) fn stop(&self, cached: &dyn AnyCached) {
        let stopped = cached.stop();
        let mut stopping = self.inner.stopping.lock();
        stopping.retain_mut(|stopping| stopping.now_or_never().is_none());
        stopping.push(stopped);
    }

    /// Stops every cache, and waits until no handler is running.
    pub(crate) async fn shutdown(&self) {
        let factories = self.inner.state.read().factories();
        let stopped = factories.iter().map(SharedInformerFactory::shutdown);
        let stopping = std::mem::take(&mut *self.inner.stopping.lock());
        join(join_all(stopped), join_all(stopping)).await;
    }

    fn caches(&self) -> Vec<Arc<dyn AnyCached>> {
        self.inner.state.read().caches()
    }
}

/// Error of waiting for a cache to show a write.
#[derive(Debug)]
pub(crate) enum CatchUpError {
    Late(Duration),
    NotSynced(Option<Box<SyncError>>),
    Cache(ProgressError),
    /// The requests of the reconcile have to end.
    ShuttingDown,
}

/// Reason why a wait for a cache was given up.
enum WaitAborted {
    Late,
    ShuttingDown,
}

impl Cluster {
    /// Waits until the cache shows the last write of one object.
    pub(crate) async fn catch_up<K: Object>(
        &self,
        cached: &Cached<K>,
        name: &ObjectName,
    ) -> Result<(), CatchUpError> {
        self.synced(cached).await?;
        match self.inner.ledger.write(&cached.written, name) {
            Some(write) => {
                let written = [(name.clone(), write)];
                self.wait_for_writes(cached, &written).await
            }
            None => Ok(()),
        }
    }

    /// Waits until the cache shows the last write of every object in a namespace; `None` is all
    /// namespaces.
    pub(crate) async fn catch_up_all<K: Object>(
        &self,
        cached: &Cached<K>,
        namespace: Option<&str>,
    ) -> Result<(), CatchUpError> {
        self.synced(cached).await?;
        let written = self.inner.ledger.writes(&cached.written, namespace);
        self.wait_for_writes(cached, &written).await
    }

    /// Waits for the initial sync of the cache, at most the read timeout.
    async fn synced<K: Object>(&self, cached: &Cached<K>) -> Result<(), CatchUpError> {
        if cached.informer.has_synced() {
            return Ok(());
        }
        let synced = cached.informer.wait_for_cache_sync();
        match self.in_time(synced).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(CatchUpError::NotSynced(Some(Box::new(error)))),
            Err(WaitAborted::Late) => Err(CatchUpError::NotSynced(None)),
            Err(WaitAborted::ShuttingDown) => Err(CatchUpError::ShuttingDown),
        }
    }

    async fn wait_for_writes<K: Object>(
        &self,
        cached: &Cached<K>,
        written: &[(ObjectName, Write)],
    ) -> Result<(), CatchUpError> {
        let limit = self.inner.settings.read_timeout;
        let waiting = async {
            let checked = async {
                sleep(limit / 2).await;
                self.forget_lost_writes(cached, written).await
            };
            tokio::select! {
                biased;
                seen = self.wait_until_seen(cached, written) => seen,
                unseen = checked => self.wait_until_seen(cached, &unseen).await,
            }
        };
        match self.in_time(waiting).await {
            Ok(caught_up) => caught_up.map_err(CatchUpError::Cache),
            Err(WaitAborted::Late) => Err(CatchUpError::Late(limit)),
            Err(WaitAborted::ShuttingDown) => Err(CatchUpError::ShuttingDown),
        }
    }

    /// Waits for a cache, at most the read timeout, and until the requests of the reconcile have to
    /// end.
    async fn in_time<T>(&self, waiting: impl Future<Output = T>) -> Result<T, WaitAborted> {
        let waiting = timeout(self.inner.settings.read_timeout, waiting);
        tokio::select! {
            biased;
            waited = waiting => waited.map_err(|_| WaitAborted::Late),
            () = request_cancellation::wait_until_cancelled() => Err(WaitAborted::ShuttingDown),
        }
    }
}

impl Cluster {
    async fn wait_until_seen<K: Object>(
        &self,
        cached: &Cached<K>,
        written: &[(ObjectName, Write)],
    ) -> Result<(), ProgressError> {
        for (name, write) in written {
            let informer = &cached.informer;
            informer.wait_until(|| cached.has_seen(name, write)).await?;
            self.inner.ledger.forget(&cached.written, name, write);
        }
        Ok(())
    }

    /// Returns the writes that the cache still has to show. Those that a restore of etcd has undone
    /// are forgotten. The informer does not notice a restore to a version that it has not reached
    /// yet.
    async fn forget_lost_writes<K: Object>(
        &self,
        cached: &Cached<K>,
        written: &[(ObjectName, Write)],
    ) -> Vec<(ObjectName, Write)> {
        let mut unseen = written.to_vec();
        unseen.retain(|(name, write)| !matches!(cached.has_seen(name, write), Ok(true)));
        self.forget_lost_versions(cached, &mut unseen).await;
        self.forget_lost_deletions(cached, unseen).await
    }

    /// Removes the writes whose version is newer than the latest of the API server, which is
    /// requested if a write has a version.
    async fn forget_lost_versions<K: Object>(
        &self,
        cached: &Cached<K>,
        unseen: &mut Vec<(ObjectName, Write)>,
    ) {
        let resource = cached.informer.resource();
        let mut versions = unseen
            .iter()
            .filter_map(|(name, write)| Some((name, write.version.as_deref()?)));
        let Some((name, _)) = versions.next() else {
            return;
        };
        let requested_at = Instant::now();
        let Ok(latest) = cached.informer.latest_version(name.namespace()).await else {
            return;
        };
        let is_lost =
            |write: &Write| { write.version.iter() }.any(|version| is_newer(version, &latest));
        let lost = unseen.extract_if(.., |(_, write)| is_lost(write)).last();
        let Some((name, write)) = lost else {
            return;
        };
        tracing::warn!(
            %resource, object = %name, from = write.version, to = latest,
            "resource versions went back, as after a restore of etcd; lost writes are no longer waited for"
        );
        self.inner
            .ledger
            .forget_newer(&cached.written, &latest, requested_at);
    }

    /// Requests each object whose deletion the cache does not show. If the object exists as if it
    /// had not been deleted, its deletion is removed. Returns the rest of the writes.
    async fn forget_lost_deletions<K: Object>(
        &self,
        cached: &Cached<K>,
        unseen: Vec<(ObjectName, Write)>,
    ) -> Vec<(ObjectName, Write)> {
        let checked = unseen.into_iter().map(async |(name, write)| {
            if !self.is_deletion_lost(cached, &name, &write).await {
                return (name, write);
            }
            tracing::warn!(
                resource = %cached.informer.resource(), object = %name,
                "an object exists after its deletion, as after a restore of etcd; the deletion is no longer waited for"
            );
            let ledger = &self.inner.ledger;
            let rest = ledger.forget_deletion(&cached.written, &name, write);
            (name, rest)
        });
        stream::iter(checked)
            .buffer_unordered(CONCURRENT_CHECKS)
            .collect()
            .await
    }

    /// Whether the API server has an object. False if it does not answer.
    pub(crate) async fn exists(&self, resource: &GroupVersionResource, name: &ObjectName) -> bool {
        get_live_metadata(self.client(), resource, name)
            .await
            .is_some()
    }

    async fn is_deletion_lost<K: Object>(
        &self,
        cached: &Cached<K>,
        name: &ObjectName,
        write: &Write,
    ) -> bool {
        let Some(deleted) = &write.deleted else {
            return false;
        };
        let resource = cached.informer.resource();
        let found = get_live_metadata(self.client(), resource, name).await;
        // If finalizers delay a deletion, the object exists with a deletion timestamp.
        found.is_some_and(|found| {
            found.uid.as_ref() == Some(deleted)
                && (write.is_gone || found.deletion_timestamp.is_none())
        })
    }
}

/// Returns the prefix of an error about a cluster; empty for the manager's own cluster.
pub(crate) fn cluster_prefix(name: &str) -> String {
    match name {
        "" => String::new(),
        name => format!("cluster `{name}`: "),
    }
}

/// Compares identity: two handles are equal if they share one cluster.
impl PartialEq for Cluster {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Cluster {}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster")
            .field("name", &self.inner.name)
            .finish_non_exhaustive()
    }
}
