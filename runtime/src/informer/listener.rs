//! Handler registration: adding and removing event handlers and subscriptions, and the task that
//! calls a handler.

use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::{FutureExt, Stream};
use kube::Resource;
use tokio::sync::watch;
use tokio::time::Interval;
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::field::display;

use super::event::Event;
use super::handler::EventHandler;
use super::metrics::InformerMetrics;
use super::processor::{ListenerQueue, Mark, Notification};
use super::shared::{Core, SharedInformer, StoppedError};
use crate::scheme::Object;
use crate::time::{FOR_EVER, every};

/// Minimum resync period. Shorter periods are raised to the minimum, but zero disables resyncs.
const MIN_RESYNC: Duration = Duration::from_secs(1);
/// Default of [`HandlerOptions::coalesce_above`]: the initial size of client-go's buffers.
const COALESCE_ABOVE: usize = 1024;
const PAUSE_AFTER_PANIC: Duration = Duration::from_secs(1);
/// Number of queue entries that are delivered before the task yields to other tasks.
const EVENTS_IN_A_ROW: usize = 64;

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

/// Registration of an event handler. Dropping it removes the handler.
///
/// After the drop, a running call of the handler continues, and one more call may start.
/// [`HandlerRegistration::shutdown`] waits for them.
#[must_use = "dropping the registration removes the handler; `detach` keeps it for as long as the informer runs"]
pub struct HandlerRegistration {
    handlers: Weak<dyn ListenerRegistry>,
    id: u64,
    synced: watch::Receiver<bool>,
    /// Ends the handler's task.
    stop: CancellationToken,
    /// Cancelled once the handler has been dropped.
    done: CancellationToken,
    is_detached: bool,
}

/// Type-erased operations on the handlers of an informer, for their registrations.
trait ListenerRegistry: Send + Sync {
    fn remove(&self, id: u64);
    fn depth(&self, id: u64) -> usize;
}

/// Stream of changes of the cache, returned by
/// [`SharedInformer::subscribe`](super::SharedInformer::subscribe). Dropping the stream ends the
/// subscription.
///
/// # Cancel safety
///
/// No event is lost if the future of the next event is dropped.
#[must_use = "streams do nothing unless polled"]
pub struct Subscription<K: Resource> {
    /// `None` if the informer had already stopped.
    queue: Option<Arc<ListenerQueue<K>>>,
    core: Weak<Core<K>>,
    id: u64,
}

/// Handler with everything that its task needs, such as its queue and stop signals.
struct Listener<K: Resource> {
    /// Declared before `done`, so that it is dropped before `done` is cancelled.
    handler: Box<dyn EventHandler<K>>,
    id: u64,
    queue: Arc<ListenerQueue<K>>,
    resync: Option<Duration>,
    /// Weak to avoid a cycle: the core owns the listener until the informer starts
    /// (`CoreState::waiting`).
    core: Weak<Core<K>>,
    synced: watch::Sender<bool>,
    /// Cancelled when the registration is dropped or the informer stops.
    stop: CancellationToken,
    /// Cancels the registration's `done` when the handler has been dropped.
    #[expect(dead_code, reason = "only its drop has an effect")]
    done: DropGuard,
}

/// Error of [`HandlerRegistration::synced`](super::HandlerRegistration::synced): the informer
/// stopped before the handler had synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the handler stopped before it received the initial list")]
pub struct HandlerStoppedError;

// === impl SharedInformer ===

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
        let options = options.with_default_resync(self.inner.resync);
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
        let queue = options.new_queue(core.metrics.as_ref());
        let added = core.add_subscriber(queue);
        match added {
            Ok((id, queue)) => Subscription::new(Arc::downgrade(core), id, queue),
            Err(_) => Subscription::ended(),
        }
    }
}

impl<K: Object> Core<K> {
    fn add_handler(
        self: &Arc<Self>,
        handler: Box<dyn EventHandler<K>>,
        options: &HandlerOptions,
    ) -> Result<HandlerRegistration, StoppedError> {
        let (synced, is_synced) = watch::channel(false);
        let (stop, done) = (self.stop.child_token(), CancellationToken::new());
        let (core, resync) = (Arc::downgrade(self), options.resync_period());
        let (stopped, dropped) = (stop.clone(), done.clone().drop_guard());
        let task = move |id, queue| {
            let listener = Listener {
                handler,
                id,
                queue,
                resync,
                core,
                synced,
                stop: stopped,
                done: dropped,
            };
            listener.run().boxed()
        };
        let id = self.add_listener(options.new_queue(self.metrics.as_ref()), task)?;
        let handlers: Arc<dyn ListenerRegistry> = Arc::clone(self) as _;
        let handlers = Arc::downgrade(&handlers);
        Ok(HandlerRegistration::new(
            handlers, id, is_synced, stop, done,
        ))
    }
}

impl<K: Object> ListenerRegistry for Core<K> {
    fn remove(&self, id: u64) {
        self.remove_listener(id);
    }

    fn depth(&self, id: u64) -> usize {
        self.pending_of(id)
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

    fn with_default_resync(mut self, period: Duration) -> Self {
        self.resync.get_or_insert(period);
        self
    }

    /// Returns the resync period, or `None` if resyncs are disabled.
    fn resync_period(&self) -> Option<Duration> {
        let period = self.resync.filter(|period| !period.is_zero())?;
        Some(period.clamp(MIN_RESYNC, FOR_EVER))
    }

    fn new_queue<K>(&self, metrics: Option<&InformerMetrics>) -> ListenerQueue<K> {
        ListenerQueue::new(
            self.coalesce_above,
            self.resync_period().is_some(),
            metrics.map(|metrics| metrics.pending(&self.name)),
        )
    }
}

impl Default for HandlerOptions {
    fn default() -> Self {
        Self::new()
    }
}

// === impl HandlerRegistration ===

impl HandlerRegistration {
    fn new(
        handlers: Weak<dyn ListenerRegistry>,
        id: u64,
        synced: watch::Receiver<bool>,
        stop: CancellationToken,
        done: CancellationToken,
    ) -> Self {
        Self {
            handlers,
            id,
            synced,
            stop,
            done,
            is_detached: false,
        }
    }

    /// Returns whether the handler has received the complete initial list.
    #[must_use]
    pub fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    /// Waits until [`HandlerRegistration::has_synced`] returns `true`.
    ///
    /// # Errors
    ///
    /// [`HandlerStoppedError`] if the informer stops before that.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn synced(&self) -> Result<(), HandlerStoppedError> {
        let mut synced = self.synced.clone();
        let synced = synced.wait_for(|is_synced| *is_synced).await;
        synced.map(drop).map_err(|_| HandlerStoppedError)
    }

    /// Returns the number of pending events of the handler, including
    /// [coalesced](super::HandlerOptions::coalesce_above) ones. Returns zero after the informer has
    /// stopped.
    #[must_use]
    pub fn depth(&self) -> usize {
        let handlers = self.handlers.upgrade();
        handlers.map_or(0, |handlers| handlers.depth(self.id))
    }

    /// Consumes the registration without removing the handler, which stays until the informer
    /// stops.
    pub fn detach(mut self) {
        self.is_detached = true;
    }

    /// Removes the handler. Waits until its current call has returned and the handler has been
    /// dropped. Pending events are not delivered.
    ///
    /// # Cancel safety
    ///
    /// The handler is removed even if the future is dropped.
    pub fn shutdown(self) -> impl Future<Output = ()> + Send + 'static {
        let done = self.done.clone();
        drop(self);
        done.cancelled_owned()
    }
}

impl Drop for HandlerRegistration {
    fn drop(&mut self) {
        if self.is_detached {
            return;
        }
        self.stop.cancel();
        if let Some(handlers) = self.handlers.upgrade() {
            handlers.remove(self.id);
        }
    }
}

impl fmt::Debug for HandlerRegistration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerRegistration")
            .field("has_synced", &self.has_synced())
            .finish_non_exhaustive()
    }
}

// === impl Subscription ===

impl<K: Resource> Subscription<K> {
    fn new(core: Weak<Core<K>>, id: u64, queue: Arc<ListenerQueue<K>>) -> Self {
        let queue = Some(queue);
        Self { queue, core, id }
    }

    /// Returns a stream without events, for an informer that has stopped.
    fn ended() -> Self {
        Self {
            queue: None,
            core: Weak::new(),
            id: 0,
        }
    }

    /// Returns the number of pending events, including
    /// [coalesced](super::HandlerOptions::coalesce_above) ones.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.queue.as_ref().map_or(0, |queue| queue.depth())
    }
}

impl<K: Resource> Stream for Subscription<K> {
    type Item = Event<K>;

    fn poll_next(self: Pin<&mut Self>, ctx: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        let Some(queue) = &self.queue else {
            return Poll::Ready(None);
        };
        // Yields to other tasks even if events never stop arriving.
        let budget = std::task::ready!(tokio::task::coop::poll_proceed(ctx));
        loop {
            let notification = std::task::ready!(queue.poll_pop(ctx));
            match notification {
                Some(Notification::Mark(_)) => {}
                Some(Notification::Event(event)) => {
                    budget.made_progress();
                    return Poll::Ready(Some(event));
                }
                None => return Poll::Ready(None),
            }
        }
    }
}

impl<K: Resource> Drop for Subscription<K> {
    fn drop(&mut self) {
        if let Some(core) = self.core.upgrade() {
            core.remove_listener(self.id);
        }
    }
}

impl<K: Resource> fmt::Debug for Subscription<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription")
            .field("kind", &std::any::type_name::<K>())
            .finish_non_exhaustive()
    }
}

// === impl Listener ===

impl<K: Object> Listener<K> {
    async fn run(self) {
        let mut resync = self.resync.map(every);
        let mut resyncing = false;
        loop {
            let notification = tokio::select! {
                biased;
                () = self.stop.cancelled() => return,
                // A resync waits until the handler has processed the previous one.
                () = tick(&mut resync), if !resyncing => {
                    let core = self.core.upgrade();
                    resyncing = core.is_some_and(|core| core.resync(self.id, &self.queue));
                    continue;
                }
                notification = poll_fn(|ctx| self.queue.poll_pop(ctx)) => notification,
            };
            match notification {
                None => return,
                Some(notification) => resyncing &= !self.deliver_all(notification).await,
            }
        }
    }

    /// Delivers `first` and up to 63 further entries. If more are pending, yields to other tasks.
    /// Returns whether the end of a resync was among them.
    async fn deliver_all(&self, first: Notification<K>) -> bool {
        let mut is_resynced = false;
        let mut first = Some(first);
        for _ in 0..EVENTS_IN_A_ROW {
            match first.take().or_else(|| self.queue.try_pop()) {
                Some(Notification::Event(event)) => self.deliver(&event).await,
                Some(Notification::Mark(Mark::Resynced)) => is_resynced = true,
                Some(Notification::Mark(Mark::Synced)) => {
                    self.synced.send_replace(true);
                }
                None => return is_resynced,
            }
            if self.stop.is_cancelled() {
                return is_resynced;
            }
        }
        // After `yield_now`, only this thread can continue the task, and another handler may block
        // the thread. If the queue is empty, the task waits for an event instead: any thread can
        // wake it.
        if self.queue.depth() > 0 {
            tokio::task::yield_now().await;
        }
        is_resynced
    }

    async fn deliver(&self, event: &Event<K>) {
        let call = || self.handler.on_event(event);
        if catch_unwind(AssertUnwindSafe(call)).is_err() {
            let (core, name) = (self.core.upgrade(), event.name());
            let object = core.as_ref().map(|core| display(core.object_ref(&name)));
            tracing::error!(
                "object.ref" = object,
                "handler panicked; skipping the event"
            );
            let pause = tokio::time::sleep(PAUSE_AFTER_PANIC);
            self.stop.run_until_cancelled(pause).await;
        }
    }
}

/// Waits for the next tick of `interval`, or forever if it is `None`.
async fn tick(interval: &mut Option<Interval>) {
    match interval {
        Some(interval) => {
            interval.tick().await;
        }
        None => std::future::pending().await,
    }
}
