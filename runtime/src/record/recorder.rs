//! Event recorder and event builder: [`EventRecorder`], [`EventBuilder`].

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::jiff::Timestamp;
use kube::Resource;
use tokio::sync::mpsc;

use super::queue::RecordQueue;
use super::recorded_event::{EventType, RecordedEvent, Reporter};
use crate::reference::object_reference_with;

/// Recorder for the events of one component; cheap to clone.
///
/// Its methods never wait and never fail: they queue the event and return before it is written. If
/// the queue is full, the event is dropped, which is logged as a warning.
///
/// A `reason`, for example `Synced`, is short, in upper camel case and from a fixed set, since
/// programs compare it. The `message` is for humans. In `events.k8s.io/v1`, the message is called
/// `note` and truncated to 1024 bytes.
#[derive(Clone)]
pub struct EventRecorder {
    reporter: Arc<Reporter>,
    destination: Destination,
}

#[derive(Clone)]
pub(super) enum Destination {
    Broadcaster(Arc<RecordQueue>),
    /// The channel of a `FakeRecorder`.
    Fake(mpsc::UnboundedSender<RecordedEvent>),
}

/// Builder of one event, returned by [`EventRecorder::regarding`].
#[must_use = "an event is not recorded until `event` is called"]
#[derive(Debug)]
pub struct EventBuilder<'a> {
    recorder: &'a EventRecorder,
    regarding: ObjectReference,
    related: Option<ObjectReference>,
    annotations: Option<BTreeMap<String, String>>,
    action: Option<String>,
}

impl EventRecorder {
    pub(super) fn new(component: &str, destination: Destination) -> Self {
        let reporter = Reporter {
            component: component.to_owned(),
            host: None,
        };
        Self {
            reporter: Arc::new(reporter),
            destination,
        }
    }

    /// Sets the host of the event source, for a component that runs on every node.
    ///
    /// In `events.k8s.io/v1`, the `reportingInstance` is `<component>-<host>`, by default with the
    /// host name of the machine or Pod.
    #[must_use]
    pub fn with_host(mut self, host: &str) -> Self {
        Arc::make_mut(&mut self.reporter).host = Some(host.to_owned());
        self
    }

    /// Records an event about `object`. The event is in the object's namespace, or in `default` if
    /// the object is cluster-scoped.
    ///
    /// If the object is in an `Arc`, such as one from a lister, pass `&*object`.
    pub fn event<K>(
        &self,
        object: &K,
        event_type: EventType,
        reason: &str,
        message: impl Into<String>,
    ) where
        K: Resource<DynamicType = ()>,
    {
        self.regarding(object).event(event_type, reason, message);
    }

    /// Returns a builder of an event about `object` with more details: an action, a related object,
    /// annotations.
    ///
    /// ```no_run
    /// use genclient::record::{EventRecorder, EventType};
    /// use k8s_openapi::api::core::v1::{Node, Pod};
    ///
    /// # fn example(recorder: EventRecorder, pod: Pod, node: Node) {
    /// recorder
    ///     .regarding(&pod)
    ///     .related(&node)
    ///     .action("Binding")
    ///     .event(EventType::Normal, "Scheduled", "the node has a GPU left");
    /// # }
    /// ```
    pub fn regarding<K: Resource<DynamicType = ()>>(&self, object: &K) -> EventBuilder<'_> {
        self.regarding_with(object, &())
    }

    /// Like [`regarding`](Self::regarding), for an object of a dynamic type, such as a
    /// [`DynamicObject`](kube::core::DynamicObject).
    pub fn regarding_with<K: Resource>(
        &self,
        object: &K,
        types: &K::DynamicType,
    ) -> EventBuilder<'_> {
        self.regarding_reference(object_reference_with(object, types))
    }

    /// Like [`regarding`](Self::regarding), for a reference to an object, or to a field of an
    /// object (`fieldPath`).
    pub fn regarding_reference(&self, object: ObjectReference) -> EventBuilder<'_> {
        EventBuilder {
            recorder: self,
            regarding: object,
            related: None,
            annotations: None,
            action: None,
        }
    }
}

impl EventBuilder<'_> {
    /// Sets the related object, for example a Pod that was created for the event's object.
    pub fn related<K: Resource<DynamicType = ()>>(self, object: &K) -> Self {
        self.related_with(object, &())
    }

    /// Like [`related`](Self::related), for an object of a dynamic type.
    pub fn related_with<K: Resource>(self, object: &K, types: &K::DynamicType) -> Self {
        self.related_reference(object_reference_with(object, types))
    }

    /// Sets the related object by a reference.
    pub fn related_reference(mut self, object: ObjectReference) -> Self {
        self.related = Some(object);
        self
    }

    /// Sets the action that was taken or failed, for example `Binding`. An action is a short text
    /// from a fixed set. The reason then states the cause or the result of the action.
    ///
    /// `events.k8s.io/v1` requires an action. The default is the reason.
    pub fn action(mut self, action: impl Into<String>) -> Self {
        self.action = Some(action.into());
        self
    }

    /// Sets the annotations of the event.
    pub fn annotations(mut self, annotations: BTreeMap<String, String>) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// Records the event.
    pub fn event(self, event_type: EventType, reason: &str, message: impl Into<String>) {
        let message = message.into();
        let object = &self.regarding;
        tracing::debug!(
            kind = object.kind,
            api_version = object.api_version,
            namespace = object.namespace,
            name = object.name,
            field_path = object.field_path,
            %event_type,
            reason,
            action = self.action,
            note = message,
            "event"
        );
        let event = RecordedEvent {
            reporter: Arc::clone(&self.recorder.reporter),
            regarding: self.regarding,
            related: self.related,
            annotations: self.annotations,
            event_type,
            reason: reason.to_owned(),
            action: self.action,
            message,
            time: Timestamp::now(),
        };
        match &self.recorder.destination {
            Destination::Broadcaster(queue) => queue.push(event),
            // Sending fails only if the fake was dropped.
            Destination::Fake(events) => drop(events.send(event)),
        }
    }
}

impl fmt::Debug for EventRecorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EventRecorder")
            .field("component", &self.reporter.component)
            .field("host", &self.reporter.host)
            .finish_non_exhaustive()
    }
}
