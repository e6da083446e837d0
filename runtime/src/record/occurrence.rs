//! What a recorder is told, and by whom: an event of no API yet.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::jiff::Timestamp;

use super::EventType;
use super::name::event_name;
use crate::host_name::HOST_NAME;

/// What happened to an object.
#[derive(Clone, Debug)]
pub(super) struct Occurrence {
    pub(super) reporter: Arc<Reporter>,
    pub(super) regarding: ObjectReference,
    pub(super) related: Option<ObjectReference>,
    pub(super) annotations: Option<BTreeMap<String, String>>,
    pub(super) event_type: EventType,
    pub(super) reason: String,
    /// Without one, the reason says it.
    pub(super) action: Option<String>,
    pub(super) message: String,
    pub(super) time: Timestamp,
}

/// Who records.
#[derive(Clone, Debug)]
pub(super) struct Reporter {
    pub(super) component: String,
    pub(super) host: Option<String>,
}

impl Occurrence {
    /// Name and place of the event. Events about cluster scoped objects are in `default`.
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

    pub(super) fn action(&self) -> &str {
        self.action.as_deref().unwrap_or(&self.reason)
    }
}

impl Reporter {
    /// `<component>-<host>`, with this machine's name if no other was given.
    pub(super) fn instance(&self) -> String {
        match self.host.as_ref().or(HOST_NAME.as_ref()) {
            Some(host) => format!("{}-{host}", self.component),
            None => self.component.clone(),
        }
    }
}
