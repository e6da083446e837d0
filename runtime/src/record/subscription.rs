//! Event subscriptions: streams of recorded events.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use futures::Stream;
use k8s_openapi::api::core::v1::Event;
use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::recorded_event::{MAX_QUEUED_EVENTS, RecordedEvent};

/// Stream of recorded events, returned by
/// [`EventBroadcaster::subscribe`](super::EventBroadcaster::subscribe). The subscription ends when
/// the stream is dropped.
///
/// # Cancel safety
///
/// No event is lost if the future of the next event is dropped.
#[must_use = "streams do nothing unless polled"]
#[derive(Debug)]
pub struct EventSubscription {
    events: mpsc::Receiver<Event>,
    missed: Arc<AtomicU64>,
}

/// The sending sides of a broadcaster's subscriptions.
#[derive(Default)]
pub(super) struct Subscribers(Mutex<Vec<Subscriber>>);

#[derive(Clone)]
struct Subscriber {
    events: mpsc::Sender<Event>,
    missed: Arc<AtomicU64>,
}

impl EventSubscription {
    /// Returns the number of events that the stream lacks because 1000 were already buffered.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }
}

impl Stream for EventSubscription {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        self.events.poll_recv(context)
    }
}

impl Subscribers {
    pub(super) fn add(&self) -> EventSubscription {
        let (sender, events) = mpsc::channel(MAX_QUEUED_EVENTS);
        let missed = Arc::default();
        self.0.lock().push(Subscriber {
            events: sender,
            missed: Arc::clone(&missed),
        });
        EventSubscription { events, missed }
    }

    /// Sends an event to every subscriber, without waiting.
    pub(super) fn send(&self, event: &RecordedEvent) {
        let subscribers = {
            let mut subscribers = self.0.lock();
            subscribers.retain(|subscriber| !subscriber.events.is_closed());
            subscribers.clone()
        };
        // Sends without the lock, since the waker of a subscriber may run code that takes the lock.
        for subscriber in subscribers {
            let event = event.clone().into_core_v1();
            if let Err(mpsc::error::TrySendError::Full(_)) = subscriber.events.try_send(event) {
                subscriber.missed.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Ends every stream after its buffered events.
    pub(super) fn close(&self) {
        let subscribers = std::mem::take(&mut *self.0.lock());
        drop(subscribers);
    }
}
