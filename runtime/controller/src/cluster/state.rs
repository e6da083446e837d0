//! [`ClusterState`]: the informers of a cluster, with the number of their users.

use std::sync::Arc;
use std::time::Duration;

use genclient::informer::{Selectors, SharedInformerFactory};
use genclient::kube;
use genclient::metrics::Provider;
use genclient::scheme::Object;

use super::cached::{AnyCached, Cached};
use super::namespaces::Namespaces;

/// Settings of the caches of a cluster.
#[derive(Clone)]
pub(crate) struct CacheSettings {
    /// The name of the manager in metrics.
    pub(crate) manager: Arc<str>,
    pub(crate) namespaces: Namespaces,
    /// The resync period; zero is never.
    pub(crate) resync: Duration,
    pub(crate) sync_timeout: Duration,
    /// How long a read waits for the cache to show a write.
    pub(crate) read_timeout: Duration,
    pub(crate) metrics: Arc<dyn Provider>,
    /// Whether reads wait for writes.
    pub(crate) read_your_writes: bool,
}

/// The informers of a cluster.
#[derive(Default)]
pub(super) struct ClusterState {
    /// One factory for each selection, which is a setting of the whole factory.
    factories: Vec<(Selection, SharedInformerFactory)>,
    /// The informers, in the order of their declaration.
    declared: Vec<Declared>,
}

/// Selection of the objects of a kind that are cached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    pub(super) selectors: Selectors,
    /// `None`: all namespaces.
    pub(super) namespaces: Option<Vec<String>>,
}

/// An informer that a watch has declared.
struct Declared {
    selection: Selection,
    /// A [`Cached`].
    cached: Arc<dyn AnyCached>,
    users: usize,
}

impl ClusterState {
    /// Returns the factory of a selection, which is created if there is none.
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

    /// Returns the cache of a kind and a selection, and counts one more user.
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

    /// Adds a cache with one user.
    pub(super) fn add(&mut self, selection: Selection, cached: Arc<dyn AnyCached>) {
        self.declared.push(Declared {
            selection,
            cached,
            users: 1,
        });
    }

    /// Counts one user less, and removes the cache with its last user. Returns the removed values,
    /// which have to be dropped without the lock: transforms and handlers are user code.
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

    /// Returns the caches of a kind: the one with all objects, or else every declared one.
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
