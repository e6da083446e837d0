//! Writing loop for events of `core/v1`: correlates them, and writes one at a time.

use std::time::Duration;

use k8s_openapi::api::core::v1::{Event, ObjectReference};
use k8s_openapi::jiff::Timestamp;

use super::CorrelatorOptions;
use super::correlator::Correlator;
use super::queue::{EventOutcome, EventReceiver};
use super::writer::{EventObject, EventWriter, MAX_TRIES, NotWritten, RETRY_INTERVAL};
use crate::wait::random_fraction;

pub(super) struct CoreV1 {
    pub(super) correlator: Correlator,
    pub(super) writer: EventWriter,
}

/// Writes events until the queue is shut down and empty.
pub(super) async fn write_events(
    mut receiver: EventReceiver,
    writer: EventWriter,
    options: CorrelatorOptions,
) {
    let mut core = CoreV1 {
        correlator: Correlator::new(options),
        writer,
    };
    while let Some(event) = receiver.next().await {
        if let Some(outcome) = core.write(event.into_core_v1()).await {
            receiver.queue.settle(outcome, 1);
        }
    }
}

impl CoreV1 {
    /// Writes an event, unless it is filtered. Returns its outcome, or `None` if a shutdown
    /// interrupts the write.
    pub(super) async fn write(&mut self, event: Event) -> Option<EventOutcome> {
        let Some(correlated) = self.correlator.correlate(event, Timestamp::now()) else {
            return Some(EventOutcome::Filtered);
        };
        let patch = correlated.patch.as_ref();
        match self.writer.write(&correlated.event, patch, MAX_TRIES).await {
            Ok(event) => {
                self.correlator.written(&correlated, &event);
                Some(EventOutcome::Written)
            }
            Err(NotWritten::Refused) => Some(EventOutcome::Refused),
            Err(NotWritten::GivenUp) => Some(EventOutcome::GivenUp),
            Err(NotWritten::Stopped) => None,
        }
    }
}

impl EventObject for Event {
    fn about(&self) -> (Option<&ObjectReference>, Option<&str>) {
        (Some(&self.involved_object), self.reason.as_deref())
    }

    /// As in client-go's `tools/record`, only the first pause is random.
    fn pause(tries: u32) -> Duration {
        if tries == 1 {
            RETRY_INTERVAL.mul_f64(random_fraction())
        } else {
            RETRY_INTERVAL
        }
    }
}
