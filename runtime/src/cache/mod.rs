//! Objects in memory: by name, by namespace, and by named indices.
//!
//! One side writes, the [`Store`], of which there is one; the other reads, the [`Indexer`], of which there may be many. Both see
//! one lock, held as long as a lookup or one change takes. Objects are shared as `Arc<K>`: nobody can change a cached object, and
//! reading one copies nothing.
//!
//! Informers write; user code reads, through [listers](crate::lister) or an [`Indexer`].

mod indexer;
mod name;
mod objects;
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
