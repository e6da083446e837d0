//! Between recorders, which must not wait, and the task that writes: a bounded queue that keeps accounts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::meter::{Meter, Outcome};
use super::occurrence::Occurrence;

/// How many events may wait to be written.
pub(super) const MAX_QUEUED_EVENTS: usize = 1000;

/// The sending side, and the accounts of both.
pub(super) struct Queue {
    sender: mpsc::Sender<Occurrence>,
    dropped: AtomicU64,
    /// How many events were accepted and have not come to an outcome.
    unsettled: AtomicUsize,
    meter: Meter,
    /// Cancelled when the shutdown begins.
    pub(super) stop: CancellationToken,
}

/// The receiving side.
pub(super) struct Inbox {
    pub(super) queue: Arc<Queue>,
    receiver: mpsc::Receiver<Occurrence>,
}

pub(super) fn queue(meter: Meter) -> (Arc<Queue>, Inbox) {
    let (sender, receiver) = mpsc::channel(MAX_QUEUED_EVENTS);
    let queue = Arc::new(Queue {
        sender,
        dropped: AtomicU64::new(0),
        unsettled: AtomicUsize::new(0),
        meter,
        stop: CancellationToken::new(),
    });
    let inbox = Inbox {
        queue: Arc::clone(&queue),
        receiver,
    };
    (queue, inbox)
}

impl Queue {
    /// Queues an event, or drops it.
    pub(super) fn push(&self, occurrence: Occurrence) {
        self.unsettled.fetch_add(1, Ordering::AcqRel);
        if self.stop.is_cancelled() || self.sender.try_send(occurrence).is_err() {
            self.settle(Outcome::Dropped, 1);
        }
    }

    /// Books what became of accepted events.
    pub(super) fn settle(&self, outcome: Outcome, events: usize) {
        self.unsettled.fetch_sub(events, Ordering::AcqRel);
        self.meter.count(outcome, events);
        if outcome == Outcome::Dropped {
            let dropped = self.dropped.fetch_add(events as u64, Ordering::Relaxed) + events as u64;
            tracing::warn!(
                dropped,
                "event dropped: too many wait, or the broadcaster is shut down"
            );
        }
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Gives up what has no outcome yet, and says how much that is.
    pub(super) fn give_up(&self) -> usize {
        let events = self.unsettled.load(Ordering::Acquire);
        self.settle(Outcome::GivenUp, events);
        events
    }
}

impl Inbox {
    /// The next event; none when the queue is shut down and empty. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<Occurrence> {
        loop {
            tokio::select! {
                biased;
                () = self.queue.stop.cancelled(), if !self.receiver.is_closed() => self.receiver.close(),
                occurrence = self.receiver.recv() => return occurrence,
            }
        }
    }
}
