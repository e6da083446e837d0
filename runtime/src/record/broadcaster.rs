//! Event broadcaster: owner of the event queue and of the task that writes the events.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::queue::{self, EventMeter, Inbox, OccurrenceQueue, Outcome};
use super::recorder::Destination;
use super::writer::Writer;
use super::{CorrelatorOptions, EventRecorder, EventSubscription, core_v1, events_v1};
use crate::metrics::{NoMetrics, Provider};

/// Broadcaster that writes the events of its [recorders](EventRecorder) to the API server, in one
/// task that it owns.
///
/// Dropping it ends the task; events that are not written yet are lost and count as dropped.
/// [`shutdown`](Self::shutdown) writes them first.
#[must_use = "events are lost when their broadcaster is dropped"]
pub struct EventBroadcaster {
    queue: Arc<OccurrenceQueue>,
    task: AbortOnDropHandle<()>,
}

/// The API that events are written to. The server stores both in the same place and serves each
/// event in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EventsApi {
    /// `core/v1`: a repeated event has a `count`, which is written each time. client-go's
    /// `tools/record`.
    #[default]
    CoreV1,
    /// `events.k8s.io/v1`: a repeated event has a `series`, which is written occasionally.
    /// client-go's `tools/events`.
    ///
    /// If the server does not serve this API, events are written to `core/v1`, as by client-go's
    /// `EventBroadcasterAdapter`.
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

    /// Returns a recorder for the controller with this name. All recorders share one queue.
    ///
    /// The name is a qualified name with an optional domain prefix: `gputask-controller`,
    /// `falldio.com/gputask-controller`. `events.k8s.io/v1` accepts no other.
    #[must_use]
    pub fn recorder(&self, component: &str) -> EventRecorder {
        EventRecorder::new(component, Destination::Broadcaster(Arc::clone(&self.queue)))
    }

    /// Returns a stream of the events recorded from now on, before they are aggregated, counted or
    /// filtered, and whether or not they are written. It ends with the broadcaster. client-go's
    /// `StartEventWatcher`.
    ///
    /// The events are of `core/v1`, whichever API they are written to. Up to 1000 of them are
    /// buffered; further ones are [missed](EventSubscription::missed).
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

    /// Returns how many events were dropped because the queue was full, or because they were
    /// recorded after shutdown.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.queue.dropped()
    }

    /// Rejects new events and writes the pending ones, with one try each, within `deadline`.
    ///
    /// Pending are the queued events and the counts of series that are not written yet. An event
    /// that is not written within `deadline` counts as given up.
    ///
    /// # Errors
    ///
    /// Returns [`UnwrittenEventsError`] if events were pending at the deadline, or could not be
    /// written because the server was unreachable.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the broadcaster and loses the events that are not written yet.
    pub async fn shutdown(mut self, deadline: Duration) -> Result<(), UnwrittenEventsError> {
        self.queue.stop();
        if timeout(deadline, &mut self.task).await.is_err() {
            self.task.abort();
            // After the task has ended, it settles no more events.
            let _ = (&mut self.task).await;
        }
        match self.queue.close(Outcome::GivenUp) {
            0 => Ok(()),
            events => Err(UnwrittenEventsError { events }),
        }
    }
}

impl Drop for EventBroadcaster {
    fn drop(&mut self) {
        self.queue.stop();
        let events = self.queue.close(Outcome::Dropped);
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
    /// The program needs permission to `create` and `patch` `events` in the API group, `""` or
    /// `events.k8s.io`.
    pub fn api(mut self, api: EventsApi) -> Self {
        self.api = api;
        self
    }

    /// Sets the limits at which events of `core/v1` are aggregated and filtered. `events.k8s.io/v1`
    /// has series instead.
    pub fn correlator(mut self, options: CorrelatorOptions) -> Self {
        self.correlator = options;
        self
    }

    /// Records the outcomes of events under `name`: the metric `event_broadcaster_events_total` of
    /// [`metrics`](crate::metrics). Default: no metrics. client-go has no such metric.
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
        let (queue, inbox) = queue::queue(EventMeter::new(&*self.metrics, &self.name));
        let writer = Writer {
            client: self.client,
            stop: queue.stop.clone(),
        };
        let task = tokio::spawn(run(self.api, inbox, writer, self.correlator));
        EventBroadcaster {
            queue,
            task: AbortOnDropHandle::new(task),
        }
    }
}

/// Writes events until the queue is shut down and empty.
async fn run(api: EventsApi, inbox: Inbox, writer: Writer, options: CorrelatorOptions) {
    if api == EventsApi::EventsV1 && events_v1::is_served(&writer).await {
        events_v1::run(inbox, writer).await;
    } else {
        core_v1::run(inbox, writer, options).await;
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
