//! What the handles, the reflectors and the handlers of one informer share.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kube::{Client, Resource};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::changes::ScopeSink;
use super::event::Event;
use super::handler::EventHandler;
use super::listener::{Listener, Message};
use super::registration::{HandlerRegistration, Registry};
use super::shared::{AlreadyStarted, Stopped};
use super::sync::Status;
use crate::cache::{Indexer, ObjectName, Store};
use crate::reflector::{Options, Reflector, Skipped, Transform};
use crate::scheme::{GroupVersionResource, Object};

/// What an informer mirrors, and how.
pub(super) struct Plan<K: Resource> {
    pub(super) client: Client,
    pub(super) types: K::DynamicType,
    /// One reflector each; `None` is everything.
    pub(super) namespaces: Vec<Option<String>>,
    pub(super) options: Options,
}

/// See the module. Tasks hold it, so it must not hold them: [`TaskTracker`] only counts.
pub(super) struct Hub<K: Resource> {
    pub(super) resource: GroupVersionResource,
    pub(super) indexer: Indexer<K>,
    pub(super) status: watch::Sender<Status>,
    /// Cancelled when the informer stops, and with it every task.
    pub(super) stop: CancellationToken,
    pub(super) tasks: TaskTracker,
    plan: Plan<K>,
    /// Held while the cache changes and the change is put into the queues, so that a handler that is added in between misses
    /// nothing and hears of nothing twice. Never across an await, and never while a handler runs or is dropped.
    pub(super) state: Mutex<State<K>>,
}

pub(super) struct State<K: Resource> {
    pub(super) store: Store<K>,
    /// By the number of their registration, which is their order.
    pub(super) queues: BTreeMap<u64, Queue<K>>,
    next_id: u64,
    /// Handlers of an informer that has not started.
    waiting: Vec<Listener<K>>,
    stage: Stage,
    /// As many as there are namespaces in the plan.
    pub(super) scopes: Vec<Scope>,
    /// Whether all scopes are, and handlers were told.
    pub(super) is_synced: bool,
    /// What cannot be read at the moment.
    pub(super) skipped: BTreeMap<ObjectName, Skipped>,
    transform: Option<Transform<K>>,
}

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

/// The writing end of a handler's queue.
pub(super) struct Queue<K> {
    pub(super) sender: UnboundedSender<Message<K>>,
    /// Whether updates that change nothing are for it.
    pub(super) wants_unchanged: bool,
}

impl<K: Object> Hub<K> {
    pub(super) fn new(plan: Plan<K>) -> Self {
        let store = Store::new();
        let scopes = plan.namespaces.iter().map(|namespace| Scope {
            namespace: namespace.clone(),
            is_synced: false,
            resource_version: String::new(),
        });
        Self {
            resource: GroupVersionResource::of::<K>(&plan.types),
            indexer: store.indexer(),
            status: watch::Sender::new(Status::new(plan.namespaces.clone())),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
            state: Mutex::new(State {
                store,
                queues: BTreeMap::new(),
                next_id: 0,
                waiting: Vec::new(),
                stage: Stage::New,
                scopes: scopes.collect(),
                is_synced: false,
                skipped: BTreeMap::new(),
                transform: None,
            }),
            plan,
        }
    }

    pub(super) fn set_transform(&self, transform: Transform<K>) -> Result<(), AlreadyStarted> {
        let mut state = self.state.lock();
        match state.stage {
            Stage::New => {
                state.transform = Some(transform);
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
    }

    pub(super) fn add_handler(
        self: &Arc<Self>,
        handler: Box<dyn EventHandler<K>>,
        resync: Option<Duration>,
    ) -> Result<HandlerRegistration, Stopped> {
        let (synced, is_synced) = watch::channel(false);
        let (stop, done) = (self.stop.child_token(), CancellationToken::new());
        let mut state = self.state.lock();
        let (id, messages) = self.enqueue(&mut state, resync.is_some())?;
        let listener = Listener {
            handler,
            id,
            messages,
            resync,
            hub: Arc::downgrade(self),
            synced,
            stop: stop.clone(),
            done: done.clone().drop_guard(),
        };
        match &state.stage {
            Stage::Running(runtime) => {
                self.tasks.spawn_on(listener.run(), runtime);
            }
            Stage::New | Stage::Stopped => state.waiting.push(listener),
        }
        drop(state);
        let registry: Arc<dyn Registry> = Arc::clone(self) as _;
        let registry = Arc::downgrade(&registry);
        Ok(HandlerRegistration::new(
            registry, id, is_synced, stop, done,
        ))
    }

    /// Adds a queue nobody is behind yet. The state of the cache is in it, as additions.
    pub(super) fn enqueue(
        &self,
        state: &mut State<K>,
        wants_unchanged: bool,
    ) -> Result<(u64, UnboundedReceiver<Message<K>>), Stopped> {
        if matches!(state.stage, Stage::Stopped) {
            return Err(Stopped(self.resource.clone()));
        }
        let (sender, messages) = unbounded_channel();
        let queue = Queue {
            sender,
            wants_unchanged,
        };
        let objects = self.indexer.list();
        if !objects.is_empty() {
            let added = objects.into_iter().map(|object| Event::Added {
                object,
                is_initial: true,
            });
            queue.send(Message::Many(added.collect()));
        }
        if state.is_synced {
            queue.send(Message::Synced);
        }
        let id = state.next_id;
        state.next_id += 1;
        state.queues.insert(id, queue);
        Ok((id, messages))
    }

    /// Puts the whole cache into the queue of one handler. `false` if there is no such handler any more.
    pub(super) fn resync(&self, id: u64) -> bool {
        // Under the lock, so that no change is overtaken.
        let state = self.state.lock();
        let Some(queue) = state.queues.get(&id) else {
            return false;
        };
        let unchanged = self
            .indexer
            .list()
            .into_iter()
            .map(|object| Event::Updated {
                old: Arc::clone(&object),
                new: object,
            });
        queue.send(Message::Resync(unchanged.collect()));
        true
    }

    /// The resource version up to which everything is in the cache: the oldest of its scopes'. `None` before the first sync.
    pub(super) fn resource_version(&self) -> Option<String> {
        let state = self.state.lock();
        if !state.is_synced {
            return None;
        }
        let versions = state.scopes.iter().map(|scope| &scope.resource_version);
        // Resource versions are decimal numbers, so the shorter one is the smaller.
        versions
            .min_by_key(|version| (version.len(), version.as_str()))
            .cloned()
    }

    pub(super) fn is_stopped(&self) -> bool {
        matches!(self.state.lock().stage, Stage::Stopped)
    }
}

impl<K: Resource> Hub<K> {
    /// Ends every task at its next await. Does nothing the second time.
    pub(super) fn stop(&self) {
        self.stop.cancel();
        self.tasks.close();
        let mut state = self.state.lock();
        state.stage = Stage::Stopped;
        let gone = (
            std::mem::take(&mut state.queues),
            std::mem::take(&mut state.waiting),
        );
        drop(state);
        // Handlers are user code, and may drop registrations of this informer.
        drop(gone);
        self.status.send_modify(Status::stop);
    }

    pub(super) fn remove_queue(&self, id: u64) {
        let mut state = self.state.lock();
        let queue = state.queues.remove(&id);
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

impl<K> Queue<K> {
    /// A handler that has gone, and has not been removed yet, hears of nothing any more.
    pub(super) fn send(&self, message: Message<K>) {
        let _ = self.sender.send(message);
    }
}

impl<K: Object> Registry for Hub<K> {
    fn remove(&self, id: u64) {
        self.remove_queue(id);
    }
}
