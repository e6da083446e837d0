//! A recorder for tests.

use std::fmt;

use tokio::sync::mpsc;

use super::EventRecorder;
use super::recorder::Destination;

/// Collects events as lines `<type> <reason> <message>`, in the order in which they were recorded: client-go's
/// `FakeRecorder`. Annotations follow the message.
///
/// ```
/// use genclient::record::{EventType, FakeRecorder};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let mut fake = FakeRecorder::new();
/// let recorder = fake.recorder(); // goes into the controller under test
///
/// recorder.event(&Pod::default(), EventType::Warning, "NoGpu", "no node has an A100");
///
/// assert_eq!(fake.take(), ["Warning NoGpu no node has an A100"]);
/// ```
pub struct FakeRecorder {
    recorder: EventRecorder,
    lines: mpsc::UnboundedReceiver<String>,
}

impl FakeRecorder {
    /// One without events. It never blocks and drops nothing, unlike client-go's, which has a channel of a given size.
    #[must_use]
    pub fn new() -> Self {
        let (sender, lines) = mpsc::unbounded_channel();
        Self {
            recorder: EventRecorder::new("fake", Destination::Fake(sender)),
            lines,
        }
    }

    /// What the code under test records with.
    #[must_use]
    pub fn recorder(&self) -> EventRecorder {
        self.recorder.clone()
    }

    /// The events since the last call.
    pub fn take(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.lines.try_recv().ok()).collect()
    }

    /// Waits for the next event.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no event is lost when the future is dropped.
    pub async fn next(&mut self) -> String {
        // The sender inside of `self` keeps the channel open.
        self.lines.recv().await.unwrap_or_default()
    }
}

impl Default for FakeRecorder {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for FakeRecorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("FakeRecorder")
            .field("waiting", &self.lines.len())
            .finish()
    }
}
