//! Builder of a [`SharedInformerFactory`].

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;

use super::factory::SharedInformerFactory;
use super::settings::{FactorySettings, Own};
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
    /// Returns a builder of a factory whose informers list and watch through `client`. Make the
    /// client with [`client::connect`](crate::client::connect), which turns off kube's own retries.
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

    /// Sets the resync period of handlers that do not set their own: how often they receive every
    /// cached object. The default is never. A period below a second becomes a second.
    pub fn resync(mut self, period: Duration) -> Self {
        self.settings.resync = period;
        self
    }

    /// Limits informers of namespaced kinds to one namespace, so that permissions are needed there
    /// only. Cluster-scoped kinds are cached as a whole. The empty string means all namespaces, the
    /// default.
    pub fn namespace(self, namespace: &str) -> Self {
        self.namespaces([namespace])
    }

    /// Like [`namespace`](Self::namespace), for several namespaces: one cache, filled by one list
    /// and watch for each. Without any namespace, namespaced kinds are not cached at all, which is
    /// logged when their informers start.
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        let mut namespaces: Vec<String> = namespaces.into_iter().map(Into::into).collect();
        namespaces.sort();
        namespaces.dedup();
        // The empty string includes every other namespace.
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

    /// Like [`tweak_list_params`](Self::tweak_list_params), for the informer of one kind, after the
    /// tweaks for all kinds: client-go's `NewFiltered…Informer`. It applies to every Rust type
    /// that the kind is read as.
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

    fn own<K: Object<DynamicType: Default>>(&mut self) -> &mut Own {
        let resource = GroupVersionResource::of::<K>(&K::DynamicType::default());
        self.settings.own.entry(resource).or_default()
    }

    /// Measures the informers under `name`, which should be the program's: the metrics
    /// `informer_…` and `reflector_…` of [`metrics`](crate::metrics).
    ///
    /// `informer_queued_items` is left out, since nothing waits to get into the cache. Each
    /// reflector has a name such as `tasks/pods.v1.`, or `tasks/pods.v1./default` if namespaces are
    /// given. Informers are not measured by default, nor with an empty name.
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

    /// Keeps `metadata.managedFields`. It is dropped by default: it is often half of an object, and
    /// nobody reads it.
    pub fn keep_managed_fields(mut self) -> Self {
        self.settings.options.keep_managed_fields = true;
        self
    }

    /// Drops the annotation `kubectl.kubernetes.io/last-applied-configuration`, in which
    /// `kubectl apply` stores a second copy of the object.
    ///
    /// It is kept by default: an [`update`](crate::client::TypedClient::update) with an object from
    /// the cache would also remove it from the API server, and `kubectl apply` needs it for its
    /// comparison. Patches are safe.
    pub fn drop_last_applied(mut self) -> Self {
        self.settings.options.drop_last_applied = true;
        self
    }

    /// Copies every object before it is cached, so that it takes as little memory as possible.
    /// Decoding leaves spare capacity in lists, most often for four items. Objects with many short
    /// lists, such as Pods, shrink; those without lists do not. Off by default, since the copy
    /// takes time for each object.
    pub fn shrink_to_fit(mut self) -> Self {
        self.settings.options.shrink_to_fit = true;
        self
    }

    /// Sets whether the initial state is streamed (WatchList) if the API server supports it. The
    /// default is `true`; the alternative is a list in pages.
    pub fn watch_list(mut self, is_tried: bool) -> Self {
        self.settings.options.watch_list = is_tried;
        self
    }

    /// Sets the number of objects in one page of a list. The default is 500, unless paging would
    /// keep the API server from answering from its watch cache. A size that is set here is always
    /// requested.
    pub fn page_size(mut self, objects: u32) -> Self {
        self.settings.options.page_size = Some(objects);
        self
    }

    /// Sets the minimum duration of a watch; each watch lasts up to twice as long, at random. The
    /// default, and the least value, is 5 minutes.
    pub fn min_watch_timeout(mut self, timeout: Duration) -> Self {
        let least = Options::default().min_watch_timeout;
        self.settings.options.min_watch_timeout = timeout.clamp(least, FOR_EVER);
        self
    }

    /// Sets how long a failing watch (5xx, or a lost connection) is retried before the reflector
    /// relists: client-go's `MaxInternalErrorRetryDuration`. The default is 30 s; zero relists
    /// after the first failure.
    pub fn max_internal_error_retry(mut self, duration: Duration) -> Self {
        self.settings.options.max_internal_error_retry = duration;
        self
    }

    /// Sets how long a permanent failure may persist before
    /// [`wait_for_cache_sync`](SharedInformerFactory::wait_for_cache_sync) fails, counted from that
    /// call. The default is 10 s.
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

    /// Builds the factory. Nothing is sent before it is started.
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
