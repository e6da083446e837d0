//! Shared informer: the handle, its shared state under one lock, start and stop.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::{Client, Resource};
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::event::Event;
use super::metrics::InformerMetrics;
use super::processor::{ListenerQueue, Mark, Processor};
use super::status::{Status, StopCause, SyncError, SyncTimeouts, Synced, wait};
use super::store::InformerStore;
use crate::cache::{IndexConflictError, IndexFunc, Indexer, ObjectName};
use crate::lister::Lister;
use crate::metrics::Provider;
use crate::object_ref::ObjectRef;
use crate::panics::panic_message;
use crate::reflector::{
    ListWatchError, Listed, Outage, ReflectedShards, Reflector, ReflectorMetrics, ReflectorOptions,
    ReflectorStore, ShardFilter, Skipped, Transform, WatchEvent,
};
use crate::scheme::{GroupVersionResource, Object};
use crate::sharding::{ShardKey, Shards};
use crate::sync::Mutex;

/// Handle of an informer, which caches one kind for its listers, handlers and subscribers.
///
/// Clones of this handle share one informer. Dropping the last handle stops the informer. The
/// factory holds a handle, too.
pub struct SharedInformer<K: Object> {
    pub(super) inner: Arc<InformerInner<K>>,
}

/// Owner of the informer's tasks. Tasks hold the core but not the owner, so dropping the owner
/// stops the tasks.
pub(super) struct InformerInner<K: Object> {
    pub(super) core: Arc<Core<K>>,
    /// Resync period of handlers that do not set their own.
    pub(super) resync: Duration,
    timeouts: SyncTimeouts,
}

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
    pub(super) metrics: Option<InformerMetrics>,
    pub(super) options: InformerOptions<K>,
    /// Numbers of the reflectors' parts; empty without sharding.
    shard_caches: Vec<u64>,
    /// Held while the cache changes and the event is enqueued, so that a handler that is added at
    /// the same time receives each event exactly once. The lock is not held across an await, nor
    /// while a handler, waker or metrics provider is called or dropped. Index functions and metric
    /// instruments are called under the lock.
    state: Mutex<CoreState<K>>,
}

struct CoreState<K: Resource> {
    store: InformerStore<K>,
    processor: Processor<K>,
    /// Tasks of the handlers of an informer that has not started, by handler id.
    waiting: Vec<(u64, BoxFuture<'static, ()>)>,
    /// Tokio runtime of the tasks, or `None` until the informer starts.
    runtime: Option<Handle>,
    transform: Option<Transform<K>>,
    on_error: Option<OnError>,
    /// The parts that the reflectors mirror, one for each, until the informer starts. Empty without
    /// sharding.
    shards: VecDeque<ReflectedShards>,
}

/// Fixed settings of an informer: client, kind, namespaces, and options of its reflectors.
pub(super) struct InformerOptions<K: Resource> {
    pub(super) client: Client,
    pub(super) types: K::DynamicType,
    /// Namespaces, with one reflector each; `None` means all namespaces.
    pub(super) namespaces: Vec<Option<String>>,
    pub(super) reflector: ReflectorOptions,
    /// Outage state, shared by all informers of the API server.
    pub(super) outage: Arc<Outage>,
    /// Name of the factory in metrics, and the metrics provider.
    pub(super) metrics: Option<(String, Arc<dyn Provider>)>,
    /// The shards of this replica, if it caches no other objects, and the key that decides.
    pub(super) shards: Option<(Shards, ShardKey)>,
}

/// Callback of [`SharedInformer::set_watch_error_handler`].
pub(super) type OnError = Arc<dyn Fn(&ListWatchError) + Send + Sync>;

/// [`ReflectorStore`] of one reflector, which covers one namespace or all of them.
struct ScopeStore<K: Object> {
    core: Arc<Core<K>>,
    scope: usize,
}

/// Guard of a reflector's task: stops the informer when the task ends or is dropped. Otherwise the
/// cache would look synced although it is no longer updated.
struct StopOnDrop<K: Resource>(Arc<Core<K>>);

/// Error of [`SharedInformer::add_handler`](super::SharedInformer::add_handler): the informer has
/// stopped, and cannot be restarted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the handler was not added to the informer of {resource} because it has stopped already")]
#[non_exhaustive]
pub struct StoppedError {
    /// The resource of the informer.
    pub resource: GroupVersionResource,
}

/// Error of setters, such as [`set_transform`](super::SharedInformer::set_transform): the informer
/// has already started or stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the informer of {resource} has already started or stopped")]
#[non_exhaustive]
pub struct AlreadyStartedError {
    /// The resource of the informer.
    pub resource: GroupVersionResource,
}

// === impl SharedInformer ===

impl<K: Object> SharedInformer<K> {
    pub(super) fn new(
        options: InformerOptions<K>,
        resync: Duration,
        timeouts: SyncTimeouts,
    ) -> Self {
        Self {
            inner: Arc::new(InformerInner {
                core: Arc::new(Core::new(options)),
                resync,
                timeouts,
            }),
        }
    }

    /// Returns the cache. It stays readable after the informer has stopped.
    #[must_use]
    pub fn indexer(&self) -> Indexer<K> {
        self.inner.core.indexer.clone()
    }

    /// Returns a lister of the cache.
    #[must_use]
    pub fn lister(&self) -> Lister<K> {
        Lister::new(self.indexer())
    }

    /// Adds indices to the cache, before or after the start. Index functions must not call the
    /// informer; see [`IndexFunc`].
    ///
    /// # Errors
    ///
    /// [`IndexConflictError`] if the name of an index is taken. Then no index is added.
    pub fn add_indexers(
        &self,
        indexers: impl IntoIterator<Item = (String, IndexFunc<K>)>,
    ) -> Result<(), IndexConflictError> {
        self.inner.core.indexer.add_indexers(indexers)
    }

    /// Sets a function that changes every object before it is cached, for example to drop unused
    /// fields. The function must not change the namespace, name or resource version. If it panics,
    /// the object is skipped.
    ///
    /// ```no_run
    /// # fn run(pods: genclient::informer::SharedInformer<k8s_openapi::api::core::v1::Pod>)
    /// # -> Result<(), genclient::informer::AlreadyStartedError> {
    /// pods.set_transform(|pod| pod.status = None)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`AlreadyStartedError`] if the informer has started or stopped. A later transform would
    /// leave cached objects untransformed.
    pub fn set_transform(
        &self,
        transform: impl Fn(&mut K) + Send + Sync + 'static,
    ) -> Result<(), AlreadyStartedError> {
        self.inner
            .core
            .configure(|state| state.transform.replace(Arc::new(transform)))
            .map(drop)
    }

    /// Sets a callback for failed lists and watches, which are logged as well: client-go's
    /// `SetWatchErrorHandler`. The callback is not called for silent watches. If a streamed list
    /// fails, it is called only for a refused connection or 429. The callback is called before the
    /// reflector pauses, and must not block. Another call of this method replaces the callback.
    ///
    /// # Errors
    ///
    /// [`AlreadyStartedError`] if the informer has started or stopped.
    pub fn set_watch_error_handler(
        &self,
        on_error: impl Fn(&ListWatchError) + Send + Sync + 'static,
    ) -> Result<(), AlreadyStartedError> {
        self.inner
            .core
            .configure(|state| state.on_error.replace(Arc::new(on_error)))
            .map(drop)
    }

    /// Returns the numbers of this informer's caches for
    /// [`Shards::with_caches`](crate::sharding::Shards::with_caches). Empty if the informer caches
    /// the objects of all replicas.
    #[must_use]
    pub fn shard_caches(&self) -> &[u64] {
        &self.inner.core.shard_caches
    }

    /// Returns the resource whose objects are cached.
    #[must_use]
    pub fn resource(&self) -> &GroupVersionResource {
        &self.inner.core.resource
    }

    /// Returns whether the cache has the complete initial list. Returns `false` after the informer
    /// has stopped, since its cache is stale then; client-go's `HasSynced` stays true.
    #[must_use]
    pub fn has_synced(&self) -> bool {
        self.inner.core.status.borrow().is_synced()
    }

    /// Waits until [`SharedInformer::has_synced`] returns `true`, with the errors and limits of
    /// [`wait_for_cache_sync`](super::SharedInformerFactory::wait_for_cache_sync).
    ///
    /// # Errors
    ///
    /// See [`SyncError`].
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn wait_for_cache_sync(&self) -> Result<Synced, SyncError> {
        self.inner.wait_synced().await?;
        let skipped = self.inner.core.read_store(|store| store.skipped().len());
        Ok(Synced::from_skipped([(self.resource().clone(), skipped)]))
    }

    /// Returns the permanent failure that keeps the cache from syncing, with a hint on how to fix
    /// it. Returns `None` while nothing fails permanently, and always after the first sync.
    /// [`wait_for_cache_sync`](Self::wait_for_cache_sync) returns the same error after a grace
    /// period.
    #[must_use]
    pub fn refusal(&self) -> Option<SyncError> {
        let status = self.inner.core.status.borrow();
        // Without a grace period, a permanent failure counts at once.
        match status.sync_result(self.resource(), Duration::ZERO, Instant::now()) {
            Some(Err(error @ SyncError::Refused { .. })) => Some(error),
            _ => None,
        }
    }

    /// Returns the objects that currently cannot be decoded, sorted by name. The cache holds an
    /// older state of such an object, or lacks it.
    #[must_use]
    pub fn skipped(&self) -> Vec<Skipped> {
        self.inner
            .core
            .read_store(|store| store.skipped().values().cloned().collect())
    }

    /// Starts to list and watch. Does nothing if the informer has started or stopped.
    /// [`SharedInformerFactory::start`](super::SharedInformerFactory::start) starts all informers
    /// of the factory.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, which runs the informer's tasks.
    pub fn start(&self) {
        self.inner.core.start(Handle::current());
    }

    /// Stops the informer. Waits until its tasks have ended, so until every handler has returned
    /// from its current call. Pending events are not delivered.
    ///
    /// # Cancel safety
    ///
    /// The informer stops even if the future is dropped.
    pub fn shutdown(&self) -> impl Future<Output = ()> + Send + 'static {
        self.inner.core.stop(StopCause::Shutdown);
        let tasks = self.inner.core.tasks.clone();
        async move { tasks.wait().await }
    }

    /// Waits until the informer stops, and returns the cause: a shutdown, or a failure that ended
    /// its tasks, such as a panic in a layer of the client. After a failure the cache is no longer
    /// updated, so the program should exit.
    ///
    /// The future does not keep the informer running.
    ///
    /// ```no_run
    /// # use genclient::informer::{SharedInformer, StopCause};
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # async fn run(pods: SharedInformer<Pod>) -> Result<(), StopCause> {
    /// match pods.stopped().await {
    ///     StopCause::Shutdown => Ok(()),
    ///     failure => Err(failure),
    /// }
    /// # }
    /// ```
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub fn stopped(&self) -> impl Future<Output = StopCause> + Send + 'static {
        let mut status = self.inner.core.status.subscribe();
        async move {
            let stopped = status
                .wait_for(|status| status.stop_cause().is_some())
                .await;
            // There is always a cause, since the informer stops before the sender is dropped.
            let cause = stopped.ok().and_then(|status| status.stop_cause().cloned());
            cause.unwrap_or(StopCause::Shutdown)
        }
    }

    /// Returns whether the informer has stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.inner.core.is_stopped()
    }
}

impl<K: Object> InformerInner<K> {
    pub(super) async fn wait_synced(&self) -> Result<(), SyncError> {
        wait(&self.core.status, &self.core.resource, self.timeouts).await
    }
}

impl<K: Object> Drop for InformerInner<K> {
    fn drop(&mut self) {
        self.core.stop(StopCause::Shutdown);
    }
}

impl<K: Object> Clone for SharedInformer<K> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
        }
    }
}

impl<K: Object> fmt::Debug for SharedInformer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformer")
            .field("resource", &self.resource().to_string())
            .field("has_synced", &self.has_synced())
            .finish_non_exhaustive()
    }
}

// === impl Core ===

impl<K: Object> Core<K> {
    pub(super) fn new(options: InformerOptions<K>) -> Self {
        let store = InformerStore::new(&options.namespaces);
        let resource = GroupVersionResource::of::<K>(&options.types);
        let metrics = options.metrics.as_ref();
        let shards: VecDeque<_> = { options.shards.iter() }
            .flat_map(|(shards, key)| {
                let parts = options.namespaces.iter();
                parts.map(|_| ReflectedShards::new(shards.add_cache(), key.clone()))
            })
            .collect();
        Self {
            shard_caches: shards.iter().map(ReflectedShards::number).collect(),
            metrics: metrics
                .map(|(name, provider)| InformerMetrics::new(name, provider, &resource)),
            resource,
            indexer: store.indexer(),
            status: watch::Sender::new(Status::new(options.namespaces.clone())),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
            progress: Notify::new(),
            state: Mutex::new(CoreState {
                store,
                processor: Processor::new(),
                waiting: Vec::new(),
                runtime: None,
                transform: None,
                on_error: None,
                shards,
            }),
            options,
        }
    }

    /// Changes settings of an informer that has neither started nor stopped. The closure returns
    /// the replaced values, so that the caller drops them after the lock is released.
    fn configure<T>(
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
    fn mark_synced(&self) {
        self.status.send_if_modified(Status::mark_synced);
        let woken = self.state.lock().processor.mark_synced();
        woken.into_iter().for_each(Waker::wake);
    }

    /// Reads the store under the informer's lock. `read` must not call user code.
    pub(super) fn read_store<T>(&self, read: impl FnOnce(&InformerStore<K>) -> T) -> T {
        read(&self.state.lock().store)
    }

    /// Returns a reference to an object of this resource, to be logged.
    pub(super) fn object_ref<'a>(&'a self, name: &'a ObjectName) -> ObjectRef<'a, K> {
        ObjectRef {
            types: &self.options.types,
            name,
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }
}

impl<K: Resource> Core<K> {
    /// Stops the informer: every task ends at its next await. Calls after the first do nothing.
    pub(super) fn stop(&self, cause: StopCause) {
        self.stop.cancel();
        self.tasks.close();
        let mut state = self.state.lock();
        let queues = state.processor.close();
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

// === Handlers and subscribers ===

impl<K: Object> Core<K> {
    /// Adds a queue, filled with the cached objects as additions, and runs `task` for it: at once,
    /// or from the start on. The task owns the handler, which is user code. So `task` is a
    /// parameter: on an error, it is dropped after the lock is released.
    pub(super) fn add_listener(
        &self,
        queue: ListenerQueue<K>,
        task: impl FnOnce(u64, Arc<ListenerQueue<K>>) -> BoxFuture<'static, ()>,
    ) -> Result<u64, StoppedError> {
        let mut state = self.state.lock();
        let (id, queue) = self.add_queue(&mut state, queue)?;
        let task = task(id, queue);
        // `shutdown` waits while this token exists, so it cannot miss the task that is spawned
        // meanwhile.
        let starting = self.tasks.token();
        match state.runtime.clone() {
            Some(runtime) => {
                drop(state);
                // Spawned without the lock: a runtime that is shutting down drops the task at once,
                // and with it the handler, which is user code.
                self.tasks.spawn_on(task, &runtime);
            }
            None => {
                state.waiting.push((id, task));
                drop(state);
            }
        }
        drop(starting);
        Ok(id)
    }

    /// Adds a queue, filled with the cached objects as additions.
    pub(super) fn add_subscriber(
        &self,
        queue: ListenerQueue<K>,
    ) -> Result<(u64, Arc<ListenerQueue<K>>), StoppedError> {
        self.add_queue(&mut self.state.lock(), queue)
    }

    fn add_queue(
        &self,
        state: &mut CoreState<K>,
        queue: ListenerQueue<K>,
    ) -> Result<(u64, Arc<ListenerQueue<K>>), StoppedError> {
        let objects = self.indexer.list().into_iter();
        let initial = objects.map(|object| Event::Added {
            object,
            is_initial: true,
        });
        let added = state.processor.add_listener(queue, &initial.collect());
        added.ok_or_else(|| StoppedError {
            resource: self.resource.clone(),
        })
    }

    /// Enqueues all cached objects for one handler. Returns `false` if the handler has been
    /// removed.
    pub(super) fn resync(&self, id: u64, queue: &ListenerQueue<K>) -> bool {
        // Holds the lock, so that no change is enqueued between reading the cache and enqueuing its
        // objects.
        let state = self.state.lock();
        if state.processor.listener(id).is_none() {
            return false;
        }
        let objects = self.indexer.list().into_iter();
        let unchanged = objects.map(|object| Event::Updated {
            old: Arc::clone(&object),
            new: object,
        });
        let woken = [
            queue.push_many(&unchanged.collect()),
            queue.push_mark(Mark::Resynced),
        ];
        drop(state);
        woken.into_iter().flatten().for_each(Waker::wake);
        true
    }

    /// Returns the number of pending events of a handler. Zero if it has been removed.
    pub(super) fn pending_of(&self, id: u64) -> usize {
        let state = self.state.lock();
        state
            .processor
            .listener(id)
            .map_or(0, |queue| queue.depth())
    }
}

impl<K: Resource> Core<K> {
    pub(super) fn remove_listener(&self, id: u64) {
        let mut state = self.state.lock();
        let queue = state.processor.remove_listener(id);
        let waiting = state.waiting.iter().position(|(waiting, _)| *waiting == id);
        let listener = waiting.map(|at| state.waiting.remove(at));
        drop(state);
        queue.into_iter().for_each(|queue| queue.close());
        drop(listener);
    }
}

// === Reflectors ===

impl<K: Object> Core<K> {
    /// Starts the reflectors and the handlers, unless the informer has already started or stopped.
    pub(super) fn start(self: &Arc<Self>, runtime: Handle) {
        let mut state = self.state.lock();
        if state.runtime.is_some() || self.is_stopped() {
            drop(state);
            // A concurrent call may have set `runtime`, but not the status yet. So this call sets
            // the status, too: a wait for the sync that follows must not return `NotStarted`.
            self.status.send_if_modified(Status::start);
            return;
        }
        let transform = state.transform.clone();
        let mut shards = std::mem::take(&mut state.shards).into_iter();
        let listeners = std::mem::take(&mut state.waiting);
        state.runtime = Some(runtime.clone());
        // `shutdown` waits while this token exists, so it cannot miss the tasks that are spawned
        // meanwhile.
        let starting = self.tasks.token();
        drop(state);
        self.status.send_if_modified(Status::start);
        let scopes = 0..self.options.namespaces.len();
        let reflectors: Vec<_> = scopes
            .map(|scope| {
                self.reflector(scope, transform.clone())
                    .limited(shards.next())
            })
            .collect();
        if reflectors.is_empty() {
            tracing::warn!(resource = %self.resource, "no namespaces to cache");
            // There are no lists to wait for, so the informer has synced.
            self.mark_synced();
        }
        // Spawns tasks without the lock: a runtime that is shutting down drops them at once. This
        // drops guards, which take the lock, and handlers, which are user code.
        for reflector in reflectors {
            let task = reflect(self.stop.clone(), reflector, StopOnDrop(Arc::clone(self)));
            self.tasks.spawn_on(task, &runtime);
        }
        for (_, listener) in listeners {
            self.tasks.spawn_on(listener, &runtime);
        }
        drop(starting);
    }

    fn reflector(
        self: &Arc<Self>,
        scope: usize,
        transform: Option<Transform<K>>,
    ) -> Reflector<K, ScopeStore<K>> {
        Reflector::new(
            self.options.client.clone(),
            self.options.types.clone(),
            self.options.namespaces[scope].clone(),
            self.options.reflector.clone(),
            transform,
            Arc::clone(&self.options.outage),
            ScopeStore {
                core: Arc::clone(self),
                scope,
            },
        )
        .measured(self.reflector_metrics(scope))
    }

    /// Returns the metrics of a reflector. Its name consists of the factory's name, the resource
    /// and, if the factory is limited to namespaces, the namespace.
    fn reflector_metrics(&self, scope: usize) -> Option<ReflectorMetrics> {
        let (name, provider) = self.options.metrics.as_ref()?;
        let name = match &self.options.namespaces[scope] {
            Some(namespace) => format!("{name}/{}/{namespace}", self.resource),
            None => format!("{name}/{}", self.resource),
        };
        Some(ReflectorMetrics::new(&name, &**provider))
    }
}

/// Runs the reflector of one scope until the informer stops. If the reflector ends first, stops the
/// informer. `guard` is an argument, so that the informer also stops if this future is dropped
/// before its first poll.
async fn reflect<K: Object>(
    stop: CancellationToken,
    reflector: Reflector<K, ScopeStore<K>>,
    guard: StopOnDrop<K>,
) {
    let reflecting = AssertUnwindSafe(reflector.run()).catch_unwind();
    let cause = tokio::select! {
        // Checked first, so that the reflector is not polled again once the informer has stopped.
        biased;
        () = stop.cancelled() => return,
        ended = reflecting => match ended {
            Ok(error) => StopCause::ClientClosed(Arc::new(error)),
            Err(panic) => StopCause::Panicked(panic_message(&*panic)),
        },
    };
    guard.0.stop(cause);
}

impl<K: Resource> Drop for StopOnDrop<K> {
    fn drop(&mut self) {
        // If `stop` is cancelled, the informer has already been stopped for another cause.
        if !self.0.stop.is_cancelled() {
            self.0.stop(StopCause::RuntimeShutdown);
        }
    }
}

// === impl ScopeStore ===

impl<K: Object> Clone for ScopeStore<K> {
    fn clone(&self) -> Self {
        Self {
            core: Arc::clone(&self.core),
            scope: self.scope,
        }
    }
}

impl<K: Object> ReflectorStore<K> for ScopeStore<K> {
    fn replace(&self, listed: Listed<K>) {
        let begun = self.start_timer();
        let mut state = self.core.state.lock();
        let events = state.store.replace(self.scope, listed);
        let woken = state.processor.distribute_list(events);
        let is_synced = state.store.is_synced();
        self.record_processed(begun, &state);
        drop(state);
        woken.into_iter().for_each(Waker::wake);
        if is_synced {
            self.core.mark_synced();
        }
        self.core.progress.notify_waiters();
    }

    fn retain(&self, filter: &ShardFilter) {
        self.core.state.lock().store.retain(self.scope, filter);
        self.core.progress.notify_waiters();
    }

    fn extend(&self, listed: Listed<K>) {
        let begun = self.start_timer();
        let mut state = self.core.state.lock();
        let events = state.store.extend(self.scope, listed);
        let woken = state.processor.distribute_list(|| events);
        self.record_processed(begun, &state);
        drop(state);
        woken.into_iter().for_each(Waker::wake);
        self.core.progress.notify_waiters();
    }

    fn handle_event(&self, event: WatchEvent<K>, resource_version: &str) {
        let begun = self.start_timer();
        let mut state = self.core.state.lock();
        let change = state.store.apply(self.scope, event, resource_version);
        let woken =
            change.map(|(event, was_cached)| state.processor.distribute(&event, was_cached));
        self.record_processed(begun, &state);
        drop(state);
        woken.into_iter().flatten().for_each(Waker::wake);
        self.core.progress.notify_waiters();
    }

    fn failed(&self, error: ListWatchError) {
        let on_error = self.core.state.lock().on_error.clone();
        // The callback is user code, so call it without the lock and catch its panics.
        if let Some(on_error) = on_error
            && catch_unwind(AssertUnwindSafe(|| on_error(&error))).is_err()
        {
            tracing::error!(resource = %self.core.resource, "watch error handler panicked");
        }
        self.record_failure(|status, resource| status.failed(self.scope, error, resource));
    }

    fn streaming_failed(&self, error: ListWatchError) {
        self.record_failure(|status, resource| {
            status.streaming_failed(self.scope, error, resource)
        });
    }

    fn answered(&self) {
        self.core
            .status
            .send_if_modified(|status: &mut Status| status.answered(self.scope));
    }

    fn cached(&self, namespace: &str, name: &str) -> Option<Arc<K>> {
        self.core.indexer.get_parts(namespace, name)
    }
}

impl<K: Object> ScopeStore<K> {
    /// Records a failure in the status, and logs its hint, if any. `wait_for_cache_sync` returns
    /// the hint, too, but not every program calls that method.
    fn record_failure(
        &self,
        failure: impl FnOnce(&mut Status, &GroupVersionResource) -> Option<String>,
    ) {
        let resource = &self.core.resource;
        let mut hint = None;
        self.core
            .status
            .send_modify(|status| hint = failure(status, resource));
        if let Some(hint) = hint {
            tracing::warn!(%resource, "cannot be cached: {hint}");
        }
    }

    /// Returns the current time, or `None` without metrics.
    fn start_timer(&self) -> Option<Instant> {
        self.core.metrics.as_ref().map(|_| Instant::now())
    }

    fn record_processed(&self, begun: Option<Instant>, state: &CoreState<K>) {
        if let (Some(metrics), Some(begun)) = (&self.core.metrics, begun) {
            metrics.record_processed(begun, state.store.oldest_version());
        }
    }
}
