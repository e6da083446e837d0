//! Sharding of a manager's controllers: the objects of this replica, and their numbers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Weak};

use genclient::cache::ObjectName;
use genclient::sharding::{Permit, Shards};
use parking_lot::Mutex;

/// Shards of this replica, and the counters of its controllers. Clones share them.
#[derive(Clone)]
pub(crate) struct Sharding {
    pub(crate) shards: Shards,
    counters: Counters,
}

/// Function that returns the names of a controller's objects, or `None` before its cache has
/// synced.
pub(crate) type CountedNames = dyn Fn() -> Option<Vec<ObjectName>> + Send + Sync;

/// The counters of a manager's controllers. Clones share them.
pub(crate) type Counters = Arc<Mutex<Vec<Weak<CountedNames>>>>;

impl Sharding {
    pub(crate) fn new(shards: Shards, counters: Counters) -> Self {
        Self { shards, counters }
    }

    /// Returns the sharding of a controller with these caches.
    pub(crate) fn with_caches(&self, numbers: impl IntoIterator<Item = u64>) -> Self {
        Self {
            shards: self.shards.with_caches(numbers),
            counters: Arc::clone(&self.counters),
        }
    }

    /// Whether an object is this replica's.
    pub(crate) fn holds(&self, object: &ObjectName) -> bool {
        self.shards.holds(namespace_of(object), object.name())
    }

    /// Returns a permit to work on an object, if it is this replica's.
    pub(crate) fn enter(&self, object: &ObjectName) -> Option<Permit> {
        self.shards.enter(namespace_of(object), object.name())
    }

    /// Counts the objects of a controller from now on, until `names` is dropped.
    pub(crate) fn count(&self, names: &Arc<CountedNames>) {
        self.counters.lock().push(Arc::downgrade(names));
    }
}

/// Returns the numbers of objects by hash, or `None` before all caches have synced.
pub(crate) fn count_objects(counters: &Counters, shards: &Shards) -> Option<BTreeMap<u64, u64>> {
    let mut running = counters.lock();
    running.retain(|names| names.strong_count() > 0);
    let mut counts = BTreeMap::new();
    for names in running.iter().filter_map(Weak::upgrade) {
        for name in names()? {
            let hash = shards.hash(namespace_of(&name), name.name());
            *counts.entry(hash).or_default() += 1;
        }
    }
    Some(counts)
}

fn namespace_of(object: &ObjectName) -> &str {
    object.namespace().unwrap_or_default()
}

impl fmt::Debug for Sharding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shards.fmt(formatter)
    }
}
