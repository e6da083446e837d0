//! Factory: the informers of a program, one per kind, and their settings.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{join_all, try_join_all};
use kube::Client;
use kube::core::{ClusterResourceScope, PartialObjectMeta};
use parking_lot::Mutex;
use tokio::runtime::Handle;

use super::generic::{AnyInformer, GenericInformer};
use super::shared::{InformerInner, InformerOptions, SharedInformer};
use super::status::{StopCause, SyncError, SyncTimeouts, Synced};
use crate::metrics::Provider;
use crate::reflector::{Outage, ReflectorOptions, Selectors};
use crate::scheme::{GroupVersionResource, Object};
use crate::sharding::{ShardKey, Shards};
use crate::time::FOR_EVER;

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
    informer: Arc<dyn AnyInformer>,
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

/// Builder of a [`SharedInformerFactory`], or of a generated factory `F` that wraps one.
#[must_use = "a builder does nothing until `build` is called"]
pub struct SharedInformerFactoryBuilder<F = SharedInformerFactory> {
    client: Client,
    settings: FactorySettings,
    factory: PhantomData<fn() -> F>,
}

/// Whether an API server can be reached, as its informers know it. Clones share this state.
///
/// Informers wait out an outage together and log it once: see [`informer`](crate::informer). By
/// default, these are the informers of one factory. Factories of the same API server can share the
/// state:
///
/// ```no_run
/// # use genclient::informer::{Reachability, SharedInformerFactory};
/// # fn run(client: kube::Client) {
/// let reachability = Reachability::new();
/// let [web, database] = ["app=web", "app=database"].map(|labels| {
///     SharedInformerFactory::builder(client.clone())
///         .reachability(&reachability)
///         .tweak_list_params(|selectors| selectors.labels = Some(labels.into()))
///         .build()
/// });
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Reachability {
    outage: Arc<Outage>,
}

struct FactorySettings {
    /// Sorted and deduplicated; `None` for all namespaces.
    namespaces: Option<Vec<String>>,
    options: ReflectorOptions,
    resync: Duration,
    timeouts: SyncTimeouts,
    reachability: Reachability,
    by_resource: BTreeMap<GroupVersionResource, ResourceSettings>,
    /// Name of the factory in metrics, and the metrics provider.
    metrics: Option<(String, Arc<dyn Provider>)>,
    shards: Option<(Shards, ShardKey)>,
}

/// Settings for one resource. The resync period overrides that of the factory.
#[derive(Default)]
struct ResourceSettings {
    /// Applied in order, after the factory's tweaks.
    tweaks: Vec<Tweak>,
    resync: Option<Duration>,
}

type Tweak = Arc<dyn Fn(&mut Selectors) + Send + Sync>;

// === impl SharedInformerFactory ===

impl SharedInformerFactory {
    /// Returns a builder of a factory whose informers list and watch through `client`. Create the
    /// client with [`client::connect`](crate::client::connect), which disables kube's own retries.
    pub fn builder(client: Client) -> SharedInformerFactoryBuilder {
        SharedInformerFactoryBuilder::new(client)
    }

    fn new(client: Client, settings: FactorySettings) -> Self {
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
        let mut options = InformerOptions {
            client: self.shared.client.clone(),
            types,
            namespaces,
            reflector: settings.options.clone(),
            outage: Arc::clone(&settings.reachability.outage),
            metrics: settings.metrics.clone(),
            shards: settings.shards.clone(),
        };
        let own = settings
            .by_resource
            .get(&GroupVersionResource::of::<K>(&options.types));
        if let Some(own) = own {
            let selectors = &mut options.reflector.selectors;
            own.tweaks.iter().for_each(|tweak| tweak(selectors));
        }
        let resync = own.and_then(|own| own.resync).unwrap_or(settings.resync);
        SharedInformer::new(options, resync, settings.timeouts)
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
        Ok(Synced::from_skipped(skipped))
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
        let informers = state.to_vec();
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
    fn running(&self) -> Vec<Arc<dyn AnyInformer>> {
        let mut state = self.shared.informers.lock();
        let gone = state.remove_ended();
        let is_shut_down = state.is_shut_down;
        let mut informers = if is_shut_down {
            state.to_vec()
        } else {
            state.latest()
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
    fn add(&mut self, key: Key, informer: Arc<dyn AnyInformer>) -> Vec<HeldInformer> {
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

    fn to_vec(&self) -> Vec<Arc<dyn AnyInformer>> {
        let informers = self.informers.iter();
        informers.map(|held| Arc::clone(&held.informer)).collect()
    }

    /// Returns the informers that have not been replaced.
    fn latest(&self) -> Vec<Arc<dyn AnyInformer>> {
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
        let informers = self.shared.informers.lock().to_vec();
        let resources = informers
            .iter()
            .map(|informer| informer.resource().to_string());
        f.debug_struct("SharedInformerFactory")
            .field("informers", &resources.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

// === impl SharedInformerFactoryBuilder ===

impl<F: From<SharedInformerFactory>> SharedInformerFactoryBuilder<F> {
    /// Returns a builder of a factory whose informers list and watch through `client`.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            settings: FactorySettings::default(),
            factory: PhantomData,
        }
    }

    /// Sets the default resync period of handlers: how often they receive every cached object.
    /// Zero, the default, disables resyncs. Any other period below a second becomes a second.
    pub fn resync(mut self, period: Duration) -> Self {
        self.settings.resync = period;
        self
    }

    /// Limits informers of namespaced kinds to one namespace, so that the program needs permissions
    /// only there. Cluster-scoped kinds are always cached completely. The empty string means all
    /// namespaces, the default.
    pub fn namespace(self, namespace: &str) -> Self {
        self.namespaces([namespace])
    }

    /// Like [`namespace`](Self::namespace), for several namespaces. Each namespace has its own list
    /// and watch; all of them fill one cache. If `namespaces` is empty, namespaced kinds are not
    /// cached, and their informers log a warning at the start.
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        let mut namespaces: Vec<String> = namespaces.into_iter().map(Into::into).collect();
        namespaces.sort();
        namespaces.dedup();
        // The empty string means all namespaces, so the others are redundant.
        let is_all = namespaces.iter().any(String::is_empty);
        self.settings.namespaces = (!is_all).then_some(namespaces);
        self
    }

    /// Changes the selectors of the informers' lists and watches: client-go's
    /// `WithTweakListOptions`.
    ///
    /// ```no_run
    /// # use genclient::informer::SharedInformerFactory;
    /// # fn run(client: kube::Client) {
    /// let factory = SharedInformerFactory::builder(client)
    ///     .tweak_list_params(|selectors| selectors.labels = Some("app=web".into()))
    ///     .build();
    /// # }
    /// ```
    pub fn tweak_list_params(mut self, tweak: impl FnOnce(&mut Selectors)) -> Self {
        tweak(&mut self.settings.options.selectors);
        self
    }

    /// Like [`tweak_list_params`](Self::tweak_list_params), for the informers of one kind:
    /// client-go's `NewFiltered…Informer`. The tweak is applied after the tweaks for all kinds. It
    /// also applies to informers that decode the kind into another Rust type.
    ///
    /// ```no_run
    /// # use genclient::informer::SharedInformerFactory;
    /// # use k8s_openapi::api::core::v1::{Event, Pod};
    /// # fn run(client: kube::Client) {
    /// let factory = SharedInformerFactory::builder(client)
    ///     .tweak_list_params_for::<Pod>(|pods| {
    ///         pods.fields = Some("spec.nodeName=worker-1".into())
    ///     })
    ///     .tweak_list_params_for::<Event>(|events| events.fields = Some("type=Warning".into()))
    ///     .build();
    /// # }
    /// ```
    pub fn tweak_list_params_for<K: Object<DynamicType: Default>>(
        mut self,
        tweak: impl Fn(&mut Selectors) + Send + Sync + 'static,
    ) -> Self {
        self.settings_for::<K>().tweaks.push(Arc::new(tweak));
        self
    }

    /// Like [`resync`](Self::resync), for the handlers of one kind: client-go's
    /// `WithCustomResyncConfig`.
    pub fn resync_for<K: Object<DynamicType: Default>>(mut self, period: Duration) -> Self {
        self.settings_for::<K>().resync = Some(period);
        self
    }

    fn settings_for<K: Object<DynamicType: Default>>(&mut self) -> &mut ResourceSettings {
        let resource = GroupVersionResource::of::<K>(&K::DynamicType::default());
        self.settings.by_resource.entry(resource).or_default()
    }

    /// Enables the metrics `informer_…` and `reflector_…` of [`metrics`](crate::metrics). `name`
    /// should be the name of the program.
    ///
    /// Metrics of informers are labelled with `name`, those of reflectors with a longer name, such
    /// as `tasks/deployments.v1.apps`, or `tasks/deployments.v1.apps/default` if namespaces are
    /// set. client-go's `informer_queued_items` has no counterpart, since changes go to the cache
    /// without a queue. Without this call, or with an empty name, informers have no metrics.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    /// use genclient::informer::SharedInformerFactory;
    /// use genclient::metrics::{NoMetrics, Provider};
    ///
    /// # fn run(client: kube::Client) {
    /// // In a program, a `genclient::metrics::prometheus::Registry` that it also serves.
    /// let provider: Arc<dyn Provider> = Arc::new(NoMetrics);
    /// let factory = SharedInformerFactory::builder(client).metrics("tasks", provider).build();
    /// # }
    /// ```
    pub fn metrics(mut self, name: impl Into<String>, provider: Arc<dyn Provider>) -> Self {
        let name = name.into();
        self.settings.metrics = (!name.is_empty()).then_some((name, provider));
        self
    }

    /// Caches only the objects of this replica, while [`shards`](crate::sharding) changes. `key`
    /// decides which replica has an object. Default: all objects.
    ///
    /// The API server leaves out the objects of other replicas if it can: if the replicas share the
    /// objects by namespace, and its feature gate `ShardedListAndWatch` is on. Otherwise they are
    /// skipped before they are decoded.
    ///
    /// When the replica gets objects, they are listed, and handlers receive them as additions. When
    /// it loses objects, they leave the cache without an event. The cache is synced without objects
    /// while the replica has none. Sharding needs the permission to list.
    pub fn shards(mut self, shards: &Shards, key: ShardKey) -> Self {
        self.settings.shards = Some((shards.clone(), key));
        self
    }

    /// Shares the state of the connection with other factories of the same API server. Their
    /// informers wait out an outage together, and log it once. By default, a factory has a state of
    /// its own.
    pub fn reachability(mut self, shared: &Reachability) -> Self {
        self.settings.reachability = shared.clone();
        self
    }

    /// Keeps `metadata.managedFields`. By default they are dropped, since they are often half of an
    /// object and rarely used.
    pub fn keep_managed_fields(mut self) -> Self {
        self.settings.options.keep_managed_fields = true;
        self
    }

    /// Drops the annotation `kubectl.kubernetes.io/last-applied-configuration`, in which
    /// `kubectl apply` stores a second copy of the object.
    ///
    /// By default the annotation is kept, since `kubectl apply` needs it. If it is dropped, an
    /// [`update`](crate::client::TypedClient::update) with an object from the cache also removes
    /// the annotation on the API server. A patch does not.
    pub fn drop_last_applied(mut self) -> Self {
        self.settings.options.drop_last_applied = true;
        self
    }

    /// Copies every object before it is cached, which frees unused memory. Off by default, since
    /// copies take time. A decoded vector often has capacity for four items even if it holds one.
    /// So the copies save most for objects with many short lists, such as Pods.
    pub fn shrink_to_fit(mut self) -> Self {
        self.settings.options.shrink_to_fit = true;
        self
    }

    /// Sets whether the initial list is streamed (WatchList) if the API server supports it. The
    /// default is `true`. With `false`, the reflector lists instead.
    pub fn watch_list(mut self, is_tried: bool) -> Self {
        self.settings.options.watch_list = is_tried;
        self
    }

    /// Sets the number of objects in one page of a list. By default, pages have 500 objects, and
    /// lists that the API server can answer from its watch cache have no pages. A size that is set
    /// here applies to every list.
    pub fn page_size(mut self, objects: u32) -> Self {
        self.settings.options.page_size = Some(objects);
        self
    }

    /// Sets the minimum duration of a watch. Each watch lasts a random time between this duration
    /// and twice this duration. The default is 5 minutes; shorter durations become 5 minutes.
    pub fn min_watch_timeout(mut self, timeout: Duration) -> Self {
        let least = ReflectorOptions::default().min_watch_timeout;
        self.settings.options.min_watch_timeout = timeout.clamp(least, FOR_EVER);
        self
    }

    /// Sets how long a failing watch (5xx, or a lost connection) is retried before the reflector
    /// relists: client-go's `MaxInternalErrorRetryDuration`. The default is 30 s. With zero, the
    /// reflector relists after the first failure.
    pub fn max_internal_error_retry(mut self, duration: Duration) -> Self {
        self.settings.options.max_internal_error_retry = duration;
        self
    }

    /// Sets how long a permanent failure, such as 403, must last before
    /// [`wait_for_cache_sync`](SharedInformerFactory::wait_for_cache_sync) returns it. Time before
    /// that call does not count. The default is 10 s.
    pub fn sync_grace(mut self, grace: Duration) -> Self {
        self.settings.timeouts.grace = grace.min(FOR_EVER);
        self
    }

    /// Sets the timeout of [`wait_for_cache_sync`](SharedInformerFactory::wait_for_cache_sync). The
    /// default is to wait forever.
    pub fn sync_timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeouts.timeout = Some(timeout.min(FOR_EVER));
        self
    }

    /// Builds the factory, which sends no requests before its start.
    #[must_use]
    pub fn build(self) -> F {
        SharedInformerFactory::new(self.client, self.settings).into()
    }
}

impl<F> fmt::Debug for SharedInformerFactoryBuilder<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformerFactoryBuilder")
            .field("namespaces", &self.settings.namespaces)
            .field("options", &self.settings.options)
            .finish_non_exhaustive()
    }
}

// === impl Reachability ===

impl Reachability {
    /// Returns the state of an API server that is assumed to be reachable.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns `false` from the first list or watch that could not reach the API server until the
    /// server answers again. A server that answers only with 401, 403, 429 or 5xx counts as
    /// reachable 30 s after the first of these answers.
    #[must_use]
    pub fn is_reachable(&self) -> bool {
        !self.outage.is_going_on()
    }
}

impl Default for FactorySettings {
    fn default() -> Self {
        Self {
            namespaces: None,
            options: ReflectorOptions::default(),
            resync: Duration::ZERO,
            timeouts: SyncTimeouts {
                grace: Duration::from_secs(10),
                timeout: None,
            },
            reachability: Reachability::new(),
            by_resource: BTreeMap::new(),
            metrics: None,
            shards: None,
        }
    }
}
