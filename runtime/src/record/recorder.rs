//! What a controller holds to record events.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;
use kube::Resource;
use tokio::sync::mpsc;

use super::broadcaster::Queue;
use super::name::event_name;

/// What an event says about its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventType {
    /// All is well.
    Normal,
    /// Somebody may want to look at it.
    Warning,
}

impl fmt::Display for EventType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        })
    }
}

/// Records events of one component; cheap to clone.
///
/// Its methods never wait and never fail: an event that cannot be queued is dropped, with a warning in the log. They return
/// long before an event is written.
///
/// A `reason` is short, in upper camel case and from a fixed set, as programs look at it: `Synced`. The `message` is for
/// people.
#[derive(Clone)]
pub struct EventRecorder {
    source: EventSource,
    destination: Destination,
}

#[derive(Clone)]
pub(super) enum Destination {
    Broadcaster(Arc<Queue>),
    /// A test that reads lines.
    Fake(mpsc::UnboundedSender<String>),
}

impl EventRecorder {
    pub(super) fn new(component: &str, destination: Destination) -> Self {
        Self {
            source: EventSource {
                component: Some(component.to_owned()),
                host: None,
            },
            destination,
        }
    }

    /// The same recorder for a component that runs on every node: `host` becomes the host of the event's source.
    #[must_use]
    pub fn with_host(mut self, host: &str) -> Self {
        self.source.host = Some(host.to_owned());
        self
    }

    /// Records an event about `object`, in its namespace, or in `default` if it is cluster scoped.
    ///
    /// An object behind an `Arc`, as from a lister, is passed as `&*object`.
    pub fn event<K>(
        &self,
        object: &K,
        event_type: EventType,
        reason: &str,
        message: impl Into<String>,
    ) where
        K: Resource<DynamicType = ()>,
    {
        self.event_for(reference_to(object), event_type, reason, message);
    }

    /// Records an event with annotations.
    pub fn annotated_event<K>(
        &self,
        object: &K,
        annotations: BTreeMap<String, String>,
        event_type: EventType,
        reason: &str,
        message: impl Into<String>,
    ) where
        K: Resource<DynamicType = ()>,
    {
        self.record(
            reference_to(object),
            Some(annotations),
            event_type,
            reason,
            message.into(),
        );
    }

    /// Records an event about an object that is known only by a reference, or about a part of one, by a `fieldPath`.
    pub fn event_for(
        &self,
        object: ObjectReference,
        event_type: EventType,
        reason: &str,
        message: impl Into<String>,
    ) {
        self.record(object, None, event_type, reason, message.into());
    }

    fn record(
        &self,
        object: ObjectReference,
        annotations: Option<BTreeMap<String, String>>,
        event_type: EventType,
        reason: &str,
        message: String,
    ) {
        tracing::debug!(
            kind = object.kind, namespace = object.namespace, name = object.name, %event_type, reason, message, "event"
        );
        match &self.destination {
            Destination::Broadcaster(queue) => {
                queue.push(self.make_event(object, annotations, event_type, reason, message));
            }
            Destination::Fake(lines) => {
                let annotations = annotations
                    .map(|annotations| format!(" {annotations:?}"))
                    .unwrap_or_default();
                // Nobody reads the lines of a fake recorder that is gone.
                let _ = lines.send(format!("{event_type} {reason} {message}{annotations}"));
            }
        }
    }

    fn make_event(
        &self,
        object: ObjectReference,
        annotations: Option<BTreeMap<String, String>>,
        event_type: EventType,
        reason: &str,
        message: String,
    ) -> Event {
        let now = Timestamp::now();
        let namespace = object
            .namespace
            .as_deref()
            .filter(|namespace| !namespace.is_empty())
            .unwrap_or("default");
        Event {
            metadata: ObjectMeta {
                name: Some(event_name(object.name.as_deref().unwrap_or_default(), now)),
                namespace: Some(namespace.to_owned()),
                annotations,
                ..ObjectMeta::default()
            },
            involved_object: object,
            type_: Some(event_type.to_string()),
            reason: Some(reason.to_owned()),
            message: Some(message),
            count: Some(1),
            first_timestamp: Some(Time(now)),
            last_timestamp: Some(Time(now)),
            source: Some(self.source.clone()),
            reporting_component: self.source.component.clone(),
            reporting_instance: self.source.host.clone(),
            ..Event::default()
        }
    }
}

impl fmt::Debug for EventRecorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EventRecorder")
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

/// kube's reference has no resource version, which client-go's has.
fn reference_to<K: Resource<DynamicType = ()>>(object: &K) -> ObjectReference {
    ObjectReference {
        resource_version: object.meta().resource_version.clone(),
        ..object.object_ref(&())
    }
}
