//! Clusters: an API server each, and what is cached of it.

mod cached;
mod handle;

pub(crate) use cached::Cached;
pub(crate) use handle::{CacheSettings, CatchUpError, Transform, Wanted};
pub use handle::{Cluster, WatchError};
