//! [`OwnCaches`]: the caches that a controller has declared, which its reads prefer.

use std::fmt;
use std::sync::{Arc, Weak};

use genclient::scheme::Object;

use super::cached::{AnyCached, Cached};
use super::handle::Cluster;
use super::lease::Lease;

/// The caches that a controller has declared. Clones share them.
///
/// A change triggers a reconcile when one of them shows it. Another cache of the kind may show it
/// later, or have other objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnCaches(Arc<[OwnCache]>);

#[derive(Clone)]
struct OwnCache {
    role: Role,
    cluster: Cluster,
    /// Dropped with the last watch of the cache.
    cached: Weak<dyn AnyCached>,
}

/// Purpose of a controller's cache. Reads search the caches in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// The objects are reconciled.
    Reconciled,
    /// Changes enqueue requests for other objects.
    Owned,
    /// The objects are only read; changes enqueue nothing.
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

    /// Returns the caches whose objects are reconciled.
    pub(crate) fn reconciled(&self) -> Self {
        let reconciled = self.0.iter().filter(|own| own.role == Role::Reconciled);
        Self(reconciled.cloned().collect())
    }

    /// Returns the caches of a kind in a cluster that cover a namespace; `None` is any namespace.
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
