//! Handler registration: adding and removing handlers and subscriptions of an informer.

use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use futures::FutureExt;
use kube::Resource;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::backlog::Mark;
use super::error::StoppedError;
use super::event::Event;
use super::handler::EventHandler;
use super::hub::{Hub, HubState};
use super::listener::Listener;
use super::options::HandlerOptions;
use super::queue::EventQueue;
use super::registration::{Deregister, HandlerRegistration, Subscription};
use super::shared::SharedInformer;
use crate::scheme::Object;

/// Registration of handlers and subscribers.
impl<K: Object> SharedInformer<K> {
    /// Adds a handler with the factory's resync period. It may be added at any time: it first
    /// receives the cached objects, as additions.
    ///
    /// # Errors
    ///
    /// [`StoppedError`].
    pub fn add_handler(
        &self,
        handler: impl EventHandler<K>,
    ) -> Result<HandlerRegistration, StoppedError> {
        self.add_handler_with(handler, HandlerOptions::new())
    }

    /// Adds a handler with its own [resync period](HandlerOptions::resync), name, or queue bound:
    /// client-go's `AddEventHandlerWithOptions` and `AddEventHandlerWithResyncPeriod`.
    ///
    /// # Errors
    ///
    /// [`StoppedError`].
    pub fn add_handler_with(
        &self,
        handler: impl EventHandler<K>,
        options: HandlerOptions,
    ) -> Result<HandlerRegistration, StoppedError> {
        let options = options.or_resync(self.inner.resync);
        self.inner.hub.add_handler(Box::new(handler), &options)
    }

    /// Returns a stream of the cached objects, as additions, and of the changes that follow. It
    /// ends when the informer stops. If the informer has already stopped, it ends at once, where
    /// [`add_handler`](Self::add_handler) returns an error.
    ///
    /// The stream yields real changes only, no resyncs. Like a handler's, its queue coalesces while
    /// it is not polled.
    ///
    /// ```no_run
    /// use futures::StreamExt;
    /// use genclient::informer::{Event, SharedInformer};
    /// use k8s_openapi::api::core::v1::Pod;
    ///
    /// # async fn run(pods: SharedInformer<Pod>) {
    /// let mut events = pods.subscribe();
    /// while let Some(event) = events.next().await {
    ///     match event {
    ///         Event::Added { object, .. } => println!("{:?} is there", object.metadata.name),
    ///         Event::Updated { new, .. } => println!("{:?} has changed", new.metadata.name),
    ///         Event::Deleted(pod) => println!("{} is gone", pod.name()),
    ///     }
    /// }
    /// # }
    /// ```
    pub fn subscribe(&self) -> Subscription<K> {
        self.subscribe_with(HandlerOptions::new())
    }

    /// Like [`subscribe`](Self::subscribe), with its own queue bound. A resync period has no
    /// effect.
    pub fn subscribe_with(&self, options: HandlerOptions) -> Subscription<K> {
        let hub = &self.inner.hub;
        let options = options.resync(Duration::ZERO);
        let queue = options.queue(hub.meter.as_ref());
        let added = hub.enqueue(&mut hub.state.lock(), queue);
        match added {
            Ok((id, queue)) => Subscription::new(Arc::downgrade(hub), id, queue),
            Err(_) => Subscription::ended(),
        }
    }
}

impl<K: Object> Hub<K> {
    pub(super) fn add_handler(
        self: &Arc<Self>,
        handler: Box<dyn EventHandler<K>>,
        options: &HandlerOptions,
    ) -> Result<HandlerRegistration, StoppedError> {
        let (synced, is_synced) = watch::channel(false);
        let (stop, done) = (self.stop.child_token(), CancellationToken::new());
        // Before the lock: it calls the metrics provider, which is user code.
        let queue = options.queue(self.meter.as_ref());
        let mut state = self.state.lock();
        let (id, queue) = self.enqueue(&mut state, queue)?;
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
        // From here on, a shutdown waits for the task below, too.
        let starting = self.tasks.token();
        match state.runtime.clone() {
            Some(runtime) => {
                drop(state);
                // Without the lock, as in `start`.
                self.tasks.spawn_on(listener.run(), &runtime);
            }
            None => {
                state.waiting.push((id, listener.run().boxed()));
                drop(state);
            }
        }
        drop(starting);
        let handlers: Arc<dyn Deregister> = Arc::clone(self) as _;
        let handlers = Arc::downgrade(&handlers);
        Ok(HandlerRegistration::new(
            handlers, id, is_synced, stop, done,
        ))
    }

    /// Adds a queue without a consumer. It starts with the cached objects, as additions.
    pub(super) fn enqueue(
        &self,
        state: &mut HubState<K>,
        queue: EventQueue<K>,
    ) -> Result<(u64, Arc<EventQueue<K>>), StoppedError> {
        let objects = self.indexer.list().into_iter();
        let initial = objects.map(|object| Event::Added {
            object,
            is_initial: true,
        });
        let added = state.queues.add(queue, &initial.collect());
        added.ok_or_else(|| StoppedError {
            resource: self.resource.clone(),
        })
    }

    /// Enqueues the whole cache for one handler. `false` if the handler has been removed.
    pub(super) fn resync(&self, id: u64, queue: &EventQueue<K>) -> bool {
        // Under the lock, so that a resync does not enqueue a state older than one already queued.
        let state = self.state.lock();
        if state.queues.get(id).is_none() {
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
}

impl<K: Resource> Hub<K> {
    pub(super) fn remove_queue(&self, id: u64) {
        let mut state = self.state.lock();
        let queue = state.queues.remove(id);
        let waiting = state.waiting.iter().position(|(waiting, _)| *waiting == id);
        let listener = waiting.map(|at| state.waiting.remove(at));
        drop(state);
        queue.into_iter().for_each(|queue| queue.close());
        drop(listener);
    }
}

impl<K: Object> Deregister for Hub<K> {
    fn remove(&self, id: u64) {
        self.remove_queue(id);
    }

    fn depth(&self, id: u64) -> usize {
        let state = self.state.lock();
        state.queues.get(id).map_or(0, |queue| queue.depth())
    }
}
