//! Event recorder for tests: [`FakeRecorder`].

use k8s_openapi::api::core::v1::ObjectReference;
use tokio::sync::mpsc;

use super::EventRecorder;
use super::recorded_event::RecordedEvent;
use super::recorder::Destination;

/// Event recorder for tests: client-go's `FakeRecorder` of `tools/record` and of `tools/events`. It
/// collects each event as a line `<type> <reason> <message>`, followed by the annotations if there
/// are any.
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
#[derive(Debug)]
pub struct FakeRecorder {
    recorder: EventRecorder,
    events: mpsc::UnboundedReceiver<RecordedEvent>,
    is_verbose: bool,
}

impl FakeRecorder {
    /// Returns a fake without events. Its channel is unbounded, unlike that of client-go's fake, so
    /// callers never block.
    #[must_use]
    pub fn new() -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        Self {
            recorder: EventRecorder::new("fake", Destination::Fake(sender)),
            events,
            is_verbose: false,
        }
    }

    /// Returns a fake with the action and the objects in its lines:
    /// `<type> <reason> <action> <message> {kind=…,apiVersion=…} {kind=…,apiVersion=…}`.
    ///
    /// ```
    /// use genclient::record::{EventType, FakeRecorder};
    /// use k8s_openapi::api::core::v1::{Node, Pod};
    ///
    /// let mut fake = FakeRecorder::verbose();
    /// let recorder = fake.recorder();
    ///
    /// let event = recorder.regarding(&Pod::default()).related(&Node::default()).action("Binding");
    /// event.event(EventType::Normal, "Scheduled", "to the last node");
    ///
    /// let line = "Normal Scheduled Binding to the last node {kind=Pod,apiVersion=v1} \
    ///             {kind=Node,apiVersion=v1}";
    /// assert_eq!(fake.take(), [line]);
    /// ```
    #[must_use]
    pub fn verbose() -> Self {
        Self {
            is_verbose: true,
            ..Self::new()
        }
    }

    /// Returns the recorder for the code under test.
    #[must_use]
    pub fn recorder(&self) -> EventRecorder {
        self.recorder.clone()
    }

    /// Removes and returns the collected events.
    pub fn take(&mut self) -> Vec<String> {
        let events: Vec<_> = std::iter::from_fn(|| self.events.try_recv().ok()).collect();
        events.iter().map(|event| self.line(event)).collect()
    }

    /// Waits for the next event.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no event is lost when the future is dropped.
    pub async fn next(&mut self) -> String {
        // The sender in `self` keeps the channel open.
        let event = self.events.recv().await;
        event.map(|event| self.line(&event)).unwrap_or_default()
    }

    fn line(&self, event: &RecordedEvent) -> String {
        let (reason, message) = (&event.reason, &event.message);
        let mut line = format!("{} {reason} ", event.event_type);
        if self.is_verbose {
            let objects: String = [Some(&event.regarding), event.related.as_ref()]
                .into_iter()
                .flatten()
                .map(format_reference)
                .collect();
            line += &format!("{} {message}{objects}", event.action());
        } else {
            line += message;
        }
        if let Some(annotations) = &event.annotations {
            line += &format!(" {annotations:?}");
        }
        line
    }
}

fn format_reference(object: &ObjectReference) -> String {
    let kind = object.kind.as_deref().unwrap_or_default();
    let api_version = object.api_version.as_deref().unwrap_or_default();
    format!(" {{kind={kind},apiVersion={api_version}}}")
}

impl Default for FakeRecorder {
    fn default() -> Self {
        Self::new()
    }
}
