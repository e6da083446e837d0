//! Recorded events before their conversion to an API ([`RecordedEvent`]), and names of events.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use genclient_apimachinery::validation;
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;

use crate::host_name::HOST_NAME;
use crate::wait::random;

/// Capacity of the event queue, of each subscription, and of the queue of new events in `series`.
pub(super) const MAX_QUEUED_EVENTS: usize = 1000;

/// The type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventType {
    /// Normal operation.
    Normal,
    /// Something may need attention.
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

/// A recorded event, independent of the API.
#[derive(Clone, Debug)]
pub(super) struct RecordedEvent {
    pub(super) reporter: Arc<Reporter>,
    pub(super) regarding: ObjectReference,
    pub(super) related: Option<ObjectReference>,
    pub(super) annotations: Option<BTreeMap<String, String>>,
    pub(super) event_type: EventType,
    pub(super) reason: String,
    /// Optional in `core/v1`. `events.k8s.io/v1` requires an action; the default is the reason.
    pub(super) action: Option<String>,
    pub(super) message: String,
    pub(super) time: Timestamp,
}

/// The component that records an event.
#[derive(Clone, Debug)]
pub(super) struct Reporter {
    pub(super) component: String,
    pub(super) host: Option<String>,
}

impl RecordedEvent {
    /// Returns the metadata of the event. Events about cluster-scoped objects are in `default`.
    pub(super) fn metadata(&self) -> ObjectMeta {
        let object = self.regarding.name.as_deref().unwrap_or_default();
        let namespace = self.regarding.namespace.as_deref().unwrap_or_default();
        let namespace = if namespace.is_empty() {
            "default"
        } else {
            namespace
        };
        ObjectMeta {
            name: Some(event_name(object, self.time)),
            namespace: Some(namespace.to_owned()),
            annotations: self.annotations.clone(),
            ..ObjectMeta::default()
        }
    }

    pub(super) fn into_core_v1(self) -> Event {
        let time = Time(self.time);
        let component = Some(self.reporter.component.clone());
        let host = self.reporter.host.clone();
        Event {
            metadata: self.metadata(),
            involved_object: self.regarding,
            related: self.related,
            action: self.action,
            type_: Some(self.event_type.to_string()),
            reason: Some(self.reason),
            message: Some(self.message),
            count: Some(1),
            first_timestamp: Some(time.clone()),
            last_timestamp: Some(time),
            source: Some(EventSource {
                component: component.clone(),
                host: host.clone(),
            }),
            reporting_component: component,
            reporting_instance: host,
            ..Event::default()
        }
    }

    pub(super) fn action(&self) -> &str {
        self.action.as_deref().unwrap_or(&self.reason)
    }
}

impl Reporter {
    /// Returns `<component>-<host>`. The default host is the host name of this machine. If it is
    /// unknown, returns only the component.
    pub(super) fn instance(&self) -> String {
        match self.host.as_ref().or(HOST_NAME.as_ref()) {
            Some(host) => format!("{}-{host}", self.component),
            None => self.component.clone(),
        }
    }
}

/// Returns `<object>.<time in nanoseconds, hexadecimal>`, or a random name if that is not a valid
/// name of an event.
///
/// For example, names of RBAC objects may contain colons, and names of events may not.
pub(super) fn event_name(object: &str, time: Timestamp) -> String {
    let name = format!("{object}.{:x}", time.as_nanosecond());
    if validation::subdomain(&name).is_empty() {
        name
    } else {
        format!("{:016x}{:016x}", random(), random())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// client-go's cases and more: the name of the object, and whether it is in the event's name.
    #[test]
    fn generate_event_name() {
        let suffix = ".178959f726d80ec";
        let time = Timestamp::from_nanosecond(0x0178_959f_726d_80ec).unwrap();
        let long = "x".repeat(4 * 253);
        let most = "x".repeat(253 - suffix.len());
        let cases = [
            ("test-pod", true),
            (&long, false),
            ("test.POD", false),
            ("test.pod/invalid!chars?", false),
            ("--test.pod/invalid!chars?", false),
            ("a.b-c.d", true),
            ("0", true),
            (&most, true),
            (&format!("{most}x"), false),
            ("system:node", false),
            ("", false),
            ("-", false),
            ("a..b", false),
            ("a-.b", false),
        ];
        for (object, kept) in cases {
            let name = event_name(object, time);
            assert!(
                validation::subdomain(&name).is_empty(),
                "{object} became {name}"
            );
            if kept {
                assert_eq!(name, format!("{object}{suffix}"));
            } else {
                assert_eq!(name.len(), 32, "{object} became {name}");
                assert_ne!(name, event_name(object, time), "{object}");
            }
        }
    }
}
