//! Storage migration: rewrites every object of a custom kind in its storage version, and then
//! removes the other versions from `status.storedVersions`.
//!
//! [`Migration`] is a state machine without I/O. A driver sends the requests that
//! [`Migration::next`] returns, and passes the responses to [`Migration::answer`].
//!
//! An object is rewritten by a merge patch that changes nothing and has its resource version. The
//! API server stores the object again if the stored bytes would differ (`GuaranteedUpdate` of
//! k8s.io/apiserver, storage/etcd3/store.go), so a second migration writes nothing.

mod definition;
mod managed_fields;
mod migration;
mod pages;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde_json::Value;

pub use definition::{Definition, Refusal};
pub use migration::Migration;

/// Options of a migration.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether the API server only checks the writes (`dryRun=All`).
    pub dry_run: bool,
    /// The storage version of the caller's types. If the cluster stores another one, the migration
    /// is refused.
    pub expected_storage: Option<String>,
    /// Maximum number of concurrent writes.
    pub concurrency: usize,
    /// Whether to review the permissions before the first write.
    pub review_permissions: bool,
}

/// Number of a request.
pub type RequestId = u64;

/// A request to the API server.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The number to pass to [`Migration::answer`].
    pub id: RequestId,
    /// `GET`, `POST` or `PATCH`.
    pub method: &'static str,
    /// Path and query.
    pub path: String,
    /// The header `Accept`.
    pub accept: &'static str,
    /// The header `Content-Type` and the body.
    pub body: Option<(&'static str, Value)>,
}

/// The result of a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A response of the API server.
    Response {
        /// The HTTP status code.
        code: u16,
        /// The body, or `null` if it is not JSON.
        body: Value,
        /// The header `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// The API server did not respond in time.
    TimedOut,
    /// The connection failed. Has the error.
    Lost(String),
}

/// What a driver does next.
#[derive(Clone, Debug)]
pub enum Step {
    /// Send a request, then ask for the next step without waiting for the answer.
    Send(Request),
    /// Wait for an answer, at most until this time.
    Wait(Option<Duration>),
    /// The migration has ended, and every request is answered.
    Done,
}

/// Number of objects by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Objects that are stored as the storage version, those of `written` included.
    pub stored: u64,
    /// Objects that this migration has rewritten, or with a dry run, that can be rewritten.
    pub written: u64,
    /// Objects that were deleted meanwhile.
    pub gone: u64,
    /// Objects that are not rewritten: see [`ObjectFailure`].
    pub failed: u64,
    /// Objects that a dry run could not check, since an admission webhook does not support it.
    pub unchecked: u64,
    /// Listed objects without a result.
    pub waiting: u64,
    /// About how many objects are not listed yet.
    pub remaining: u64,
}

impl Progress {
    /// Returns the number of objects with a result.
    #[must_use]
    pub fn finished(&self) -> u64 {
        self.stored + self.gone + self.failed + self.unchecked
    }

    /// Returns about how many objects there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.finished() + self.waiting + self.remaining
    }
}

/// The result of a migration.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The definition as it was at the begin, if it can be migrated.
    pub definition: Option<Definition>,
    /// The number of objects.
    pub progress: Progress,
    /// The first 1,000 failures, sorted by their objects.
    pub failures: Vec<ObjectFailure>,
    /// How the migration ended.
    pub end: End,
}

/// How a migration ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Every object is stored as the storage version, and `status.storedVersions` has only that.
    Migrated,
    /// `status.storedVersions` had only the storage version, and no object was written.
    NothingToDo,
    /// The dry run has found no failure.
    Checked,
    /// Some objects are not rewritten. `status.storedVersions` is unchanged.
    Failed,
    /// The definition cannot be migrated.
    Refused(Refusal),
    /// The user lacks permissions.
    Forbidden(Vec<Permission>),
    /// The definition was changed during the migration.
    Changed,
    /// The API server did not answer, or not as expected. Has the last message.
    Stopped(String),
    /// [`Migration::interrupt`] was called.
    Interrupted,
}

/// An object that was not rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectFailure {
    /// The object.
    pub object: FailedObject,
    /// The version of the failed request.
    pub version: String,
    /// Why the request failed.
    pub reason: FailureReason,
    /// The message of the API server.
    pub message: String,
}

/// The object of a failure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailedObject {
    /// An object with its namespace, if it has one, and its name.
    Named(Option<String>, String),
    /// The object after `namespace/name` in the order of the API server, or the first one. No
    /// served version can represent it. It and the objects after it cannot be listed.
    After(Option<String>),
}

/// Why an object was not rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureReason {
    /// The conversion webhook cannot convert the object.
    Conversion,
    /// An admission webhook or policy refuses the object.
    Admission,
    /// The object violates the schema of the version.
    Invalid,
    /// The object was written too often to be rewritten.
    Contended,
    /// Any other error.
    Server,
}

impl FailureReason {
    /// Returns the reason of an error 500.
    fn from_error(message: &str) -> Self {
        if message.contains("conversion webhook for") {
            Self::Conversion
        } else {
            Self::Server
        }
    }
}

/// A permission that a migration needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    /// The verb, such as `patch`.
    pub verb: &'static str,
    /// The API group.
    pub group: String,
    /// The resource, with its subresource after a slash.
    pub resource: String,
    /// The name of the one object, or `None` for all objects in all namespaces.
    pub name: Option<String>,
}
