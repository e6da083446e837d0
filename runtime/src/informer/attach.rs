//! Handler registration: adding and removing handlers and subscriptions of an informer, and the
//! [options](HandlerOptions) of one handler.

use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use futures::FutureExt;
use kube::Resource;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::backlog::Mark;
use super::core::{Core, CoreState};
use super::error::StoppedError;
use super::event::Event;
use super::handler::EventHandler;
use super::meter::InformerMeter;
use super::queue::EventQueue;
use super::registration::{Deregister, HandlerRegistration, Listener, Subscription};
use super::shared::SharedInformer;
use crate::scheme::Object;
use crate::time::FOR_EVER;

/// Minimum resync period. Shorter periods are raised to the minimum, but zero disables resyncs.
const MIN_RESYNC: Duration = Duration::from_secs(1);
/// Default of [`HandlerOptions::coalesce_above`]: the initial size of client-go's buffers.
const COALESCE_ABOVE: usize = 1024;

/// Options of one handler: client-go's `HandlerOptions`.
///
/// ```no_run
/// use genclient::informer::{HandlerOptions, Handlers, SharedInformer};
/// use k8s_openapi::api::core::v1::Pod;
///
/// # fn run(pods: SharedInformer<Pod>) -> Result<(), genclient::informer::StoppedError> {
/// let audit = Handlers::new().on_update(|old, new| { /* every single change */ });
/// let registration = pods.add_handler_with(audit, HandlerOptions::new().every_event())?;
/// # drop(registration);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "options do nothing until they are passed to `add_handler_with`"]
pub struct HandlerOptions {
    name: String,
    /// Resync period; `None` means the informer's.
    resync: Option<Duration>,
    coalesce_above: usize,
}

/// Handler and subscriber registration.
impl<K: Object> SharedInformer<K> {
    /// Adds a handler with the informer's resync period. Handlers can be added at any time, before
    /// and after the start. A new handler first receives the cached objects, as additions.
    ///
    /// # Errors
    ///
    /// [`StoppedError`] if the informer has stopped.
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
    /// [`StoppedError`] if the informer has stopped.
    pub fn add_handler_with(
        &self,
        handler: impl EventHandler<K>,
        options: HandlerOptions,
    ) -> Result<HandlerRegistration, StoppedError> {
        let options = options.or_resync(self.inner.resync);
        self.inner.core.add_handler(Box::new(handler), &options)
    }

    /// Returns a stream of the cached objects, as additions, and of the changes that follow. It
    /// ends when the informer stops. If the informer has already stopped, the stream is empty,
    /// while [`add_handler`](Self::add_handler) returns an error.
    ///
    /// The stream has no resyncs. While it is not polled, its queue coalesces events like that of a
    /// slow handler.
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

    /// Like [`subscribe`](Self::subscribe), with its own queue bound and name in metrics. The
    /// resync period in `options` is ignored.
    pub fn subscribe_with(&self, options: HandlerOptions) -> Subscription<K> {
        let core = &self.inner.core;
        let options = options.resync(Duration::ZERO);
        let queue = options.queue(core.meter.as_ref());
        let added = core.add_queue(&mut core.state.lock(), queue);
        match added {
            Ok((id, queue)) => Subscription::new(Arc::downgrade(core), id, queue),
            Err(_) => Subscription::ended(),
        }
    }
}

impl<K: Object> Core<K> {
    pub(super) fn add_handler(
        self: &Arc<Self>,
        handler: Box<dyn EventHandler<K>>,
        options: &HandlerOptions,
    ) -> Result<HandlerRegistration, StoppedError> {
        let (synced, is_synced) = watch::channel(false);
        let (stop, done) = (self.stop.child_token(), CancellationToken::new());
        // Before the lock is taken, since this calls the metrics provider, which is user code.
        let queue = options.queue(self.meter.as_ref());
        let mut state = self.state.lock();
        let (id, queue) = self.add_queue(&mut state, queue)?;
        let listener = Listener {
            handler,
            id,
            queue,
            resync: options.resync_period(),
            core: Arc::downgrade(self),
            synced,
            stop: stop.clone(),
            done: done.clone().drop_guard(),
        };
        // `shutdown` waits while this token exists, so it cannot miss the task that is spawned
        // meanwhile.
        let starting = self.tasks.token();
        match state.runtime.clone() {
            Some(runtime) => {
                drop(state);
                // Spawned without the lock: a runtime that is shutting down drops the task at once,
                // and with it the handler, which is user code.
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

    /// Adds a queue, filled with the cached objects as additions.
    pub(super) fn add_queue(
        &self,
        state: &mut CoreState<K>,
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

    /// Enqueues all cached objects for one handler. Returns `false` if the handler has been
    /// removed.
    pub(super) fn resync(&self, id: u64, queue: &EventQueue<K>) -> bool {
        // Holds the lock, so that no change is enqueued between reading the cache and enqueuing its
        // objects.
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

impl<K: Resource> Core<K> {
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

impl<K: Object> Deregister for Core<K> {
    fn remove(&self, id: u64) {
        self.remove_queue(id);
    }

    fn depth(&self, id: u64) -> usize {
        let state = self.state.lock();
        state.queues.get(id).map_or(0, |queue| queue.depth())
    }
}

// === impl HandlerOptions ===

impl HandlerOptions {
    /// Returns the defaults: the informer's resync period, and a queue that coalesces above 1024
    /// events.
    pub fn new() -> Self {
        Self {
            name: String::new(),
            resync: None,
            coalesce_above: COALESCE_ABOVE,
        }
    }

    /// Sets the name of the handler in the metric
    /// [`INFORMER_PENDING_NOTIFICATIONS`](crate::metrics::INFORMER_PENDING_NOTIFICATIONS). If
    /// several handlers of an informer have the same name or no name, the metric counts the events
    /// of all of them.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the resync period: after each `period`, the handler receives every cached object as an
    /// update whose old and new state are the same. Zero disables resyncs. Any other period below a
    /// second becomes a second.
    ///
    /// The period starts when the handler is added or the informer starts, whichever is later. It
    /// is exact, while client-go rounds it up to a multiple of the informer's `resyncCheckPeriod`,
    /// and disables the handler's resyncs if that is 0. A resync waits until the handler has
    /// processed the previous resync.
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = Some(period);
        self
    }

    /// Sets the queue bound: events that arrive while `events` or more are pending are coalesced.
    /// This ends when the handler has received all coalesced events. The memory of a slow handler
    /// thus depends on the number of objects, not on the number of their changes.
    ///
    /// Zero always coalesces. The default is 1024, the initial size of client-go's buffers, which
    /// grow without a bound. The [table in `informer`](super#coalescing-for-slow-handlers) shows
    /// what coalesced events become.
    pub fn coalesce_above(mut self, events: usize) -> Self {
        self.coalesce_above = events;
        self
    }

    /// Delivers every event, however many are pending, as client-go does. If the handler never
    /// catches up, its queue grows without a bound.
    pub fn every_event(self) -> Self {
        self.coalesce_above(usize::MAX)
    }

    fn or_resync(mut self, period: Duration) -> Self {
        self.resync.get_or_insert(period);
        self
    }

    /// Returns the resync period, or `None` if resyncs are disabled.
    fn resync_period(&self) -> Option<Duration> {
        let period = self.resync.filter(|period| !period.is_zero())?;
        Some(period.clamp(MIN_RESYNC, FOR_EVER))
    }

    fn queue<K>(&self, meter: Option<&InformerMeter>) -> EventQueue<K> {
        EventQueue::new(
            self.coalesce_above,
            self.resync_period().is_some(),
            meter.map(|meter| meter.pending(&self.name)),
        )
    }
}

impl Default for HandlerOptions {
    fn default() -> Self {
        Self::new()
    }
}
