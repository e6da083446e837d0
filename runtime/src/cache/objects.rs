//! [`Objects`]: objects by namespace and name, without a lock.

use std::hash::Hash;
use std::sync::Arc;

use hashbrown::HashMap;

/// Table of objects, partitioned by namespace: listing a namespace costs only its own objects, and
/// a lookup allocates nothing.
pub(super) struct Objects<K> {
    /// No partition is empty.
    namespaces: HashMap<Box<str>, Partition<K>>,
    len: usize,
}

type Partition<K> = HashMap<Box<str>, Arc<K>>;

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

    /// Adds an object, or replaces the object of the same name and returns it.
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

    /// Removes and returns the objects of one namespace, or all.
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

    /// Adds the namespaces of `fresh`, which [`Objects::take`] has removed before.
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

    /// Returns the objects of one namespace, or all.
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
    pub(super) fn room(&self, namespace: &str) -> usize {
        self.namespaces[namespace].capacity()
    }

    pub(super) fn namespaces(&self) -> impl Iterator<Item = &str> {
        self.namespaces.keys().map(|namespace| &**namespace)
    }
}

/// Shrinks a table that is mostly empty, since iterating over a table costs its capacity, not its
/// length. It only shrinks if less than a quarter is in use, so it costs no more than the removals
/// before it.
pub(super) fn shrink<N: Eq + Hash, V>(table: &mut HashMap<N, V>) {
    const LEAST: usize = 64;
    if table.capacity() > LEAST && table.len() < table.capacity() / 4 {
        table.shrink_to(table.len() * 2);
    }
}
