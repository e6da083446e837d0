//! Errors of informers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::cache::InvalidResourceVersionError;
use crate::reflector::{ListWatchError, Skipped};
use crate::scheme::GroupVersionResource;

/// The informer has stopped, and does not start again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the handler was not added to the informer of {resource} because it has stopped already")]
#[non_exhaustive]
pub struct StoppedError {
    /// The resource of the informer.
    pub resource: GroupVersionResource,
}

/// The informer has started, and what was to be changed is in use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the informer of {resource} has already started")]
#[non_exhaustive]
pub struct AlreadyStartedError {
    /// The resource of the informer.
    pub resource: GroupVersionResource,
}

/// The handler was removed, or the informer stopped, before the handler had heard of everything that was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the handler stopped before it had heard of everything that was there")]
pub struct HandlerStoppedError;

/// Why a cache will not get to a resource version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgressError {
    /// What was asked for, or what the API server counts by, cannot be compared.
    #[error("the cache of {resource} cannot be waited for")]
    Incomparable {
        /// What is cached.
        resource: GroupVersionResource,
        /// Which of them it was.
        #[source]
        cause: InvalidResourceVersionError,
    },
    /// The object is in a namespace that the informer is not told to mirror.
    #[error("the informer of {resource} does not mirror namespace `{namespace}`")]
    NotMirrored {
        /// What is cached.
        resource: GroupVersionResource,
        /// Where the object is.
        namespace: String,
    },
    /// The object has been written, or changed since, in a form that cannot be read. What is cached
    /// of it, if anything, is older.
    #[error("{resource} `{}` cannot be read as it was written: {}", .skipped.name, .skipped.cause)]
    Unreadable {
        /// What is cached.
        resource: GroupVersionResource,
        /// The object, and what is wrong with it.
        skipped: Box<Skipped>,
    },
    /// The informer stopped before.
    #[error("the informer of {resource} has stopped")]
    Stopped {
        /// What was cached.
        resource: GroupVersionResource,
    },
}

/// Why caches did not sync.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// The API server keeps giving an answer that time rarely mends.
    #[error("{resource}{} cannot be cached: {hint}", within(.namespace.as_deref()))]
    Refused {
        /// What was to be cached.
        resource: GroupVersionResource,
        /// The namespace, if the informer is limited to some.
        namespace: Option<String>,
        /// What to do about it.
        hint: String,
        /// What the API server answered.
        #[source]
        cause: Arc<ListWatchError>,
    },
    /// It took longer than `sync_timeout`.
    #[error("{resource}{} was not cached within {} s", within(.namespace.as_deref()), timeout.as_secs_f64())]
    Timeout {
        /// What was to be cached.
        resource: GroupVersionResource,
        /// The namespace that is missing, if the informer is limited to some.
        namespace: Option<String>,
        /// What was allowed.
        timeout: Duration,
        /// The last failure, if there was one.
        #[source]
        cause: Option<Arc<ListWatchError>>,
    },
    /// The informer was asked for after the factory was started, and never started itself.
    #[error(
        "the informer of {resource} has not been started: call `start` after the last informer was asked for"
    )]
    NotStarted {
        /// What was to be cached.
        resource: GroupVersionResource,
    },
    /// The informer stopped.
    #[error("the informer of {resource} has stopped")]
    Stopped {
        /// What was to be cached.
        resource: GroupVersionResource,
    },
}

impl SyncError {
    /// What was to be cached.
    #[must_use]
    pub fn resource(&self) -> &GroupVersionResource {
        match self {
            Self::Refused { resource, .. }
            | Self::Timeout { resource, .. }
            | Self::NotStarted { resource }
            | Self::Stopped { resource } => resource,
        }
    }

    /// What the last list or watch failed with, if one did.
    #[must_use]
    pub fn cause(&self) -> Option<&ListWatchError> {
        match self {
            Self::Refused { cause, .. } => Some(cause),
            Self::Timeout { cause, .. } => cause.as_deref(),
            Self::NotStarted { .. } | Self::Stopped { .. } => None,
        }
    }

    /// The HTTP status that the API server answered with, such as 403, if that is what failed.
    #[must_use]
    pub fn code(&self) -> Option<u16> {
        let code = self.cause()?.code();
        (code != 0).then_some(code)
    }
}

fn within(namespace: Option<&str>) -> impl fmt::Display {
    namespace.map_or_else(String::new, |namespace| {
        format!(" in namespace `{namespace}`")
    })
}
