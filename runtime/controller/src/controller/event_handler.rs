//! Event handlers that enqueue requests. A [`KindSource`] is a kind that a controller watches, with
//! the mapping from its objects to requests. [`ReconciledKind`] maps a changed object to its
//! controller owner.

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use genclient::cache::ObjectName;
use genclient::informer::{Event, EventHandler, HandlerRegistration};
use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use genclient::kube::Resource;
use genclient::panics::panic_message;
use genclient::scheme::Object;
use genclient::sharding::{ShardKey, Shards};
use genclient::workqueue::AddOpts;

use crate::cluster::{CacheHandle, CachePurpose, Cluster, WatchError};
use crate::failure::BoxError;
use crate::owner::{api_group, controller_of};
use crate::predicate::Predicate;
use crate::reconciler::Reason;
use crate::requests::Requests;
use crate::sharding::CountedNames;
use crate::watch::Watch;

/// Type-erased [`KindSource`].
pub(super) trait AnyKindSource<Q>: Send {
    /// Whether changes enqueue requests.
    fn enqueues(&self) -> bool;
    fn purpose(&self) -> CachePurpose;
    /// Declares the cache. `place` sets the cluster of a request. With `shards`, this replica
    /// caches only its part, unless the watch is for all objects.
    fn declare(
        self: Box<Self>,
        own: &Cluster,
        place: fn(&mut Q, &Cluster),
        shards: Option<(Shards, ShardKey)>,
    ) -> Result<DeclaredSource<Q>, WatchError>;
}

/// A declared [`KindSource`].
pub(super) struct DeclaredSource<Q> {
    /// `None` if changes enqueue no requests.
    pub(super) add_handler: Option<AddHandler<Q>>,
    pub(super) cache: CacheHandle,
    /// The names of the cached objects.
    pub(super) names: Arc<CountedNames>,
    /// The numbers of the caches that hold only the objects of this replica.
    pub(super) shard_caches: Vec<u64>,
}

/// Objects of one kind that a controller watches, and the requests that their changes enqueue:
/// controller-runtime's `source.Kind`.
pub(super) struct KindSource<K: Object, Q> {
    watch: Watch<K>,
    purpose: CachePurpose,
    /// `None` if the objects are only cached.
    map: Option<Map<K, Q>>,
}

/// Function that adds the handler of a declared watch to the informer. The handler is called for
/// all cached objects, each time.
pub(super) type AddHandler<Q> =
    Box<dyn Fn(Requests<Q>) -> Result<HandlerRegistration, BoxError> + Send + Sync>;

/// Function that appends the requests which a change of an object enqueues.
type Map<K, Q> = Box<dyn Fn(&K, &mut Vec<Q>) + Send + Sync>;

/// Handler that enqueues the requests of one watch: controller-runtime's internal/source
/// `EventHandler` with `EnqueueRequestsFromMapFunc`. The informer owns it, so a reference to the
/// informer would be a cycle.
struct EnqueueRequests<K: Object, Q> {
    mapping: Arc<Mapping<K, Q>>,
    requests: Requests<Q>,
}

/// Mapping of the events of one watch to requests.
struct Mapping<K: Object, Q> {
    kind: Arc<str>,
    predicates: Vec<Box<dyn Predicate<K>>>,
    map: Map<K, Q>,
    cluster: Cluster,
    place: fn(&mut Q, &Cluster),
}

// === impl KindSource ===

impl<K: Object, Q> KindSource<K, Q> {
    pub(super) fn new(
        watch: Watch<K>,
        purpose: CachePurpose,
        map: impl Fn(&K, &mut Vec<Q>) + Send + Sync + 'static,
    ) -> Self {
        let map: Map<K, Q> = Box::new(map);
        Self {
            watch,
            purpose,
            map: Some(map),
        }
    }

    /// Returns a source whose objects are only cached.
    pub(super) fn only_cached(watch: Watch<K>) -> Self {
        Self {
            watch,
            purpose: CachePurpose::Read,
            map: None,
        }
    }
}

impl<K: Object, Q: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static> AnyKindSource<Q>
    for KindSource<K, Q>
{
    fn enqueues(&self) -> bool {
        self.map.is_some()
    }

    fn purpose(&self) -> CachePurpose {
        self.purpose
    }

    fn declare(
        self: Box<Self>,
        own: &Cluster,
        place: fn(&mut Q, &Cluster),
        shards: Option<(Shards, ShardKey)>,
    ) -> Result<DeclaredSource<Q>, WatchError> {
        let Self { watch, map, .. } = *self;
        let cluster = watch.cluster.clone().unwrap_or_else(|| own.clone());
        let kind = K::kind(&watch.types).into();
        let is_everywhere = watch.is_everywhere;
        let (mut request, predicates) = watch.split();
        request.shards = shards.filter(|_| !is_everywhere);
        let (cached, cache) = cluster.declare(request)?;
        let counted = cached.informer.clone();
        let names = move || counted.has_synced().then(|| counted.indexer().keys());
        let mapping = map.map(|map| {
            Arc::new(Mapping {
                kind,
                predicates,
                map,
                cluster,
                place,
            })
        });
        let informer = cached.informer.clone();
        let shard_caches = informer.shard_caches().to_vec();
        let add_handler = mapping.map(|mapping| -> AddHandler<Q> {
            Box::new(move |requests| {
                let handler = EnqueueRequests {
                    mapping: Arc::clone(&mapping),
                    requests,
                };
                Ok(informer.add_handler(handler)?)
            })
        });
        Ok(DeclaredSource {
            add_handler,
            cache,
            names: Arc::new(names),
            shard_caches,
        })
    }
}

// === impl EnqueueRequests ===

impl<K: Object, Q: Clone + Eq + Hash + Send + Sync + 'static> EventHandler<K>
    for EnqueueRequests<K, Q>
{
    fn on_event(&self, event: &Event<K>) {
        if !self.mapping.admits(event) {
            return;
        }
        let kind = || Arc::clone(&self.mapping.kind);
        let (reason, is_low) = match event {
            Event::Added {
                is_initial: true, ..
            } => (Reason::Listed(kind()), true),
            Event::Added { .. } => (Reason::Added(kind()), false),
            // From a resync, or from a relist that found no change.
            Event::Updated { .. } if event.is_unchanged() => (Reason::Resync, true),
            Event::Updated { .. } => (Reason::Updated(kind()), false),
            Event::Deleted(_) => (Reason::Deleted(kind()), false),
        };
        for request in self.mapping.requests_for(event) {
            if is_low {
                self.requests.add_low(request, reason.clone());
            } else {
                self.requests
                    .add_for(request, reason.clone(), AddOpts::default());
            }
        }
    }
}

impl<K: Object, Q: Clone + Eq + Hash> Mapping<K, Q> {
    /// Whether every predicate admits the event. A predicate that panics admits it.
    fn admits(&self, event: &Event<K>) -> bool {
        let mut predicates = self.predicates.iter();
        predicates.all(|predicate| {
            let admits = catch_unwind(AssertUnwindSafe(|| predicate.admits(event)));
            admits.unwrap_or_else(|panic| {
                let (kind, panic) = (&*self.kind, panic_message(&*panic));
                tracing::error!(kind, panic, "predicate panicked; admitting the event");
                true
            })
        })
    }

    /// Returns the requests for an event, each once.
    fn requests_for(&self, event: &Event<K>) -> Vec<Q> {
        let mut requests = Vec::new();
        match event {
            Event::Added { object, .. } => self.map_object(object, &mut requests),
            Event::Updated { old, new } => {
                self.map_object(old, &mut requests);
                self.map_object(new, &mut requests);
            }
            Event::Deleted(deleted) => {
                if let Some(object) = deleted.object() {
                    self.map_object(object, &mut requests);
                }
            }
        }
        for request in &mut requests {
            (self.place)(request, &self.cluster);
        }
        let mut known = HashSet::with_capacity(requests.len());
        requests.retain(|request| known.insert(request.clone()));
        requests
    }

    /// Appends the requests of an object. If `map` panics, requests from before the panic are kept.
    fn map_object(&self, object: &K, requests: &mut Vec<Q>) {
        let map = || (self.map)(object, requests);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(map)) {
            let (object, panic) = (ObjectName::from_object(object), panic_message(&*panic));
            let kind = &*self.kind;
            tracing::error!(kind, %object, panic, "map function panicked; requests for this object may be missing");
        }
    }
}

/// The kind that a controller reconciles.
#[derive(Clone, Debug)]
pub(super) struct ReconciledKind {
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) is_cluster_scoped: bool,
}

impl ReconciledKind {
    pub(super) fn from_watch<K: Object>(watch: &Watch<K>) -> Self {
        Self {
            group: K::group(&watch.types).into_owned(),
            kind: K::kind(&watch.types).into_owned(),
            is_cluster_scoped: watch.is_cluster_scoped,
        }
    }

    /// Returns the name of the controller owner of `object`, if the owner is of this kind.
    pub(super) fn owner_of<K: Resource>(&self, object: &K) -> Option<ObjectName> {
        let owner = controller_of(object).filter(|owner| self.is(owner))?;
        let namespace = object
            .meta()
            .namespace
            .as_deref()
            .filter(|_| !self.is_cluster_scoped);
        Some(ObjectName::new(namespace.unwrap_or_default(), &owner.name))
    }

    /// Returns the key by which the owned objects of this kind are shared.
    pub(super) fn shard_key(&self) -> ShardKey {
        ShardKey::controller(&self.group, &self.kind, self.is_cluster_scoped)
    }

    /// Whether an owner reference is to this kind, in any version.
    fn is(&self, owner: &OwnerReference) -> bool {
        owner.kind == self.kind && api_group(&owner.api_version) == self.group
    }
}
