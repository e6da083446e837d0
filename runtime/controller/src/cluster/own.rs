//! [`OwnCaches`]: the caches that a controller has declared, which its reads use first.

use std::fmt;
use std::sync::{Arc, Weak};

use genclient::scheme::Object;

use super::cached::{AnyCached, Cached};
use super::handle::Cluster;
use super::lease::Lease;

/// The caches that a controller has declared. A handle: clones are the same caches.
///
/// A change wakes a controller when one of them shows it. Another cache of the kind may show it
/// later, or have other objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnCaches(Arc<[OwnCache]>);

#[derive(Clone)]
struct OwnCache {
    role: Role,
    cluster: Cluster,
    /// Gone with the last watch of it.
    cached: Weak<dyn AnyCached>,
}

/// What a controller declares a cache for. Caches of the first role are read first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// Its objects are reconciled.
    Reconciled,
    /// Its changes lead to requests about other objects.
    Owned,
    /// Its objects are read, and wake nothing.
    Read,
}

impl OwnCaches {
    pub(crate) fn new<'a>(declared: impl IntoIterator<Item = (Role, &'a Lease)>) -> Self {
        let declared = declared.into_iter().map(|(role, lease)| OwnCache {
            role,
            cluster: lease.cluster.clone(),
            cached: Arc::downgrade(&lease.cached),
        });
        let mut declared: Vec<_> = declared.collect();
        declared.sort_by_key(|own| own.role);
        Self(declared.into())
    }

    /// The caches whose objects are reconciled.
    pub(crate) fn reconciled(&self) -> Self {
        let reconciled = self.0.iter().filter(|own| own.role == Role::Reconciled);
        Self(reconciled.cloned().collect())
    }

    /// Those of a kind in a cluster that cover a namespace; `None` is any.
    pub(crate) fn of_kind<K: Object>(
        &self,
        cluster: &Cluster,
        types: &K::DynamicType,
        namespace: Option<&str>,
    ) -> Vec<Arc<Cached<K>>> {
        let own = self.0.iter().filter(|own| own.cluster == *cluster);
        let own = own.filter_map(|own| Cached::downcast(own.cached.upgrade()?, types));
        own.filter(|cached| cached.covers(namespace)).collect()
    }
}

impl fmt::Debug for OwnCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let resource = self.cached.upgrade().map(|it| it.resource().clone());
        f.debug_tuple("OwnCache").field(&resource).finish()
    }
}
