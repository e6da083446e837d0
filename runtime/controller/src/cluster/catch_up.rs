//! Read-your-writes: waiting until a cache shows the program's own writes.

use std::time::Duration;

use genclient::cache::ObjectName;
use genclient::informer::{ProgressError, SyncError};
use genclient::scheme::Object;
use tokio::time::timeout;

use super::cached::Cached;
use super::handle::Cluster;
use crate::ledger::Write;

/// Error of waiting for a cache to show a write.
#[derive(Debug)]
pub(crate) enum CatchUpError {
    Late(Duration),
    NotSynced(Option<Box<SyncError>>),
    Cache(ProgressError),
}

impl Cluster {
    /// Waits until the cache shows the last write of one object.
    pub(crate) async fn catch_up<K: Object>(
        &self,
        cached: &Cached<K>,
        name: &ObjectName,
    ) -> Result<(), CatchUpError> {
        self.filled(cached).await?;
        match self.inner.ledger.write(&cached.written, name) {
            Some(write) => {
                let written = [(name.clone(), write)];
                self.wait_for(cached, &written).await
            }
            None => Ok(()),
        }
    }

    /// Waits until the cache shows the last writes of all objects in a namespace; `None` is all
    /// namespaces.
    pub(crate) async fn catch_up_all<K: Object>(
        &self,
        cached: &Cached<K>,
        namespace: Option<&str>,
    ) -> Result<(), CatchUpError> {
        self.filled(cached).await?;
        let written = self.inner.ledger.writes(&cached.written, namespace);
        self.wait_for(cached, &written).await
    }

    /// Waits for the initial sync of the cache.
    async fn filled<K: Object>(&self, cached: &Cached<K>) -> Result<(), CatchUpError> {
        if cached.informer.has_synced() {
            return Ok(());
        }
        let filled = cached.informer.wait_for_cache_sync();
        match timeout(self.inner.settings.read_timeout, filled).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(CatchUpError::NotSynced(Some(Box::new(error)))),
            Err(_) => Err(CatchUpError::NotSynced(None)),
        }
    }

    async fn wait_for<K: Object>(
        &self,
        cached: &Cached<K>,
        written: &[(ObjectName, Write)],
    ) -> Result<(), CatchUpError> {
        let waiting = async {
            for (name, write) in written {
                let informer = &cached.informer;
                informer.wait_until(|| cached.has_seen(name, write)).await?;
                self.inner.ledger.forget(&cached.written, name, write);
            }
            Ok(())
        };
        let limit = self.inner.settings.read_timeout;
        match timeout(limit, waiting).await {
            Ok(caught_up) => caught_up.map_err(CatchUpError::Cache),
            Err(_) => Err(CatchUpError::Late(limit)),
        }
    }
}
