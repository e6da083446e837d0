//! Options of one handler: resync period, queue bound, name in metrics.

use std::time::Duration;

use super::meter::InformerMeter;
use super::queue::EventQueue;
use crate::time::FOR_EVER;

/// Shortest resync period; a shorter one is raised to it.
const MIN_RESYNC: Duration = Duration::from_secs(1);
/// Default number of pending events above which a queue coalesces: the initial size of client-go's
/// buffers.
const COALESCE_ABOVE: usize = 1024;

/// Options of one handler: client-go's `HandlerOptions`.
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
    /// Name of the handler in metrics.
    name: String,
    /// `None`: the informer's period.
    resync: Option<Duration>,
    coalesce_above: usize,
}

impl HandlerOptions {
    /// Returns the defaults: the informer's resync period, and a queue that coalesces above 1024
    /// events.
    pub fn new() -> Self {
        Self {
            name: String::new(),
            resync: None,
            coalesce_above: COALESCE_ABOVE,
        }
    }

    /// Names the handler in the metric
    /// [`INFORMER_PENDING_NOTIFICATIONS`](crate::metrics::INFORMER_PENDING_NOTIFICATIONS). Handlers
    /// of one informer with the same name, or without a name, add up.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the resync period: each `period`, the handler receives every cached object as an update
    /// from itself to itself. Zero disables resyncs. A period below a second becomes a second.
    ///
    /// The period starts with the handler or the informer, whichever is later, and belongs to this
    /// handler: unlike client-go's, it is not rounded to the periods requested before the start. A
    /// resync waits until the handler has processed the previous one.
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = Some(period);
        self
    }

    /// Sets the queue bound: up to `events` pending events are delivered one by one, and events
    /// beyond that are coalesced. The memory of a slow handler then depends on the number of
    /// objects, not on the number of their changes.
    ///
    /// Zero coalesces always. The default is 1024, the initial size of client-go's buffers; those
    /// grow without a bound. See [`informer`](super#coalescing-for-slow-handlers) for the events
    /// that remain.
    pub fn coalesce_above(mut self, events: usize) -> Self {
        self.coalesce_above = events;
        self
    }

    /// Delivers every event, however many are pending, as client-go does. If the handler never
    /// catches up, its queue grows without a bound.
    pub fn every_event(self) -> Self {
        self.coalesce_above(usize::MAX)
    }

    /// Sets the resync period, unless one is set.
    pub(super) fn or_resync(mut self, period: Duration) -> Self {
        self.resync.get_or_insert(period);
        self
    }

    /// Returns the resync period, or `None` without resyncs.
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
