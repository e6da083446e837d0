//! [`Event`]: a change of the cache, as handlers and subscribers receive it.

use std::fmt;
use std::sync::Arc;

use kube::Resource;

use crate::cache::ObjectName;

/// Change of the cache, as received from
/// [`SharedInformer::subscribe`](super::SharedInformer::subscribe) and by
/// [`EventHandler::on_event`](super::EventHandler::on_event).
pub enum Event<K> {
    /// An object was added.
    Added {
        /// The object.
        object: Arc<K>,
        /// Whether the object was cached when the handler or subscriber was added, or is part of
        /// the initial list.
        is_initial: bool,
    },
    /// An object was updated.
    Updated {
        /// The state that the handler or subscriber received last.
        old: Arc<K>,
        /// The new state.
        new: Arc<K>,
    },
    /// An object was deleted.
    Deleted(Deleted<K>),
}

/// Deleted object, with its final state or as a tombstone.
///
/// client-go passes either the object or a `DeletedFinalStateUnknown`; handlers need a type
/// assertion to distinguish them.
pub enum Deleted<K> {
    /// The deletion was observed; this is the object's final state.
    Known(Arc<K>),
    /// Tombstone: a relist noticed the deletion, or the final state could not be decoded.
    Unknown {
        /// Name of the object.
        name: ObjectName,
        /// Last cached state, which may be older than the final state.
        last: Option<Arc<K>>,
    },
}

impl<K> Deleted<K> {
    /// Returns the last known state, or `None` if the object was not cached and its final state
    /// could not be decoded.
    #[must_use]
    pub fn object(&self) -> Option<&Arc<K>> {
        match self {
            Self::Known(object) => Some(object),
            Self::Unknown { last, .. } => last.as_ref(),
        }
    }

    /// Returns whether [`Deleted::object`] is the final state.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Known(_))
    }
}

impl<K: Resource> Deleted<K> {
    /// Returns the name of the deleted object.
    #[must_use]
    pub fn name(&self) -> ObjectName {
        match self {
            Self::Known(object) => ObjectName::from_object(&**object),
            Self::Unknown { name, .. } => name.clone(),
        }
    }
}

impl<K: Resource> Event<K> {
    /// Returns the name of the object.
    #[must_use]
    pub fn name(&self) -> ObjectName {
        match self {
            Self::Added { object, .. } => ObjectName::from_object(&**object),
            Self::Updated { new, .. } => ObjectName::from_object(&**new),
            Self::Deleted(deleted) => deleted.name(),
        }
    }

    /// Returns whether this is an update with an unchanged resource version, as in a relist or
    /// resync.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        match self {
            Self::Updated { old, new } => {
                let (old, new) = (&old.meta().resource_version, &new.meta().resource_version);
                old.is_some() && old == new
            }
            _ => false,
        }
    }
}

impl<K> Clone for Event<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Added { object, is_initial } => Self::Added {
                object: Arc::clone(object),
                is_initial: *is_initial,
            },
            Self::Updated { old, new } => Self::Updated {
                old: Arc::clone(old),
                new: Arc::clone(new),
            },
            Self::Deleted(deleted) => Self::Deleted(deleted.clone()),
        }
    }
}

impl<K> Clone for Deleted<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Known(object) => Self::Known(Arc::clone(object)),
            Self::Unknown { name, last } => Self::Unknown {
                name: name.clone(),
                last: last.clone(),
            },
        }
    }
}

impl<K: Resource> fmt::Debug for Event<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added { is_initial, .. } => f
                .debug_struct("Added")
                .field("name", &self.name())
                .field("is_initial", is_initial)
                .finish(),
            Self::Updated { .. } => f
                .debug_struct("Updated")
                .field("name", &self.name())
                .finish(),
            Self::Deleted(deleted) => deleted.fmt(f),
        }
    }
}

impl<K: Resource> fmt::Debug for Deleted<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deleted")
            .field("name", &self.name())
            .field("is_final", &self.is_final())
            .finish()
    }
}
