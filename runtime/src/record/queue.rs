//! Bounded event queue between recorders and the writing task. It also counts the outcomes of
//! events.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::recorded_event::{MAX_QUEUED_EVENTS, RecordedEvent};
use super::subscription::Subscribers;
use crate::metrics::{Counter, EVENT_BROADCASTER_EVENTS, Provider};

/// The sending side of the queue, and the counts of outcomes, which both sides update.
pub(super) struct RecordQueue {
    sender: mpsc::Sender<RecordedEvent>,
    /// Locked while an event is put into the queue, so that the event is counted in `unsettled`
    /// before the writing task can settle it.
    accounts: Mutex<Accounts>,
    dropped: AtomicU64,
    metrics: EventMetrics,
    pub(super) subscribers: Subscribers,
    /// Cancelled when the shutdown begins.
    pub(super) stop: CancellationToken,
}

#[derive(Default)]
struct Accounts {
    /// Number of accepted events without an outcome.
    unsettled: usize,
    /// Set by `close`, which gives an outcome to every event without one. Later outcomes are
    /// ignored.
    is_closed: bool,
}

/// The receiving side of the queue, which the writing task has.
pub(super) struct EventReceiver {
    pub(super) queue: Arc<RecordQueue>,
    receiver: mpsc::Receiver<RecordedEvent>,
}

/// Outcome of a recorded event. Every event has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventOutcome {
    /// The server stored it, as an object or as part of a count.
    Written,
    /// Not written, because its object has too many events.
    Filtered,
    /// The server rejected it.
    Refused,
    /// The server was unreachable in all tries, or the deadline of the shutdown came first.
    GivenUp,
    /// The queue or the tracker of series was full, the queue was shut down, or the broadcaster was
    /// dropped before the event was written.
    Dropped,
}

/// A counter for each outcome, in the order of [`EventOutcome`].
pub(super) struct EventMetrics([Arc<dyn Counter>; 5]);

pub(super) fn new_event_queue(metrics: EventMetrics) -> (Arc<RecordQueue>, EventReceiver) {
    let (sender, receiver) = mpsc::channel(MAX_QUEUED_EVENTS);
    let queue = Arc::new(RecordQueue {
        sender,
        accounts: Mutex::default(),
        dropped: AtomicU64::new(0),
        metrics,
        subscribers: Subscribers::default(),
        stop: CancellationToken::new(),
    });
    let receiver = EventReceiver {
        queue: Arc::clone(&queue),
        receiver,
    };
    (queue, receiver)
}

impl RecordQueue {
    /// Passes an event to the subscribers, and queues it. Drops it if the queue is full or shut
    /// down.
    pub(super) fn push(&self, event: RecordedEvent) {
        if !self.stop.is_cancelled() {
            self.subscribers.send(&event);
        }
        let mut accounts = self.accounts.lock();
        let is_open = !accounts.is_closed && !self.stop.is_cancelled();
        if is_open && self.sender.try_send(event).is_ok() {
            accounts.unsettled += 1;
            return;
        }
        drop(accounts);
        self.count_outcome(EventOutcome::Dropped, 1);
        let cause = if is_open {
            "the queue is full"
        } else {
            "the broadcaster is shut down"
        };
        let dropped = self.dropped();
        tracing::warn!(cause, dropped, "event dropped");
    }

    /// Records one outcome for several accepted events; `events` is their number.
    pub(super) fn settle(&self, outcome: EventOutcome, events: usize) {
        let mut accounts = self.accounts.lock();
        if accounts.is_closed {
            return;
        }
        accounts.unsettled -= events;
        drop(accounts);
        self.count_outcome(outcome, events);
    }

    pub(super) fn stop(&self) {
        self.stop.cancel();
        self.subscribers.close();
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Assigns `outcome` to all events without one and returns their number. Later events are
    /// dropped, and later outcomes ignored.
    pub(super) fn close(&self, outcome: EventOutcome) -> usize {
        let mut accounts = self.accounts.lock();
        accounts.is_closed = true;
        let events = std::mem::take(&mut accounts.unsettled);
        drop(accounts);
        if events > 0 {
            self.count_outcome(outcome, events);
        }
        events
    }

    fn count_outcome(&self, outcome: EventOutcome, events: usize) {
        self.metrics.count(outcome, events);
        if outcome == EventOutcome::Dropped {
            self.dropped.fetch_add(events as u64, Ordering::Relaxed);
        }
    }
}

impl EventReceiver {
    /// Waits for the next event; returns `None` once the queue is shut down and empty. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<RecordedEvent> {
        loop {
            tokio::select! {
                biased;
                () = self.queue.stop.cancelled(), if !self.receiver.is_closed() => self.receiver.close(),
                event = self.receiver.recv() => return event,
            }
        }
    }
}

impl EventMetrics {
    pub(super) fn new(provider: &dyn Provider, name: &str) -> Self {
        let labels = ["written", "filtered", "refused", "given_up", "dropped"];
        Self(labels.map(|label| provider.counter(&EVENT_BROADCASTER_EVENTS, &[name, label])))
    }

    pub(super) fn count(&self, outcome: EventOutcome, events: usize) {
        self.0[outcome as usize].add(events as u64);
    }
}
