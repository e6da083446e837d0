//! [`SharedInformerFactory`]: the shared informers of a program, one per kind.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

use futures::future::{join_all, try_join_all};
use kube::Client;
use kube::core::{ClusterResourceScope, PartialObjectMeta};
use parking_lot::Mutex;
use tokio::runtime::Handle;

use super::core::Plan;
use super::error::{StopCause, SyncError};
use super::generic::{Erased, GenericInformer};
use super::settings::FactorySettings;
use super::shared::{InformerInner, SharedInformer};
use super::status::Synced;
use crate::scheme::{GroupVersionResource, Object};

/// Factory and owner of the informers of a program, one per kind. Clones of this handle share one
/// factory.
///
/// Generated factories wrap this type. It also returns informers of other kinds, which start, sync
/// and shut down together with those of generated kinds.
///
/// Dropping the last handle of the factory stops every informer that has no other handles. A lister
/// does not keep its informer running.
#[derive(Clone)]
pub struct SharedInformerFactory {
    shared: Arc<FactoryInner>,
}

struct FactoryInner {
    client: Client,
    settings: FactorySettings,
    informers: Mutex<Informers>,
}

#[derive(Default)]
struct Informers {
    /// In the order in which they were requested.
    informers: Vec<HeldInformer>,
    is_shut_down: bool,
}

struct HeldInformer {
    key: Key,
    informer: Arc<dyn Erased>,
    /// Whether a later informer has the same key. If so, this informer has stopped.
    is_replaced: bool,
}

/// Key of an informer: the Rust type and the resource. Dynamic kinds share one Rust type, and one
/// resource can be decoded into several Rust types.
#[derive(Clone, PartialEq, Eq)]
struct Key {
    kind: TypeId,
    resource: GroupVersionResource,
}

impl SharedInformerFactory {
    pub(super) fn new(client: Client, settings: FactorySettings) -> Self {
        Self {
            shared: Arc::new(FactoryInner {
                client,
                settings,
                informers: Mutex::default(),
            }),
        }
    }

    /// Returns the client that informers list and watch through.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// Returns the informer of `K`: every call returns the same one. A new informer does nothing
    /// until the next [`start`](Self::start).
    ///
    /// If the informer has [stopped](SharedInformer::shutdown) but the factory has not, the next
    /// call returns a new informer, which has to be started. So a program can shut down the
    /// informer when the CRD is deleted, and cache the kind again once the CRD is recreated. The
    /// new informer has neither handlers nor indices.
    /// Listers of the old informer still read the old cache. The factory drops an informer that was
    /// shut down or replaced, once the informer's tasks have ended.
    pub fn informer_for<K: Object<DynamicType: Default>>(&self) -> SharedInformer<K> {
        self.informer_for_with(K::DynamicType::default())
    }

    /// Returns the informer of a kind that is described by a value, such as the `ApiResource` of a
    /// [`DynamicObject`](kube::core::DynamicObject). If the factory is limited to namespaces, it
    /// treats the kind as namespaced, unless the Rust type is cluster-scoped.
    pub fn informer_for_with<K: Object>(&self, types: K::DynamicType) -> SharedInformer<K> {
        let is_cluster_scoped = TypeId::of::<K::Scope>() == TypeId::of::<ClusterResourceScope>();
        self.informer(types, is_cluster_scoped)
    }

    /// Like [`informer_for_with`](Self::informer_for_with), for a cluster-scoped kind.
    pub fn cluster_informer_for_with<K: Object>(&self, types: K::DynamicType) -> SharedInformer<K> {
        self.informer(types, true)
    }

    /// Returns an informer that caches only the metadata of `K`'s objects: client-go's
    /// `metadatainformer`. Every call returns the same one, which is not the informer of complete
    /// objects.
    ///
    /// The API server sends only metadata (`PartialObjectMetadata`), which suffices for owner
    /// lookups or garbage collection. Cached metadata can be used to patch metadata, but not to
    /// update objects.
    ///
    /// ```no_run
    /// # use genclient::informer::{Handlers, SharedInformerFactory};
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # fn run(factory: &SharedInformerFactory) -> Result<(), Box<dyn std::error::Error>> {
    /// let secrets = factory.metadata_informer_for::<Secret>();
    /// let registration = secrets.add_handler(
    ///     Handlers::new().on_delete(|secret| println!("{} is gone", secret.name())),
    /// )?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn metadata_informer_for<K: Object<DynamicType: Default>>(
        &self,
    ) -> SharedInformer<PartialObjectMeta<K>> {
        self.informer_for()
    }

    /// Like [`metadata_informer_for`](Self::metadata_informer_for), for a kind that is described by
    /// a value, as in [`informer_for_with`](Self::informer_for_with).
    pub fn metadata_informer_for_with<K: Object>(
        &self,
        types: K::DynamicType,
    ) -> SharedInformer<PartialObjectMeta<K>> {
        self.informer_for_with(types)
    }

    /// Returns the type-erased informer of `K` if `resource` is the resource of `K`, and otherwise
    /// `None`. For code that learns at run time which kinds to cache.
    pub fn generic_for<K: Object<DynamicType: Default>>(
        &self,
        resource: &GroupVersionResource,
    ) -> Option<GenericInformer> {
        let types = K::DynamicType::default();
        let is_served_so = *resource == GroupVersionResource::of::<K>(&types);
        is_served_so.then(|| self.informer_for_with::<K>(types).generic())
    }

    fn informer<K: Object>(
        &self,
        types: K::DynamicType,
        is_cluster_scoped: bool,
    ) -> SharedInformer<K> {
        let key = Key {
            kind: TypeId::of::<K>(),
            resource: GroupVersionResource::of::<K>(&types),
        };
        if let Some(inner) = self.shared.informers.lock().usable::<K>(&key) {
            return SharedInformer { inner };
        }
        // Without the lock, since this calls tweaks and the metrics provider, which are user code.
        let informer = self.new_informer(types, is_cluster_scoped);
        let mut state = self.shared.informers.lock();
        // Another thread may have added an informer with this key meanwhile.
        if let Some(inner) = state.usable::<K>(&key) {
            return SharedInformer { inner };
        }
        let is_shut_down = state.is_shut_down;
        let gone = state.add(key, Arc::clone(&informer.inner) as _);
        drop(state);
        if is_shut_down {
            informer.inner.core.stop(StopCause::Shutdown);
        }
        drop(gone);
        informer
    }

    fn new_informer<K: Object>(
        &self,
        types: K::DynamicType,
        is_cluster_scoped: bool,
    ) -> SharedInformer<K> {
        let settings = &self.shared.settings;
        let namespaces = match &settings.namespaces {
            Some(namespaces) if !is_cluster_scoped => {
                namespaces.iter().cloned().map(Some).collect()
            }
            _ => vec![None],
        };
        let mut plan = Plan {
            client: self.shared.client.clone(),
            types,
            namespaces,
            options: settings.options.clone(),
            outage: Arc::clone(&settings.reachability.outage),
            metrics: settings.metrics.clone(),
        };
        let own = settings
            .own
            .get(&GroupVersionResource::of::<K>(&plan.types));
        if let Some(own) = own {
            let selectors = &mut plan.options.selectors;
            own.tweaks.iter().for_each(|tweak| tweak(selectors));
        }
        let resync = own.and_then(|own| own.resync).unwrap_or(settings.resync);
        SharedInformer::new(plan, resync, settings.patience)
    }

    /// Starts every requested informer that has not started yet. As in client-go, call it again
    /// after requesting more informers.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, which runs the informers' tasks.
    pub fn start(&self) {
        let runtime = Handle::current();
        for informer in self.running() {
            informer.start(&runtime);
        }
    }

    /// Waits until every informer has synced: its cache then has the complete initial list.
    /// Informers that were shut down individually before the call, or have been replaced, do not
    /// count. If an informer is shut down during the call, an error is returned.
    ///
    /// Connection errors, 429 and 5xx are retried, up to `sync_timeout`. A permanent failure (400,
    /// 401, 403, 404, 405, a response that is not a list or watch, an invalid request, a TLS
    /// failure) is returned once it has lasted for `sync_grace` during the call. The informers keep
    /// trying, so the wait may be repeated. Undecodable objects are not an error; the result counts
    /// them.
    ///
    /// # Errors
    ///
    /// See [`SyncError`]. Its text has a hint on how to fix a permanent failure; its source is the
    /// cause.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn wait_for_cache_sync(&self) -> Result<Synced, SyncError> {
        let informers = self.running();
        let waiting = informers.iter().map(|informer| informer.wait_synced());
        try_join_all(waiting).await?;
        let skipped = informers
            .iter()
            .map(|informer| (informer.resource().clone(), informer.skipped()));
        Ok(Synced::of(skipped))
    }

    /// Stops every informer. Waits until their tasks have ended, so until every handler has
    /// returned from its current call. Informers that are requested later are returned stopped.
    ///
    /// # Cancel safety
    ///
    /// The informers stop even if the future is dropped.
    pub fn shutdown(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut state = self.shared.informers.lock();
        state.is_shut_down = true;
        let informers = state.all();
        drop(state);
        informers.iter().for_each(|informer| informer.stop());
        let stopped = join_all(informers.iter().map(|informer| informer.wait_stopped()));
        async move {
            stopped.await;
        }
    }

    /// Returns the requested informers, except those that were shut down individually or replaced.
    /// After the shutdown of the factory, returns all informers that it holds, so that a wait for
    /// the sync fails instead of skipping them.
    fn running(&self) -> Vec<Arc<dyn Erased>> {
        let mut state = self.shared.informers.lock();
        let gone = state.remove_ended();
        let is_shut_down = state.is_shut_down;
        let mut informers = match is_shut_down {
            true => state.all(),
            false => state.latest(),
        };
        drop(state);
        drop(gone);
        informers.retain(|informer| is_shut_down || !informer.was_shut_down());
        informers
    }
}

impl Informers {
    /// Adds an informer, which replaces earlier informers with the same key. Then removes the
    /// informers that are no longer needed and have ended, and returns them; see
    /// [`remove_ended`](Self::remove_ended).
    #[must_use]
    fn add(&mut self, key: Key, informer: Arc<dyn Erased>) -> Vec<HeldInformer> {
        let of_key = self.informers.iter_mut().filter(|held| held.key == key);
        of_key.for_each(|held| held.is_replaced = true);
        let gone = self.remove_ended();
        self.informers.push(HeldInformer {
            key,
            informer,
            is_replaced: false,
        });
        gone
    }

    fn all(&self) -> Vec<Arc<dyn Erased>> {
        let informers = self.informers.iter();
        informers.map(|held| Arc::clone(&held.informer)).collect()
    }

    /// Returns the informers that have not been replaced.
    fn latest(&self) -> Vec<Arc<dyn Erased>> {
        let latest = self.informers.iter().filter(|held| !held.is_replaced);
        latest.map(|held| Arc::clone(&held.informer)).collect()
    }

    /// Returns the informer of `key`, or `None`. A stopped informer is returned only if the factory
    /// was shut down.
    fn usable<K: Object>(&self, key: &Key) -> Option<Arc<InformerInner<K>>> {
        let of_key = self.informers.iter().filter(|held| held.key == *key);
        of_key.rev().find_map(|held| {
            let informer = Arc::clone(&held.informer) as Arc<dyn Any + Send + Sync>;
            let inner = Arc::downcast::<InformerInner<K>>(informer).ok()?;
            (self.is_shut_down || !inner.core.is_stopped()).then_some(inner)
        })
    }

    /// Removes and returns the informers that were shut down individually or replaced, and have no
    /// running tasks. Removes none after the shutdown of the factory. Drop the result without the
    /// lock: dropping an informer may drop handlers, which are user code.
    #[must_use]
    fn remove_ended(&mut self) -> Vec<HeldInformer> {
        if self.is_shut_down {
            return Vec::new();
        }
        let has_ended = |held: &mut HeldInformer| {
            let is_unwanted = held.is_replaced || held.informer.was_shut_down();
            is_unwanted && held.informer.has_ended()
        };
        self.informers.extract_if(.., has_ended).collect()
    }
}

impl fmt::Debug for SharedInformerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let informers = self.shared.informers.lock().all();
        let resources = informers
            .iter()
            .map(|informer| informer.resource().to_string());
        f.debug_struct("SharedInformerFactory")
            .field("informers", &resources.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
