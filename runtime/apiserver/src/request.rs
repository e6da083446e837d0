//! [`ObjectRequest`]: a request in progress for objects of a kind, with its body and user. Requests
//! that tests inspect afterwards are in the module `recorded_requests`.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use parking_lot::Mutex;

use crate::clock::Clock;
use crate::deadline::RequestDeadline;
use crate::kinds::Kind;
use crate::query::Query;
use crate::rbac::User;
use crate::route::{RequestInfo, Verb};
use crate::status_error::StatusError;
use crate::store::Key;

/// Request in progress for objects of a kind.
pub(crate) struct ObjectRequest {
    pub(crate) verb: Verb,
    pub(crate) target: RequestInfo,
    pub(crate) kind: Arc<Kind>,
    pub(crate) query: Query,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Clock for the ages in tables.
    pub(crate) clock: Clock,
    pub(crate) user: Arc<User>,
    /// `None` for watches.
    pub(crate) deadline: Option<RequestDeadline>,
    /// Warnings for the response, which are sent even if the request is rejected.
    pub(crate) warnings: Mutex<Vec<String>>,
}

impl ObjectRequest {
    pub(crate) fn key(&self) -> Key {
        Key::new(&self.target.namespace, &self.target.name)
    }

    pub(crate) fn warn(&self, warnings: impl IntoIterator<Item = String>) {
        self.warnings.lock().extend(warnings);
    }

    /// Returns the 404 response for the object that the request names.
    pub(crate) fn not_found(&self) -> StatusError {
        StatusError::not_found(self.kind.group(), self.kind.plural(), &self.target.name)
    }
}
