//! Event handlers that enqueue requests. A [`WatchFeed`] is a watch with its mapping to requests.
//! When its cache is declared, it becomes a [`Feed`], a handler that can be registered.
//! [`ReconciledKind`] maps a changed object to its controller owner.

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use genclient::cache::ObjectName;
use genclient::informer::{Deleted, Event, EventHandler, HandlerRegistration, SharedInformer};
use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use genclient::kube::Resource;
use genclient::scheme::Object;
use genclient::workqueue::AddOpts;

use crate::cluster::{Cluster, Lease, Role, WatchError};
use crate::failure::{BoxError, panic_message};
use crate::owner::{controller_of, group};
use crate::predicate::Predicate;
use crate::reconciler::Reason;
use crate::requests::Requests;
use crate::watch::Watch;

/// Type-erased [`WatchFeed`].
pub(super) trait AnyWatch<Q>: Send {
    /// Whether changes enqueue requests.
    fn enqueues(&self) -> bool;
    fn role(&self) -> Role;
    /// Declares the cache. Returns its lease, and the handler if changes enqueue requests. `place`
    /// sets the cluster of a request.
    fn declare(
        self: Box<Self>,
        own: &Cluster,
        place: fn(&mut Q, &Cluster),
    ) -> Result<(AnyFeed<Q>, Lease), WatchError>;
}

/// A watch, with the mapping from its objects to requests.
pub(super) struct WatchFeed<K: Object, Q> {
    pub(super) watch: Watch<K>,
    pub(super) role: Role,
    /// `None` if the objects are only cached.
    pub(super) map: Option<Map<K, Q>>,
}

/// Handler of a controller's watch, not yet registered; `None` if changes enqueue nothing.
pub(super) type AnyFeed<Q> = Option<Box<dyn Attach<Q>>>;

/// Function that appends the requests which a change of an object enqueues.
pub(super) type Map<K, Q> = Box<dyn Fn(&K, &mut Vec<Q>) + Send + Sync>;

impl<K: Object, Q: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static> AnyWatch<Q>
    for WatchFeed<K, Q>
{
    fn enqueues(&self) -> bool {
        self.map.is_some()
    }

    fn role(&self) -> Role {
        self.role
    }

    fn declare(
        self: Box<Self>,
        own: &Cluster,
        place: fn(&mut Q, &Cluster),
    ) -> Result<(AnyFeed<Q>, Lease), WatchError> {
        let Self { watch, map, .. } = *self;
        let cluster = watch.cluster.clone().unwrap_or_else(|| own.clone());
        let kind = K::kind(&watch.types).into();
        let (wanted, predicates) = watch.split();
        let (cached, lease) = cluster.declare(wanted)?;
        let Some(map) = map else {
            return Ok((None, lease));
        };
        let mapping = Mapping {
            kind,
            predicates,
            map,
            cluster,
            place,
        };
        let informer = cached.informer.clone();
        let feed = Feed { informer, mapping };
        Ok((Some(Box::new(feed)), lease))
    }
}

/// A handler that can be registered with its informer.
pub(super) trait Attach<Q>: Send {
    fn attach(self: Box<Self>, requests: &Requests<Q>) -> Result<HandlerRegistration, BoxError>;
}

/// Handler of one watch, not yet registered with its informer.
struct Feed<K: Object, Q> {
    informer: SharedInformer<K>,
    mapping: Mapping<K, Q>,
}

/// Mapping from events to requests.
struct Mapping<K: Object, Q> {
    kind: Arc<str>,
    predicates: Vec<Box<dyn Predicate<K>>>,
    map: Map<K, Q>,
    cluster: Cluster,
    place: fn(&mut Q, &Cluster),
}

/// A registered handler. Its informer owns it, so a reference to the informer would be a cycle.
struct Attached<K: Object, Q> {
    mapping: Mapping<K, Q>,
    requests: Requests<Q>,
}

impl<K: Object, Q: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static> Attach<Q>
    for Feed<K, Q>
{
    fn attach(self: Box<Self>, requests: &Requests<Q>) -> Result<HandlerRegistration, BoxError> {
        let attached = Attached {
            mapping: self.mapping,
            requests: requests.clone(),
        };
        Ok(self.informer.add_handler(attached)?)
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
    fn requests(&self, event: &Event<K>) -> Vec<Q> {
        let mut requests = Vec::new();
        match event {
            Event::Added { object, .. } => self.add(object, &mut requests),
            Event::Updated { old, new } => {
                self.add(old, &mut requests);
                self.add(new, &mut requests);
            }
            Event::Deleted(deleted) => {
                if let Some(object) = deleted.object() {
                    self.add(object, &mut requests);
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
    fn add(&self, object: &K, requests: &mut Vec<Q>) {
        let map = || (self.map)(object, requests);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(map)) {
            let (object, panic) = (ObjectName::from_object(object), panic_message(&*panic));
            let kind = &*self.kind;
            tracing::error!(kind, %object, panic, "map function panicked; requests for this object may be missing");
        }
    }
}

impl<K: Object, Q: Clone + Eq + Hash + Send + 'static> Attached<K, Q> {
    fn tell(&self, event: &Event<K>) {
        if !self.mapping.admits(event) {
            return;
        }
        let kind = || Arc::clone(&self.mapping.kind);
        let (reason, is_low) = match event {
            Event::Added {
                is_initial: true, ..
            } => (Reason::Listed(kind()), true),
            Event::Added { .. } => (Reason::Added(kind()), false),
            Event::Updated { old, new } if is_same(&**old, &**new) => (Reason::Resync, true),
            Event::Updated { .. } => (Reason::Updated(kind()), false),
            Event::Deleted(_) => (Reason::Deleted(kind()), false),
        };
        for request in self.mapping.requests(event) {
            if is_low {
                self.requests.add_low(request, reason.clone());
            } else {
                self.requests
                    .add_for(request, reason.clone(), AddOpts::default());
            }
        }
    }
}

impl<K: Object, Q: Clone + Eq + Hash + Send + Sync + 'static> EventHandler<K> for Attached<K, Q> {
    fn on_add(&self, object: Arc<K>, is_initial: bool) {
        self.tell(&Event::Added { object, is_initial });
    }

    fn on_update(&self, old: Arc<K>, new: Arc<K>) {
        self.tell(&Event::Updated { old, new });
    }

    fn on_delete(&self, object: Deleted<K>) {
        self.tell(&Event::Deleted(object));
    }
}

/// Whether an update comes from a resync, or from a relist that found no change.
fn is_same<K: Object>(old: &K, new: &K) -> bool {
    let (old, new) = (&old.meta().resource_version, &new.meta().resource_version);
    old.is_some() && old == new
}

/// The kind that a controller reconciles.
#[derive(Clone, Debug)]
pub(super) struct ReconciledKind {
    pub(super) group: String,
    pub(super) kind: String,
    is_cluster_scoped: bool,
}

impl ReconciledKind {
    pub(super) fn of<K: Object>(watch: &Watch<K>) -> Self {
        Self {
            group: K::group(&watch.types).into_owned(),
            kind: K::kind(&watch.types).into_owned(),
            is_cluster_scoped: watch.is_cluster_scoped,
        }
    }

    /// Returns the name of the controller owner of `object`, if the owner is of this kind.
    pub(super) fn owner_of<K: Resource>(&self, object: &K) -> Option<ObjectName> {
        let owner = controller_of(object).filter(|owner| self.is(owner))?;
        let namespace = object.meta().namespace.as_deref();
        let namespace = namespace.filter(|_| !self.is_cluster_scoped);
        Some(ObjectName::new(namespace.unwrap_or_default(), &owner.name))
    }

    /// Whether an owner reference is to this kind, in any version.
    fn is(&self, owner: &OwnerReference) -> bool {
        owner.kind == self.kind && group(&owner.api_version) == self.group
    }
}
