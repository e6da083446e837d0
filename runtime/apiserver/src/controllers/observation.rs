//! Observations: committed changes that concern a controller.

use std::sync::Arc;

use tokio::time::Instant;

use crate::registry::finalizers::{FOREGROUND, ORPHAN};
use crate::store::{Change, Key, Resource};
use crate::stored::Stored;

/// A change that a controller has to look at.
#[derive(Clone, Debug)]
pub(crate) struct Observation {
    pub(super) resource: Resource,
    pub(super) key: Key,
    /// State before; none of a new object.
    pub(super) old: Option<Arc<Stored>>,
    pub(super) new: Arc<Stored>,
    pub(super) is_deletion: bool,
    /// When the controllers see it, which is when watchers do.
    pub(super) due: Instant,
}

/// An object of the store; its uid tells it from later ones of the same name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Identity {
    pub(super) resource: Resource,
    pub(super) key: Key,
    pub(super) uid: String,
}

impl Observation {
    /// The observation of a change; none of one that no controller has to do with.
    pub(super) fn of(resource: &Resource, change: &Change) -> Option<Self> {
        let observation = Self {
            resource: resource.clone(),
            key: change.key.clone(),
            old: change.old.clone(),
            new: Arc::clone(&change.new),
            is_deletion: change.is_deletion,
            due: change.due,
        };
        observation.concerns_controllers().then_some(observation)
    }

    /// An object that is there from the beginning.
    pub(super) fn of_existing(resource: &Resource, key: &Key, stored: &Arc<Stored>) -> Self {
        Self {
            resource: resource.clone(),
            key: key.clone(),
            old: None,
            new: Arc::clone(stored),
            is_deletion: false,
            due: Instant::now(),
        }
    }

    fn concerns_controllers(&self) -> bool {
        let new = &self.new;
        if self.is_deletion || self.is_event() || self.is_definition() {
            return true;
        }
        match &self.old {
            None => !new.owners.is_empty() || new.is_deleting,
            Some(old) => {
                let is_of_deletion =
                    new.is_deleting && (!old.is_deleting || old.finalizers != new.finalizers);
                is_of_deletion || old.owners != new.owners || self.is_namespace() && new.is_deleting
            }
        }
    }

    pub(super) fn identity(&self) -> Identity {
        Identity {
            resource: self.resource.clone(),
            key: self.key.clone(),
            uid: self.new.uid.clone(),
        }
    }

    pub(super) fn is_namespace(&self) -> bool {
        self.resource.group.is_empty() && self.resource.plural == "namespaces"
    }

    pub(super) fn is_definition(&self) -> bool {
        let Resource { group, plural } = &self.resource;
        group == "apiextensions.k8s.io" && plural == "customresourcedefinitions"
    }

    pub(super) fn is_event(&self) -> bool {
        let Resource { group, plural } = &self.resource;
        plural == "events" && matches!(group.as_str(), "" | "events.k8s.io")
    }

    /// Whether the object begins to wait for its dependents to be orphaned.
    pub(super) fn begins_orphaning(&self) -> bool {
        self.begins(ORPHAN)
    }

    /// Whether the object begins to wait for its dependents to be deleted.
    pub(super) fn begins_foreground(&self) -> bool {
        self.begins(FOREGROUND)
    }

    fn begins(&self, finalizer: &str) -> bool {
        let is_waiting = |stored: &Stored| stored.waits_for(finalizer);
        !self.is_deletion && is_waiting(&self.new) && !self.old.as_deref().is_some_and(is_waiting)
    }
}
