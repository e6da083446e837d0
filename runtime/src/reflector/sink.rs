//! [`Sink`]: the receiver of what a reflector lists and watches.

use std::sync::Arc;

use super::error::ListWatchError;
use crate::cache::ObjectName;

/// What a reflector writes to. Nothing waits there: the reflector reads on when a call returns.
pub(crate) trait Sink<K>: Send + Sync {
    /// A whole list takes the place of what is known.
    fn replace(&self, listed: Listed<K>);
    /// One change; everything up to `resource_version` is known.
    fn changed(&self, change: Change<K>, resource_version: &str);
    /// An attempt failed; there will be another.
    fn failed(&self, error: ListWatchError);
    /// The first state takes long to stream, or has to be listed instead.
    fn hindered(&self, error: ListWatchError);
    /// The API server answers as it should; what it sends may go on for long.
    fn answered(&self);
    /// What is known of the object of that name.
    fn cached(&self, namespace: &str, name: &str) -> Option<Arc<K>>;
}

/// One change of a collection.
pub(crate) enum Change<K> {
    /// An object is there, or is other than it was.
    Upserted(Arc<K>),
    /// An object is gone; this was its last state.
    Deleted(Arc<K>),
    /// An object is gone; its last state could not be read.
    Vanished(ObjectName),
    /// An object changed and could not be read.
    Skipped(Skipped),
    /// Nothing: only time went on.
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
