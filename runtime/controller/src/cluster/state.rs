//! [`ClusterState`]: the informers of a cluster, with the number of users of each. Also the
//! settings of its caches, such as [`Namespaces`].

use std::sync::Arc;
use std::time::Duration;

use genclient::informer::{Selectors, SharedInformerFactory, SharedInformerFactoryBuilder};
use genclient::metrics::Provider;
use genclient::scheme::Object;
use genclient::sharding::{ShardKey, Shards};

use super::cached::{AnyCached, Cached};

#[derive(Clone)]
pub(crate) struct CacheSettings {
    /// The name of the manager in metrics.
    pub(crate) manager: Arc<str>,
    pub(crate) namespaces: Namespaces,
    /// The resync period; zero disables resyncs.
    pub(crate) resync: Duration,
    pub(crate) sync_timeout: Duration,
    /// How long a read waits for the cache to show a write.
    pub(crate) read_timeout: Duration,
    pub(crate) metrics: Arc<dyn Provider>,
    pub(crate) read_your_writes: bool,
}

#[derive(Default)]
pub(super) struct ClusterState {
    /// One factory for each scope: all informers of a factory share its selectors and
    /// namespaces.
    factories: Vec<(CacheScope, SharedInformerFactory)>,
    /// The informers, in the order of their declaration.
    declared: Vec<DeclaredInformer>,
}

/// Selectors and namespaces that limit which objects of a kind are cached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CacheScope {
    pub(super) selectors: Selectors,
    /// `None`: all namespaces.
    pub(super) namespaces: Option<Vec<String>>,
    /// What decides which replica caches an object. `None`: every replica caches all objects.
    pub(super) shard_key: Option<ShardKey>,
}

/// An informer that a watch has declared.
struct DeclaredInformer {
    scope: CacheScope,
    cached: Arc<dyn AnyCached>,
    users: usize,
}

impl ClusterState {
    /// Returns the factory of a scope. Calls `make` if there is none.
    pub(super) fn factory(
        &mut self,
        scope: &CacheScope,
        make: impl FnOnce() -> SharedInformerFactory,
    ) -> SharedInformerFactory {
        let mut known = self.factories.iter();
        if let Some((_, factory)) = known.find(|(known, _)| known == scope) {
            return factory.clone();
        }
        let factory = make();
        self.factories.push((scope.clone(), factory.clone()));
        factory
    }

    /// Returns the cache of a kind and a scope, if it exists, and counts one more user.
    pub(super) fn add_user<K: Object>(
        &mut self,
        types: &K::DynamicType,
        scope: &CacheScope,
    ) -> Option<Arc<Cached<K>>> {
        let mut known = self.declared.iter_mut();
        known.find_map(|it| {
            let cached = it.downcast(types).filter(|_| it.scope == *scope)?;
            it.users += 1;
            Some(cached)
        })
    }

    /// Adds a cache with one user.
    pub(super) fn add(&mut self, scope: CacheScope, cached: Arc<dyn AnyCached>) {
        self.declared.push(DeclaredInformer {
            scope,
            cached,
            users: 1,
        });
    }

    /// Removes one user of a cache, and the cache itself with its last user. The caller drops the
    /// returned values after it has released the lock of this state: the values own transforms and
    /// handlers, whose `Drop` is user code.
    pub(super) fn remove_user(
        &mut self,
        cached: &Arc<dyn AnyCached>,
    ) -> Option<impl Sized + use<>> {
        let at = { self.declared.iter() }.position(|it| Arc::ptr_eq(&it.cached, cached))?;
        let declared = self.declared.get_mut(at)?;
        declared.users -= 1;
        if declared.users > 0 {
            return None;
        }
        let removed = self.declared.remove(at);
        let is_used = |scope: &CacheScope| {
            let mut declared = self.declared.iter();
            declared.any(|it| it.scope == *scope)
        };
        let unused = |(scope, _): &mut (CacheScope, _)| !is_used(scope);
        let factories: Vec<_> = self.factories.extract_if(.., unused).collect();
        Some((removed, factories))
    }

    /// Returns the caches of a kind: the cache of all objects if there is one, or else every cache.
    pub(super) fn caches_of<K: Object>(&self, types: &K::DynamicType) -> Vec<Arc<Cached<K>>> {
        let all = CacheScope::default();
        let mut of_all = self.declared.iter().filter(|it| it.scope == all);
        if let Some(of_all) = of_all.find_map(|it| it.downcast(types)) {
            return vec![of_all];
        }
        let declared = self.declared.iter();
        declared.filter_map(|it| it.downcast(types)).collect()
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
        builder: SharedInformerFactoryBuilder,
        scope: &CacheScope,
        shards: Option<&(Shards, ShardKey)>,
    ) -> SharedInformerFactory {
        let name = match cluster {
            "" => self.manager.to_string(),
            cluster => format!("{}/{cluster}", self.manager),
        };
        let mut builder = builder
            .tweak_list_params(|params| *params = scope.selectors.clone())
            .resync(self.resync)
            .sync_timeout(self.sync_timeout)
            .metrics(name, Arc::clone(&self.metrics));
        if let Some((shards, key)) = shards {
            builder = builder.shards(shards, key.clone());
        }
        match &scope.namespaces {
            Some(namespaces) => builder.namespaces(namespaces).build(),
            None => builder.build(),
        }
    }
}

impl DeclaredInformer {
    fn downcast<K: Object>(&self, types: &K::DynamicType) -> Option<Arc<Cached<K>>> {
        Cached::downcast(Arc::clone(&self.cached), types)
    }
}

/// The namespaces that a cache covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Namespaces {
    /// `None`: all namespaces.
    pub(crate) only: Option<Vec<String>>,
    pub(crate) except: Vec<String>,
}

impl Namespaces {
    /// Returns the namespaces that are listed and watched one by one. Then permissions are needed
    /// only in these namespaces. `None`: all namespaces are listed together.
    pub(super) fn listed(&self) -> Option<Vec<String>> {
        let mut only = self.only.clone()?;
        // To the API server, an empty namespace means all namespaces.
        if only.iter().any(String::is_empty) {
            return None;
        }
        only.retain(|namespace| !self.except.contains(namespace));
        only.sort();
        only.dedup();
        Some(only)
    }

    /// Returns the field selector that excludes the `except` namespaces, if all namespaces are
    /// listed together. controller-runtime does the same if `cache.AllNamespaces` is configured
    /// beside other namespaces.
    pub(super) fn field_selector(&self) -> Option<String> {
        if self.listed().is_some() || self.except.is_empty() {
            return None;
        }
        let mut except = self.except.clone();
        except.sort();
        except.dedup();
        let terms = { except.iter() }.map(|namespace| format!("metadata.namespace!={namespace}"));
        Some(terms.collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_included_or_excluded() {
        let set_of = |names: &str| names.split_whitespace().map(str::to_owned).collect();
        for (only, except, listed, selector) in [
            (None, "", None, None),
            (Some("b a b"), "", Some("a b"), None),
            (Some("a b"), "b", Some("a"), None),
            (Some(""), "b", Some(""), None),
            (
                None,
                "b a",
                None,
                Some("metadata.namespace!=a,metadata.namespace!=b"),
            ),
        ] {
            let namespaces = Namespaces {
                only: only.map(set_of),
                except: set_of(except),
            };
            assert_eq!(namespaces.listed(), listed.map(set_of), "{namespaces:?}");
            assert_eq!(
                namespaces.field_selector().as_deref(),
                selector,
                "{namespaces:?}"
            );
        }
    }
}
