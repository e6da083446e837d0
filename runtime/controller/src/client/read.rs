//! Reads of cached objects: [`Query`], [`ReadError`], and the caches that a read uses.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use genclient::cache::ObjectName;
use genclient::informer::{ProgressError, SyncError};
use genclient::kube::core::SelectorExt;
use genclient::kube::{Resource, ResourceExt};
use genclient::lister::{IntoSelector, Selector, SelectorError};
use genclient::scheme::{GroupVersionResource, Object};

use super::kind::KindClient;
use crate::cluster::{Cached, CatchUpError};

/// Selection of objects in a list: by namespace, labels and an index.
///
/// ```
/// use genclient_controller::Query;
///
/// let query = Query::new().namespace("default").index("node", "worker");
/// # drop(query);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a query does nothing until it is passed to `Client::list`"]
pub struct Query {
    namespace: Option<String>,
    labels: Selector,
    error: Option<SelectorError>,
    index: Option<(String, String)>,
}

impl Query {
    /// Selects every object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Selects only objects in a namespace.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Selects only objects that the label selector matches: `"app=train,!legacy"`,
    /// `[("app", "train")]`, or a [`Selector`]. After several calls, all selectors have to match.
    /// An invalid selector makes the list fail.
    pub fn labels(mut self, selector: impl IntoSelector) -> Self {
        match selector.into_selector() {
            Ok(selector) => drop(self.labels.extend(selector)),
            Err(error) => self.error = Some(error),
        }
        self
    }

    /// Selects only objects that have `value` in the index `name`: see
    /// [`Watch::index`](crate::Watch::index).
    pub fn index(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.index = Some((name.into(), value.into()));
        self
    }

    /// Whether an object found by the index also matches the namespace and the labels.
    fn selects<K: Resource>(&self, object: &K) -> bool {
        let is_inside = |namespace: &String| object.namespace().as_ref() == Some(namespace);
        let labels = object.meta().labels.clone().unwrap_or_default();
        self.namespace.as_ref().is_none_or(is_inside) && self.labels.matches(&labels)
    }
}

/// Error of a read from a cache.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// No controller watches or caches the kind.
    #[error(
        "{resource} is not cached: add `.owns(Watch::<{kind}>::new())` to the controller, or `.caches(..)` if its changes should not trigger reconciles"
    )]
    NotCached {
        /// The resource of the kind that was read.
        resource: GroupVersionResource,
        /// The name of that kind.
        kind: String,
    },
    /// The kind is cached, but not in the namespace.
    #[error(
        "{resource} is not cached in namespace `{namespace}`: add the namespace to the manager or the watch"
    )]
    NotCovered {
        /// The resource of the kind that was read.
        resource: GroupVersionResource,
        /// The namespace that is not cached.
        namespace: String,
    },
    /// The kind is cached, but this replica caches only its part of the objects, and other objects
    /// would have to be read.
    #[error(
        "cannot read {place}, since this replica caches only its part of {resource}: add `.everywhere()` to the watch"
    )]
    OtherReplicas {
        /// The resource of the kind that was read.
        resource: GroupVersionResource,
        /// What was read: an object, a namespace, or all namespaces.
        place: String,
    },
    /// The read timed out before the cache showed a write of this program. A reconcile that fails
    /// with this error is retried, and does not count as failed.
    #[error("the cache of {resource} is stale: a write is still missing after {} s", waited.as_secs_f64())]
    Stale {
        /// The resource of the kind that was read.
        resource: GroupVersionResource,
        /// How long the read waited.
        waited: Duration,
    },
    /// The cache has not synced yet: the manager is not running, has just started, or cannot list
    /// the kind.
    #[error("the cache of {resource} has not synced")]
    NotSynced {
        /// The resource of the kind that was read.
        resource: GroupVersionResource,
        /// The error of the sync. `None` if the sync has not failed.
        #[source]
        cause: Option<Box<SyncError>>,
    },
    /// Waiting for the cache failed.
    #[error(transparent)]
    Cache(#[from] ProgressError),
    /// The read waited for the cache when the requests of its reconcile had to end: see
    /// [`Context::stop`](crate::Context::stop).
    #[error("the controller is being shut down")]
    ShuttingDown,
    /// The label selector of a query is invalid.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// The cache has no index of that name.
    #[error(
        "index `{index}` does not exist in the cache of {resource}: add it with `Watch::index`"
    )]
    NoSuchIndex {
        /// The resource of the kind that was read.
        resource: GroupVersionResource,
        /// The name of the index.
        index: String,
    },
}

impl<K: Object> KindClient<K> {
    /// Returns the cached object `name`, or `None` if it does not exist or the selectors of the
    /// watches exclude it. See [`Client`](super::Client) for the caches that are searched.
    ///
    /// # Errors
    ///
    /// See [`ReadError`].
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn get(&self, name: &ObjectName) -> Result<Option<Arc<K>>, ReadError> {
        let caches = self.caches(name.namespace())?;
        for cached in &caches {
            let caught_up = self.cluster.catch_up(cached, name).await;
            caught_up.map_err(|error| self.to_read_error(error))?;
            if let Some(object) = cached.informer.indexer().get(name) {
                return Ok(Some(object));
            }
        }
        if self.is_elsewhere(&caches, name).await {
            return Err(self.other_replicas(format!("`{name}`")));
        }
        Ok(None)
    }

    /// Whether other replicas may cache an object that none of `caches` has. If that depends on its
    /// owner, the API server is asked whether the object exists.
    async fn is_elsewhere(&self, caches: &[Arc<Cached<K>>], name: &ObjectName) -> bool {
        if caches.iter().any(|cached| cached.has_every_object()) {
            return false;
        }
        let mut parts = caches.iter().map(|cached| cached.has_part_of(name));
        if parts.clone().any(|has_part| has_part == Some(false)) {
            return true;
        }
        let is_open = parts.any(|has_part| has_part.is_none());
        is_open && self.cluster.exists(&self.resource(), name).await
    }

    /// Returns the cached objects that match a query, in no particular order.
    ///
    /// # Errors
    ///
    /// See [`ReadError`].
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn list(&self, query: &Query) -> Result<Vec<Arc<K>>, ReadError> {
        if let Some(error) = &query.error {
            return Err(error.clone().into());
        }
        let namespace = query.namespace.as_deref();
        let caches = self.caches(namespace)?;
        let mut objects = Vec::new();
        for cached in &caches {
            self.cluster
                .catch_up_all(cached, namespace)
                .await
                .map_err(|error| self.to_read_error(error))?;
            objects.extend(self.select(cached, query)?);
        }
        // After the read, since this replica may have lost objects meanwhile.
        let has_all = caches.iter().all(|cached| cached.has_all_of(namespace))
            || caches.iter().any(|cached| cached.has_every_object());
        if !has_all {
            return Err(self.other_replicas(match namespace {
                Some(namespace) => format!("namespace `{namespace}`"),
                None => "all namespaces".to_owned(),
            }));
        }
        if caches.len() > 1 {
            // An object may be in several caches, because their selectors may overlap.
            let mut names = HashSet::new();
            objects.retain(|object| names.insert(ObjectName::from_object(&**object)));
        }
        Ok(objects)
    }

    fn select(&self, cached: &Cached<K>, query: &Query) -> Result<Vec<Arc<K>>, ReadError> {
        let Some((index, value)) = &query.index else {
            let lister = cached.informer.lister();
            return Ok(match &query.namespace {
                Some(namespace) => lister.namespace(namespace).list(&query.labels),
                None => lister.list(&query.labels),
            });
        };
        let mut found = cached
            .informer
            .indexer()
            .by_index(index, value)
            .map_err(|_| ReadError::NoSuchIndex {
                resource: self.resource(),
                index: index.clone(),
            })?;
        found.retain(|object| query.selects(&**object));
        Ok(found)
    }

    /// Returns the [known caches](Self::known_caches) that cover the namespace; for `None`, all.
    pub(super) fn caches(&self, namespace: Option<&str>) -> Result<Vec<Arc<Cached<K>>>, ReadError> {
        let mut caches = self.known_caches(namespace);
        if caches.is_empty() {
            return Err(ReadError::NotCached {
                resource: self.resource(),
                kind: K::kind(&self.types).into_owned(),
            });
        }
        caches.retain(|cached| cached.covers(namespace));
        match namespace {
            Some(namespace) if caches.is_empty() => Err(ReadError::NotCovered {
                resource: self.resource(),
                namespace: namespace.to_owned(),
            }),
            _ => Ok(caches),
        }
    }

    /// Returns the controller's own caches of the kind that cover the namespace. If there are none,
    /// returns the cluster's caches of the kind, which may not cover it.
    pub(super) fn known_caches(&self, namespace: Option<&str>) -> Vec<Arc<Cached<K>>> {
        let own = self.own.of_kind(&self.cluster, &self.types, namespace);
        if own.is_empty() {
            return self.cluster.caches_of(&self.types);
        }
        own
    }

    fn other_replicas(&self, place: String) -> ReadError {
        ReadError::OtherReplicas {
            resource: self.resource(),
            place,
        }
    }

    fn to_read_error(&self, error: CatchUpError) -> ReadError {
        match error {
            CatchUpError::Cache(error) => ReadError::Cache(error),
            CatchUpError::ShuttingDown => ReadError::ShuttingDown,
            CatchUpError::NotSynced(cause) => ReadError::NotSynced {
                resource: self.resource(),
                cause,
            },
            CatchUpError::Late(waited) => ReadError::Stale {
                resource: self.resource(),
                waited,
            },
        }
    }
}
