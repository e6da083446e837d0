//! Event metrics: a counter for each outcome.

use std::sync::Arc;

use crate::metrics::{Counter, EVENT_BROADCASTER_EVENTS, Provider};

/// Outcome of an event. Every recorded event has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The server has it, as an object or as part of a count.
    Written,
    /// Filtered as spam: its object has too many events.
    Filtered,
    /// The server rejected it.
    Refused,
    /// The server was unreachable until tries or time ran out.
    GivenUp,
    /// Not queued, because the queue was full or shut down, or still pending when the broadcaster
    /// was dropped.
    Dropped,
}

/// A counter for each outcome, in the order of [`Outcome`].
pub(super) struct EventMeter([Arc<dyn Counter>; 5]);

impl EventMeter {
    pub(super) fn new(provider: &dyn Provider, name: &str) -> Self {
        let labels = ["written", "filtered", "refused", "given_up", "dropped"];
        Self(labels.map(|label| provider.counter(&EVENT_BROADCASTER_EVENTS, &[name, label])))
    }

    pub(super) fn count(&self, outcome: Outcome, events: usize) {
        self.0[outcome as usize].add(events as u64);
    }
}
