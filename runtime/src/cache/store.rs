//! In-memory store of objects: its writer ([`Store`]), its readers ([`Indexer`]), and the objects
//! and indices that they share.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hashbrown::HashMap;
use kube::Resource;
use parking_lot::RwLock;

use super::name::{ObjectName, parts};

/// Name of the index that every cache has: objects by namespace.
pub const NAMESPACE_INDEX: &str = "namespace";

/// Reader of a cache. Clones read the same cache.
///
/// For tests, collect objects into an `Indexer` to get a cache with these objects.
///
/// ```
/// use genclient::cache::Indexer;
/// use k8s_openapi::api::core::v1::Pod;
///
/// # fn pod(name: &str, node: &str) -> Pod {
/// #     let mut pod = Pod::default();
/// #     pod.metadata.name = Some(name.into());
/// #     pod.spec.get_or_insert_default().node_name = Some(node.into());
/// #     pod
/// # }
/// let pods = Indexer::from_iter([pod("web-0", "worker-1"), pod("web-1", "worker-2")]);
/// pods.add_indexer("node", |pod: &Pod| {
///     let node = pod.spec.as_ref().and_then(|spec| spec.node_name.clone());
///     node.into_iter().collect()
/// })?;
/// assert_eq!(pods.by_index("node", "worker-2")?.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Indexer<K> {
    /// State shared with one [`Store`], which writes it. A blocking lock suffices: it
    /// is held briefly and never across an await.
    pub(super) state: Arc<RwLock<CacheState<K>>>,
}

/// The requested index does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("index with name {index} does not exist")]
#[non_exhaustive]
pub struct NoSuchIndexError {
    /// Name of the index.
    pub index: String,
}

/// The name of a new index is already taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("indexer conflict: {index} exists already")]
#[non_exhaustive]
pub struct IndexConflictError {
    /// Name of the index.
    pub index: String,
}

/// Writer of a cache. A cache has exactly one, so `Store` is not `Clone` and writes take
/// `&mut self`.
///
/// Informers create their own store. Create one only in tests of code that reads a changing cache.
///
/// ```
/// use std::sync::Arc;
/// use genclient::cache::{ObjectName, Store};
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// let mut store = Store::new();
/// let reader = store.indexer();
/// let mut map = ConfigMap::default();
/// map.metadata.name = Some("settings".into());
/// store.upsert(Arc::new(map));
/// assert_eq!(reader.keys(), [ObjectName::cluster("settings")]);
/// ```
pub struct Store<K> {
    indexer: Indexer<K>,
}

/// Result of [`Store::replace`]: the differences between the cache and the list.
#[non_exhaustive]
pub struct Replaced<K> {
    /// Objects that were cached but are not in the list, in their last cached state.
    pub deleted: Vec<(ObjectName, Arc<K>)>,
    /// Pairs in the order of the list: the previously cached object of that name, if any, and the
    /// object of the list.
    pub present: Vec<(Option<Arc<K>>, Arc<K>)>,
}

/// Index function: returns the values of an object in an index. It must always return the same
/// values for the same object. It must not call the cache or its informer: index functions may run
/// while the lock of the cache is held, so such a call can deadlock.
pub type IndexFunc<K> = Arc<dyn Fn(&K) -> Vec<String> + Send + Sync>;

pub(super) struct CacheState<K> {
    objects: Objects<K>,
    indices: BTreeMap<String, Index<K>>,
}

/// Named index: for each value, the objects that have it.
struct Index<K> {
    func: IndexFunc<K>,
    /// Values without objects are removed.
    values: HashMap<Box<str>, IndexEntry<K>>,
}

/// Objects with the same value in an index, keyed by their address in memory. Addresses are unique,
/// since the index keeps its objects alive. A key by name would need a copy of the name.
type IndexEntry<K> = HashMap<usize, Arc<K>>;

/// Objects by namespace and name. A list of one namespace visits no other objects. A lookup
/// allocates nothing.
struct Objects<K> {
    /// Namespaces without objects are removed.
    namespaces: HashMap<Box<str>, Partition<K>>,
    len: usize,
}

type Partition<K> = HashMap<Box<str>, Arc<K>>;

// === impl Indexer ===

impl<K> Indexer<K> {
    /// Returns the cached object `name`, or `None`.
    #[must_use]
    pub fn get(&self, name: &ObjectName) -> Option<Arc<K>> {
        let (namespace, name) = name.parts();
        self.get_parts(namespace, name)
    }

    /// Returns the cached object, without allocating an [`ObjectName`]. `namespace` is empty for
    /// cluster-scoped objects.
    pub(crate) fn get_parts(&self, namespace: &str, name: &str) -> Option<Arc<K>> {
        self.state.read().objects.get(namespace, name).cloned()
    }

    /// Returns every object, in no particular order.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<K>> {
        let state = self.state.read();
        let mut objects = Vec::with_capacity(state.objects.len());
        objects.extend(state.objects.iter().map(|(.., object)| Arc::clone(object)));
        objects
    }

    /// Returns every object of a namespace, in no particular order.
    #[must_use]
    pub fn list_namespace(&self, namespace: &str) -> Vec<Arc<K>> {
        let state = self.state.read();
        match state.objects.namespace(namespace) {
            Some(objects) => objects.map(|(_, object)| Arc::clone(object)).collect(),
            None => Vec::new(),
        }
    }

    /// Returns the objects for which `matches` is true. If `namespace` is `None`, searches all
    /// namespaces.
    pub(crate) fn list_matching(
        &self,
        namespace: Option<&str>,
        matches: impl Fn(&K) -> bool,
    ) -> Vec<Arc<K>> {
        let state = self.state.read();
        let objects = state.objects.within(namespace);
        let matching = objects.filter(|(.., object)| matches(object));
        matching.map(|(.., object)| Arc::clone(object)).collect()
    }

    /// Returns the names of all objects, in no particular order.
    #[must_use]
    pub fn keys(&self) -> Vec<ObjectName> {
        let state = self.state.read();
        let names = state.objects.iter();
        names
            .map(|(namespace, name, _)| ObjectName::new(namespace, name))
            .collect()
    }

    /// Returns the number of objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state.read().objects.len()
    }

    /// Returns whether the cache is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an index of the current and all later objects. `func` returns the values under which
    /// [`by_index`](Self::by_index) finds an object.
    ///
    /// # Errors
    ///
    /// [`IndexConflictError`] if the name is taken.
    pub fn add_indexer(
        &self,
        name: impl Into<String>,
        func: impl Fn(&K) -> Vec<String> + Send + Sync + 'static,
    ) -> Result<(), IndexConflictError> {
        self.add_indexers([(name.into(), Arc::new(func) as IndexFunc<K>)])
    }

    /// Adds several indices. If one of them cannot be added, none is.
    ///
    /// # Errors
    ///
    /// [`IndexConflictError`] if a name is taken.
    pub fn add_indexers(
        &self,
        indexers: impl IntoIterator<Item = (String, IndexFunc<K>)>,
    ) -> Result<(), IndexConflictError> {
        // Collected before the lock is taken: an iterator that reads the cache needs the lock, too.
        let indexers: Vec<_> = indexers.into_iter().collect();
        let mut state = self.state.write();
        let mut added = BTreeMap::new();
        for (name, func) in indexers {
            if name == NAMESPACE_INDEX
                || state.indices.contains_key(&name)
                || added.contains_key(&name)
            {
                return Err(IndexConflictError { index: name });
            }
            let mut index = Index::new(func);
            for (.., object) in state.objects.iter() {
                index.insert(&name, object);
            }
            added.insert(name, index);
        }
        state.indices.extend(added);
        Ok(())
    }

    /// Returns the names of all indices.
    #[must_use]
    pub fn index_names(&self) -> Vec<String> {
        let state = self.state.read();
        let mut names: Vec<_> = state.indices.keys().cloned().collect();
        names.push(NAMESPACE_INDEX.to_owned());
        names.sort();
        names
    }

    /// Returns the objects that have `value` in an index, in no particular order.
    ///
    /// # Errors
    ///
    /// [`NoSuchIndexError`] if there is no index of this name.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Arc<K>>, NoSuchIndexError> {
        if index == NAMESPACE_INDEX {
            return Ok(self.list_namespace(value));
        }
        let state = self.state.read();
        Ok(state.named(index)?.get(value).cloned().collect())
    }

    /// Returns every value of an index that at least one object has, in no particular order.
    ///
    /// # Errors
    ///
    /// [`NoSuchIndexError`] if there is no index of this name.
    pub fn index_values(&self, index: &str) -> Result<Vec<String>, NoSuchIndexError> {
        let state = self.state.read();
        if index == NAMESPACE_INDEX {
            return Ok(state.objects.namespaces().map(str::to_owned).collect());
        }
        Ok(state.named(index)?.values().map(str::to_owned).collect())
    }
}

impl<K: Resource> Indexer<K> {
    /// Returns the names of the objects that have `value` in an index, in no particular order.
    ///
    /// # Errors
    ///
    /// [`NoSuchIndexError`] if there is no index of this name.
    pub fn index_keys(
        &self,
        index: &str,
        value: &str,
    ) -> Result<Vec<ObjectName>, NoSuchIndexError> {
        let objects = self.by_index(index, value)?;
        Ok(objects
            .iter()
            .map(|object| ObjectName::from_object(&**object))
            .collect())
    }

    /// Returns the cached objects that share at least one value of an index with `object`, each of
    /// them once. `object` itself need not be cached.
    ///
    /// # Errors
    ///
    /// [`NoSuchIndexError`] if there is no index of this name.
    pub fn index(&self, index: &str, object: &K) -> Result<Vec<Arc<K>>, NoSuchIndexError> {
        if index == NAMESPACE_INDEX {
            return Ok(self.list_namespace(parts(object).0));
        }
        let state = self.state.read();
        let found = state.named(index)?;
        let values = BTreeSet::from_iter(values_of(found.func(), index, object));
        let objects = values.iter().flat_map(|value| found.get(value));
        let mut seen = HashSet::new();
        Ok(objects
            .filter(|object| seen.insert(Arc::as_ptr(object)))
            .cloned()
            .collect())
    }
}

impl<K> Clone for Indexer<K> {
    fn clone(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
        }
    }
}

impl<K> fmt::Debug for Indexer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Indexer")
            .field("kind", &std::any::type_name::<K>())
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

// === impl Store ===

impl<K> Store<K> {
    /// Returns the writer of a new, empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self {
            indexer: Indexer {
                state: Arc::new(RwLock::new(CacheState::new())),
            },
        }
    }

    /// Returns a reader of the cache.
    #[must_use]
    pub fn indexer(&self) -> Indexer<K> {
        self.indexer.clone()
    }

    /// Removes the object `name`. Returns its last state if it was cached.
    pub fn remove(&mut self, name: &ObjectName) -> Option<Arc<K>> {
        let (namespace, name) = name.parts();
        let mut state = self.indexer.state.write();
        let removed = state.objects.remove(namespace, name)?;
        state.unindex(&removed);
        Some(removed)
    }
}

impl<K: Resource> Store<K> {
    /// Adds an object. If it replaces an object of the same name, returns the replaced object.
    pub fn upsert(&mut self, object: Arc<K>) -> Option<Arc<K>> {
        let mut state = self.indexer.state.write();
        let (namespace, name) = parts(&*object);
        let before = state.objects.insert(namespace, name, Arc::clone(&object));
        if let Some(before) = &before {
            state.unindex(before);
        }
        state.index(&object);
        before
    }

    /// Removes the objects, or those of one namespace, for which `is_kept` is false.
    pub(crate) fn retain(&mut self, namespace: Option<&str>, is_kept: impl Fn(&K) -> bool) {
        let removed = self
            .indexer
            .list_matching(namespace, |object| !is_kept(object));
        for object in removed {
            self.remove(&ObjectName::from_object(&*object));
        }
    }

    /// Replaces all cached objects, or those of one namespace, with a list. If the list repeats a
    /// name, the last object with that name counts. Objects of other namespaces in the list are
    /// ignored.
    pub fn replace(&mut self, namespace: Option<&str>, objects: Vec<Arc<K>>) -> Replaced<K> {
        self.replace_keeping(namespace, objects, &HashSet::new())
    }

    /// Like [`Store::replace`], but objects named in `kept` stay cached even if the list lacks
    /// them.
    pub(crate) fn replace_keeping(
        &mut self,
        namespace: Option<&str>,
        mut objects: Vec<Arc<K>>,
        kept: &HashSet<ObjectName>,
    ) -> Replaced<K> {
        // Ignores objects of other namespaces. Otherwise they would replace all cached objects of
        // their namespaces, while the indices keep the replaced objects.
        if let Some(namespace) = namespace {
            objects.retain(|object| parts(&**object).0 == namespace);
        }
        let mut fresh = Objects::new();
        let mut repeated = false;
        for object in &objects {
            let (namespace, name) = parts(&**object);
            repeated |= fresh.insert(namespace, name, Arc::clone(object)).is_some();
        }
        let mut listed = objects;
        if repeated {
            listed.retain(|object| is_in(&fresh, object));
        }
        let replaced = self.difference(namespace, listed, &mut fresh, kept);
        self.swap(namespace, fresh);
        replaced
    }

    /// Compares the list with the cache. If the list lacks a cached object that `kept` names, adds
    /// the object to `fresh`. The result stays valid after the lock is released, since the store is
    /// the only writer.
    fn difference(
        &self,
        namespace: Option<&str>,
        listed: Vec<Arc<K>>,
        fresh: &mut Objects<K>,
        kept: &HashSet<ObjectName>,
    ) -> Replaced<K> {
        let state = self.indexer.state.read();
        let mut deleted = Vec::new();
        for (space, name, object) in state.objects.within(namespace) {
            if fresh.get(space, name).is_some() {
                continue;
            }
            let full_name = ObjectName::new(space, name);
            if kept.contains(&full_name) {
                fresh.insert(space, name, Arc::clone(object));
            } else {
                deleted.push((full_name, Arc::clone(object)));
            }
        }
        let present = listed.into_iter().map(|object| {
            let (space, name) = parts(&*object);
            (state.objects.get(space, name).cloned(), object)
        });
        Replaced {
            deleted,
            present: present.collect(),
        }
    }

    /// Replaces the objects of `namespace`, or all objects. Index entries are computed first, while
    /// readers can read the cache. Readers wait only while the entries are put in place: one by one
    /// if objects of other namespaces stay, else as whole indices, which is faster.
    fn swap(&mut self, namespace: Option<&str>, fresh: Objects<K>) {
        let namespace = namespace.filter(|namespace| {
            let state = self.indexer.state.read();
            let mut namespaces = state.objects.namespaces();
            namespaces.any(|other| other != *namespace)
        });
        let mut indices = self.reindexed(namespace, &fresh);
        let mut state = self.indexer.state.write();
        let before = state.objects.take(namespace);
        for (name, index) in &mut state.indices {
            match indices.get_mut(name) {
                Some([_, new]) if namespace.is_none() => std::mem::swap(index, new),
                Some([gone, new]) => index.exchange(gone, new),
                // The index was added after `reindexed`. It has entries for the replaced objects,
                // and none for those of `fresh`.
                None => {
                    let before = before.iter();
                    before.for_each(|(.., object)| index.remove(name, object));
                    let fresh = fresh.iter();
                    fresh.for_each(|(.., object)| index.insert(name, object));
                }
            }
        }
        state.objects.put(fresh);
        drop(state);
        // Dropped after the lock is released, since it may take long to free the old objects.
        drop((before, indices));
    }

    /// Returns two sets of entries for each index: those to remove for the objects of `namespace`,
    /// and those to add for `fresh`. Index functions are user code, so they run without the lock.
    /// Without a namespace, the caller replaces the whole index, so the first set is empty.
    fn reindexed(
        &self,
        namespace: Option<&str>,
        fresh: &Objects<K>,
    ) -> BTreeMap<String, [Index<K>; 2]> {
        let state = self.indexer.state.read();
        let mut indices: BTreeMap<_, _> = state
            .indices
            .iter()
            .map(|(name, index)| {
                let empty = || Index::new(Arc::clone(index.func()));
                (name.clone(), [empty(), empty()])
            })
            .collect();
        let before: Vec<_> = match namespace.filter(|_| !indices.is_empty()) {
            Some(_) => {
                let objects = state.objects.within(namespace);
                objects.map(|(.., object)| Arc::clone(object)).collect()
            }
            None => Vec::new(),
        };
        drop(state);
        for (name, [gone, new]) in &mut indices {
            before.iter().for_each(|object| gone.insert(name, object));
            let fresh = fresh.iter();
            fresh.for_each(|(.., object)| new.insert(name, object));
        }
        indices
    }
}

/// Collects objects into a cache, for tests.
impl<K: Resource> FromIterator<K> for Indexer<K> {
    fn from_iter<I: IntoIterator<Item = K>>(objects: I) -> Self {
        let mut store = Store::new();
        for object in objects {
            store.upsert(Arc::new(object));
        }
        store.indexer()
    }
}

fn is_in<K: Resource>(objects: &Objects<K>, object: &Arc<K>) -> bool {
    let (namespace, name) = parts(&**object);
    let found = objects.get(namespace, name);
    found.is_some_and(|found| Arc::ptr_eq(found, object))
}

impl<K> Default for Store<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> fmt::Debug for Store<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.indexer).finish()
    }
}

impl<K: Resource> fmt::Debug for Replaced<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let deleted = self.deleted.iter().map(|(name, _)| name.to_string());
        let present = self
            .present
            .iter()
            .map(|(_, object)| ObjectName::from_object(&**object).to_string());
        f.debug_struct("Replaced")
            .field("deleted", &deleted.collect::<Vec<_>>())
            .field("present", &present.collect::<Vec<_>>())
            .finish()
    }
}

// === impl CacheState ===

impl<K> CacheState<K> {
    fn new() -> Self {
        Self {
            objects: Objects::new(),
            indices: BTreeMap::new(),
        }
    }

    fn index(&mut self, object: &Arc<K>) {
        for (name, index) in &mut self.indices {
            index.insert(name, object);
        }
    }

    fn unindex(&mut self, object: &Arc<K>) {
        for (name, index) in &mut self.indices {
            index.remove(name, object);
        }
    }

    fn named(&self, index: &str) -> Result<&Index<K>, NoSuchIndexError> {
        let found = self.indices.get(index);
        found.ok_or_else(|| NoSuchIndexError {
            index: index.to_owned(),
        })
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

// === impl Index ===

impl<K> Index<K> {
    fn new(func: IndexFunc<K>) -> Self {
        Self {
            func,
            values: HashMap::new(),
        }
    }

    fn insert(&mut self, index: &str, object: &Arc<K>) {
        for value in values_of(&self.func, index, object) {
            let entry = match self.values.get_mut(value.as_str()) {
                Some(entry) => entry,
                None => self.values.entry(value.into_boxed_str()).or_default(),
            };
            entry.insert(address(object), Arc::clone(object));
        }
    }

    fn remove(&mut self, index: &str, object: &Arc<K>) {
        for value in values_of(&self.func, index, object) {
            self.remove_entries(&value, [address(object)]);
        }
    }

    /// Removes the entries in `gone`, and moves the entries of `new` into this index.
    fn exchange(&mut self, gone: &Self, new: &mut Self) {
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

    fn func(&self) -> &IndexFunc<K> {
        &self.func
    }

    fn values(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(|value| &**value)
    }

    fn get(&self, value: &str) -> impl Iterator<Item = &Arc<K>> {
        self.values.get(value).into_iter().flat_map(HashMap::values)
    }
}

// === impl Objects ===

impl<K> Objects<K> {
    fn new() -> Self {
        Self {
            namespaces: HashMap::new(),
            len: 0,
        }
    }

    fn len(&self) -> usize {
        self.len
    }

    fn get(&self, namespace: &str, name: &str) -> Option<&Arc<K>> {
        self.namespaces.get(namespace)?.get(name)
    }

    /// Adds an object. If it replaces an object of the same name, returns the replaced object.
    fn insert(&mut self, namespace: &str, name: &str, object: Arc<K>) -> Option<Arc<K>> {
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

    fn remove(&mut self, namespace: &str, name: &str) -> Option<Arc<K>> {
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
    fn take(&mut self, namespace: Option<&str>) -> Self {
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
    fn put(&mut self, fresh: Self) {
        if self.len == 0 {
            *self = fresh;
            return;
        }
        self.len += fresh.len;
        self.namespaces.extend(fresh.namespaces);
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &str, &Arc<K>)> {
        self.within(None)
    }

    fn within(&self, namespace: Option<&str>) -> impl Iterator<Item = (&str, &str, &Arc<K>)> {
        let one = namespace.and_then(|namespace| self.namespaces.get_key_value(namespace));
        let all = namespace.is_none().then_some(&self.namespaces);
        let partitions = one.into_iter().chain(all.into_iter().flatten());
        partitions.flat_map(|(namespace, partition)| {
            let objects = partition.iter();
            objects.map(|(name, object)| (&**namespace, &**name, object))
        })
    }

    /// Returns the objects of `namespace`, or `None` if there are none.
    fn namespace(&self, namespace: &str) -> Option<impl ExactSizeIterator<Item = (&str, &Arc<K>)>> {
        let partition = self.namespaces.get(namespace)?;
        Some(partition.iter().map(|(name, object)| (&**name, object)))
    }

    #[cfg(test)]
    fn capacity(&self, namespace: &str) -> usize {
        self.namespaces[namespace].capacity()
    }

    fn namespaces(&self) -> impl Iterator<Item = &str> {
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
fn values_of<K>(func: &IndexFunc<K>, index: &str, object: &K) -> Vec<String> {
    catch_unwind(AssertUnwindSafe(|| func(object))).unwrap_or_else(|_| {
        tracing::error!(
            index,
            "index function panicked; the object is not in the index"
        );
        Vec::new()
    })
}
