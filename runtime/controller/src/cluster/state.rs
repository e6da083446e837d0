//! [`ClusterState`]: the informers of a cluster, and who uses them.

use std::sync::Arc;
use std::time::Duration;

use genclient::informer::{Selectors, SharedInformerFactory};
use genclient::kube;
use genclient::metrics::Provider;
use genclient::scheme::Object;

use super::cached::{AnyCached, Cached};
use super::namespaces::Namespaces;

/// How a cluster is cached.
#[derive(Clone)]
pub(crate) struct CacheSettings {
    /// The name of the manager, as metrics have it.
    pub(crate) manager: Arc<str>,
    pub(crate) namespaces: Namespaces,
    /// Zero is never.
    pub(crate) resync: Duration,
    pub(crate) sync_timeout: Duration,
    /// How long a read waits for what was written.
    pub(crate) read_timeout: Duration,
    pub(crate) metrics: Arc<dyn Provider>,
    /// Whether reads wait for writes.
    pub(crate) read_your_writes: bool,
}

/// The informers of a cluster.
#[derive(Default)]
pub(super) struct ClusterState {
    /// One for each selection, which is said to a factory as a whole.
    factories: Vec<(Selection, SharedInformerFactory)>,
    /// In the order in which they were declared.
    declared: Vec<Declared>,
}

/// Which objects of a kind are cached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    pub(super) selectors: Selectors,
    /// All, if `None`.
    pub(super) namespaces: Option<Vec<String>>,
}

/// An informer that some watch has declared.
struct Declared {
    selection: Selection,
    /// A [`Cached`].
    cached: Arc<dyn AnyCached>,
    users: usize,
}

impl ClusterState {
    /// The factory of a selection, made if there is none.
    pub(super) fn factory(
        &mut self,
        selection: &Selection,
        make: impl FnOnce() -> SharedInformerFactory,
    ) -> SharedInformerFactory {
        let mut known = self.factories.iter();
        if let Some((_, factory)) = known.find(|(known, _)| known == selection) {
            return factory.clone();
        }
        let factory = make();
        self.factories.push((selection.clone(), factory.clone()));
        factory
    }

    /// The cache of a kind and a selection, with one user more.
    pub(super) fn used<K: Object>(
        &mut self,
        types: &K::DynamicType,
        selection: &Selection,
    ) -> Option<Arc<Cached<K>>> {
        let mut known = self.declared.iter_mut();
        known.find_map(|it| {
            let cached = it.typed(types).filter(|_| it.selection == *selection)?;
            it.users += 1;
            Some(cached)
        })
    }

    /// Adds a cache that has one user.
    pub(super) fn add(&mut self, selection: Selection, cached: Arc<dyn AnyCached>) {
        self.declared.push(Declared {
            selection,
            cached,
            users: 1,
        });
    }

    /// Takes one user from a cache, and the cache out if that was the last one. Returns what is to
    /// be dropped without the lock: transforms and handlers are user code.
    pub(super) fn released(&mut self, cached: &Arc<dyn AnyCached>) -> Option<impl Sized + use<>> {
        let at = { self.declared.iter() }.position(|it| Arc::ptr_eq(&it.cached, cached))?;
        let declared = self.declared.get_mut(at)?;
        declared.users -= 1;
        if declared.users > 0 {
            return None;
        }
        let removed = self.declared.remove(at);
        let is_used = |selection: &Selection| {
            let mut declared = self.declared.iter();
            declared.any(|it| it.selection == *selection)
        };
        let unused = |(selection, _): &mut (Selection, _)| !is_used(selection);
        let factories: Vec<_> = self.factories.extract_if(.., unused).collect();
        Some((removed, factories))
    }

    /// The caches of a kind: one of all its objects, or else each that was declared.
    pub(super) fn caches_of<K: Object>(&self, types: &K::DynamicType) -> Vec<Arc<Cached<K>>> {
        let all = Selection::default();
        let mut of_all = self.declared.iter().filter(|it| it.selection == all);
        if let Some(of_all) = of_all.find_map(|it| it.typed(types)) {
            return vec![of_all];
        }
        let declared = self.declared.iter();
        declared.filter_map(|it| it.typed(types)).collect()
    }

    pub(super) fn factories(&self) -> Vec<SharedInformerFactory> {
        let factories = self.factories.iter();
        factories.map(|(_, factory)| factory.clone()).collect()
    }

    pub(super) fn caches(&self) -> Vec<Arc<dyn AnyCached>> {
        let declared = self.declared.iter();
        declared.map(|it| Arc::clone(&it.cached)).collect()
    }
}

impl CacheSettings {
    pub(super) fn factory(
        &self,
        cluster: &str,
        client: kube::Client,
        selection: &Selection,
    ) -> SharedInformerFactory {
        let name = match cluster {
            "" => self.manager.to_string(),
            cluster => format!("{}/{cluster}", self.manager),
        };
        let builder = SharedInformerFactory::builder(client)
            .tweak_list_params(|params| *params = selection.selectors.clone())
            .resync(self.resync)
            .sync_timeout(self.sync_timeout)
            .metrics(name, Arc::clone(&self.metrics));
        match &selection.namespaces {
            Some(namespaces) => builder.namespaces(namespaces).build(),
            None => builder.build(),
        }
    }
}

impl Declared {
    fn typed<K: Object>(&self, types: &K::DynamicType) -> Option<Arc<Cached<K>>> {
        Cached::downcast(Arc::clone(&self.cached), types)
    }
}
