//! Errors of reads and writes.

use std::time::Duration;

use genclient::cache::ObjectName;
use genclient::informer::{ProgressError, SyncError};
use genclient::kube;
use genclient::lister::SelectorError;
use genclient::scheme::GroupVersionResource;

use crate::owner::OwnerError;

/// A read from a cache failed.
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
    /// The cache does not show yet what this program has written. A reconcile that fails with it is
    /// tried again, and not counted as a failure.
    #[error("the cache of {resource} does not show after {} s what was written", waited.as_secs_f64())]
    Stale {
        /// The resource.
        resource: GroupVersionResource,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The cache is not filled yet: the manager does not run, or has begun just now.
    #[error("the cache of {resource} is not filled")]
    NotSynced {
        /// The resource.
        resource: GroupVersionResource,
        /// Why, if it is known.
        #[source]
        cause: Option<Box<SyncError>>,
    },
    /// The cache cannot be waited for.
    #[error(transparent)]
    Cache(#[from] ProgressError),
    /// The text of a query is no label selector.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// The cache has no index of that name.
    #[error("the cache of {resource} has no index `{index}`: add it by `Watch::index`")]
    NoSuchIndex {
        /// The resource.
        resource: GroupVersionResource,
        /// The name.
        index: String,
    },
}

/// A write that begins with a read failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The object could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The object could not be written.
    #[error(transparent)]
    Write(#[from] kube::Error),
    /// The object cannot be owned.
    #[error(transparent)]
    Owner(#[from] OwnerError),
    /// The closure has changed the name or the namespace.
    #[error(
        "`create_or_patch` of {from} made {to} of it: the name and the namespace must not change"
    )]
    Renamed {
        /// The name that was given.
        from: ObjectName,
        /// The name that came out.
        to: ObjectName,
    },
}
