//! [`ReflectorStore`]: receiver of the lists and events of a reflector.

use std::sync::Arc;

use tokio::time::Instant;

use super::error::ListWatchError;
use super::event::{Skipped, WatchEvent};
use super::shards::ShardFilter;

/// Receiver of a reflector's lists and events. The reflector waits for each call to return.
pub(crate) trait ReflectorStore<K>: Send + Sync {
    /// Replaces the known objects with a whole list.
    fn replace(&self, listed: Listed<K>);
    /// Removes the objects that `filter` excludes. Handlers are not told.
    fn retain(&self, filter: &ShardFilter);
    /// Adds the objects of a list, except those of which a newer state is known. The state of other
    /// objects stays as it is.
    fn extend(&self, listed: Listed<K>);
    /// Applies one event. The store's state is then complete up to `resource_version`.
    fn handle_event(&self, event: WatchEvent<K>, resource_version: &str);
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

impl<K> Listed<K> {
    /// Returns a list without objects.
    pub(crate) fn empty(resource_version: String) -> Self {
        Self {
            objects: Vec::new(),
            skipped: Vec::new(),
            outside: 0,
            resource_version,
            restored: None,
        }
    }
}

/// Complete list, which replaces the cached objects.
pub(crate) struct Listed<K> {
    pub(crate) objects: Vec<Arc<K>>,
    pub(crate) skipped: Vec<Skipped>,
    /// Number of objects that the API server sent although other replicas cache them.
    pub(crate) outside: usize,
    pub(crate) resource_version: String,
    /// If resource versions went back: when this list was requested. Versions that were known
    /// before are void.
    pub(crate) restored: Option<Instant>,
}
