//! What became of events.

use std::sync::Arc;

use crate::metrics::{Counter, EVENT_BROADCASTER_EVENTS, Provider};

/// What became of an event. Every event that is recorded comes to one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The server has it, as an object or as one more in a count.
    Written,
    /// Its object has had too many.
    Filtered,
    /// The server does not take it.
    Refused,
    /// The server was not reached, tries or time ran out.
    GivenUp,
    /// It was not accepted: too many waited, or it came after the shutdown. Or the broadcaster was dropped without one.
    Dropped,
}

/// A counter for each outcome, in their order.
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
