//! Owns the queue of events and the task that empties it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::meter::{EventMeter, Outcome};
use super::queue::{self, Inbox, OccurrenceQueue};
use super::recorder::Destination;
use super::writer::Writer;
use super::{CorrelatorOptions, EventRecorder, EventSubscription, core_v1, events_v1};
use crate::metrics::{NoMetrics, Provider};

/// Writes the events of its [recorders](EventRecorder) to the API server, in one task that it owns.
///
/// Dropping it ends the task and loses what has not been written, which counts as dropped;
/// [`shutdown`](Self::shutdown) writes that first.
#[must_use = "events are lost when their broadcaster is dropped"]
pub struct EventBroadcaster {
    queue: Arc<OccurrenceQueue>,
    task: AbortOnDropHandle<()>,
}

/// The API that events are written to. The server has one store for both, and shows each event in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EventsApi {
    /// `core/v1`: an event that repeats has a `count`, which is written each time. client-go's `tools/record`.
    #[default]
    CoreV1,
    /// `events.k8s.io/v1`: an event that repeats has a `series`, which is written now and then. client-go's `tools/events`.
    ///
    /// Where the server does not have this API, it is `core/v1`, as by client-go's `EventBroadcasterAdapter`.
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

/// Events that a shutdown had to leave unwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{events} events were not written")]
#[non_exhaustive]
pub struct UnwrittenEventsError {
    /// How many.
    pub events: usize,
}

impl EventBroadcaster {
    /// Starts a broadcaster with the default options.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn new(client: Client) -> Self {
        Self::builder(client).build()
    }

    /// A broadcaster with other settings.
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

    /// A recorder for the controller with this name. All recorders share one queue.
    ///
    /// The name is a label of Kubernetes, with a domain before it or without: `gputask-controller`,
    /// `falldio.com/gputask-controller`. `events.k8s.io/v1` takes no other.
    #[must_use]
    pub fn recorder(&self, component: &str) -> EventRecorder {
        EventRecorder::new(component, Destination::Broadcaster(Arc::clone(&self.queue)))
    }

    /// A stream of the events that are recorded from now on, as their recorders made them: before they are combined, counted or
    /// filtered, and whether or not they are written. It ends with the broadcaster. client-go's `StartEventWatcher`.
    ///
    /// They are events of `core/v1` whichever API they are written to. Up to 1000 of them wait to be polled; those that come on top
    /// are [missed](EventSubscription::missed).
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

    /// How many events were dropped because too many waited already, or because they came after shutdown.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.queue.dropped()
    }

    /// Refuses events from now on, and writes what is unwritten, each with one try, for as long as `deadline` allows.
    ///
    /// That is the events that wait and, of series, the counts that the server does not know yet. It takes no longer than
    /// `deadline`; an event that then is not written counts as given up.
    ///
    /// # Errors
    ///
    /// [`UnwrittenEventsError`] if events were left at the deadline, or could not be written
    /// because the server was not reached.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the broadcaster, and so loses the events that have not been written yet.
    pub async fn shutdown(mut self, deadline: Duration) -> Result<(), UnwrittenEventsError> {
        self.queue.stop();
        if timeout(deadline, &mut self.task).await.is_err() {
            self.task.abort();
            // Ended by that, it no longer books anything.
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
                "events dropped with their broadcaster, which was not shut down"
            );
        }
    }
}

impl EventBroadcasterBuilder {
    /// Which API the events are written to. By default `core/v1`.
    ///
    /// The program needs the right to `create` and `patch` `events` in the group of that name, `""` or `events.k8s.io`.
    pub fn api(mut self, api: EventsApi) -> Self {
        self.api = api;
        self
    }

    /// When events of `core/v1` are combined and when they are too many. `events.k8s.io/v1` has series in place of that.
    pub fn correlator(mut self, options: CorrelatorOptions) -> Self {
        self.correlator = options;
        self
    }

    /// Measures what becomes of events, under a name: the metric `event_broadcaster_events_total` of
    /// [`metrics`](crate::metrics). Not measured by default. client-go has no such metric.
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
