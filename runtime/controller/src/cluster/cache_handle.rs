//! Caches of watches. Each watch gets a counted reference to a cache, a [`CacheHandle`].
//! [`OwnCaches`] are the caches that one controller has declared.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use genclient::cache::{IndexConflictError, IndexFunc};
use genclient::informer::{
    AlreadyStartedError, Selectors, SharedInformerFactory, StopCause, SyncError,
};
use genclient::lister::{Selector, SelectorError};
use genclient::scheme::{GroupVersionResource, Object};
use genclient::sharding::{ShardKey, Shards};

use super::cached::{AnyCached, CacheLimits, Cached};
use super::handle::{Cluster, cluster_prefix};
use super::state::{CacheScope, Namespaces};
use crate::ledger::Shows;

/// Function that changes an object before it is cached.
pub(crate) type Transform<K> = Arc<dyn Fn(&mut K) + Send + Sync>;

/// Requirements of a watch on its cache: kind, scope, transform and indexes.
pub(crate) struct CacheRequest<K: Object> {
    pub(crate) types: K::DynamicType,
    pub(crate) is_cluster_scoped: bool,
    pub(crate) labels: Result<Selector, SelectorError>,
    pub(crate) fields: Option<String>,
    /// `None`: the namespaces of the manager.
    pub(crate) namespaces: Option<Namespaces>,
    pub(crate) transform: Option<Transform<K>>,
    pub(crate) indexers: Vec<(String, IndexFunc<K>)>,
    /// How long to wait for the kind to be served.
    pub(crate) crd_patience: Duration,
    /// The shards of this replica, if it caches no other objects, and the key that decides.
    pub(crate) shards: Option<(Shards, ShardKey)>,
}

/// Counted reference to a cache. The informer stops when its last handle is dropped.
pub(crate) struct CacheHandle {
    pub(super) cluster: Cluster,
    pub(super) cached: Arc<dyn AnyCached>,
}

/// Error of adding a watch to its cluster.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchError {
    /// Another watch shares the informer, and has a different transform.
    #[error(
        "two watches of {resource} share one informer, but have different transforms: remove one transform, or use different selectors"
    )]
    TwoTransforms {
        /// The resource of the watched kind.
        resource: GroupVersionResource,
    },
    /// Another watch shares the informer, and has an index of the same name.
    #[error(transparent)]
    Index(#[from] IndexConflictError),
    /// The informer has started already, and caches objects without the transform.
    #[error("the transform must be set before the informer starts")]
    Started(#[from] AlreadyStartedError),
    /// A label selector is invalid.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// Namespaces were selected for a cluster-scoped kind.
    #[error("{resource} is cluster-scoped: remove `namespaces` from the watch")]
    NoNamespaces {
        /// The resource of the watched kind.
        resource: GroupVersionResource,
    },
}

/// Error of a cache that did not sync. The message includes the message of [`error`](Self::error);
/// `source()` therefore skips `error` and returns its source.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CacheError {
    /// The name of the cluster; empty for the manager's own cluster.
    pub cluster: String,
    /// The reason why the cache did not sync.
    pub error: SyncError,
}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", cluster_prefix(&self.cluster), self.error)
    }
}

impl std::error::Error for CacheError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}

impl Cluster {
    /// Returns the cache of a watch, shared with other watches of the same kind and scope.
    pub(crate) fn declare<K: Object>(
        &self,
        request: CacheRequest<K>,
    ) -> Result<(Arc<Cached<K>>, CacheHandle), WatchError> {
        if request.is_cluster_scoped && request.namespaces.is_some() {
            let resource = GroupVersionResource::of::<K>(&request.types);
            return Err(WatchError::NoNamespaces { resource });
        }
        let labels = request.labels.clone()?;
        let (cached, handle) = self.cached_for(&request, labels);
        cached.informer.add_indexers(request.indexers)?;
        cached.extend_patience(request.crd_patience);
        if let Some(transform) = request.transform {
            let mut known = cached.transform.lock();
            let address = transform_address(&transform);
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
        Ok((cached, handle))
    }

    fn cached_for<K: Object>(
        &self,
        request: &CacheRequest<K>,
        labels: Selector,
    ) -> (Arc<Cached<K>>, CacheHandle) {
        let scope = self.scope(request, &labels);
        let mut state = self.inner.state.write();
        let cached = state.add_user(&request.types, &scope).unwrap_or_else(|| {
            let inner = &*self.inner;
            let factory = state.factory(&scope, || {
                let builder = SharedInformerFactory::builder(inner.client.clone())
                    .reachability(&inner.reachability);
                inner
                    .settings
                    .factory(&inner.name, builder, &scope, request.shards.as_ref())
            });
            let types = request.types.clone();
            let informer = if request.is_cluster_scoped {
                factory.cluster_informer_for_with::<K>(types)
            } else {
                factory.informer_for_with::<K>(types)
            };
            let limits = CacheLimits {
                labels,
                has_fields: scope.selectors.fields.is_some(),
                namespaces: scope.namespaces.clone(),
                shards: { request.shards.as_ref() }.map(|(shards, key)| {
                    let numbers = informer.shard_caches().iter().copied();
                    (shards.with_caches(numbers), key.clone())
                }),
            };
            let cached = Arc::new(Cached::new(informer, limits));
            // The ledger gets a weak reference. A strong one would make a cycle of references: the
            // informer has the client, and the client records writes in the ledger.
            let shown: Arc<dyn Shows> = Arc::clone(&cached) as _;
            let written = cached.written.clone();
            inner.ledger.watch(written, Arc::downgrade(&shown));
            state.add(scope, Arc::clone(&cached) as _);
            cached
        });
        let handle = CacheHandle {
            cluster: self.clone(),
            cached: Arc::clone(&cached) as _,
        };
        (cached, handle)
    }

    fn scope<K: Object>(&self, request: &CacheRequest<K>, labels: &Selector) -> CacheScope {
        // By namespace, all keys select the same objects.
        let shard_key = request.shards.as_ref().map(|(shards, key)| {
            if key.is_namespace(shards.shard_by()) {
                ShardKey::Itself
            } else {
                key.clone()
            }
        });
        let mut selectors = Selectors::default();
        if !labels.selects_all() {
            selectors.labels = Some(labels.to_string());
        }
        selectors.fields.clone_from(&request.fields);
        if request.is_cluster_scoped {
            return CacheScope {
                selectors,
                namespaces: None,
                shard_key,
            };
        }
        let namespaces = request
            .namespaces
            .as_ref()
            .unwrap_or(&self.inner.settings.namespaces);
        let fields: Vec<_> = [selectors.fields.take(), namespaces.field_selector()]
            .into_iter()
            .flatten()
            .collect();
        selectors.fields = (!fields.is_empty()).then(|| fields.join(","));
        CacheScope {
            selectors,
            namespaces: namespaces.listed(),
            shard_key,
        }
    }

    /// Returns the caches of a kind: the cache of all objects if there is one, or else every cache.
    pub(crate) fn caches_of<K: Object>(&self, types: &K::DynamicType) -> Vec<Arc<Cached<K>>> {
        self.inner.state.read().caches_of(types)
    }
}

impl CacheHandle {
    /// Waits until the cache has synced. The cluster has to be [started](Cluster::start). If the
    /// informer is stopped meanwhile, for example because it is unused, the wait succeeds.
    pub(crate) fn synced(&self) -> impl Future<Output = Result<(), CacheError>> + use<> {
        let (cached, cluster) = (Arc::clone(&self.cached), self.cluster.clone());
        async move {
            match cached.synced().await {
                Ok(()) => Ok(()),
                Err(SyncError::Stopped {
                    cause: StopCause::Shutdown,
                    ..
                }) => Ok(()),
                Err(error) => Err(CacheError {
                    cluster: cluster.name().to_owned(),
                    error,
                }),
            }
        }
    }

    /// Whether both handles refer to the same cache.
    pub(crate) fn shares(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.cached, &other.cached)
    }
}

impl Drop for CacheHandle {
    fn drop(&mut self) {
        let unused = self.cluster.inner.state.write().remove_user(&self.cached);
        if unused.is_some() {
            tracing::debug!(resource = %self.cached.resource(), "cache is unused; stopping its informer");
            self.cluster.stop(&*self.cached);
        }
    }
}

impl fmt::Debug for CacheHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CacheHandle")
            .field(self.cached.resource())
            .finish()
    }
}

/// Returns the address that identifies a transform.
fn transform_address<K>(transform: &Transform<K>) -> usize {
    Arc::as_ptr(transform).cast::<()>().addr()
}

/// The caches that a controller has declared. Clones share them.
///
/// A change triggers a reconcile when one of these caches shows it. So the reconcile prefers these
/// caches: other caches of the kind may show the change later or select other objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnCaches(Arc<[OwnCache]>);

#[derive(Clone)]
struct OwnCache {
    purpose: CachePurpose,
    cluster: Cluster,
    /// A weak reference, so that the cache is dropped with its last handle.
    cached: Weak<dyn AnyCached>,
}

/// Purpose of a cache that a controller has declared. Reads search caches by purpose, in this
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CachePurpose {
    /// A function maps each changed object to requests, for example to one for the object itself.
    Reconciled,
    /// Changes enqueue the owner of the changed object.
    Owned,
    /// The objects are only read; changes enqueue nothing.
    Read,
}

impl OwnCaches {
    pub(crate) fn new<'a>(
        declared: impl IntoIterator<Item = (CachePurpose, &'a CacheHandle)>,
    ) -> Self {
        let mut declared: Vec<_> = declared
            .into_iter()
            .map(|(purpose, handle)| OwnCache {
                purpose,
                cluster: handle.cluster.clone(),
                cached: Arc::downgrade(&handle.cached),
            })
            .collect();
        declared.sort_by_key(|own| own.purpose);
        Self(declared.into())
    }

    /// Returns the caches with [`CachePurpose::Reconciled`].
    pub(crate) fn reconciled(&self) -> Self {
        let reconciled = self
            .0
            .iter()
            .filter(|own| own.purpose == CachePurpose::Reconciled);
        Self(reconciled.cloned().collect())
    }

    /// Returns the caches of a kind in a cluster that cover the namespace; for `None`, all caches
    /// of the kind.
    pub(crate) fn of_kind<K: Object>(
        &self,
        cluster: &Cluster,
        types: &K::DynamicType,
        namespace: Option<&str>,
    ) -> Vec<Arc<Cached<K>>> {
        let own = self.0.iter().filter(|own| own.cluster == *cluster);
        let own = own.filter_map(|own| Cached::downcast(own.cached.upgrade()?, types));
        own.filter(|cached| cached.covers(namespace)).collect()
    }
}

impl fmt::Debug for OwnCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let resource = self.cached.upgrade().map(|it| it.resource().clone());
        f.debug_tuple("OwnCache").field(&resource).finish()
    }
}
