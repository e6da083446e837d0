//! [`Core`]: the state that the handles, reflectors and handlers of one informer share.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::Waker;

use futures::future::BoxFuture;
use kube::{Client, Resource};
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::error::{AlreadyStartedError, StopCause};
use super::meter::InformerMeter;
use super::queue::Queues;
use super::status::Status;
use crate::cache::{Indexer, ObjectName, Store};
use crate::metrics::Provider;
use crate::object_ref::ObjectRef;
use crate::reflector::{ListWatchError, Options, Outage, Skipped, Transform};
use crate::scheme::{GroupVersionResource, Object};
use crate::sync::Mutex;

/// State shared by the handles, reflectors and handlers of one informer. Tasks of reflectors hold
/// the core, so the core must not hold these tasks: [`TaskTracker`] only counts them.
pub(super) struct Core<K: Resource> {
    pub(super) resource: GroupVersionResource,
    pub(super) indexer: Indexer<K>,
    pub(super) status: watch::Sender<Status>,
    /// Cancelled when the informer stops. Every task then ends.
    pub(super) stop: CancellationToken,
    pub(super) tasks: TaskTracker,
    /// Notified after each list, change and bookmark, for callers that wait for a resource version.
    pub(super) progress: Notify,
    pub(super) meter: Option<InformerMeter>,
    pub(super) plan: Plan<K>,
    /// Held while the cache changes and the event is enqueued, so that a handler that is added at
    /// the same time receives each event exactly once. The lock is not held across an await, nor
    /// while a handler, waker or metrics provider is called or dropped. Index functions and metric
    /// instruments are called under the lock.
    pub(super) state: Mutex<CoreState<K>>,
}

pub(super) struct CoreState<K: Resource> {
    pub(super) store: Store<K>,
    pub(super) queues: Queues<K>,
    /// Tasks of the handlers of an informer that has not started, by handler id.
    pub(super) waiting: Vec<(u64, BoxFuture<'static, ()>)>,
    /// Tokio runtime of the tasks, or `None` until the informer starts.
    pub(super) runtime: Option<Handle>,
    pub(super) scopes: Vec<Scope>,
    /// Objects that currently cannot be decoded.
    pub(super) skipped: BTreeMap<ObjectName, Skipped>,
    pub(super) transform: Option<Transform<K>>,
    pub(super) on_error: Option<OnError>,
}

/// Fixed settings of an informer: client, kind, namespaces, and options of its reflectors.
pub(super) struct Plan<K: Resource> {
    pub(super) client: Client,
    pub(super) types: K::DynamicType,
    /// Namespaces, with one reflector each; `None` means all namespaces.
    pub(super) namespaces: Vec<Option<String>>,
    pub(super) options: Options,
    /// Outage state, shared by all informers of the API server.
    pub(super) outage: Arc<Outage>,
    /// Name of the factory in metrics, and the metrics provider.
    pub(super) metrics: Option<(String, Arc<dyn Provider>)>,
}

/// Callback of
/// [`SharedInformer::set_watch_error_handler`](super::SharedInformer::set_watch_error_handler).
pub(super) type OnError = Arc<dyn Fn(&ListWatchError) + Send + Sync>;

/// Namespace of one reflector, and its progress.
pub(super) struct Scope {
    pub(super) namespace: Option<String>,
    /// Whether the cache has the first list of this scope.
    pub(super) is_synced: bool,
    pub(super) resource_version: String,
    /// When the last list was requested that showed that resource versions had gone back.
    pub(super) restored: Option<Instant>,
}

impl<K: Object> Core<K> {
    pub(super) fn new(plan: Plan<K>) -> Self {
        let store = Store::new();
        let scopes = plan.namespaces.iter().map(|namespace| Scope {
            namespace: namespace.clone(),
            is_synced: false,
            resource_version: String::new(),
            restored: None,
        });
        let resource = GroupVersionResource::of::<K>(&plan.types);
        let metrics = plan.metrics.as_ref();
        Self {
            meter: metrics.map(|(name, provider)| InformerMeter::new(name, provider, &resource)),
            resource,
            indexer: store.indexer(),
            status: watch::Sender::new(Status::new(plan.namespaces.clone())),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
            progress: Notify::new(),
            state: Mutex::new(CoreState {
                store,
                queues: Queues::new(),
                waiting: Vec::new(),
                runtime: None,
                scopes: scopes.collect(),
                skipped: BTreeMap::new(),
                transform: None,
                on_error: None,
            }),
            plan,
        }
    }

    /// Changes settings of an informer that has neither started nor stopped. The closure returns
    /// the replaced values, so that the caller drops them after the lock is released.
    pub(super) fn configure<T>(
        &self,
        configure: impl FnOnce(&mut CoreState<K>) -> T,
    ) -> Result<T, AlreadyStartedError> {
        let mut state = self.state.lock();
        if state.runtime.is_some() || self.is_stopped() {
            return Err(AlreadyStartedError {
                resource: self.resource.clone(),
            });
        }
        Ok(configure(&mut state))
    }

    /// Marks the initial list as complete, first in the status, then in the queues of handlers.
    pub(super) fn synced(&self) {
        self.status.send_if_modified(Status::synced);
        let woken = self.state.lock().queues.synced();
        woken.into_iter().for_each(Waker::wake);
    }

    /// Returns [`CoreState::oldest_version`], or `None` before the informer has synced.
    pub(super) fn resource_version(&self) -> Option<String> {
        let state = self.state.lock();
        let version = state.oldest_version().filter(|_| state.is_synced());
        version.map(str::to_owned)
    }

    /// Returns a reference to an object of this resource, to be logged.
    pub(super) fn object_ref<'a>(&'a self, name: &'a ObjectName) -> ObjectRef<'a, K> {
        ObjectRef {
            types: &self.plan.types,
            name,
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }
}

impl<K: Resource> CoreState<K> {
    /// Whether the cache has the first list of every scope.
    pub(super) fn is_synced(&self) -> bool {
        self.scopes.iter().all(|scope| scope.is_synced)
    }

    /// Returns the resource version up to which the cache is complete: the oldest version of its
    /// scopes. It is empty until every scope has its first list. Returns `None` if there are no
    /// scopes.
    pub(super) fn oldest_version(&self) -> Option<&str> {
        let versions = self.scopes.iter().map(|scope| &*scope.resource_version);
        // Resource versions are decimal numbers, so a shorter version is smaller than a longer one.
        versions.min_by_key(|version| (version.len(), *version))
    }
}

impl<K: Resource> Core<K> {
    /// Stops the informer: every task ends at its next await. Calls after the first do nothing.
    pub(super) fn stop(&self, cause: StopCause) {
        self.stop.cancel();
        self.tasks.close();
        let mut state = self.state.lock();
        let queues = state.queues.close();
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        // Without the lock: handlers and wakers are user code, and may drop registrations of this
        // informer, which takes the lock.
        queues.for_each(|queue| queue.close());
        drop(waiting);
        let stops = |status: &mut Status| status.stop(&cause);
        let is_failure = !matches!(cause, StopCause::Shutdown);
        if self.status.send_if_modified(stops) && is_failure {
            tracing::error!(resource = %self.resource, %cause, "informer stopped");
        }
    }
}
