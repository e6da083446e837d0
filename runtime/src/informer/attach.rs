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

/// Handlers and subscriptions.
impl<K: Object> SharedInformer<K> {
    /// Adds a handler, with the factory's resync period. It may be added at any time; what is cached then comes first, as
    /// additions.
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

    /// Adds a handler with its own [resync period](HandlerOptions::resync), name, or bound of its
    /// queue: client-go's `AddEventHandlerWithOptions` and `AddEventHandlerWithResyncPeriod`.
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

    /// A stream of what is cached, as additions, and of what changes then. It ends when the
    /// informer stops, and at once if it has stopped before, where
    /// [`add_handler`](Self::add_handler) returns an error. It yields real changes only, no
    /// resyncs. Like a handler's, its queue coalesces when nobody polls.
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

    /// As [`subscribe`](Self::subscribe), with its own bound of the queue. A resync period does nothing.
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
        // Before the lock: it asks the metrics provider, which is user code.
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
        // Who stops the informer now waits for the task below, too.
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

    /// Adds a queue nobody is behind yet. The state of the cache is in it, as additions.
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

    /// Puts the whole cache into the queue of one handler. `false` if there is no such handler any more.
    pub(super) fn resync(&self, id: u64, queue: &EventQueue<K>) -> bool {
        // Under the lock, so that no change is overtaken.
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
