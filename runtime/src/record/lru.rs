//! LRU cache: a map that evicts the least recently used value.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A map of at most `capacity` values.
pub(super) struct Lru<V> {
    capacity: usize,
    values: HashMap<Arc<str>, (u64, V)>,
    /// Keys, by the time of their last use.
    used: BTreeMap<u64, Arc<str>>,
    clock: u64,
}

impl<V> Lru<V> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            values: HashMap::new(),
            used: BTreeMap::new(),
            clock: 0,
        }
    }

    /// Removes and returns a value. To change a value, remove it and insert the new one.
    pub(super) fn remove(&mut self, key: &str) -> Option<V> {
        let (used, value) = self.values.remove(key)?;
        self.used.remove(&used);
        Some(value)
    }

    /// Inserts `value`, replacing the value of this key. If the cache is full, evicts the least
    /// recently used value.
    pub(super) fn insert(&mut self, key: &str, value: V) {
        self.remove(key);
        let key: Arc<str> = key.into();
        self.clock += 1;
        self.used.insert(self.clock, Arc::clone(&key));
        self.values.insert(key, (self.clock, value));
        if self.values.len() > self.capacity
            && let Some((_, oldest)) = self.used.pop_first()
        {
            self.values.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_recently_used_value_is_evicted() {
        let mut lru = Lru::new(2);
        lru.insert("a", 1);
        lru.insert("b", 2);
        let a = lru.remove("a").unwrap();
        lru.insert("a", a + 10);
        lru.insert("c", 3);
        assert_eq!(lru.remove("b"), None);
        assert_eq!(lru.remove("a"), Some(11));
        assert_eq!(lru.remove("c"), Some(3));
        assert_eq!((lru.values.len(), lru.used.len()), (0, 0));
    }

    #[test]
    fn lru_insert_replaces_the_value() {
        let mut lru = Lru::new(2);
        lru.insert("a", 1);
        lru.insert("b", 2);
        lru.insert("b", 3);
        assert_eq!((lru.remove("a"), lru.remove("b")), (Some(1), Some(3)));
    }
}
