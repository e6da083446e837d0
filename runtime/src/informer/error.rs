//! Errors of informers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::cache::InvalidResourceVersionError;
use crate::reflector::{ListWatchError, Skipped};
use crate::scheme::GroupVersionResource;

/// Error of [`SharedInformer::add_handler`](super::SharedInformer::add_handler): the informer has
/// stopped, and cannot be restarted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the handler was not added to the informer of {resource} because it has stopped already")]
#[non_exhaustive]
pub struct StoppedError {
    /// The resource of the informer.
    pub resource: GroupVersionResource,
}

/// Error of setters, such as [`set_transform`](super::SharedInformer::set_transform): the informer
/// has already started or stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the informer of {resource} has already started or stopped")]
#[non_exhaustive]
pub struct AlreadyStartedError {
    /// The resource of the informer.
    pub resource: GroupVersionResource,
}

/// Error of [`HandlerRegistration::synced`](super::HandlerRegistration::synced): the informer
/// stopped before the handler had synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the handler stopped before it received the initial list")]
pub struct HandlerStoppedError;

/// Reason why an informer stopped, returned by
/// [`SharedInformer::stopped`](super::SharedInformer::stopped).
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StopCause {
    /// The informer or its factory was shut down, or the last handle of the informer was dropped.
    #[error("it was shut down")]
    Shutdown,
    /// A list or a watch panicked with this message, for example in a layer of the client.
    #[error("a list or watch panicked: {0}")]
    Panicked(String),
    /// The client can send no more requests: one of its layers panicked or failed for good.
    #[error("the client is closed")]
    ClientClosed(#[source] Arc<ListWatchError>),
    /// The Tokio runtime that the informer was started in is shutting down.
    #[error("the Tokio runtime was shut down")]
    RuntimeShutdown,
}

/// Error of waits for a resource version, such as
/// [`wait_for_write`](super::SharedInformer::wait_for_write).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgressError {
    /// The requested resource version, or one from the API server, cannot be compared.
    #[error("cannot wait for the cache of {resource}")]
    Incomparable {
        /// The resource of the informer.
        resource: GroupVersionResource,
        /// The malformed version.
        #[source]
        cause: InvalidResourceVersionError,
    },
    /// The informer does not cache the requested namespace, or caches no namespace at all.
    #[error("the informer of {resource} does not cache {}", requested(.namespace.as_deref()))]
    NotCached {
        /// The resource of the informer.
        resource: GroupVersionResource,
        /// The requested namespace; `None` if all namespaces of the informer were requested.
        namespace: Option<String>,
    },
    /// The object was written in a form that cannot be decoded, or has since changed to such a
    /// form. The cached object, if any, is older than the written one.
    #[error("{resource} `{}` cannot be decoded: {}", .skipped.name, .skipped.cause)]
    Unreadable {
        /// The resource of the informer.
        resource: GroupVersionResource,
        /// The object and the error of the decoder.
        skipped: Box<Skipped>,
    },
    /// Resource versions went back during the wait, as after a restore of etcd. The requested
    /// version is void: the cache may never reach it, and the write may be lost.
    #[error("resource versions of {resource} went back, so that version {version} is void")]
    WentBack {
        /// The resource of the informer.
        resource: GroupVersionResource,
        /// The requested version.
        version: String,
    },
    /// The informer has stopped.
    #[error("the informer of {resource} has stopped")]
    Stopped {
        /// The resource of the informer.
        resource: GroupVersionResource,
    },
}

/// Reason why a cache did not sync.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// Permanent failure. The API server answers with 400, 401, 403, 404 or 405, or with something
    /// that is not a list or watch. Or the request cannot be built, or TLS fails.
    #[error("{resource}{} cannot be cached: {hint}", within(.namespace.as_deref()))]
    Refused {
        /// The resource of the informer.
        resource: GroupVersionResource,
        /// The namespace, if the informer is limited to namespaces.
        namespace: Option<String>,
        /// How to fix the failure.
        hint: String,
        /// The failure of the list or watch.
        #[source]
        cause: Arc<ListWatchError>,
    },
    /// The sync took longer than the factory's `sync_timeout`.
    #[error("the cache of {resource}{} did not sync within {} s", within(.namespace.as_deref()), timeout.as_secs_f64())]
    Timeout {
        /// The resource of the informer.
        resource: GroupVersionResource,
        /// The failing namespace, if the informer is limited to namespaces and one of them fails.
        namespace: Option<String>,
        /// The `sync_timeout`.
        timeout: Duration,
        /// The current failure of lists or watches, if any.
        #[source]
        cause: Option<Arc<ListWatchError>>,
    },
    /// The informer was not started, for example because it was requested after the factory's
    /// `start`.
    #[error(
        "the informer of {resource} has not been started: call `start` after creating all informers"
    )]
    NotStarted {
        /// The resource of the informer.
        resource: GroupVersionResource,
    },
    /// The informer has stopped.
    #[error("the informer of {resource} has stopped")]
    Stopped {
        /// The resource of the informer.
        resource: GroupVersionResource,
        /// Why it stopped.
        #[source]
        cause: StopCause,
    },
}

impl SyncError {
    /// Returns the resource of the informer.
    #[must_use]
    pub fn resource(&self) -> &GroupVersionResource {
        match self {
            Self::Refused { resource, .. }
            | Self::Timeout { resource, .. }
            | Self::NotStarted { resource }
            | Self::Stopped { resource, .. } => resource,
        }
    }

    /// Returns the failure of a list or watch that caused this error, if any.
    #[must_use]
    pub fn cause(&self) -> Option<&ListWatchError> {
        match self {
            Self::Refused { cause, .. } => Some(cause),
            Self::Timeout { cause, .. } => cause.as_deref(),
            Self::Stopped { cause, .. } => match cause {
                StopCause::ClientClosed(cause) => Some(cause),
                _ => None,
            },
            Self::NotStarted { .. } => None,
        }
    }

    /// Returns the HTTP status code of the API server, such as 403, if it answered with an error.
    #[must_use]
    pub fn code(&self) -> Option<u16> {
        self.cause()?.code()
    }
}

fn requested(namespace: Option<&str>) -> String {
    namespace.map_or_else(
        || "any namespace".to_owned(),
        |namespace| format!("namespace `{namespace}`"),
    )
}

fn within(namespace: Option<&str>) -> impl fmt::Display {
    namespace.map_or_else(String::new, |namespace| {
        format!(" in namespace `{namespace}`")
    })
}
