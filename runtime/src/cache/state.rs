//! [`CacheState`]: the objects of a cache and their indices, which the lock of the cache guards.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hashbrown::HashMap;

/// Index function: returns the values of an object in an index. It must always return the same
/// values for the same object. It must not call the cache or its informer: index functions may run
/// while the lock of the cache is held, so such a call can deadlock.
pub type IndexFunc<K> = Arc<dyn Fn(&K) -> Vec<String> + Send + Sync>;

pub(super) struct CacheState<K> {
    pub(super) objects: Objects<K>,
    pub(super) indices: BTreeMap<String, Index<K>>,
}

/// Named index: for each value, the objects that have it.
pub(super) struct Index<K> {
    func: IndexFunc<K>,
    /// Values without objects are removed.
    values: HashMap<Box<str>, IndexEntry<K>>,
}

/// Objects with the same value in an index, keyed by their address in memory. Addresses are unique,
/// since the index keeps its objects alive. A key by name would need a copy of the name.
type IndexEntry<K> = HashMap<usize, Arc<K>>;

/// Objects by namespace and name. A list of one namespace visits no other objects. A lookup
/// allocates nothing.
pub(super) struct Objects<K> {
    /// Namespaces without objects are removed.
    namespaces: HashMap<Box<str>, Partition<K>>,
    len: usize,
}

type Partition<K> = HashMap<Box<str>, Arc<K>>;

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
    /// Returns the capacities of the tables of a namespace, an index and one of its values.
    pub(super) fn capacities(&self, namespace: &str, index: &str, value: &str) -> [usize; 3] {
        let index = &self.indices[index];
        [
            self.objects.capacity(namespace),
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

    /// Removes the entries in `gone`, and moves the entries of `new` into this index.
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

impl<K> Objects<K> {
    pub(super) fn new() -> Self {
        Self {
            namespaces: HashMap::new(),
            len: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn get(&self, namespace: &str, name: &str) -> Option<&Arc<K>> {
        self.namespaces.get(namespace)?.get(name)
    }

    /// Adds an object. If it replaces an object of the same name, returns the replaced object.
    pub(super) fn insert(&mut self, namespace: &str, name: &str, object: Arc<K>) -> Option<Arc<K>> {
        if !self.namespaces.contains_key(namespace) {
            self.namespaces.insert(namespace.into(), HashMap::new());
        }
        let partition = self.namespaces.get_mut(namespace)?;
        if let Some(place) = partition.get_mut(name) {
            return Some(std::mem::replace(place, object));
        }
        partition.insert(name.into(), object);
        self.len += 1;
        None
    }

    pub(super) fn remove(&mut self, namespace: &str, name: &str) -> Option<Arc<K>> {
        let partition = self.namespaces.get_mut(namespace)?;
        let removed = partition.remove(name)?;
        if partition.is_empty() {
            self.namespaces.remove(namespace);
        } else {
            shrink(partition);
        }
        self.len -= 1;
        Some(removed)
    }

    /// Removes and returns the objects of one namespace, or of all.
    pub(super) fn take(&mut self, namespace: Option<&str>) -> Self {
        let Some(namespace) = namespace else {
            return std::mem::replace(self, Self::new());
        };
        let mut taken = Self::new();
        if let Some((namespace, partition)) = self.namespaces.remove_entry(namespace) {
            taken.len = partition.len();
            taken.namespaces.insert(namespace, partition);
        }
        self.len -= taken.len;
        taken
    }

    /// Adds the objects of `fresh`. The caller has removed their namespaces with [`Objects::take`].
    pub(super) fn put(&mut self, fresh: Self) {
        if self.len == 0 {
            *self = fresh;
            return;
        }
        self.len += fresh.len;
        self.namespaces.extend(fresh.namespaces);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str, &Arc<K>)> {
        self.within(None)
    }

    pub(super) fn within(
        &self,
        namespace: Option<&str>,
    ) -> impl Iterator<Item = (&str, &str, &Arc<K>)> {
        let one = namespace.and_then(|namespace| self.namespaces.get_key_value(namespace));
        let all = namespace.is_none().then_some(&self.namespaces);
        let partitions = one.into_iter().chain(all.into_iter().flatten());
        partitions.flat_map(|(namespace, partition)| {
            let objects = partition.iter();
            objects.map(|(name, object)| (&**namespace, &**name, object))
        })
    }

    /// Returns the objects of `namespace`, or `None` if there are none.
    pub(super) fn namespace(
        &self,
        namespace: &str,
    ) -> Option<impl ExactSizeIterator<Item = (&str, &Arc<K>)>> {
        let partition = self.namespaces.get(namespace)?;
        Some(partition.iter().map(|(name, object)| (&**name, object)))
    }

    #[cfg(test)]
    pub(super) fn capacity(&self, namespace: &str) -> usize {
        self.namespaces[namespace].capacity()
    }

    pub(super) fn namespaces(&self) -> impl Iterator<Item = &str> {
        self.namespaces.keys().map(|namespace| &**namespace)
    }
}

/// Shrinks a table if less than a quarter of its capacity is in use, since iteration visits the
/// whole capacity. A table shrinks only after it has lost most of its entries, so the amortized
/// cost of a removal is small.
pub(super) fn shrink<N: Eq + Hash, V>(table: &mut HashMap<N, V>) {
    const MIN_CAPACITY: usize = 64;
    if table.capacity() > MIN_CAPACITY && table.len() < table.capacity() / 4 {
        table.shrink_to(table.len() * 2);
    }
}

fn address<K>(object: &Arc<K>) -> usize {
    Arc::as_ptr(object).addr()
}

/// Returns the values of `object`. If the index function panics, returns no values, so that one
/// object cannot stop the informer.
pub(super) fn values_of<K>(func: &IndexFunc<K>, index: &str, object: &K) -> Vec<String> {
    catch_unwind(AssertUnwindSafe(|| func(object))).unwrap_or_else(|_| {
        tracing::error!(
            index,
            "index function panicked; the object is not in the index"
        );
        Vec::new()
    })
}
