//! In-memory cache of objects: lookup by name, by namespace, and by named indices.
//!
//! A [`Store`] is the one writer of a cache, and each [`Indexer`] a reader. Both share one lock,
//! held for the time of a lookup or of one change. Objects are shared as `Arc<K>`: nobody can
//! change a cached object, and reading one copies nothing.
//!
//! Informers write; user code reads, through [listers](crate::lister) or an [`Indexer`].

mod indexer;
mod name;
mod resource_version;
mod state;
mod store;

pub use indexer::{IndexConflictError, Indexer, NAMESPACE_INDEX, NoSuchIndexError};
pub use name::{ObjectName, ParseObjectNameError};
pub use resource_version::{InvalidResourceVersionError, compare_resource_versions};
pub use state::IndexFunc;
pub use store::{Replaced, Store};

pub(crate) use name::parts;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod upstream_tests;
