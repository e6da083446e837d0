//! [`Cluster`]: the connection to one API server, and its caches.

use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, join, join_all, select_all};
use genclient::informer::{SharedInformerFactory, StopCause};
use genclient::kube;
use genclient::scheme::GroupVersionResource;
use parking_lot::{Mutex, RwLock};

use super::cached::AnyCached;
use super::state::{CacheSettings, ClusterState};
use crate::ledger::Ledger;
use crate::mapper::Mapper;

/// One API server: a connection, and an informer for each watched kind and selection.
///
/// Clones are handles of the same cluster.
#[derive(Clone)]
pub struct Cluster {
    pub(super) inner: Arc<ClusterInner>,
}

pub(super) struct ClusterInner {
    pub(super) name: String,
    pub(super) client: kube::Client,
    mapper: Mapper,
    pub(super) ledger: Arc<Ledger>,
    pub(super) settings: CacheSettings,
    pub(super) state: RwLock<ClusterState>,
    /// Shutdowns of unused caches that are still under way.
    stopping: Mutex<Vec<BoxFuture<'static, ()>>>,
}

impl Cluster {
    pub(crate) fn new(name: String, client: kube::Client, settings: CacheSettings) -> Self {
        let ledger = Arc::new(Ledger::default());
        let client = if settings.read_your_writes {
            ledger.around(client)
        } else {
            client
        };
        Self {
            inner: Arc::new(ClusterInner {
                name,
                mapper: Mapper::new(client.clone()),
                client,
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

    /// Returns the connection. Cached reads wait for writes over it, also for those of clientsets
    /// that are made from it.
    #[must_use]
    pub fn client(&self) -> &kube::Client {
        &self.inner.client
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
        unsynced.map(|why| of_cluster(self.name()) + &why).collect()
    }

    /// Waits until one of the current informers ends without being shut down.
    pub(crate) async fn failed(&self) -> (GroupVersionResource, StopCause) {
        let failures = self.caches().into_iter().map(|cached| {
            // Does not keep the cache alive: it is dropped with its last watch.
            let (resource, failed) = (cached.resource().clone(), cached.failed());
            failed.map(|cause| (resource, cause))
        });
        let failures: Vec<_> = failures.collect();
        if failures.is_empty() {
            return std::future::pending().await;
        }
        select_all(failures).await.0
    }

    /// Stops an unused cache. [`Self::shutdown`] waits for its end.
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

/// Returns the prefix of an error about a cluster; empty for the manager's own cluster.
pub(crate) fn of_cluster(name: &str) -> String {
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
