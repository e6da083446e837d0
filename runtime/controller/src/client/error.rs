//! Client errors: [`ReadError`] and [`WriteError`].

use std::time::Duration;

use genclient::cache::ObjectName;
use genclient::informer::{ProgressError, SyncError};
use genclient::kube;
use genclient::lister::SelectorError;
use genclient::scheme::GroupVersionResource;

use crate::owner::OwnerError;

/// Error of a read from a cache.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// No controller watches the kind, so there is no cache of it.
    #[error(
        "{resource} is not cached: add `.owns(Watch::<{kind}>::new())` to the controller, or `.caches(..)` if its changes are to wake nothing"
    )]
    NotCached {
        /// The resource.
        resource: GroupVersionResource,
        /// The kind.
        kind: String,
    },
    /// The kind is cached, but not in the namespace.
    #[error(
        "{resource} are not cached in the namespace `{namespace}`: add it to the namespaces of the manager or of the watch"
    )]
    NotCovered {
        /// The resource.
        resource: GroupVersionResource,
        /// The namespace.
        namespace: String,
    },
    /// The cache does not show a write of this program yet. A reconcile that fails with this error
    /// is retried, and does not count as failed.
    #[error("the cache of {resource} does not show after {} s what was written", waited.as_secs_f64())]
    Stale {
        /// The resource.
        resource: GroupVersionResource,
        /// How long the read waited.
        waited: Duration,
    },
    /// The cache has not synced yet: the manager is not running, or has just started.
    #[error("the cache of {resource} is not filled")]
    NotSynced {
        /// The resource.
        resource: GroupVersionResource,
        /// The cause, if known.
        #[source]
        cause: Option<Box<SyncError>>,
    },
    /// Waiting for the cache failed.
    #[error(transparent)]
    Cache(#[from] ProgressError),
    /// The label selector of a query is invalid.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// The cache has no index of that name.
    #[error("the cache of {resource} has no index `{index}`: add it by `Watch::index`")]
    NoSuchIndex {
        /// The resource.
        resource: GroupVersionResource,
        /// The name of the index.
        index: String,
    },
}

/// Error of a write that begins with a read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The object could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The object could not be written.
    #[error(transparent)]
    Write(#[from] kube::Error),
    /// The owner reference cannot be set.
    #[error(transparent)]
    Owner(#[from] OwnerError),
    /// The closure changed the name or the namespace.
    #[error(
        "`create_or_patch` of {from} made {to} of it: the name and the namespace must not change"
    )]
    Renamed {
        /// The name of the object that was passed in.
        from: ObjectName,
        /// The name after the closure ran.
        to: ObjectName,
    },
}
