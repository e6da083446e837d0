//! How one handler is told.

use std::time::Duration;

use super::meter::InformerMeter;
use super::queue::EventQueue;
use crate::time::FOR_EVER;

/// The shortest resync period; asking for less is asking for this.
const MIN_RESYNC: Duration = Duration::from_secs(1);
/// How long a queue is before it coalesces, unless a handler asks for another length: as many events as client-go's buffers
/// begin with.
const COALESCE_ABOVE: usize = 1024;

/// How a handler is told: client-go's `HandlerOptions`.
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
#[must_use = "options do nothing by themselves"]
pub struct HandlerOptions {
    /// Of the handler, for metrics.
    name: String,
    /// `None` is the informer's.
    resync: Option<Duration>,
    coalesce_above: usize,
}

impl HandlerOptions {
    /// The informer's resync period, and a queue that coalesces above 1024 events.
    pub fn new() -> Self {
        Self {
            name: String::new(),
            resync: None,
            coalesce_above: COALESCE_ABOVE,
        }
    }

    /// Names the handler in the metric
    /// [`INFORMER_PENDING_NOTIFICATIONS`](crate::metrics::INFORMER_PENDING_NOTIFICATIONS). Those of one informer that have the
    /// same name, or none, add up.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Tells the handler of every cached object each `period`, as an update from itself to itself. Zero is never; less than a
    /// second is a second.
    ///
    /// The period begins when the handler or the informer does, whichever is later, and is this handler's own: unlike
    /// client-go's, it is not rounded to what others asked for before the start. A resync waits until the handler is through with
    /// the last one.
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = Some(period);
        self
    }

    /// Tells the handler of every event by itself while no more than `events` wait for it. What comes on top of them is
    /// coalesced, so that a handler that falls behind takes memory by the number of objects, not by how much they change.
    /// Zero coalesces always. The default is 1024, as many as client-go's buffers begin with; those grow without a bound.
    ///
    /// See [`informer`](super#what-a-handler-that-falls-behind-is-told) for what the handler hears then.
    pub fn coalesce_above(mut self, events: usize) -> Self {
        self.coalesce_above = events;
        self
    }

    /// Tells the handler of every event, however many wait, as client-go does. A handler that stays behind for good takes memory
    /// without a bound.
    pub fn every_event(self) -> Self {
        self.coalesce_above(usize::MAX)
    }

    /// With that resync period, unless there is one.
    pub(super) fn or_resync(mut self, period: Duration) -> Self {
        self.resync.get_or_insert(period);
        self
    }

    /// `None` is never.
    pub(super) fn resync_period(&self) -> Option<Duration> {
        let period = self.resync.filter(|period| !period.is_zero())?;
        Some(period.clamp(MIN_RESYNC, FOR_EVER))
    }

    pub(super) fn queue<K>(&self, meter: Option<&InformerMeter>) -> EventQueue<K> {
        EventQueue::new(
            self.coalesce_above,
            self.resync_period().is_some(),
            meter.map(|meter| meter.pending(&self.name)),
        )
    }
}

impl Default for HandlerOptions {
    fn default() -> Self {
        Self::new()
    }
}
