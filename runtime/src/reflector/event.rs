//! [`WatchEvent`]: decoded event of a watch, and [`Skipped`], an object that cannot be decoded.

use std::sync::Arc;

use kube::Resource;

use crate::cache::{ObjectName, parts};

/// Event of a watch, with its object decoded.
pub(crate) enum WatchEvent<K> {
    /// `ADDED`; in a streamed list, an object of the initial list.
    Added(Arc<K>),
    /// `MODIFIED`.
    Modified(Arc<K>),
    /// `DELETED`, with the final state.
    Deleted(Arc<K>),
    /// `DELETED`, with a final state that cannot be decoded.
    SkippedDeletion(Skipped),
    /// `ADDED` or `MODIFIED`, with an object that cannot be decoded.
    Skipped(Skipped),
    /// An object that another replica caches. It may have been this replica's.
    Outside {
        name: ObjectName,
        resource_version: String,
        /// Whether the event is `ADDED`.
        is_added: bool,
    },
    /// `BOOKMARK`: the watch has sent every change up to this resource version.
    Bookmark {
        resource_version: String,
        /// Whether this bookmark ends the initial events of a streamed list.
        ends_initial_events: bool,
    },
}

/// Object that cannot be decoded. The cache has an older state of the object, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// The object's name, as far as it could be decoded.
    pub name: ObjectName,
    /// The object's uid; empty if it could not be decoded.
    pub uid: String,
    /// The resource version of the undecodable state; empty if it could not be decoded either.
    pub resource_version: String,
    /// Error of the decoder. It does not quote values of the object, which may be secret.
    pub cause: String,
}

impl<K: Resource> WatchEvent<K> {
    /// Returns namespace and name of the event's object. `None` for a bookmark.
    pub(super) fn object_name(&self) -> Option<(&str, &str)> {
        match self {
            Self::Added(object) | Self::Modified(object) | Self::Deleted(object) => {
                Some(parts(&**object))
            }
            Self::SkippedDeletion(skipped) | Self::Skipped(skipped) => Some(skipped.name.parts()),
            Self::Outside { name, .. } => Some(name.parts()),
            Self::Bookmark { .. } => None,
        }
    }

    /// Returns the resource version of the event's object or of the bookmark.
    pub(super) fn resource_version(&self) -> Option<&str> {
        match self {
            Self::Added(object) | Self::Modified(object) | Self::Deleted(object) => {
                object.meta().resource_version.as_deref()
            }
            Self::SkippedDeletion(skipped) | Self::Skipped(skipped) => {
                Some(&skipped.resource_version)
            }
            Self::Bookmark {
                resource_version, ..
            }
            | Self::Outside {
                resource_version, ..
            } => Some(resource_version),
        }
    }
}
