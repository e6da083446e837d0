//! [`ReflectorStore`]: receiver of the lists and changes of a reflector.

use std::sync::Arc;

use tokio::time::Instant;

use super::decode::Skipped;
use super::error::ListWatchError;
use crate::cache::ObjectName;

/// Receiver of a reflector's lists and changes. The reflector waits for each call to return.
pub(crate) trait ReflectorStore<K>: Send + Sync {
    /// Replaces the known objects with a whole list.
    fn replace(&self, listed: Listed<K>);
    /// Applies one change. The store's state is then complete up to `resource_version`.
    fn changed(&self, change: Change<K>, resource_version: &str);
    /// Reports a failed attempt. The reflector will try again.
    fn failed(&self, error: ListWatchError);
    /// Reports that streaming the initial list takes long, or has failed. After a failure, the
    /// reflector streams once more or requests a paged list.
    fn streaming_failed(&self, error: ListWatchError);
    /// Reports a successful response of the API server. Its body may still be arriving.
    fn answered(&self);
    /// Returns the cached object, or `None`. `namespace` is empty for cluster-scoped objects.
    fn cached(&self, namespace: &str, name: &str) -> Option<Arc<K>>;
}

pub(crate) enum Change<K> {
    /// An object was added or updated.
    Upserted(Arc<K>),
    /// An object was deleted; this is its final state.
    Deleted(Arc<K>),
    /// An object was deleted; its final state could not be decoded.
    Vanished(ObjectName),
    /// An object was added or updated, and its new state cannot be decoded.
    Skipped(Skipped),
    /// No change: only the resource version advances.
    Bookmark,
}

/// Complete list, which replaces the cached objects.
pub(crate) struct Listed<K> {
    pub(crate) objects: Vec<Arc<K>>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) resource_version: String,
    /// If resource versions went back: when this list was requested. Versions that were known
    /// before are void.
    pub(crate) restored: Option<Instant>,
}
