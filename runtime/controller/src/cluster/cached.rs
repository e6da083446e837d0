//! [`Cached`]: an informer of a cluster, with the selectors and namespaces that limit its cache.

use std::any::Any;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use genclient::cache::{ObjectName, compare_resource_versions};
use genclient::informer::{ProgressError, SharedInformer, StopCause, SyncError};
use genclient::kube::core::SelectorExt;
use genclient::lister::Selector;
use genclient::scheme::{GroupVersionResource, Object};
use genclient::sharding::{ShardKey, Shards};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::error_text::format_error_chain;
use crate::ledger::{GroupResource, Shows, Write};

pub(crate) struct Cached<K: Object> {
    pub(crate) informer: SharedInformer<K>,
    /// The resource without its version: the ledger records writes of all versions together.
    pub(super) written: GroupResource,
    limits: CacheLimits,
    /// Address that identifies the transform; `None` without a transform.
    pub(super) transform: Mutex<Option<usize>>,
    /// How long to wait until the API server serves the kind: the maximum of all watches.
    crd_patience: Mutex<Duration>,
    /// Message of the last list or watch that failed.
    failure: Arc<Mutex<Option<String>>>,
}

/// What limits the objects of a cache.
pub(super) struct CacheLimits {
    pub(super) labels: Selector,
    pub(super) has_fields: bool,
    /// `None`: all namespaces.
    pub(super) namespaces: Option<Vec<String>>,
    /// The shards of this replica, and the key that decides. `None`: the objects of all replicas.
    pub(super) shards: Option<(Shards, ShardKey)>,
}

/// Type-erased [`Cached`].
pub(super) trait AnyCached: Any + Send + Sync {
    fn resource(&self) -> &GroupVersionResource;
    /// Returns the reason why the cache has not synced yet; `None` if it has.
    fn unsynced(&self) -> Option<String>;
    fn synced(&self) -> BoxFuture<'_, Result<(), SyncError>>;
    /// Waits until the informer ends without being shut down. After a shutdown, never resolves.
    fn failed(&self) -> BoxFuture<'static, StopCause>;
    /// Stops the informer, and waits until no handler is running.
    fn stop(&self) -> BoxFuture<'static, ()>;
}

impl<K: Object> Cached<K> {
    /// Wraps a new informer, and records its errors from now on.
    pub(super) fn new(informer: SharedInformer<K>, limits: CacheLimits) -> Self {
        let failure = Arc::new(Mutex::new(None));
        let failed = Arc::clone(&failure);
        let registered = informer.set_watch_error_handler(move |error| {
            *failed.lock() = Some(format_error_chain(error));
        });
        debug_assert!(registered.is_ok());
        Self {
            written: informer.resource().into(),
            informer,
            limits,
            transform: Mutex::default(),
            crd_patience: Mutex::default(),
            failure,
        }
    }

    /// Returns the cache if it holds the kind as `K`. A kind may be cached as several Rust types.
    pub(super) fn downcast(
        cached: Arc<dyn AnyCached>,
        types: &K::DynamicType,
    ) -> Option<Arc<Self>> {
        let cached: Arc<dyn Any + Send + Sync> = cached;
        let cached = cached.downcast::<Self>().ok();
        cached.filter(|cached| cached.is_of(types))
    }

    /// Whether the cache has the kind that `types` describes. The Rust type alone does not tell the
    /// kind, because all dynamic kinds share one type.
    fn is_of(&self, types: &K::DynamicType) -> bool {
        let resource = self.informer.resource();
        resource.resource == K::plural(types)
            && resource.group == K::group(types)
            && resource.version == K::version(types)
    }

    pub(super) fn extend_patience(&self, patience: Duration) {
        let mut known = self.crd_patience.lock();
        *known = patience.max(*known);
    }

    /// Waits until the cache has synced. Until `crd_patience` has passed, a 404 only means that the
    /// kind is not served yet; the informer retries by itself.
    async fn synced(&self) -> Result<(), SyncError> {
        let (begun, patience) = (Instant::now(), *self.crd_patience.lock());
        loop {
            match self.informer.wait_for_cache_sync().await {
                Ok(_) => return Ok(()),
                Err(error) if error.code() == Some(404) && begun.elapsed() < patience => {
                    tracing::info!(resource = %self.resource(), "waiting for the kind to be served");
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether the namespace is one of those that are cached. Always true for `None`.
    pub(crate) fn covers(&self, namespace: Option<&str>) -> bool {
        let (Some(covered), Some(namespace)) = (&self.limits.namespaces, namespace) else {
            return true;
        };
        covered.iter().any(|it| it == namespace)
    }

    /// Whether the cache has every object of the namespaces that it covers.
    pub(crate) fn has_every_object(&self) -> bool {
        self.limits.shards.is_none() && self.includes_all_with(&BTreeMap::new())
    }

    /// Whether this replica caches the object, if it exists. `None` if that depends on its owner.
    pub(crate) fn has_part_of(&self, object: &ObjectName) -> Option<bool> {
        let Some((shards, key)) = &self.limits.shards else {
            return Some(true);
        };
        let is_decided = *key == ShardKey::Itself || key.is_namespace(shards.shard_by());
        let namespace = object.namespace().unwrap_or_default();
        if is_decided {
            return Some(shards.is_cached(namespace, object.name()));
        }
        (!shards.are_caches_used()).then_some(false)
    }

    /// Whether this replica caches all objects of a namespace, or of all namespaces for `None`.
    /// Objects that an object of another replica owns do not count.
    pub(crate) fn has_all_of(&self, namespace: Option<&str>) -> bool {
        let Some((shards, key)) = &self.limits.shards else {
            return true;
        };
        match (key.is_namespace(shards.shard_by()), namespace) {
            (true, Some(namespace)) => shards.is_cached(namespace, ""),
            (true, None) => false,
            (false, _) => *key != ShardKey::Itself && shards.are_caches_used(),
        }
    }

    /// Whether a transform may have dropped fields of cached objects.
    pub(crate) fn has_transform(&self) -> bool {
        self.transform.lock().is_some()
    }

    /// Whether the cache shows a write or a later state. If the namespaces of the cache exclude the
    /// written object, or its selectors may exclude it, it is enough that the cache lacks it. For
    /// example, the write may have removed the selected label.
    pub(super) fn has_seen(&self, name: &ObjectName, write: &Write) -> Result<bool, ProgressError> {
        if !self.covers(name.namespace()) || self.has_part_of(name) == Some(false) {
            return Ok(true);
        }
        // After a restore of etcd, the write is lost, or part of the list that showed the restore.
        let restored = self.informer.restored_at(name.namespace());
        if restored.is_some_and(|restored| write.recorded_at.is_some_and(|at| at < restored)) {
            return Ok(true);
        }
        let cached = self.informer.indexer().get(name);
        if let Some(version) = &write.version
            && !self.has_version(name, version, cached.as_deref(), write)?
        {
            return Ok(false);
        }
        let Some(deleted) = &write.deleted else {
            return Ok(true);
        };
        Ok(cached.is_none_or(|cached| {
            let meta = cached.meta();
            let is_known_to_go = meta.deletion_timestamp.is_some() && !write.is_gone;
            meta.uid.as_ref() != Some(deleted) || is_known_to_go
        }))
    }

    /// Whether the selectors include every object that has these labels and perhaps others. A
    /// requirement that holds without labels, such as `!archived`, fails if others have set one.
    pub(crate) fn includes_all_with(&self, labels: &BTreeMap<String, String>) -> bool {
        let mut requirements = self.limits.labels.clone().into_iter();
        let none = BTreeMap::new();
        !self.limits.has_fields && requirements.all(|it| it.matches(labels) && !it.matches(&none))
    }

    /// Whether the selectors may exclude an object with these labels. A field selector may exclude
    /// any object.
    fn leaves_out(&self, labels: &BTreeMap<String, String>) -> bool {
        self.limits.has_fields || !self.limits.labels.matches(labels)
    }

    fn has_version(
        &self,
        name: &ObjectName,
        version: &str,
        cached: Option<&K>,
        write: &Write,
    ) -> Result<bool, ProgressError> {
        let Some(cached) = cached else {
            return Ok(self.leaves_out(&write.labels)
                || self
                    .informer
                    .has_resource_version(version, name.namespace())?);
        };
        let known = cached
            .meta()
            .resource_version
            .as_deref()
            .unwrap_or_default();
        let order = compare_resource_versions(known, version);
        if order.is_ok_and(Ordering::is_ge) {
            return Ok(true);
        }
        self.informer
            .has_resource_version(version, name.namespace())
    }
}

impl<K: Object> AnyCached for Cached<K> {
    fn resource(&self) -> &GroupVersionResource {
        self.informer.resource()
    }

    fn unsynced(&self) -> Option<String> {
        if self.informer.has_synced() {
            return None;
        }
        if let Some(refusal) = self.informer.refusal() {
            return Some(format_error_chain(&refusal));
        }
        let failure = self.failure.lock();
        let failure = failure.as_deref().unwrap_or("not listed yet");
        Some(format!("{}: {failure}", self.resource()))
    }

    fn synced(&self) -> BoxFuture<'_, Result<(), SyncError>> {
        self.synced().boxed()
    }

    fn failed(&self) -> BoxFuture<'static, StopCause> {
        let stopped = self.informer.stopped();
        let failed = async {
            match stopped.await {
                StopCause::Shutdown => std::future::pending().await,
                failure => failure,
            }
        };
        failed.boxed()
    }

    fn stop(&self) -> BoxFuture<'static, ()> {
        self.informer.shutdown().boxed()
    }
}

impl<K: Object> Shows for Cached<K> {
    fn shows(&self, name: &ObjectName, write: &Write) -> bool {
        matches!(self.has_seen(name, write), Ok(true))
    }
}
