//! Clusters: connections to API servers, each with its caches.

mod cached;
mod connection;
mod handle;
mod lease;
mod live;
mod state;

pub(crate) use cached::Cached;
pub use handle::Cluster;
pub(crate) use handle::{CatchUpError, of_cluster};
pub use lease::{CacheError, WatchError};
pub(crate) use lease::{Lease, OwnCaches, Role, Transform, Wanted};
pub(crate) use state::{CacheSettings, Namespaces};
