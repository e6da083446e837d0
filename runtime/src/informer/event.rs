//! What handlers and subscribers are told.

use std::fmt;
use std::sync::Arc;

use kube::Resource;

use crate::cache::ObjectName;

/// A change of the cache, as [`SharedInformer::subscribe`](super::SharedInformer::subscribe) yields it.
pub enum Event<K> {
    /// An object is there.
    Added {
        /// The object.
        object: Arc<K>,
        /// Whether it was there before the subscriber was, or before the informer was.
        is_initial: bool,
    },
    /// An object has changed.
    Updated {
        /// What was cached before.
        old: Arc<K>,
        /// What is cached now.
        new: Arc<K>,
    },
    /// An object is gone.
    Deleted(Deleted<K>),
}

/// A deleted object, and whether its last state is known.
///
/// client-go passes either the object or a `DeletedFinalStateUnknown`, and leaves it to handlers to tell them apart.
pub enum Deleted<K> {
    /// The deletion was seen; this was the object's last state.
    Known(Arc<K>),
    /// The object was there once and was not when the state was listed anew, or its last state could not be read.
    Unknown {
        /// Its name.
        name: ObjectName,
        /// The last state that was cached, which need not be the last there was.
        last: Option<Arc<K>>,
    },
}

impl<K> Deleted<K> {
    /// The last state that was seen.
    #[must_use]
    pub fn object(&self) -> Option<&Arc<K>> {
        match self {
            Self::Known(object) => Some(object),
            Self::Unknown { last, .. } => last.as_ref(),
        }
    }

    /// Whether [`Deleted::object`] is the state in which the object was deleted.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Known(_))
    }
}

impl<K: Resource> Deleted<K> {
    /// The name of the deleted object.
    #[must_use]
    pub fn name(&self) -> ObjectName {
        match self {
            Self::Known(object) => ObjectName::from_object(&**object),
            Self::Unknown { name, .. } => name.clone(),
        }
    }
}

impl<K: Resource> Event<K> {
    /// The name of the object that the event is about.
    #[must_use]
    pub fn name(&self) -> ObjectName {
        match self {
            Self::Added { object, .. } => ObjectName::from_object(&**object),
            Self::Updated { new, .. } => ObjectName::from_object(&**new),
            Self::Deleted(deleted) => deleted.name(),
        }
    }

    /// Whether nothing changed: an update from a state to itself, as resyncs are.
    pub(super) fn is_unchanged(&self) -> bool {
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
