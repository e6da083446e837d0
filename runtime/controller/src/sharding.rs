//! Sharding of a manager's controllers: the objects of this replica, and their numbers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Weak};

use genclient::cache::ObjectName;
use genclient::sharding::{Permit, ShardBy, Shards};
use parking_lot::Mutex;

/// Shards of this replica, and the counters of its controllers. Clones share them.
#[derive(Clone)]
pub(crate) struct Sharding {
    pub(crate) shards: Shards,
    counters: Arc<Counters>,
}

/// Function that returns the names of a controller's objects, or `None` before its cache has
/// synced.
pub(crate) type CountedNames = dyn Fn() -> Option<Vec<ObjectName>> + Send + Sync;

/// The counters of a manager's controllers.
#[derive(Default)]
pub(crate) struct Counters {
    names: Mutex<Vec<Weak<CountedNames>>>,
    /// The hash that was last logged as too large for one replica.
    logged: Mutex<Option<u64>>,
}

impl Sharding {
    pub(crate) fn new(shards: Shards, counters: Arc<Counters>) -> Self {
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
        self.counters.names.lock().push(Arc::downgrade(names));
    }
}

impl Counters {
    /// Returns the numbers of objects by hash, or `None` before all caches have synced.
    pub(crate) fn count(&self, shards: &Shards) -> Option<BTreeMap<u64, u64>> {
        let running: Vec<_> = {
            let mut names = self.names.lock();
            names.retain(|names| names.strong_count() > 0);
            names.iter().filter_map(Weak::upgrade).collect()
        };
        let mut counts = BTreeMap::new();
        let mut largest = (0, None);
        for names in running {
            for name in names()? {
                let hash = shards.hash(namespace_of(&name), name.name());
                let count = counts.entry(hash).or_insert(0);
                *count += 1;
                if *count > largest.0 {
                    largest = (*count, Some(name));
                }
            }
        }
        if let (count, Some(name)) = largest {
            self.log_largest(shards, count, &name);
        }
        Some(counts)
    }

    /// Logs once that a namespace has more objects than the share of a replica.
    fn log_largest(&self, shards: &Shards, count: u64, object: &ObjectName) {
        let status = shards.status();
        let share = status.objects / (status.members as u64).max(1);
        // The group's number is older, and may not have these objects yet.
        let is_large = status.members > 1 && (share + 1..=status.objects).contains(&count);
        let hash = shards.hash(namespace_of(object), object.name());
        let is_news = is_large && self.logged.lock().replace(hash) != Some(hash);
        if is_news && shards.shard_by() == ShardBy::Namespace {
            tracing::warn!(
                namespace = object.namespace(),
                objects = count,
                share,
                "one namespace has more objects than the share of a replica; share them by name"
            );
        }
    }
}

fn namespace_of(object: &ObjectName) -> &str {
    object.namespace().unwrap_or_default()
}

impl fmt::Debug for Sharding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shards.fmt(formatter)
    }
}
