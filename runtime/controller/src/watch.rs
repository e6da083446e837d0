//! [`Watch`]: the objects of one kind that a controller looks at.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use genclient::cache::IndexFunc;
use genclient::informer::Event;
use genclient::kube::core::{ApiResource, ClusterResourceScope};
use genclient::lister::{IntoSelector, Selector, SelectorError};
use genclient::scheme::Object;

use crate::cluster::{Cluster, Namespaces, Transform, Wanted};
use crate::mapper::ServedKind;
use crate::predicate::Predicate;

/// The objects of one kind that a controller looks at, and which of their changes matter.
///
/// Watches of the same kind with the same selectors share one informer, whichever controllers they
/// are of.
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
#[must_use = "a watch does nothing unless a controller has it"]
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
}

impl<K: Object<DynamicType: Default>> Watch<K> {
    /// Every object of the kind.
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
    /// Every object of a kind that a [`Mapper`](crate::Mapper) has found. Unlike [`of`](Self::of),
    /// it knows whether objects of the kind are in namespaces, which matters for what they own.
    pub fn served(kind: &ServedKind) -> Self {
        Self {
            is_cluster_scoped: !kind.namespaced,
            ..Self::of(kind.resource.clone())
        }
    }
}

impl<K: Object> Watch<K> {
    /// Every object of a kind that is described by a value, such as that of
    /// [`DynamicObject`](genclient::kube::core::DynamicObject), whose objects are taken to be in
    /// namespaces.
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
        }
    }

    /// Only objects that the label selector matches: `"app=train,!legacy"`, `[("app", "train")]`, or
    /// a [`Selector`]. The API server sends no others, so that they are not cached either. A text
    /// that is no selector is an error when the controller is added.
    pub fn labels(mut self, selector: impl IntoSelector) -> Self {
        match (&mut self.labels, selector.into_selector()) {
            (Ok(labels), Ok(selector)) => drop(labels.extend(selector)),
            (Ok(_), error) => self.labels = error,
            (Err(_), _) => {}
        }
        self
    }

    /// Only objects that the field selector matches, such as `spec.nodeName=worker`. The API server
    /// sends no others.
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        let selector = selector.into();
        self.fields = Some(match self.fields {
            Some(fields) => format!("{fields},{selector}"),
            None => selector,
        });
        self
    }

    /// The objects in these namespaces, whatever those of the manager are. Given several times, it
    /// adds up. Each namespace has a list and a watch of its own, in which alone rights are needed.
    ///
    /// For other selectors in other namespaces, give the controller a watch for each; reads look in
    /// all of their caches.
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        let own = self.namespaces.get_or_insert_default();
        let namespaces = namespaces.into_iter().map(Into::into);
        own.only.get_or_insert_default().extend(namespaces);
        self
    }

    /// The objects in all namespaces, whatever those of the manager are.
    pub fn all_namespaces(mut self) -> Self {
        self.namespaces.get_or_insert_default().only = None;
        self
    }

    /// Not the objects in these namespaces: but for them in all, whatever those of the manager are,
    /// or in those of [`namespaces`](Self::namespaces).
    pub fn except_namespaces<N: Into<String>>(
        mut self,
        namespaces: impl IntoIterator<Item = N>,
    ) -> Self {
        let own = self.namespaces.get_or_insert_default();
        own.except.extend(namespaces.into_iter().map(Into::into));
        self
    }

    /// Only events that the predicate admits lead to a reconcile. Of several, all have to.
    pub fn when(mut self, predicate: impl Predicate<K>) -> Self {
        self.predicates.push(Box::new(predicate));
        self
    }

    /// Only events of objects that match lead to a reconcile; of an update, the object before or
    /// after it.
    pub fn matching(self, matches: impl Fn(&K) -> bool + Send + Sync + 'static) -> Self {
        self.when(move |event: &Event<K>| match event {
            Event::Added { object, .. } => matches(object),
            Event::Updated { old, new } => matches(old) || matches(new),
            Event::Deleted(deleted) => deleted.object().is_none_or(|object| matches(object)),
        })
    }

    /// Changes every object before it is cached, say to drop what nobody reads. It must not change
    /// namespace, name, labels or resource version. `managedFields` are never cached, and need no
    /// transform.
    ///
    /// Watches that share an informer have one transform; another one is an error when the
    /// controller is added. Objects of the kind cannot be written by
    /// [`update`](crate::Client::update) any more, which would delete what was dropped, nor by
    /// [`create_or_patch`](crate::Client::create_or_patch), which would send it every time.
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

    /// How long the run waits for the API server to serve the kind, say since its
    /// CustomResourceDefinition is installed beside the program. Default: not at all; a kind that
    /// is not served ends the run after 10 s.
    pub fn wait_for_crd(mut self, patience: Duration) -> Self {
        self.crd_patience = patience;
        self
    }

    /// The objects of another cluster than the manager's own.
    pub fn in_cluster(mut self, cluster: &Cluster) -> Self {
        self.cluster = Some(cluster.clone());
        self
    }

    /// What is to be cached for it, and which events matter.
    pub(crate) fn split(self) -> (Wanted<K>, Vec<Box<dyn Predicate<K>>>) {
        let wanted = Wanted {
            types: self.types,
            is_cluster_scoped: self.is_cluster_scoped,
            labels: self.labels,
            fields: self.fields,
            namespaces: self.namespaces,
            transform: self.transform,
            indexers: self.indexers,
            crd_patience: self.crd_patience,
        };
        (wanted, self.predicates)
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
