//! Event broadcaster: owner of the event queue and of the task that writes the events.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::queue::{self, EventMetrics, EventOutcome, EventReceiver, RecordQueue};
use super::recorder::Destination;
use super::writer::EventWriter;
use super::{CorrelatorOptions, EventRecorder, EventSubscription, core_v1, events_v1};
use crate::metrics::{NoMetrics, Provider};

/// Broadcaster: writes the events of its [recorders](EventRecorder) to the API server, in its own
/// task.
///
/// When the broadcaster is dropped, its task ends. Unwritten events are then lost and count as
/// dropped. [`shutdown`](Self::shutdown) writes these events first.
#[must_use = "events are lost when their broadcaster is dropped"]
pub struct EventBroadcaster {
    queue: Arc<RecordQueue>,
    task: AbortOnDropHandle<()>,
}

/// API that events are written to. The server stores events of both APIs together, and serves each
/// event in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EventsApi {
    /// `core/v1`, as in client-go's `tools/record`: a repeated event has a `count`, which is
    /// written at every repetition.
    #[default]
    CoreV1,
    /// `events.k8s.io/v1`, as in client-go's `tools/events`: a repeated event has a `series`, which
    /// is written occasionally.
    ///
    /// If the server does not serve this API, events are written to `core/v1`, as client-go's
    /// `EventBroadcasterAdapter` does.
    EventsV1,
}

/// Settings of an [`EventBroadcaster`].
#[must_use]
pub struct EventBroadcasterBuilder {
    client: Client,
    api: EventsApi,
    correlator: CorrelatorOptions,
    name: String,
    metrics: Arc<dyn Provider>,
}

/// Error of [`EventBroadcaster::shutdown`]: some events were not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{events} events were not written")]
#[non_exhaustive]
pub struct UnwrittenEventsError {
    /// The number of unwritten events.
    pub events: usize,
}

impl EventBroadcaster {
    /// Starts a broadcaster with the default settings.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn new(client: Client) -> Self {
        Self::builder(client).build()
    }

    /// Returns a builder for a broadcaster with other settings.
    ///
    /// ```no_run
    /// use genclient::record::{EventBroadcaster, EventsApi};
    ///
    /// # fn example(client: genclient::kube::Client) {
    /// let broadcaster = EventBroadcaster::builder(client).api(EventsApi::EventsV1).build();
    /// # }
    /// ```
    pub fn builder(client: Client) -> EventBroadcasterBuilder {
        EventBroadcasterBuilder {
            client,
            api: EventsApi::default(),
            correlator: CorrelatorOptions::default(),
            name: String::new(),
            metrics: Arc::new(NoMetrics),
        }
    }

    /// Returns a recorder for the controller `component`. All recorders share one queue.
    ///
    /// The name of a controller is a qualified name with an optional domain prefix, such as
    /// `gputask-controller` or `falldio.com/gputask-controller`. `events.k8s.io/v1` rejects other
    /// names.
    #[must_use]
    pub fn recorder(&self, component: &str) -> EventRecorder {
        EventRecorder::new(component, Destination::Broadcaster(Arc::clone(&self.queue)))
    }

    /// Returns a stream of all events that are recorded from now on: client-go's
    /// `StartEventWatcher`. The stream gets events before aggregation, counting and filtering, so
    /// it also contains events that are never written. It ends when the broadcaster is shut down or
    /// dropped.
    ///
    /// The stream has `core/v1` events, whichever API the broadcaster writes to. Up to 1000 events
    /// are buffered; further ones are [missed](EventSubscription::missed).
    ///
    /// ```no_run
    /// use futures::StreamExt;
    /// use genclient::record::EventBroadcaster;
    ///
    /// # async fn example(broadcaster: EventBroadcaster) {
    /// let mut events = broadcaster.subscribe();
    /// while let Some(event) = events.next().await {
    ///     println!("{:?}: {:?}", event.involved_object.name, event.message);
    /// }
    /// # }
    /// ```
    pub fn subscribe(&self) -> EventSubscription {
        self.queue.subscribers.add()
    }

    /// Returns the number of events that were dropped because too many others were pending.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.queue.dropped()
    }

    /// Rejects new events and writes the pending ones, with one try each, within `deadline`.
    ///
    /// Pending events are those in the queue, those being written or retried, and repetitions of an
    /// event of `events.k8s.io/v1` that are not yet counted in its `series` on the server. After
    /// `deadline`, they are given up.
    ///
    /// # Errors
    ///
    /// Returns [`UnwrittenEventsError`] if events were pending at the deadline, or could not be
    /// written because the server was unreachable.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the broadcaster is dropped, too, and unwritten events are lost.
    pub async fn shutdown(mut self, deadline: Duration) -> Result<(), UnwrittenEventsError> {
        self.queue.stop();
        if timeout(deadline, &mut self.task).await.is_err() {
            self.task.abort();
            // Waits until the task has ended. Before its end, the task may record an outcome, which
            // would be ignored after `close`.
            let _ = (&mut self.task).await;
        }
        match self.queue.close(EventOutcome::GivenUp) {
            0 => Ok(()),
            events => Err(UnwrittenEventsError { events }),
        }
    }
}

impl Drop for EventBroadcaster {
    fn drop(&mut self) {
        self.queue.stop();
        let events = self.queue.close(EventOutcome::Dropped);
        if events > 0 {
            tracing::warn!(
                events,
                "broadcaster dropped without shutdown; events are lost"
            );
        }
    }
}

impl EventBroadcasterBuilder {
    /// Sets the API that events are written to. Default: `core/v1`.
    ///
    /// The program needs permission to `create` and `patch` `events` in the group of this API: `""`
    /// or `events.k8s.io`.
    pub fn api(mut self, api: EventsApi) -> Self {
        self.api = api;
        self
    }

    /// Sets the limits for aggregating and filtering events of `core/v1`. Events of
    /// `events.k8s.io/v1` form series instead.
    pub fn correlator(mut self, options: CorrelatorOptions) -> Self {
        self.correlator = options;
        self
    }

    /// Enables the metric `event_broadcaster_events_total` of [`metrics`](crate::metrics), which
    /// counts events by outcome. `name` is the value of its label `name`. Default: no metrics.
    /// client-go has no such metric.
    pub fn metrics(mut self, name: impl Into<String>, provider: Arc<dyn Provider>) -> Self {
        self.name = name.into();
        self.metrics = provider;
        self
    }

    /// Starts the broadcaster.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn build(self) -> EventBroadcaster {
        let (queue, receiver) =
            queue::new_event_queue(EventMetrics::new(&*self.metrics, &self.name));
        let writer = EventWriter {
            client: self.client,
            stop: queue.stop.clone(),
        };
        let task = tokio::spawn(write_events(self.api, receiver, writer, self.correlator));
        EventBroadcaster {
            queue,
            task: AbortOnDropHandle::new(task),
        }
    }
}

/// Writes events until the queue is shut down and empty.
async fn write_events(
    api: EventsApi,
    receiver: EventReceiver,
    writer: EventWriter,
    options: CorrelatorOptions,
) {
    if api == EventsApi::EventsV1 && events_v1::is_api_served(&writer).await {
        events_v1::write_events(receiver, writer).await;
    } else {
        core_v1::write_events(receiver, writer, options).await;
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

impl fmt::Debug for EventBroadcasterBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EventBroadcasterBuilder")
            .field("api", &self.api)
            .field("correlator", &self.correlator)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
