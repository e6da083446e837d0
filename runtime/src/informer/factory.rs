//! [`SharedInformerFactory`]: the informers of a program.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

use futures::future::{join_all, try_join_all};
use kube::Client;
use kube::core::{ClusterResourceScope, PartialObjectMeta};
use parking_lot::Mutex;
use tokio::runtime::Handle;

use super::error::{StopCause, SyncError};
use super::generic::{Erased, GenericInformer};
use super::hub::Plan;
use super::settings::FactorySettings;
use super::shared::{InformerInner, SharedInformer};
use super::sync::Synced;
use crate::reflector::Outage;
use crate::scheme::{GroupVersionResource, Object};

/// Makes one informer per kind, and owns them. A handle: clones are the same factory.
///
/// Generated factories wrap it, and so share its start, sync and shutdown with informers of other kinds.
///
/// Dropping the last handle of the factory stops the informers that nobody else has a handle of; listers alone keep none running.
#[derive(Clone)]
pub struct SharedInformerFactory {
    shared: Arc<FactoryInner>,
}

struct FactoryInner {
    client: Client,
    settings: FactorySettings,
    /// Every informer reads from one API server.
    outage: Arc<Outage>,
    informers: Mutex<Informers>,
}

#[derive(Default)]
struct Informers {
    /// In the order in which they were asked for.
    informers: Vec<(Key, Arc<dyn Erased>)>,
    is_shut_down: bool,
}

/// Dynamic kinds share a type, and a kind may be read as several types.
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
                outage: Arc::default(),
                informers: Mutex::default(),
            }),
        }
    }

    /// The connection that informers list and watch through.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// The informer of `K`, the same one every time. It does nothing before [`start`](Self::start) is called after this.
    ///
    /// An informer that was [stopped](SharedInformer::shutdown) by itself gives way to a new one
    /// here, which starts like any other: so that a kind whose definition came and went can be
    /// cached again. Handlers, indices and listers of the old one stay with it. The factory keeps
    /// no informer that was shut down and has ended.
    pub fn informer_for<K: Object<DynamicType: Default>>(&self) -> SharedInformer<K> {
        self.informer_for_with(K::DynamicType::default())
    }

    /// The informer of a kind that is described by a value, such as that of [`DynamicObject`](kube::core::DynamicObject). In a
    /// factory of some namespaces, the kind is taken to be namespaced, unless its type says otherwise.
    pub fn informer_for_with<K: Object>(&self, types: K::DynamicType) -> SharedInformer<K> {
        let is_cluster_scoped = TypeId::of::<K::Scope>() == TypeId::of::<ClusterResourceScope>();
        self.informer(types, is_cluster_scoped)
    }

    /// As [`informer_for_with`](Self::informer_for_with), of a cluster scoped kind.
    pub fn cluster_informer_for_with<K: Object>(&self, types: K::DynamicType) -> SharedInformer<K> {
        self.informer(types, true)
    }

    /// The informer of the metadata of `K`'s objects, the same one every time, beside that of the whole objects: client-go's
    /// `metadatainformer`. The API server sends nothing else of them (`PartialObjectMetadata`), which is all that an owner lookup or
    /// a garbage collector needs. Patches of metadata can be made from what it caches; updates cannot.
    ///
    /// ```no_run
    /// # use genclient::informer::{Handlers, SharedInformerFactory};
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # fn run(factory: &SharedInformerFactory) -> Result<(), Box<dyn std::error::Error>> {
    /// let secrets = factory.metadata_informer_for::<Secret>();
    /// let registration = secrets.add_handler(Handlers::new().on_delete(|secret| println!("{} is gone", secret.name())))?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn metadata_informer_for<K: Object<DynamicType: Default>>(
        &self,
    ) -> SharedInformer<PartialObjectMeta<K>> {
        self.informer_for()
    }

    /// As [`metadata_informer_for`](Self::metadata_informer_for), of a kind that is described by a value; see
    /// [`informer_for_with`](Self::informer_for_with).
    pub fn metadata_informer_for_with<K: Object>(
        &self,
        types: K::DynamicType,
    ) -> SharedInformer<PartialObjectMeta<K>> {
        self.informer_for_with(types)
    }

    /// The informer of `K`, without its type, if `resource` is what `K` is served as. For code that learns kinds at run time.
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
        // Without the lock: it calls tweaks and the metrics provider, which are user code.
        let informer = self.new_informer(types, is_cluster_scoped);
        let mut state = self.shared.informers.lock();
        // Somebody else may have asked for the same one meanwhile.
        if let Some(inner) = state.usable::<K>(&key) {
            return SharedInformer { inner };
        }
        let is_shut_down = state.is_shut_down;
        let gone = state.forget_those_that_ended();
        state
            .informers
            .push((key, Arc::clone(&informer.inner) as _));
        drop(state);
        if is_shut_down {
            informer.inner.hub.stop(StopCause::Shutdown);
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
            outage: Arc::clone(&self.shared.outage),
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

    /// Starts every informer that was asked for and has not started. To be called again after more were asked for, as in
    /// client-go.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, which the informers' tasks belong to.
    pub fn start(&self) {
        let runtime = Handle::current();
        for informer in self.running() {
            informer.start(&runtime);
        }
    }

    /// Waits until every informer has synced: until everything that was there at first is in the
    /// caches. One that was shut down by itself before is not waited for; one that is shut down
    /// meanwhile fails it.
    ///
    /// Connection errors, 429 and 5xx are retried, up to `sync_timeout`. A permanent failure (400,
    /// 401, 403, 404, 405, an answer that is not a list, a certificate that is not accepted) is
    /// returned once it has lasted for `sync_grace` since the call. The informers try on all the
    /// same, so this may be called again. Objects that cannot be read do not fail it: the result
    /// counts them.
    ///
    /// # Errors
    ///
    /// See [`SyncError`], whose text says what to do and whose source says what happened.
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

    /// Stops every informer, those to come included, and waits until none of their tasks is left: until handlers have returned
    /// from the call that they are in.
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

    /// The informers that were asked for, without those that were shut down by themselves.
    fn running(&self) -> Vec<Arc<dyn Erased>> {
        let mut state = self.shared.informers.lock();
        let gone = state.forget_those_that_ended();
        let is_shut_down = state.is_shut_down;
        let mut informers = state.all();
        drop(state);
        drop(gone);
        informers.retain(|informer| is_shut_down || !informer.was_shut_down());
        informers
    }
}

impl Informers {
    fn all(&self) -> Vec<Arc<dyn Erased>> {
        let informers = self.informers.iter();
        informers
            .map(|(_, informer)| Arc::clone(informer))
            .collect()
    }

    /// The informer of that key, unless it was stopped by itself.
    fn usable<K: Object>(&self, key: &Key) -> Option<Arc<InformerInner<K>>> {
        let of_key = self.informers.iter().filter(|(known, _)| known == key);
        of_key.rev().find_map(|(_, informer)| {
            let informer = Arc::clone(informer) as Arc<dyn Any + Send + Sync>;
            let inner = Arc::downcast::<InformerInner<K>>(informer).ok()?;
            (self.is_shut_down || !inner.hub.is_stopped()).then_some(inner)
        })
    }

    /// Takes out the informers that were shut down by themselves and have no task left. They may be
    /// the last handles, and their handlers are user code: to be dropped without the lock.
    #[must_use]
    fn forget_those_that_ended(&mut self) -> Vec<(Key, Arc<dyn Erased>)> {
        if self.is_shut_down {
            return Vec::new();
        }
        let has_ended = |(_, informer): &mut (Key, Arc<dyn Erased>)| {
            informer.was_shut_down() && informer.has_ended()
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
