//! Registered handlers and subscribers: the task that calls a handler ([`Listener`]), and the
//! handles ([`HandlerRegistration`], [`Subscription`]).

use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::Stream;
use kube::Resource;
use tokio::sync::watch;
use tokio::time::Interval;
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::field::display;

use super::backlog::{Delivery, Mark};
use super::core::Core;
use super::error::HandlerStoppedError;
use super::event::Event;
use super::handler::EventHandler;
use super::queue::EventQueue;
use crate::scheme::Object;
use crate::time::every;

const PAUSE_AFTER_PANIC: Duration = Duration::from_secs(1);
/// Number of queue entries that are delivered before the task yields to other tasks.
const EVENTS_IN_A_ROW: usize = 64;

/// Registration of an event handler. Dropping it removes the handler.
///
/// After the drop, a running call of the handler continues, and one more call may start.
/// [`HandlerRegistration::shutdown`] waits for them.
#[must_use = "dropping the registration removes the handler; `detach` keeps it for as long as the informer runs"]
pub struct HandlerRegistration {
    handlers: Weak<dyn Deregister>,
    id: u64,
    synced: watch::Receiver<bool>,
    /// Ends the handler's task.
    stop: CancellationToken,
    /// Cancelled once the handler has been dropped.
    done: CancellationToken,
    is_detached: bool,
}

/// Type-erased operations on the handlers of an informer, for their registrations.
pub(super) trait Deregister: Send + Sync {
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
    queue: Option<Arc<EventQueue<K>>>,
    core: Weak<Core<K>>,
    id: u64,
}

/// Handler with everything that its task needs, such as its queue and stop signals.
pub(super) struct Listener<K: Resource> {
    /// Declared before `done`, so that it is dropped before `done` is cancelled.
    pub(super) handler: Box<dyn EventHandler<K>>,
    pub(super) id: u64,
    pub(super) queue: Arc<EventQueue<K>>,
    pub(super) resync: Option<Duration>,
    /// Weak to avoid a cycle: the core owns the listener until the informer starts
    /// (`CoreState::waiting`).
    pub(super) core: Weak<Core<K>>,
    pub(super) synced: watch::Sender<bool>,
    /// Cancelled when the registration is dropped or the informer stops.
    pub(super) stop: CancellationToken,
    /// Cancels the registration's `done` when the handler has been dropped.
    #[expect(dead_code, reason = "only its drop has an effect")]
    pub(super) done: DropGuard,
}

// === impl HandlerRegistration ===

impl HandlerRegistration {
    pub(super) fn new(
        handlers: Weak<dyn Deregister>,
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
    pub(super) fn new(core: Weak<Core<K>>, id: u64, queue: Arc<EventQueue<K>>) -> Self {
        let queue = Some(queue);
        Self { queue, core, id }
    }

    /// Returns a stream without events, for an informer that has stopped.
    pub(super) fn ended() -> Self {
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
            let delivery = std::task::ready!(queue.poll_pop(ctx));
            match delivery {
                Some(Delivery::Mark(_)) => {}
                Some(Delivery::Event(event)) => {
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
            core.remove_queue(self.id);
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
    pub(super) async fn run(self) {
        let mut resync = self.resync.map(every);
        let mut resyncing = false;
        loop {
            let delivery = tokio::select! {
                biased;
                () = self.stop.cancelled() => return,
                // A resync waits until the handler has processed the previous one.
                () = tick(&mut resync), if !resyncing => {
                    let core = self.core.upgrade();
                    resyncing = core.is_some_and(|core| core.resync(self.id, &self.queue));
                    continue;
                }
                delivery = poll_fn(|ctx| self.queue.poll_pop(ctx)) => delivery,
            };
            match delivery {
                None => return,
                Some(delivery) => resyncing &= !self.deliver_all(delivery).await,
            }
        }
    }

    /// Delivers `first` and up to 63 further entries. If more are pending, yields to other tasks.
    /// Returns whether the end of a resync was among them.
    async fn deliver_all(&self, first: Delivery<K>) -> bool {
        let mut is_resynced = false;
        let mut first = Some(first);
        for _ in 0..EVENTS_IN_A_ROW {
            match first.take().or_else(|| self.queue.try_pop()) {
                Some(Delivery::Event(event)) => self.deliver(&event).await,
                Some(Delivery::Mark(Mark::Resynced)) => is_resynced = true,
                Some(Delivery::Mark(Mark::Synced)) => {
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
        let call = || dispatch(&*self.handler, event.clone());
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

fn dispatch<K: 'static>(handler: &dyn EventHandler<K>, event: Event<K>) {
    match event {
        Event::Added { object, is_initial } => handler.on_add(object, is_initial),
        Event::Updated { old, new } => handler.on_update(old, new),
        Event::Deleted(deleted) => handler.on_delete(deleted),
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
