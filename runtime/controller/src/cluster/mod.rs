//! Clusters: connections to API servers, each with its caches.

mod cache_handle;
mod cached;
mod connection;
mod handle;
mod live;
mod state;

pub use cache_handle::{CacheError, WatchError};
pub(crate) use cache_handle::{CacheHandle, CachePurpose, CacheRequest, OwnCaches, Transform};
pub(crate) use cached::Cached;
pub use handle::Cluster;
pub(crate) use handle::{CatchUpError, cluster_prefix};
pub(crate) use state::{CacheSettings, Namespaces};
