//! [`Sink`]: the receiver of a reflector's lists and changes.

use std::sync::Arc;

use super::error::ListWatchError;
use crate::cache::ObjectName;

/// Receiver of a reflector's lists and changes. Calls do not wait: the reflector continues when
/// they return.
pub(crate) trait Sink<K>: Send + Sync {
    /// Replaces the known objects with a whole list.
    fn replace(&self, listed: Listed<K>);
    /// Applies one change, which makes the state complete up to `resource_version`.
    fn changed(&self, change: Change<K>, resource_version: &str);
    /// Reports a failed attempt; another one will follow.
    fn failed(&self, error: ListWatchError);
    /// Reports that the initial state takes long to stream, or has to be listed instead.
    fn hindered(&self, error: ListWatchError);
    /// Reports an answer of the API server as expected. Its body may go on for long.
    fn answered(&self);
    /// Returns the known object of that name.
    fn cached(&self, namespace: &str, name: &str) -> Option<Arc<K>>;
}

/// One change of a collection.
pub(crate) enum Change<K> {
    /// An object was added or updated.
    Upserted(Arc<K>),
    /// An object was deleted; this is its final state.
    Deleted(Arc<K>),
    /// An object was deleted; its final state could not be decoded.
    Vanished(ObjectName),
    /// An object changed and could not be decoded.
    Skipped(Skipped),
    /// No change: only the resource version advances.
    Bookmark,
}

/// An undecodable object. It is missing in the cache, or is there in an older state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// The object's name, as far as it could be decoded.
    pub name: ObjectName,
    /// The object's uid; empty if it could not be decoded.
    pub uid: String,
    /// The resource version that could not be decoded; empty if it is unknown, too.
    pub resource_version: String,
    /// The error of the decoder. Values of the object are not quoted: they may be secret.
    pub cause: String,
}

/// A whole list, ready to replace the cached objects.
pub(crate) struct Listed<K> {
    pub(crate) objects: Vec<Arc<K>>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) resource_version: String,
}
