//! [`CacheState`]: the objects of a cache and their indices, guarded by its lock.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hashbrown::HashMap;

use super::objects::{Objects, shrink};

/// Index function: returns the values under which an index finds an object. It must return the same
/// values for the same object. It may run under the lock of the cache, so it must not use that
/// cache nor call its informer: both can deadlock.
pub type IndexFunc<K> = Arc<dyn Fn(&K) -> Vec<String> + Send + Sync>;

pub(super) struct CacheState<K> {
    pub(super) objects: Objects<K>,
    pub(super) indices: BTreeMap<String, Index<K>>,
}

/// Named index: every object under each of its values.
pub(super) struct Index<K> {
    func: IndexFunc<K>,
    /// No entry is empty: a value without objects is removed.
    values: HashMap<Box<str>, IndexEntry<K>>,
}

/// Objects under one value, by address. All of them are cached, so an address belongs to one
/// object. Removing an object is then as cheap as adding it, and its name is not stored again.
type IndexEntry<K> = HashMap<usize, Arc<K>>;

impl<K> CacheState<K> {
    pub(super) fn new() -> Self {
        Self {
            objects: Objects::new(),
            indices: BTreeMap::new(),
        }
    }

    pub(super) fn index(&mut self, object: &Arc<K>) {
        for (name, index) in &mut self.indices {
            index.insert(name, object);
        }
    }

    pub(super) fn unindex(&mut self, object: &Arc<K>) {
        for (name, index) in &mut self.indices {
            index.remove(name, object);
        }
    }
}

#[cfg(test)]
impl<K> CacheState<K> {
    /// Capacities of the tables of a namespace, of an index, and of one of its values.
    pub(super) fn rooms(&self, namespace: &str, index: &str, value: &str) -> [usize; 3] {
        let index = &self.indices[index];
        [
            self.objects.room(namespace),
            index.values.capacity(),
            index.values[value].capacity(),
        ]
    }
}

impl<K> Index<K> {
    pub(super) fn new(func: IndexFunc<K>) -> Self {
        Self {
            func,
            values: HashMap::new(),
        }
    }

    pub(super) fn insert(&mut self, index: &str, object: &Arc<K>) {
        for value in values_of(&self.func, index, object) {
            let entry = match self.values.get_mut(value.as_str()) {
                Some(entry) => entry,
                None => self.values.entry(value.into_boxed_str()).or_default(),
            };
            entry.insert(address(object), Arc::clone(object));
        }
    }

    pub(super) fn remove(&mut self, index: &str, object: &Arc<K>) {
        for value in values_of(&self.func, index, object) {
            self.remove_entries(&value, [address(object)]);
        }
    }

    /// Removes the entries in `gone`, and moves those in `new` into the index.
    pub(super) fn exchange(&mut self, gone: &Self, new: &mut Self) {
        for (value, entry) in &gone.values {
            self.remove_entries(value, entry.keys().copied());
        }
        for (value, entry) in new.values.drain() {
            match self.values.get_mut(&value) {
                Some(present) => present.extend(entry),
                None => {
                    self.values.insert(value, entry);
                }
            }
        }
    }

    fn remove_entries(&mut self, value: &str, addresses: impl IntoIterator<Item = usize>) {
        if let Some(entry) = self.values.get_mut(value) {
            for address in addresses {
                entry.remove(&address);
            }
            if entry.is_empty() {
                self.values.remove(value);
                shrink(&mut self.values);
            } else {
                shrink(entry);
            }
        }
    }

    pub(super) fn func(&self) -> &IndexFunc<K> {
        &self.func
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(|value| &**value)
    }

    pub(super) fn get(&self, value: &str) -> impl Iterator<Item = &Arc<K>> {
        self.values.get(value).into_iter().flat_map(HashMap::values)
    }
}

fn address<K>(object: &Arc<K>) -> usize {
    Arc::as_ptr(object).addr()
}

/// Returns the values of `object`. If the index function panics, there are none: one bad object
/// must not end the informer.
pub(super) fn values_of<K>(func: &IndexFunc<K>, index: &str, object: &K) -> Vec<String> {
    catch_unwind(AssertUnwindSafe(|| func(object))).unwrap_or_else(|_| {
        tracing::error!(
            index,
            "index function panicked; the object is not in the index"
        );
        Vec::new()
    })
}
