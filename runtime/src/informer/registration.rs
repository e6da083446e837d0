//! What those hold who are told: registrations of handlers, and subscriptions.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use futures::Stream;
use kube::Resource;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::event::Event;
use super::hub::Hub;
use super::listener::Message;

/// A handler's place in an informer. Dropping it removes the handler.
///
/// The handler may still be in a call, or begin one that was about to begin; see [`HandlerRegistration::shut_down`].
#[must_use = "dropping the registration removes the handler; `detach` keeps it for as long as the informer runs"]
pub struct HandlerRegistration {
    registry: Weak<dyn Registry>,
    id: u64,
    synced: watch::Receiver<bool>,
    /// Ends the handler's task.
    stop: CancellationToken,
    /// Cancelled when the handler is gone.
    done: CancellationToken,
    is_detached: bool,
}

/// Where a registration can be given back.
pub(super) trait Registry: Send + Sync {
    fn remove(&self, id: u64);
}

/// The handler was removed, or the informer stopped, before the handler had heard of everything that was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the handler stopped before it had heard of everything that was there")]
pub struct HandlerStopped;

/// A stream of changes: see [`SharedInformer::subscribe`](super::SharedInformer::subscribe). Dropping it ends the subscription.
#[must_use = "streams do nothing unless polled"]
pub struct Subscription<K: Resource> {
    messages: UnboundedReceiver<Message<K>>,
    /// Of the batch that was received last, what was not yielded yet.
    batch: Option<(Arc<[Event<K>]>, usize)>,
    hub: Weak<Hub<K>>,
    id: u64,
}

// === impl HandlerRegistration ===

impl HandlerRegistration {
    pub(super) fn new(
        registry: Weak<dyn Registry>,
        id: u64,
        synced: watch::Receiver<bool>,
        stop: CancellationToken,
        done: CancellationToken,
    ) -> Self {
        Self {
            registry,
            id,
            synced,
            stop,
            done,
            is_detached: false,
        }
    }

    /// Whether the informer has synced and the handler has been called for everything that was there then.
    pub fn has_synced(&self) -> bool {
        *self.synced.borrow()
    }

    /// Waits until [`HandlerRegistration::has_synced`].
    ///
    /// # Errors
    ///
    /// If the informer stops before.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost if the future is dropped.
    pub async fn synced(&self) -> Result<(), HandlerStopped> {
        let mut synced = self.synced.clone();
        let synced = synced.wait_for(|is_synced| *is_synced).await;
        synced.map(drop).map_err(|_| HandlerStopped)
    }

    /// Leaves the handler in place until the informer stops.
    pub fn detach(mut self) {
        self.is_detached = true;
    }

    /// Removes the handler, and waits until it is in no call any more and has been dropped. Events that it has not been called
    /// for are lost to it.
    ///
    /// # Cancel safety
    ///
    /// The handler is removed even if the future is dropped.
    pub fn shut_down(self) -> impl Future<Output = ()> + Send + 'static {
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
        if let Some(registry) = self.registry.upgrade() {
            registry.remove(self.id);
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
    pub(super) fn new(hub: Weak<Hub<K>>, id: u64, messages: UnboundedReceiver<Message<K>>) -> Self {
        Self {
            messages,
            batch: None,
            hub,
            id,
        }
    }

    /// Ends at once.
    pub(super) fn ended() -> Self {
        let (_, messages) = tokio::sync::mpsc::unbounded_channel();
        Self::new(Weak::new(), 0, messages)
    }

    fn next_of_batch(&mut self) -> Option<Event<K>> {
        let (events, at) = self.batch.as_mut()?;
        let event = events.get(*at).cloned();
        *at += 1;
        if event.is_none() {
            self.batch = None;
        }
        event
    }
}

impl<K: Resource> Stream for Subscription<K> {
    type Item = Event<K>;

    fn poll_next(mut self: Pin<&mut Self>, ctx: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        loop {
            if let Some(event) = self.next_of_batch() {
                return Poll::Ready(Some(event));
            }
            match std::task::ready!(self.messages.poll_recv(ctx)) {
                None => return Poll::Ready(None),
                Some(Message::One(event)) => return Poll::Ready(Some(event)),
                Some(Message::Many(events) | Message::Resync(events)) => {
                    self.batch = Some((events, 0));
                }
                Some(Message::Synced) => {}
            }
        }
    }
}

impl<K: Resource> Drop for Subscription<K> {
    fn drop(&mut self) {
        if let Some(hub) = self.hub.upgrade() {
            hub.remove_queue(self.id);
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
