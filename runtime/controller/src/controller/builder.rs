//! [`Controller`]: a reconciler with its watches, sources and workers.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use genclient::cache::ObjectName;
use genclient::scheme::Object;
use genclient::sharding::{ShardBy, ShardKey, Shards};
use genclient::workqueue::RateLimiter;

use super::event_handler::{AnyKindSource, DeclaredSource, KindSource, ReconciledKind};
use super::metrics::ControllerMetrics;
use super::worker::{StartSource, Work, Worker};
use crate::cluster::{CachePurpose, Cluster, OwnCaches};
use crate::component::{Component, Task};
use crate::error::SetupError;
use crate::metrics::REFUSED_REQUESTS;
use crate::reconciler::{
    AnyReconciler, ByObject, IntoRequest, Reconciler, Request, RequestReconciler,
};
use crate::requests::{Admits, Requests};
use crate::setup::Setup;
use crate::sharding::Sharding;
use crate::source::Source;
use crate::watch::Watch;

/// A [`Reconciler`] with the watches and sources that trigger it.
///
/// ```no_run
/// # use std::sync::Arc;
/// use genclient_controller::{Context, Controller, Manager, Reconciler, Watch};
/// # use genclient_controller::{Action, Result, SetupError};
/// use k8s_openapi::api::apps::v1::Deployment;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// # struct Rollout;
/// # impl Reconciler for Rollout {
/// #     type Object = Deployment;
/// #     async fn reconcile(&self, _: Arc<Deployment>, _: &Context) -> Result {
/// #         Ok(Action::done())
/// #     }
/// # }
///
/// # fn example(manager: &mut Manager) -> Result<(), SetupError> {
/// manager.add(
///     Controller::new(Rollout)
///         .owns(Watch::<ConfigMap>::new())
///         .workers(4),
/// )?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a controller does nothing until it is added to a manager"]
pub struct Controller<Q> {
    name: String,
    reconciler: Arc<dyn AnyReconciler<Q>>,
    /// The reconciled kind, for logs and owner references.
    reconciled: Option<ReconciledKind>,
    watches: Vec<Box<dyn AnyKindSource<Q>>>,
    sources: Vec<StartSource<Q>>,
    settings: ControllerSettings<Q>,
    /// Completes a request that a watch enqueues: if the request names no cluster, it gets the
    /// cluster of the watch. Does nothing in controllers from [`for_requests`](Self::for_requests).
    place: fn(&mut Q, &Cluster),
    /// Returns the name of the cluster of a request.
    cluster_of: fn(&Q) -> &str,
    /// Returns namespace and name of a request, if it has them.
    name_of: fn(&Q) -> Option<&ObjectName>,
}

struct ControllerSettings<Q> {
    workers: Option<usize>,
    timeout: Option<Duration>,
    limiter: Option<Box<dyn RateLimiter<Q>>>,
    needs_leader: bool,
    field_manager: Option<Arc<str>>,
}

impl Controller<Request> {
    /// Creates a controller that reconciles every object of the reconciler's kind when it changes.
    /// The name of the controller is the kind in lower case.
    pub fn new(reconciler: impl Reconciler<Object: Object<DynamicType: Default>>) -> Self {
        Self::watching(Watch::new(), reconciler)
    }

    /// Like [`new`](Self::new), but only for the objects and changes that `watch` selects.
    pub fn watching<R: Reconciler>(watch: Watch<R::Object>, reconciler: R) -> Self {
        let types = watch.types.clone();
        let reconciled = ReconciledKind::from_watch(&watch);
        let controller = Self {
            name: reconciled.kind.to_lowercase(),
            reconciler: Arc::new(ByObject { reconciler, types }),
            reconciled: Some(reconciled),
            watches: Vec::new(),
            sources: Vec::new(),
            settings: ControllerSettings::default(),
            place: |request, cluster| {
                let (known, name) = (&mut request.cluster, cluster.name());
                if known.is_empty() && !name.is_empty() {
                    *known = name.into();
                }
            },
            cluster_of: |request| &request.cluster,
            name_of: |request| Some(&request.name),
        };
        controller.watches(watch, |object| [ObjectName::from_object(object)])
    }

    /// Watches a kind that the reconciled objects own. A change of an object enqueues its
    /// *controller* owner. If the change replaces this owner, the old and the new owner are
    /// enqueued.
    pub fn owns<K: Object>(self, watch: Watch<K>) -> Self {
        let Some(reconciled) = self.reconciled.clone() else {
            return self;
        };
        self.add_watch(watch, CachePurpose::Owned, move |object: &K| {
            reconciled.owner_of(object)
        })
    }
}

impl<Q: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static> Controller<Q> {
    /// Creates a controller of requests of any type. It watches nothing yet.
    pub fn for_requests(
        name: impl Into<String>,
        reconciler: impl RequestReconciler<Request = Q>,
    ) -> Self {
        Self {
            name: name.into(),
            reconciler: Arc::new(reconciler),
            reconciled: None,
            watches: Vec::new(),
            sources: Vec::new(),
            settings: ControllerSettings::default(),
            place: |_, _| {},
            cluster_of: |_| "",
            name_of: |_| None,
        }
    }

    /// Watches a kind. When an object changes, `map` is called with its old and with its new state.
    /// Each request that `map` returns is enqueued once. If `map` or its iterator panics, the panic
    /// is logged. Requests that the iterator has not yielded by then are lost until the object
    /// changes again or is resynced.
    pub fn watches<K: Object, I: IntoIterator<Item: IntoRequest<Q>>>(
        self,
        watch: Watch<K>,
        map: impl Fn(&K) -> I + Send + Sync + 'static,
    ) -> Self {
        self.add_watch(watch, CachePurpose::Reconciled, map)
    }

    fn add_watch<K: Object, I: IntoIterator<Item: IntoRequest<Q>>>(
        mut self,
        watch: Watch<K>,
        purpose: CachePurpose,
        map: impl Fn(&K) -> I + Send + Sync + 'static,
    ) -> Self {
        let map = move |object: &K, requests: &mut Vec<Q>| {
            requests.extend(map(object).into_iter().map(IntoRequest::into_request));
        };
        self.watches
            .push(Box::new(KindSource::new(watch, purpose, map)));
        self
    }

    /// Caches the objects of a kind, so that reconciles can read them. `watch` enqueues nothing. If
    /// the controller has another watch of the kind, that one still enqueues its requests.
    pub fn caches<K: Object>(mut self, watch: Watch<K>) -> Self {
        self.watches.push(Box::new(KindSource::only_cached(watch)));
        self
    }

    /// Adds a source of requests.
    pub fn source(mut self, source: impl Source<Q>) -> Self {
        self.sources
            .push(Box::new(|requests| source.run(requests).boxed()));
        self
    }

    /// Sets the name of the controller in logs and metrics. Default: the kind in lower case, or the
    /// name given to [`for_requests`](Self::for_requests).
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets how many reconciles may run at a time. Reconciles of the same request never overlap.
    /// Default: the manager's [setting](crate::ManagerBuilder::workers), which is 1 by default.
    pub fn workers(mut self, workers: usize) -> Self {
        self.settings.workers = Some(workers);
        self
    }

    /// Sets the timeout of one reconcile. A reconcile that takes longer is dropped, and counts as
    /// failed. Default: no timeout. Zero also means no timeout.
    pub fn reconcile_timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = Some(timeout).filter(|timeout| !timeout.is_zero());
        self
    }

    /// Sets the rate limiter of retries after failures. Default: a delay of 5 ms, which doubles
    /// with each failure, up to 1000 s.
    pub fn rate_limiter(mut self, limiter: impl RateLimiter<Q> + 'static) -> Self {
        self.settings.limiter = Some(Box::new(limiter));
        self
    }

    /// Sets the field manager of the controller's writes by [`Context::client`]. Default: the name
    /// of the [manager](crate::Manager::builder).
    ///
    /// Controllers that apply different fields of one object need different names. If the name of a
    /// controller changes, the old name still owns what was applied under it: see
    /// [`Client::with_field_manager`](crate::Client::with_field_manager).
    ///
    /// [`Context::client`]: crate::Context::client
    pub fn field_manager(mut self, name: impl Into<Arc<str>>) -> Self {
        self.settings.field_manager = Some(name.into());
        self
    }

    /// Runs the controller on every replica, whether it leads or not.
    pub fn on_every_replica(mut self) -> Self {
        self.settings.needs_leader = false;
        self
    }
}

impl<Q: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static> Component for Controller<Q> {
    fn set_up(mut self, setup: &Setup) -> Result<Task, SetupError> {
        let enqueues = self.watches.iter().any(|watch| watch.enqueues());
        if !enqueues && self.sources.is_empty() {
            return Err(SetupError::NothingToWatch(self.name));
        }
        let purposes: Vec<_> = self.watches.iter().map(|watch| watch.purpose()).collect();
        // Requests without a name are the leader's.
        let is_sharded = self.settings.needs_leader && self.reconciled.is_some();
        let shared = setup.sharding.as_ref().filter(|_| is_sharded);
        let declared = self.declare(setup, shared.map(|it| &it.shards))?;
        let caches = declared.iter().flat_map(|it| it.shard_caches.clone());
        let sharding = shared.map(|it| it.with_caches(caches));
        let counted = declared.first().map(|it| Arc::clone(&it.names));
        if let (Some(sharding), Some(names)) = (&sharding, &counted) {
            sharding.count(names);
            self.warn_of_one_shard(sharding.shards.shard_by());
        }
        let (handlers, caches): (Vec<_>, Vec<_>) = declared
            .into_iter()
            .map(|it| (it.add_handler, it.cache))
            .unzip();
        let own = OwnCaches::new(purposes.into_iter().zip(&caches));
        let workers = self.settings.workers.unwrap_or(setup.workers).max(1);
        let needs_leader = self.settings.needs_leader && sharding.is_none();
        let name = self.name.clone();
        let sources = std::mem::take(&mut self.sources);
        let worker = self.worker(setup, own, workers, sharding);
        let work = Work {
            handlers: handlers.into_iter().flatten().collect(),
            counted,
            sources,
            requests: worker.requests.clone(),
            worker: Arc::new(worker),
            workers,
        };
        let mut task = Task::new(name, |run| work.run(run));
        task.caches = caches;
        Ok(if needs_leader {
            task
        } else {
            task.on_every_replica()
        })
    }
}

impl<Q: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static> Controller<Q> {
    fn declare(
        &mut self,
        setup: &Setup,
        shards: Option<&Shards>,
    ) -> Result<Vec<DeclaredSource<Q>>, SetupError> {
        let watches = std::mem::take(&mut self.watches).into_iter().enumerate();
        let declare = |(position, watch): (usize, Box<dyn AnyKindSource<Q>>)| {
            let key = match (&self.reconciled, watch.purpose()) {
                // The watch of the reconciled kind is the first one.
                (Some(_), CachePurpose::Reconciled) if position == 0 => Some(ShardKey::Itself),
                (Some(reconciled), CachePurpose::Owned) => Some(reconciled.shard_key()),
                // Whether these objects matter to this replica is not known.
                _ => None,
            };
            let part = shards.cloned().zip(key);
            let declared = watch.declare(setup.own_cluster(), self.place, part);
            declared.map_err(|error| SetupError::Watch {
                controller: self.name.clone(),
                error,
            })
        };
        watches.map(declare).collect()
    }

    /// Logs that all objects of a cluster-scoped kind have the same namespace, which is empty.
    fn warn_of_one_shard(&self, shard_by: ShardBy) {
        let is_cluster_scoped = self
            .reconciled
            .as_ref()
            .is_some_and(|it| it.is_cluster_scoped);
        if is_cluster_scoped && shard_by == ShardBy::Namespace {
            let controller = &*self.name;
            tracing::warn!(
                controller,
                "one replica reconciles all objects, since the kind has no namespaces; share them by name"
            );
        }
    }

    fn worker(
        self,
        setup: &Setup,
        own: OwnCaches,
        workers: usize,
        sharding: Option<Sharding>,
    ) -> Worker<Q> {
        let metrics = setup.metrics();
        let name_of = self.name_of;
        let admits = sharding.clone().map(|sharding| -> Admits<Q> {
            let refused = metrics.counter(&REFUSED_REQUESTS, &[&self.name]);
            Box::new(move |request| {
                let is_own = name_of(request).is_none_or(|name| sharding.holds(name));
                if !is_own {
                    refused.inc();
                }
                is_own
            })
        });
        let limiter = self.settings.limiter;
        Worker {
            metrics: ControllerMetrics::new(&**metrics, &self.name, workers),
            requests: Requests::new(&self.name, limiter, admits, Arc::clone(metrics)),
            controller: self.name,
            reconciled: self.reconciled,
            reconciler: self.reconciler,
            setup: setup.clone(),
            own,
            timeout: self.settings.timeout,
            field_manager: self.settings.field_manager,
            cluster_of: self.cluster_of,
            name_of,
            sharding,
        }
    }
}

impl<Q> Default for ControllerSettings<Q> {
    fn default() -> Self {
        Self {
            workers: None,
            timeout: None,
            limiter: None,
            needs_leader: true,
            field_manager: None,
        }
    }
}

impl<Q> fmt::Debug for Controller<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller")
            .field("name", &self.name)
            .field("reconciled", &self.reconciled)
            .field("watches", &self.watches.len())
            .field("sources", &self.sources.len())
            .finish_non_exhaustive()
    }
}
