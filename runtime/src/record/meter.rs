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

/// A counter for each outcome.
pub(super) struct EventMeter {
    counters: [(Outcome, Arc<dyn Counter>); 5],
}

impl EventMeter {
    pub(super) fn new(provider: &dyn Provider, name: &str) -> Self {
        let counter = |outcome, label| {
            let labels = [name, label];
            (
                outcome,
                provider.counter(&EVENT_BROADCASTER_EVENTS, &labels),
            )
        };
        Self {
            counters: [
                counter(Outcome::Written, "written"),
                counter(Outcome::Filtered, "filtered"),
                counter(Outcome::Refused, "refused"),
                counter(Outcome::GivenUp, "given_up"),
                counter(Outcome::Dropped, "dropped"),
            ],
        }
    }

    pub(super) fn count(&self, outcome: Outcome, events: usize) {
        for (of, counter) in &self.counters {
            if *of == outcome {
                counter.add(events as u64);
            }
        }
    }
}
