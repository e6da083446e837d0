//! [`Indexer`]: a reader of a cache, by name, namespace or named index.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use kube::Resource;
use parking_lot::RwLock;

use super::name::{ObjectName, parts};
use super::state::{CacheState, Index, IndexFunc, values_of};

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
    /// State shared with one [`Store`](super::Store), which writes it. A blocking lock suffices: it
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
        let mut added = std::collections::BTreeMap::new();
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
        let mut seen = std::collections::HashSet::new();
        Ok(objects
            .filter(|object| seen.insert(Arc::as_ptr(object)))
            .cloned()
            .collect())
    }
}

impl<K> CacheState<K> {
    fn named(&self, index: &str) -> Result<&Index<K>, NoSuchIndexError> {
        let found = self.indices.get(index);
        found.ok_or_else(|| NoSuchIndexError {
            index: index.to_owned(),
        })
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
