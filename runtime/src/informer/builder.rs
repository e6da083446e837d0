//! How a factory is made.

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

/// Makes a [`SharedInformerFactory`], or a generated factory `F` that wraps one.
#[must_use = "a builder does nothing until `build` is called"]
pub struct SharedInformerFactoryBuilder<F = SharedInformerFactory> {
    client: Client,
    settings: FactorySettings,
    factory: PhantomData<fn() -> F>,
}

impl SharedInformerFactory {
    /// A factory whose informers list and watch through `client`. See
    /// [`client::connect`](crate::client::connect) for what it should not do.
    pub fn builder(client: Client) -> SharedInformerFactoryBuilder {
        SharedInformerFactoryBuilder::new(client)
    }
}

impl<F: From<SharedInformerFactory>> SharedInformerFactoryBuilder<F> {
    /// A builder of a factory whose informers read through `client`.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            settings: FactorySettings::default(),
            factory: PhantomData,
        }
    }

    /// How often handlers are told of every cached object, unless they ask for another period. The default is never; less than a
    /// second is a second.
    pub fn resync(mut self, period: Duration) -> Self {
        self.settings.resync = period;
        self
    }

    /// Limits informers of namespaced kinds to one namespace, in which alone rights are needed then. Cluster scoped kinds are
    /// cached whole. The empty string is all namespaces, the default.
    pub fn namespace(self, namespace: &str) -> Self {
        self.namespaces([namespace])
    }

    /// As [`namespace`](Self::namespace), for several: one cache over one list and watch each.
    /// Without any, namespaced kinds are not cached at all, which is logged when their informers
    /// start.
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        let mut namespaces: Vec<String> = namespaces.into_iter().map(Into::into).collect();
        namespaces.sort();
        namespaces.dedup();
        // All of them, among others, is all of them.
        let is_all = namespaces.iter().any(String::is_empty);
        self.settings.namespaces = (!is_all).then_some(namespaces);
        self
    }

    /// Changes which objects the informers list and watch: client-go's `WithTweakListOptions`.
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

    /// As [`tweak_list_params`](Self::tweak_list_params), for the informer of one kind, on top of what applies to all:
    /// client-go's `NewFiltered…Informer`. It counts for whatever type the kind is read as.
    ///
    /// ```no_run
    /// # use genclient::informer::SharedInformerFactory;
    /// # use k8s_openapi::api::core::v1::{Event, Pod};
    /// # fn run(client: kube::Client) {
    /// let factory = SharedInformerFactory::builder(client)
    ///     .tweak_list_params_for::<Pod>(|pods| pods.fields = Some("spec.nodeName=worker-1".into()))
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

    /// As [`resync`](Self::resync), for the handlers of one kind: client-go's `WithCustomResyncConfig`.
    pub fn resync_for<K: Object<DynamicType: Default>>(mut self, period: Duration) -> Self {
        self.own::<K>().resync = Some(period);
        self
    }

    fn own<K: Object<DynamicType: Default>>(&mut self) -> &mut Own {
        let resource = GroupVersionResource::of::<K>(&K::DynamicType::default());
        self.settings.own.entry(resource).or_default()
    }

    /// Measures the informers under a name, which should be the program's: the metrics `informer_…` of
    /// [`metrics`](crate::metrics), of which `informer_queued_items` stays away, since nothing waits to get into the cache, and
    /// `reflector_…`, each reflector under a name such as `tasks/pods.v1.`, or `tasks/pods.v1./default` where namespaces were given. Not
    /// measured by default, nor with an empty name.
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

    /// Keeps `metadata.managedFields`, which is dropped by default: it is often half of an object, and nobody reads it.
    pub fn keep_managed_fields(mut self) -> Self {
        self.settings.options.keep_managed_fields = true;
        self
    }

    /// Drops the annotation `kubectl.kubernetes.io/last-applied-configuration`, in which `kubectl apply` keeps a whole object a second
    /// time. It is kept by default: an [`update`](crate::client::TypedClient::update) with an object from the cache would take it
    /// away from the API server, too, and with it what `kubectl apply` compares with. Patches are safe.
    pub fn drop_last_applied(mut self) -> Self {
        self.settings.options.drop_last_applied = true;
        self
    }

    /// Copies every object before it is cached into as little memory as holds it. Lists in objects leave room for more while they are
    /// read, most often for four items, so objects with many short lists, as Pods are, shrink; those without lists do not. The
    /// copy takes time for each object, so the default is not to make it.
    pub fn shrink_to_fit(mut self) -> Self {
        self.settings.options.shrink_to_fit = true;
        self
    }

    /// Whether the first state is streamed (WatchList) where the API server can do it. The default is `true`; the other way is a
    /// list in pages.
    pub fn watch_list(mut self, is_tried: bool) -> Self {
        self.settings.options.watch_list = is_tried;
        self
    }

    /// How many objects a list asks for at a time. The default is 500, where that does not keep the API server from answering from
    /// memory; a size given here is always asked for.
    pub fn page_size(mut self, objects: u32) -> Self {
        self.settings.options.page_size = Some(objects);
        self
    }

    /// How long a watch lasts, at least; each one lasts up to twice as long, by chance. The default, and the least, is 5 minutes.
    pub fn min_watch_timeout(mut self, timeout: Duration) -> Self {
        let least = Options::default().min_watch_timeout;
        self.settings.options.min_watch_timeout = timeout.clamp(least, FOR_EVER);
        self
    }

    /// How long a watch on which the API server fails (5xx, or a lost connection) is tried again before the state is listed
    /// anew: client-go's `MaxInternalErrorRetryDuration`. The default is 30 s; zero lists at the first failure.
    pub fn max_internal_error_retry(mut self, duration: Duration) -> Self {
        self.settings.options.max_internal_error_retry = duration;
        self
    }

    /// How long an answer that time rarely mends may persist before
    /// [`wait_for_cache_sync`](SharedInformerFactory::wait_for_cache_sync) fails, since that was called. The default is
    /// 10 s.
    pub fn sync_grace(mut self, grace: Duration) -> Self {
        self.settings.patience.grace = grace.min(FOR_EVER);
        self
    }

    /// How long [`wait_for_cache_sync`](SharedInformerFactory::wait_for_cache_sync) waits in all. The default is forever.
    pub fn sync_timeout(mut self, timeout: Duration) -> Self {
        self.settings.patience.timeout = Some(timeout.min(FOR_EVER));
        self
    }

    /// The factory. Nothing is sent before it is started.
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
