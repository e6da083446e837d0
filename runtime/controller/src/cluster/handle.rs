//! [`Cluster`]: one API server, and what is cached of it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{join_all, select_all};
use genclient::cache::{IndexConflictError, IndexFunc, ObjectName};
use genclient::informer::{
    AlreadyStartedError, ProgressError, Selectors, SharedInformerFactory, StopCause, SyncError,
};
use genclient::kube;
use genclient::lister::Selector;
use genclient::metrics::Provider;
use genclient::scheme::{GroupVersionResource, Object};
use parking_lot::RwLock;
use tokio::time::timeout;

use super::cached::{AnyCached, Cached};
use crate::ledger::{Ledger, Write};
use crate::mapper::Mapper;

/// One API server: a connection, and an informer for each kind and selectors that is watched.
///
/// A handle: clones are the same cluster.
#[derive(Clone)]
pub struct Cluster {
    inner: Arc<ClusterInner>,
}

struct ClusterInner {
    name: String,
    client: kube::Client,
    mapper: Mapper,
    ledger: Arc<Ledger>,
    settings: CacheSettings,
    state: RwLock<ClusterState>,
}

/// Changes an object before it is cached.
pub(crate) type Transform<K> = Arc<dyn Fn(&mut K) + Send + Sync>;

/// What is to be cached of one kind.
pub(crate) struct Wanted<K: Object> {
    pub(crate) types: K::DynamicType,
    pub(crate) labels: Selector,
    pub(crate) selectors: Selectors,
    pub(crate) transform: Option<Transform<K>>,
    pub(crate) indexers: Vec<(String, IndexFunc<K>)>,
    /// How long the kind may not be served at first.
    pub(crate) crd_patience: Duration,
}

/// How a cluster is cached.
#[derive(Clone)]
pub(crate) struct CacheSettings {
    /// All, if `None`.
    pub(crate) namespaces: Option<Vec<String>>,
    /// Zero is never.
    pub(crate) resync: Duration,
    pub(crate) sync_timeout: Duration,
    /// How long a read waits for what was written.
    pub(crate) read_timeout: Duration,
    pub(crate) metrics: Arc<dyn Provider>,
    /// Whether reads wait for writes.
    pub(crate) read_your_writes: bool,
}

#[derive(Default)]
struct ClusterState {
    /// One for each selectors: what they select is said to a factory as a whole.
    factories: Vec<(Selectors, SharedInformerFactory)>,
    /// In the order in which they were declared.
    declared: Vec<Declared>,
}

/// An informer that some watch has declared.
struct Declared {
    selectors: Selectors,
    cached: Arc<dyn AnyCached>,
}

/// A watch cannot be added to its cluster.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchError {
    /// Another watch shares the informer, and has a transform of its own.
    #[error(
        "two watches of {resource} have a transform each, and share one informer; transform in one of them, or give them different selectors"
    )]
    TwoTransforms {
        /// The resource.
        resource: GroupVersionResource,
    },
    /// Another watch has an index of that name.
    #[error(transparent)]
    Index(#[from] IndexConflictError),
    /// The objects are cached already, without the transform.
    #[error("the transform comes too late: {0}")]
    Started(#[from] AlreadyStartedError),
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
            }),
        }
    }

    /// What the manager calls it; empty for the manager's own.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The connection. What is written over it is read again from the caches, also by clientsets
    /// that are made from it.
    #[must_use]
    pub fn client(&self) -> &kube::Client {
        &self.inner.client
    }

    /// Whether objects of namespaced kinds are cached in a namespace.
    pub(crate) fn caches_namespace(&self, namespace: &str) -> bool {
        let namespaces = self.inner.settings.namespaces.as_ref();
        namespaces.is_none_or(|cached| cached.iter().any(|it| it == namespace))
    }

    /// Looks up kinds that are known at run time.
    #[must_use]
    pub fn mapper(&self) -> &Mapper {
        &self.inner.mapper
    }

    /// The cache of a watch: the one that others of the same kind and selectors have, too.
    pub(crate) fn declare<K: Object>(
        &self,
        wanted: Wanted<K>,
    ) -> Result<Arc<Cached<K>>, WatchError> {
        let cached = self.cached_for(&wanted);
        cached.informer.add_indexers(wanted.indexers)?;
        cached.be_patient(wanted.crd_patience);
        if let Some(transform) = wanted.transform {
            let mut known = cached.transform.lock();
            let address = address(&transform);
            match *known {
                Some(other) if other != address => {
                    return Err(WatchError::TwoTransforms {
                        resource: cached.informer.resource().clone(),
                    });
                }
                Some(_) => {}
                None => {
                    cached
                        .informer
                        .set_transform(move |object| transform(object))?;
                    *known = Some(address);
                }
            }
        }
        Ok(cached)
    }

    fn cached_for<K: Object>(&self, wanted: &Wanted<K>) -> Arc<Cached<K>> {
        let selectors = wanted.selectors.clone();
        let mut state = self.inner.state.write();
        let mut known = state.of_kind::<K>(&wanted.types);
        if let Some((_, cached)) = known.find(|(known, _)| **known == selectors) {
            return cached;
        }
        drop(known);
        let factory = state.factory(&self.inner, &selectors);
        let informer = factory.informer_for_with::<K>(wanted.types.clone());
        let cached = Arc::new(Cached::new(informer, wanted.labels.clone(), &selectors));
        // Weak: the informer holds the connection, which holds the ledger.
        let shown = Arc::downgrade(&cached);
        let shows = move |name: &ObjectName, write: &Write| {
            let cached = shown.upgrade();
            cached.is_none_or(|cached| matches!(cached.shows(name, write), Ok(true)))
        };
        let resource = cached.written.clone();
        self.inner.ledger.watch(resource, Arc::new(shows));
        state.declared.push(Declared {
            selectors,
            cached: Arc::clone(&cached) as _,
        });
        cached
    }

    /// The cache that reads of a kind use: that of all its objects, or else the first one.
    pub(crate) fn cached<K: Object>(&self, types: &K::DynamicType) -> Option<Arc<Cached<K>>> {
        let state = self.inner.state.read();
        let mut of_all = state.of_kind::<K>(types);
        let of_all = of_all.find(|(selectors, _)| **selectors == Selectors::default());
        let cached = of_all.or_else(|| state.of_kind::<K>(types).next());
        cached.map(|(_, cached)| cached)
    }

    /// Waits until the cache shows what was written of one object.
    pub(crate) async fn catch_up<K: Object>(
        &self,
        cached: &Cached<K>,
        name: &ObjectName,
    ) -> Result<(), CatchUpError> {
        self.filled(cached).await?;
        match self.inner.ledger.write(&cached.written, name) {
            Some(write) => {
                let written = [(name.clone(), write)];
                self.wait_for(cached, &written).await
            }
            None => Ok(()),
        }
    }

    /// Waits until the cache shows what was written of all objects in a namespace, or everywhere.
    pub(crate) async fn catch_up_all<K: Object>(
        &self,
        cached: &Cached<K>,
        namespace: Option<&str>,
    ) -> Result<(), CatchUpError> {
        self.filled(cached).await?;
        let written = self.inner.ledger.writes(&cached.written, namespace);
        self.wait_for(cached, &written).await
    }

    /// Waits until the cache is filled at first.
    async fn filled<K: Object>(&self, cached: &Cached<K>) -> Result<(), CatchUpError> {
        if cached.informer.has_synced() {
            return Ok(());
        }
        let filled = cached.informer.wait_for_cache_sync();
        match timeout(self.inner.settings.read_timeout, filled).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(CatchUpError::NotSynced(Some(Box::new(error)))),
            Err(_) => Err(CatchUpError::NotSynced(None)),
        }
    }

    async fn wait_for<K: Object>(
        &self,
        cached: &Cached<K>,
        written: &[(ObjectName, Write)],
    ) -> Result<(), CatchUpError> {
        let waiting = async {
            for (name, write) in written {
                let informer = &cached.informer;
                informer.wait_until(|| cached.shows(name, write)).await?;
                self.inner.ledger.forget(&cached.written, name, write);
            }
            Ok(())
        };
        let limit = self.inner.settings.read_timeout;
        match timeout(limit, waiting).await {
            Ok(caught_up) => caught_up.map_err(CatchUpError::Cache),
            Err(_) => Err(CatchUpError::Late(limit)),
        }
    }

    /// Starts the informers that were declared, and waits until they have synced.
    ///
    /// # Errors
    ///
    /// What each of those that did not sync says.
    pub(crate) async fn sync(&self) -> Result<(), Vec<SyncError>> {
        let factories = self.factories();
        factories.iter().for_each(SharedInformerFactory::start);
        let caches = self.caches();
        let synced = join_all(caches.iter().map(|cached| cached.synced())).await;
        let failed: Vec<_> = synced.into_iter().filter_map(Result::err).collect();
        if failed.is_empty() {
            Ok(())
        } else {
            Err(failed)
        }
    }

    /// The resources that have not synced, each with why.
    pub(crate) fn unsynced(&self) -> Vec<String> {
        let caches = self.caches().into_iter();
        caches.filter_map(|cached| cached.unsynced()).collect()
    }

    /// Waits until an informer ends that nobody shut down.
    pub(crate) async fn failed(&self) -> (GroupVersionResource, StopCause) {
        let failures = self.caches().into_iter().map(|cached| {
            Box::pin(async move { (cached.resource().clone(), cached.failed().await) })
        });
        let failures: Vec<_> = failures.collect();
        if failures.is_empty() {
            return std::future::pending().await;
        }
        select_all(failures).await.0
    }

    pub(crate) async fn shutdown(&self) {
        let stopped = self.factories().into_iter();
        join_all(stopped.map(|factory| factory.shutdown())).await;
    }

    fn factories(&self) -> Vec<SharedInformerFactory> {
        let state = self.inner.state.read();
        let factories = state.factories.iter();
        factories.map(|(_, factory)| factory.clone()).collect()
    }

    fn caches(&self) -> Vec<Arc<dyn AnyCached>> {
        let state = self.inner.state.read();
        let caches = state.declared.iter().map(|it| Arc::clone(&it.cached));
        caches.collect()
    }
}

/// A cache does not show yet what was written.
#[derive(Debug)]
pub(crate) enum CatchUpError {
    Late(Duration),
    NotSynced(Option<Box<SyncError>>),
    Cache(ProgressError),
}

impl ClusterState {
    /// The caches of a kind in this form, with what they select.
    fn of_kind<K: Object>(
        &self,
        types: &K::DynamicType,
    ) -> impl Iterator<Item = (&Selectors, Arc<Cached<K>>)> {
        self.declared.iter().filter_map(|declared| {
            let cached: Arc<dyn Any + Send + Sync> = Arc::clone(&declared.cached) as _;
            let cached = cached.downcast::<Cached<K>>().ok()?;
            let is_of_kind = cached.is_of(types);
            is_of_kind.then_some((&declared.selectors, cached))
        })
    }

    fn factory(&mut self, cluster: &ClusterInner, selectors: &Selectors) -> SharedInformerFactory {
        let mut known = self.factories.iter();
        if let Some((_, factory)) = known.find(|(known, _)| known == selectors) {
            return factory.clone();
        }
        let settings = &cluster.settings;
        let mut builder = SharedInformerFactory::builder(cluster.client.clone())
            .tweak_list_params(|params| *params = selectors.clone())
            .resync(settings.resync)
            .sync_timeout(settings.sync_timeout)
            .metrics(cluster.name.clone(), Arc::clone(&settings.metrics));
        if let Some(namespaces) = &settings.namespaces {
            builder = builder.namespaces(namespaces);
        }
        let factory = builder.build();
        self.factories.push((selectors.clone(), factory.clone()));
        factory
    }
}

/// Identity of a transform.
fn address<K>(transform: &Transform<K>) -> usize {
    Arc::as_ptr(transform).cast::<()>().addr()
}

/// Clusters are the same if they are one.
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
