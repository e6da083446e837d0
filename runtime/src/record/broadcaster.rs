//! The queue of events, and the task that empties it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::Event;
use kube::Client;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::recorder::Destination;
use super::writer::Writer;
use super::{CorrelatorOptions, EventRecorder};

/// How many events may wait to be written.
const MAX_QUEUED_EVENTS: usize = 1000;

/// Writes the events of its [recorders](EventRecorder) to the API server, in one task that it owns.
///
/// Dropping it ends the task and loses what has not been written; [`shut_down`](Self::shut_down) writes that first.
#[must_use = "events are lost when their broadcaster is dropped"]
pub struct EventBroadcaster {
    queue: Arc<Queue>,
    task: AbortOnDropHandle<()>,
}

/// Events that a shutdown had to leave unwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{events} events were not written")]
pub struct Unwritten {
    /// How many.
    pub events: usize,
}

/// The sending side of the queue.
pub(super) struct Queue {
    sender: mpsc::Sender<Event>,
    dropped: AtomicU64,
    /// How many events were accepted and neither written, refused by the server, filtered nor given up.
    unsettled: AtomicUsize,
    /// Cancelled when the shutdown begins.
    stop: CancellationToken,
}

impl EventBroadcaster {
    /// Starts a broadcaster with the default options.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn new(client: Client) -> Self {
        Self::with_options(client, CorrelatorOptions::default())
    }

    /// Starts a broadcaster.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn with_options(client: Client, options: CorrelatorOptions) -> Self {
        let (sender, receiver) = mpsc::channel(MAX_QUEUED_EVENTS);
        let stop = CancellationToken::new();
        let queue = Queue {
            sender,
            dropped: AtomicU64::new(0),
            unsettled: AtomicUsize::new(0),
            stop: stop.clone(),
        };
        let queue = Arc::new(queue);
        let writer = Writer::new(client, options, stop);
        let task = AbortOnDropHandle::new(tokio::spawn(run(Arc::clone(&queue), receiver, writer)));
        Self { queue, task }
    }

    /// A recorder for the controller with this name. All recorders share one queue.
    #[must_use]
    pub fn recorder(&self, component: &str) -> EventRecorder {
        EventRecorder::new(component, Destination::Broadcaster(Arc::clone(&self.queue)))
    }

    /// How many events were dropped because 1000 waited already, or because they came after shutdown.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.queue.dropped.load(Ordering::Relaxed)
    }

    /// Refuses events from now on, and writes those that wait, each with one try, for as long as `deadline` allows.
    ///
    /// # Errors
    ///
    /// [`Unwritten`] if events were left at the deadline, or could not be written because the server was not reached.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the broadcaster, and so loses the events that have not been written yet.
    pub async fn shut_down(self, deadline: Duration) -> Result<(), Unwritten> {
        self.queue.stop.cancel();
        // Whether the task ended or the time did, what is unsettled now stays so.
        let _ = timeout(deadline, self.task).await;
        match self.queue.unsettled.load(Ordering::Acquire) {
            0 => Ok(()),
            events => Err(Unwritten { events }),
        }
    }
}

impl fmt::Debug for EventBroadcaster {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EventBroadcaster")
            .field("dropped", &self.dropped())
            .finish_non_exhaustive()
    }
}

impl Queue {
    /// Queues an event, or drops it.
    pub(super) fn push(&self, event: Event) {
        self.unsettled.fetch_add(1, Ordering::AcqRel);
        if !self.stop.is_cancelled() && self.sender.try_send(event).is_ok() {
            return;
        }
        self.unsettled.fetch_sub(1, Ordering::AcqRel);
        let dropped = self.dropped.fetch_add(1, Ordering::Relaxed) + 1;
        tracing::warn!(
            dropped,
            "event dropped: too many wait, or the broadcaster is shut down"
        );
    }
}

/// Writes events one after the other until the broadcaster is shut down and the queue empty.
async fn run(queue: Arc<Queue>, mut receiver: mpsc::Receiver<Event>, mut writer: Writer) {
    loop {
        let event = tokio::select! {
            biased;
            () = queue.stop.cancelled(), if !receiver.is_closed() => {
                receiver.close();
                continue;
            }
            event = receiver.recv() => event,
        };
        let Some(event) = event else { return };
        if writer.write(event).await.is_ok() {
            queue.unsettled.fetch_sub(1, Ordering::AcqRel);
        }
    }
}
