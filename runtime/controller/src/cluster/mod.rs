//! Clusters: connections to API servers, each with its caches.

mod cached;
mod catch_up;
mod handle;
mod lease;
mod namespaces;
mod own;
mod state;

pub(crate) use cached::Cached;
pub(crate) use catch_up::CatchUpError;
pub use handle::Cluster;
pub(crate) use handle::of_cluster;
pub use lease::{CacheError, WatchError};
pub(crate) use lease::{Lease, Transform, Wanted};
pub(crate) use namespaces::Namespaces;
pub(crate) use own::{OwnCaches, Role};
pub(crate) use state::CacheSettings;
