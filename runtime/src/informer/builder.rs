//! Builder of a [`SharedInformerFactory`].

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;

use super::factory::SharedInformerFactory;
use super::reachability::Reachability;
use super::settings::{FactorySettings, ResourceSettings};
use crate::metrics::Provider;
use crate::reflector::{Options, Selectors};
use crate::scheme::{GroupVersionResource, Object};
use crate::time::FOR_EVER;

/// Builder of a [`SharedInformerFactory`], or of a generated factory `F` that wraps one.
#[must_use = "a builder does nothing until `build` is called"]
pub struct SharedInformerFactoryBuilder<F = SharedInformerFactory> {
    client: Client,
    settings: FactorySettings,
    factory: PhantomData<fn() -> F>,
}

impl SharedInformerFactory {
    /// Returns a builder of a factory whose informers list and watch through `client`. Create the
    /// client with [`client::connect`](crate::client::connect), which disables kube's own retries.
    pub fn builder(client: Client) -> SharedInformerFactoryBuilder {
        SharedInformerFactoryBuilder::new(client)
    }
}

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
        self.own::<K>().tweaks.push(Arc::new(tweak));
        self
    }

    /// Like [`resync`](Self::resync), for the handlers of one kind: client-go's
    /// `WithCustomResyncConfig`.
    pub fn resync_for<K: Object<DynamicType: Default>>(mut self, period: Duration) -> Self {
        self.own::<K>().resync = Some(period);
        self
    }

    fn own<K: Object<DynamicType: Default>>(&mut self) -> &mut ResourceSettings {
        let resource = GroupVersionResource::of::<K>(&K::DynamicType::default());
        self.settings.own.entry(resource).or_default()
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
        let least = Options::default().min_watch_timeout;
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
        self.settings.patience.grace = grace.min(FOR_EVER);
        self
    }

    /// Sets the timeout of [`wait_for_cache_sync`](SharedInformerFactory::wait_for_cache_sync). The
    /// default is to wait forever.
    pub fn sync_timeout(mut self, timeout: Duration) -> Self {
        self.settings.patience.timeout = Some(timeout.min(FOR_EVER));
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
