//! What the handles, the reflectors and the handlers of one informer share.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube::{Client, Resource};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::backlog::Mark;
use super::changes::ScopeSink;
use super::event::Event;
use super::handler::EventHandler;
use super::listener::Listener;
use super::meter::Meter;
use super::options::HandlerOptions;
use super::progress::Progress;
use super::queue::Queue;
use super::registration::{HandlerRegistration, Handlers};
use super::registry::{Locked, Registry};
use super::shared::{AlreadyStarted, Stopped};
use super::sync::Status;
use crate::cache::{Indexer, ObjectName, Store};
use crate::metrics::Provider;
use crate::object_ref::ObjectRef;
use crate::reflector::{self, Error, Options, Reflector, Skipped, Transform};
use crate::scheme::{GroupVersionResource, Object};

/// What an informer mirrors, and how.
pub(super) struct Plan<K: Resource> {
    pub(super) client: Client,
    pub(super) types: K::DynamicType,
    /// One reflector each; `None` is everything.
    pub(super) namespaces: Vec<Option<String>>,
    pub(super) options: Options,
    /// The name of the factory in its metrics, and where they go.
    pub(super) metrics: Option<(String, Arc<dyn Provider>)>,
}

/// See the module. Tasks hold it, so it must not hold them: [`TaskTracker`] only counts.
pub(super) struct Hub<K: Resource> {
    pub(super) resource: GroupVersionResource,
    pub(super) indexer: Indexer<K>,
    pub(super) status: watch::Sender<Status>,
    /// Cancelled when the informer stops, and with it every task.
    pub(super) stop: CancellationToken,
    pub(super) tasks: TaskTracker,
    /// Of the resource versions of the scopes.
    pub(super) progress: Progress,
    pub(super) meter: Option<Meter>,
    plan: Plan<K>,
    pub(super) state: Registry<State<K>, K>,
}

pub(super) struct State<K: Resource> {
    pub(super) store: Store<K>,
    /// Handlers of an informer that has not started.
    waiting: Vec<Listener<K>>,
    stage: Stage,
    /// As many as there are namespaces in the plan.
    pub(super) scopes: Vec<Scope>,
    /// What cannot be read at the moment.
    pub(super) skipped: BTreeMap<ObjectName, Skipped>,
    pub(super) transform: Option<Transform<K>>,
    /// Is told why a list or watch failed.
    pub(super) on_error: Option<OnError>,
}

/// See [`SharedInformer::set_watch_error_handler`](super::SharedInformer::set_watch_error_handler).
pub(super) type OnError = Arc<dyn Fn(&Error) + Send + Sync>;

enum Stage {
    New,
    Running(Handle),
    Stopped,
}

/// What one reflector is responsible for.
pub(super) struct Scope {
    pub(super) namespace: Option<String>,
    /// Whether its first list is in the cache.
    pub(super) is_synced: bool,
    pub(super) resource_version: String,
}

/// Stops an informer that lost one of its reflectors, so that nobody takes its cache for a true one.
struct StopOnDrop<K: Resource>(Arc<Hub<K>>);

impl<K: Object> Hub<K> {
    pub(super) fn new(plan: Plan<K>) -> Self {
        let store = Store::new();
        let scopes = plan.namespaces.iter().map(|namespace| Scope {
            namespace: namespace.clone(),
            is_synced: false,
            resource_version: String::new(),
        });
        let resource = GroupVersionResource::of::<K>(&plan.types);
        let metrics = plan.metrics.as_ref();
        Self {
            meter: metrics.map(|(name, provider)| Meter::new(name, provider, &resource)),
            resource,
            indexer: store.indexer(),
            status: watch::Sender::new(Status::new(plan.namespaces.clone())),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
            progress: Progress::new(),
            state: Registry::new(State {
                store,
                waiting: Vec::new(),
                stage: Stage::New,
                scopes: scopes.collect(),
                skipped: BTreeMap::new(),
                transform: None,
                on_error: None,
            }),
            plan,
        }
    }

    /// Changes what the tasks begin with.
    pub(super) fn configure(
        &self,
        configure: impl FnOnce(&mut State<K>),
    ) -> Result<(), AlreadyStarted> {
        let mut state = self.state.lock();
        match state.stage {
            Stage::New => {
                configure(&mut state);
                Ok(())
            }
            Stage::Running(_) | Stage::Stopped => Err(AlreadyStarted(self.resource.clone())),
        }
    }

    /// Does nothing the second time.
    pub(super) fn start(self: &Arc<Self>, runtime: Handle) {
        let mut state = self.state.lock();
        if !matches!(state.stage, Stage::New) {
            return;
        }
        let reflectors: Vec<_> = (0..state.scopes.len())
            .map(|scope| self.reflector(scope, state.transform.clone()))
            .collect();
        let listeners = std::mem::take(&mut state.waiting);
        state.stage = Stage::Running(runtime.clone());
        self.status.send_modify(Status::start);
        // Who stops the informer now waits for the tasks below, too.
        let starting = self.tasks.token();
        drop(state);
        // Without the lock: a runtime that is shutting down drops tasks at once, and with them guards and handlers.
        for reflector in reflectors {
            let task = reflect(self.stop.clone(), reflector, StopOnDrop(Arc::clone(self)));
            self.tasks.spawn_on(task, &runtime);
        }
        for listener in listeners {
            self.tasks.spawn_on(listener.run(), &runtime);
        }
        drop(starting);
    }

    fn reflector(
        self: &Arc<Self>,
        scope: usize,
        transform: Option<Transform<K>>,
    ) -> Reflector<K, ScopeSink<K>> {
        Reflector::new(
            self.plan.client.clone(),
            self.plan.types.clone(),
            self.plan.namespaces[scope].clone(),
            self.plan.options.clone(),
            transform,
            ScopeSink {
                hub: Arc::clone(self),
                scope,
            },
        )
        .measured(self.reflector_meter(scope))
    }

    /// A reflector is known by the factory, the resource and, where there are several, the namespace.
    fn reflector_meter(&self, scope: usize) -> Option<reflector::Meter> {
        let (name, provider) = self.plan.metrics.as_ref()?;
        let name = match &self.plan.namespaces[scope] {
            Some(namespace) => format!("{name}/{}/{namespace}", self.resource),
            None => format!("{name}/{}", self.resource),
        };
        Some(reflector::Meter::new(&name, &**provider))
    }

    pub(super) fn add_handler(
        self: &Arc<Self>,
        handler: Box<dyn EventHandler<K>>,
        options: &HandlerOptions,
    ) -> Result<HandlerRegistration, Stopped> {
        let (synced, is_synced) = watch::channel(false);
        let (stop, done) = (self.stop.child_token(), CancellationToken::new());
        let mut state = self.state.lock();
        let (id, queue) = self.enqueue(&mut state, options)?;
        let listener = Listener {
            handler,
            id,
            queue,
            resync: options.resync_period(),
            hub: Arc::downgrade(self),
            synced,
            stop: stop.clone(),
            done: done.clone().drop_guard(),
        };
        // Who stops the informer now waits for the task below, too.
        let starting = self.tasks.token();
        match &state.stage {
            Stage::Running(runtime) => {
                let runtime = runtime.clone();
                drop(state);
                // Without the lock, as in `start`.
                self.tasks.spawn_on(listener.run(), &runtime);
            }
            Stage::New | Stage::Stopped => {
                state.waiting.push(listener);
                drop(state);
            }
        }
        drop(starting);
        let handlers: Arc<dyn Handlers> = Arc::clone(self) as _;
        let handlers = Arc::downgrade(&handlers);
        Ok(HandlerRegistration::new(
            handlers, id, is_synced, stop, done,
        ))
    }

    /// Adds a queue nobody is behind yet. The state of the cache is in it, as additions.
    pub(super) fn enqueue(
        &self,
        state: &mut Locked<'_, State<K>, K>,
        options: &HandlerOptions,
    ) -> Result<(u64, Arc<Queue<K>>), Stopped> {
        let objects = self.indexer.list().into_iter();
        let initial = objects.map(|object| Event::Added {
            object,
            is_initial: true,
        });
        let added = state
            .queues()
            .add(options.queue(self.meter.as_ref()), &initial.collect());
        added.ok_or_else(|| Stopped(self.resource.clone()))
    }

    /// Puts the whole cache into the queue of one handler. `false` if there is no such handler any more.
    pub(super) fn resync(&self, id: u64, queue: &Queue<K>) -> bool {
        // Under the lock, so that no change is overtaken.
        let mut state = self.state.lock();
        if !state.queues().has(id) {
            return false;
        }
        let objects = self.indexer.list().into_iter();
        let unchanged = objects.map(|object| Event::Updated {
            old: Arc::clone(&object),
            new: object,
        });
        queue.push_many(&unchanged.collect());
        queue.push_mark(Mark::Resynced);
        true
    }

    /// See [`State::oldest_version`]. `None` before the first sync.
    pub(super) fn resource_version(&self) -> Option<String> {
        let state = self.state.lock();
        let version = state.oldest_version().filter(|_| state.is_synced());
        version.map(str::to_owned)
    }

    /// How traces name an object of this resource.
    pub(super) fn object_ref<'a>(&'a self, name: &'a ObjectName) -> ObjectRef<'a, K> {
        ObjectRef {
            types: &self.plan.types,
            name,
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        matches!(self.state.lock().stage, Stage::Stopped)
    }
}

impl<K: Resource> State<K> {
    /// The resource version up to which everything is in the cache: the oldest of its scopes'.
    pub(super) fn oldest_version(&self) -> Option<&str> {
        let versions = self.scopes.iter().map(|scope| &*scope.resource_version);
        // Resource versions are decimal numbers, so the shorter one is the smaller.
        versions.min_by_key(|version| (version.len(), *version))
    }
}

impl<K: Resource> Hub<K> {
    /// Ends every task at its next await. Does nothing the second time.
    pub(super) fn stop(&self) {
        self.stop.cancel();
        self.tasks.close();
        let mut state = self.state.lock();
        state.stage = Stage::Stopped;
        let gone = (state.queues().close(), std::mem::take(&mut state.waiting));
        drop(state);
        // Handlers are user code, and may drop registrations of this informer.
        drop(gone);
        self.status.send_modify(Status::stop);
    }

    pub(super) fn remove_queue(&self, id: u64) {
        let mut state = self.state.lock();
        let queue = state.queues().remove(id);
        let waiting = state.waiting.iter().position(|waiting| waiting.id == id);
        let listener = waiting.map(|at| state.waiting.remove(at));
        drop(state);
        drop((queue, listener));
    }
}

async fn reflect<K: Object>(
    stop: CancellationToken,
    reflector: Reflector<K, ScopeSink<K>>,
    _guard: StopOnDrop<K>,
) {
    tokio::select! {
        // First, so that a reflector that always has something to read is ended, too.
        biased;
        () = stop.cancelled() => {}
        () = reflector.run() => {}
    }
}

impl<K: Resource> Drop for StopOnDrop<K> {
    fn drop(&mut self) {
        if !self.0.stop.is_cancelled() {
            tracing::error!(resource = %self.0.resource, "reflector ended unasked; the informer stops");
            self.0.stop();
        }
    }
}

impl<K: Object> Handlers for Hub<K> {
    fn remove(&self, id: u64) {
        self.remove_queue(id);
    }

    fn depth(&self, id: u64) -> usize {
        let queue = self.state.queue(id);
        queue.map_or(0, |queue| queue.depth())
    }
}
