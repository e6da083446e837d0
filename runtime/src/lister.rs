//! Listers: shared read-only access to cached objects, by name, namespace and label selector.

mod selector;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use kube::Resource;
use kube::core::SelectorExt;

use crate::cache::{Indexer, ObjectName};

pub use kube::core::Selector;
pub use selector::{IntoSelector, SelectorError};

/// Lister of the cached objects of one kind.
///
/// Objects are shared with the cache and cannot be changed; clone an object to change it. A lister
/// is cheap to clone. After its informer has stopped, a lister still returns the cached objects,
/// but they are no longer updated.
///
/// ```
/// use genclient::lister::{Lister, Selector};
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// let mut map = ConfigMap::default();
/// map.metadata.name = Some("settings".into());
/// map.metadata.namespace = Some("default".into());
///
/// let lister = Lister::from_iter([map]);
/// assert!(lister.namespace("default").get("settings").is_some());
/// assert_eq!(lister.list(&Selector::default()).len(), 1);
/// ```
pub struct Lister<K> {
    indexer: Indexer<K>,
}

/// Lister of the cached objects of one kind in one namespace; see [`Lister::namespace`].
pub struct NamespaceLister<K> {
    indexer: Indexer<K>,
    namespace: Arc<str>,
}

// === impl Lister ===

impl<K> Lister<K> {
    /// Returns a lister that reads from `indexer`.
    #[must_use]
    pub fn new(indexer: Indexer<K>) -> Self {
        Self { indexer }
    }

    /// Returns the cache that this lister reads.
    #[must_use]
    pub fn indexer(&self) -> &Indexer<K> {
        &self.indexer
    }

    /// Returns a lister of the objects in `namespace`. The cost of listing depends on the number of
    /// objects in the namespace, not in the whole cache.
    #[must_use]
    pub fn namespace(&self, namespace: &str) -> NamespaceLister<K> {
        NamespaceLister {
            indexer: self.indexer.clone(),
            namespace: namespace.into(),
        }
    }
}

impl<K: Resource> Lister<K> {
    /// Returns every cached object that `selector` matches, in no particular order. The default
    /// selector matches all objects.
    #[must_use]
    pub fn list(&self, selector: &Selector) -> Vec<Arc<K>> {
        select(&self.indexer, None, selector)
    }

    /// Returns the cached object `name`, or `None`.
    #[must_use]
    pub fn get(&self, name: &ObjectName) -> Option<Arc<K>> {
        self.indexer.get(name)
    }
}

// === impl NamespaceLister ===

impl<K: Resource> NamespaceLister<K> {
    /// Returns every cached object of the namespace that `selector` matches, in no particular
    /// order.
    #[must_use]
    pub fn list(&self, selector: &Selector) -> Vec<Arc<K>> {
        select(&self.indexer, Some(&self.namespace), selector)
    }

    /// Returns the cached object `name` of the namespace, or `None`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<K>> {
        self.indexer.get_parts(&self.namespace, name)
    }
}

fn select<K: Resource>(
    indexer: &Indexer<K>,
    namespace: Option<&str>,
    selector: &Selector,
) -> Vec<Arc<K>> {
    match namespace {
        None if selector.selects_all() => indexer.list(),
        Some(namespace) if selector.selects_all() => indexer.list_namespace(namespace),
        _ => {
            let unlabelled = BTreeMap::new();
            indexer.list_matching(namespace, |object| {
                selector.matches(object.meta().labels.as_ref().unwrap_or(&unlabelled))
            })
        }
    }
}

// === common traits ===

/// Puts objects into a new cache and returns its lister, for tests.
impl<K: Resource> FromIterator<K> for Lister<K> {
    fn from_iter<I: IntoIterator<Item = K>>(objects: I) -> Self {
        Self::new(objects.into_iter().collect())
    }
}

impl<K> From<Indexer<K>> for Lister<K> {
    fn from(indexer: Indexer<K>) -> Self {
        Self::new(indexer)
    }
}

impl<K> Clone for Lister<K> {
    fn clone(&self) -> Self {
        Self::new(self.indexer.clone())
    }
}

impl<K> Clone for NamespaceLister<K> {
    fn clone(&self) -> Self {
        Self {
            indexer: self.indexer.clone(),
            namespace: Arc::clone(&self.namespace),
        }
    }
}

impl<K> fmt::Debug for Lister<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lister").field(&self.indexer).finish()
    }
}

impl<K> fmt::Debug for NamespaceLister<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamespaceLister")
            .field("namespace", &self.namespace)
            .field("cache", &self.indexer)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Node};
    use kube::core::Expression;

    use super::*;

    fn map(namespace: &str, name: &str, app: Option<&str>) -> ConfigMap {
        let mut map = ConfigMap::default();
        map.metadata.namespace = Some(namespace.into());
        map.metadata.name = Some(name.into());
        map.metadata.labels = app.map(|app| [("app".to_owned(), app.to_owned())].into());
        map
    }

    fn names(objects: Vec<Arc<ConfigMap>>) -> Vec<String> {
        let mut names: Vec<_> = objects
            .iter()
            .filter_map(|object| object.metadata.name.clone())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn lists_select_by_namespace_and_label() {
        let lister = Lister::from_iter([
            map("a", "one", Some("web")),
            map("a", "two", None),
            map("b", "three", Some("web")),
        ]);
        let all = Selector::default();
        let web = Selector::from_iter([Expression::Equal("app".into(), "web".into())]);
        let not_web = Selector::from_iter([Expression::NotEqual("app".into(), "web".into())]);
        let a = lister.namespace("a");

        assert_eq!(names(lister.list(&all)), ["one", "three", "two"]);
        assert_eq!(names(lister.list(&web)), ["one", "three"]);
        assert_eq!(names(a.list(&all)), ["one", "two"]);
        assert_eq!(names(a.list(&web)), ["one"]);
        assert_eq!(names(a.list(&not_web)), ["two"]);
        assert!(a.get("three").is_none());
        assert!(lister.namespace("c").list(&all).is_empty());
    }

    #[test]
    fn cluster_scoped_objects_are_found_by_name_alone() {
        let mut node = Node::default();
        node.metadata.name = Some("worker".into());
        let lister = Lister::from_iter([node]);
        assert!(lister.get(&ObjectName::cluster("worker")).is_some());
        assert!(lister.get(&ObjectName::cluster("other")).is_none());
    }
}
