//! In-memory cache of objects: lookup by name, by namespace, and by named indices.
//!
//! A cache has one writer, its [`Store`], and any number of readers, each an [`Indexer`]. They
//! share a lock, which is held for one lookup or one change. Objects are shared as `Arc<K>`: cached
//! objects cannot be changed, and reading does not copy them.
//!
//! Informers write to the cache. User code reads it through [listers](crate::lister) or an
//! [`Indexer`].

mod name;
mod resource_version;
mod store;

pub use name::{ObjectName, ParseObjectNameError};
pub use resource_version::{InvalidResourceVersionError, compare_resource_versions};
pub use store::{
    IndexConflictError, IndexFunc, Indexer, NAMESPACE_INDEX, NoSuchIndexError, Replaced, Store,
};

pub(crate) use name::parts;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod upstream_tests;
