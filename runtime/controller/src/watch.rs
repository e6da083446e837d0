//! [`Watch`]: the objects of one kind that a controller watches.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use genclient::cache::IndexFunc;
use genclient::informer::Event;
use genclient::kube::core::{ApiResource, ClusterResourceScope};
use genclient::lister::{IntoSelector, Selector, SelectorError};
use genclient::scheme::Object;

use crate::cluster::{CacheRequest, Cluster, Namespaces, Transform};
use crate::mapper::ServedKind;
use crate::predicate::Predicate;

/// The objects of one kind that a controller watches, with selectors and predicates.
///
/// Watches of one kind share one informer, also across controllers, if their cluster, selectors and
/// namespaces are the same.
///
/// ```
/// use genclient_controller::Watch;
/// use genclient_controller::predicate::LabelChanged;
/// use k8s_openapi::api::core::v1::{Node, Pod};
///
/// let pods = Watch::<Pod>::new()
///     .labels("app=train")
///     .transform(|pod: &mut Pod| pod.status = None);
/// let nodes = Watch::<Node>::new().when(LabelChanged);
/// # drop((pods, nodes));
/// ```
#[must_use = "a watch does nothing until it is added to a controller"]
pub struct Watch<K: Object> {
    pub(crate) types: K::DynamicType,
    pub(crate) is_cluster_scoped: bool,
    labels: Result<Selector, SelectorError>,
    fields: Option<String>,
    namespaces: Option<Namespaces>,
    predicates: Vec<Box<dyn Predicate<K>>>,
    transform: Option<Transform<K>>,
    indexers: Vec<(String, IndexFunc<K>)>,
    crd_patience: Duration,
    pub(crate) cluster: Option<Cluster>,
    /// Whether each replica caches all objects.
    pub(crate) is_everywhere: bool,
}

impl<K: Object<DynamicType: Default>> Watch<K> {
    /// Watches every object of the kind.
    pub fn new() -> Self {
        Self::of(K::DynamicType::default())
    }
}

impl<K: Object<DynamicType: Default>> Default for Watch<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Object<DynamicType = ApiResource>> Watch<K> {
    /// Watches every object of a kind that a [`Mapper`](crate::Mapper) has found. Unlike a watch by
    /// [`of`](Self::of), this watch knows the scope of the kind. Without the scope, the controller
    /// of a cluster-scoped kind would look for the owner of a Pod in the namespace of the Pod, and
    /// would not find it.
    pub fn served(kind: &ServedKind) -> Self {
        Self {
            is_cluster_scoped: !kind.namespaced,
            ..Self::of(kind.resource.clone())
        }
    }
}

impl<K: Object> Watch<K> {
    /// Watches every object of a kind that is known only at run time. `types` describes the kind,
    /// such as the `ApiResource` of a [`DynamicObject`](genclient::kube::core::DynamicObject). The
    /// kind is assumed to be namespaced, unless its Rust type is cluster-scoped.
    pub fn of(types: K::DynamicType) -> Self {
        Self {
            types,
            is_cluster_scoped: TypeId::of::<K::Scope>() == TypeId::of::<ClusterResourceScope>(),
            labels: Ok(Selector::default()),
            fields: None,
            namespaces: None,
            predicates: Vec::new(),
            transform: None,
            indexers: Vec::new(),
            crd_patience: Duration::ZERO,
            cluster: None,
            is_everywhere: false,
        }
    }

    /// Selects only objects that the label selector matches: `"app=train,!legacy"`,
    /// `[("app", "train")]`, or a [`Selector`]. The API server sends only these, and only these are
    /// cached. An invalid selector is an error when the controller is added.
    pub fn labels(mut self, selector: impl IntoSelector) -> Self {
        match (&mut self.labels, selector.into_selector()) {
            (Ok(labels), Ok(selector)) => drop(labels.extend(selector)),
            (Ok(_), error) => self.labels = error,
            (Err(_), _) => {}
        }
        self
    }

    /// Selects only objects that the field selector matches, such as `spec.nodeName=worker`. The
    /// API server sends only these.
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        let selector = selector.into();
        self.fields = Some(match self.fields {
            Some(fields) => format!("{fields},{selector}"),
            None => selector,
        });
        self
    }

    /// Selects the objects in these namespaces, instead of the manager's namespaces. Several calls
    /// add up. Each namespace is listed and watched separately, so permissions are needed only in
    /// these namespaces.
    ///
    /// For different selectors in different namespaces, give the controller several watches. Reads
    /// search the caches of all of them.
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        let own = self.namespaces.get_or_insert_default();
        let namespaces = namespaces.into_iter().map(Into::into);
        own.only.get_or_insert_default().extend(namespaces);
        self
    }

    /// Selects the objects in all namespaces, instead of the manager's namespaces.
    pub fn all_namespaces(mut self) -> Self {
        self.namespaces.get_or_insert_default().only = None;
        self
    }

    /// Excludes these namespaces from those of [`namespaces`](Self::namespaces), or from all
    /// namespaces if [`namespaces`](Self::namespaces) is not called. The manager's namespaces do
    /// not apply.
    pub fn except_namespaces<N: Into<String>>(
        mut self,
        namespaces: impl IntoIterator<Item = N>,
    ) -> Self {
        let own = self.namespaces.get_or_insert_default();
        own.except.extend(namespaces.into_iter().map(Into::into));
        self
    }

    /// Adds a predicate: only events that it admits trigger a reconcile. If there are several,
    /// every predicate has to admit the event.
    pub fn when(mut self, predicate: impl Predicate<K>) -> Self {
        self.predicates.push(Box::new(predicate));
        self
    }

    /// Adds a filter: only events of matching objects trigger a reconcile. For an update, the old
    /// or the new object has to match. For a deletion, the last state has to match, if it is known.
    pub fn matching(self, matches: impl Fn(&K) -> bool + Send + Sync + 'static) -> Self {
        self.when(move |event: &Event<K>| match event {
            Event::Added { object, .. } => matches(object),
            Event::Updated { old, new } => matches(old) || matches(new),
            Event::Deleted(deleted) => deleted.object().is_none_or(|object| matches(object)),
        })
    }

    /// Changes every object before it is cached, for example to drop unused fields. The function
    /// must not change namespace, name, labels or resource version. `managedFields` are never
    /// cached, and need no transform.
    ///
    /// Watches that share an informer have one transform. A second one is an error when the
    /// controller is added. With a transform, two methods of the client fail for the kind, because
    /// [`update`](crate::Client::update) would delete the dropped fields, and
    /// [`create_or_patch`](crate::Client::create_or_patch) would send them every time.
    pub fn transform(mut self, transform: impl Fn(&mut K) + Send + Sync + 'static) -> Self {
        self.transform = Some(Arc::new(transform));
        self
    }

    /// Adds an index to the cache, by which a [`Query`](crate::Query) finds objects.
    pub fn index<I, V>(
        mut self,
        name: impl Into<String>,
        values: impl Fn(&K) -> I + Send + Sync + 'static,
    ) -> Self
    where
        I: IntoIterator<Item = V>,
        V: Into<String>,
    {
        let values = move |object: &K| values(object).into_iter().map(Into::into).collect();
        self.indexers.push((name.into(), Arc::new(values)));
        self
    }

    /// Sets how long the run waits for the API server to serve the kind, for example because its
    /// CustomResourceDefinition is installed together with the program. By default, the run fails
    /// if the kind is not served for 10 s. Other permanent failures of a cache's initial sync, such
    /// as a missing permission, always have this limit.
    pub fn wait_for_crd(mut self, patience: Duration) -> Self {
        self.crd_patience = patience;
        self
    }

    /// Watches objects in this cluster, instead of the manager's own cluster.
    pub fn in_cluster(mut self, cluster: &Cluster) -> Self {
        self.cluster = Some(cluster.clone());
        self
    }

    /// Caches the objects of all replicas on each replica, if the replicas [share the
    /// objects](crate::ManagerBuilder::shard_by). By default, a replica caches only its part of the
    /// objects that a controller reconciles or owns. Use this to read other objects of the kind,
    /// such as those in another namespace. When the replica gets an object, this cache may still
    /// lack the last changes by another replica.
    ///
    /// Objects of [`Controller::watches`](crate::Controller::watches) and
    /// [`Controller::caches`](crate::Controller::caches) are always cached on each replica, since
    /// nothing tells which replica needs them.
    pub fn everywhere(mut self) -> Self {
        self.is_everywhere = true;
        self
    }

    /// Splits the watch into the requirements on its cache, and its predicates.
    pub(crate) fn split(self) -> (CacheRequest<K>, Vec<Box<dyn Predicate<K>>>) {
        let request = CacheRequest {
            types: self.types,
            is_cluster_scoped: self.is_cluster_scoped,
            labels: self.labels,
            fields: self.fields,
            namespaces: self.namespaces,
            transform: self.transform,
            indexers: self.indexers,
            crd_patience: self.crd_patience,
            shards: None,
        };
        (request, self.predicates)
    }
}

impl<K: Object> fmt::Debug for Watch<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("kind", &K::kind(&self.types))
            .field("labels", &self.labels)
            .field("fields", &self.fields)
            .field("namespaces", &self.namespaces)
            .finish_non_exhaustive()
    }
}
