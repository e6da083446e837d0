//! Owner graph of the garbage collector: the dependents of every owner, by uid.
//!
//! The graph follows the changes of the store. The graph of kube-controller-manager follows watches
//! (pkg/controller/garbagecollector/graph_builder.go). This graph only selects the objects that the
//! collector examines; the collector decides by their current state.

use std::collections::{BTreeMap, HashMap};

use crate::controller_queue::{ControllerEvent, ObjectId};
use crate::stored::OwnerReference;

/// Owner graph, in which the collector looks up the dependents of an owner.
#[derive(Default)]
pub(super) struct OwnerGraph {
    /// Dependents by the uid of their owner, and then by their own uid.
    dependents: HashMap<String, BTreeMap<String, ObjectId>>,
    /// Objects whose foreground deletion has begun, by uid.
    foreground: HashMap<String, ObjectId>,
}

/// Objects that the collector has to examine after a change.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Affected {
    /// Objects that may be garbage, or whose foreground deletion may be finished.
    pub(super) collect: Vec<ObjectId>,
    /// Owner whose dependents are to be orphaned.
    pub(super) orphan: Option<ObjectId>,
}

impl OwnerGraph {
    /// Returns the dependents of the owner with this uid.
    pub(super) fn dependents(&self, uid: &str) -> Vec<ObjectId> {
        let dependents = self.dependents.get(uid);
        dependents
            .into_iter()
            .flat_map(BTreeMap::values)
            .cloned()
            .collect()
    }

    /// Returns whether the foreground deletion of an object has begun. As in
    /// kube-controller-manager, this stays true until the object is gone, even if the finalizer
    /// `foregroundDeletion` is removed earlier than another finalizer.
    pub(super) fn is_foreground(&self, uid: &str) -> bool {
        self.foreground.contains_key(uid)
    }

    /// Applies a change to the graph, and returns the objects to examine (`processGraphChanges`).
    /// `exists` returns whether the owner in a reference exists with the uid of the reference.
    pub(super) fn apply(
        &mut self,
        event: &ControllerEvent,
        exists: impl Fn(&OwnerReference) -> bool,
    ) -> Affected {
        let mut affected = Affected::default();
        let id = event.object_id();
        let before = event.old.as_ref().map_or(&[][..], |old| &old.owners);
        let after = if event.is_deletion {
            &[][..]
        } else {
            &event.new.owners
        };
        for owner in before {
            let now = after.iter().find(|now| now.uid == owner.uid);
            if now.is_none() {
                self.remove_edge(&owner.uid, &id.uid);
            }
            // An owner in foreground deletion may be finished once this object no longer blocks it.
            let is_unblocked = owner.blocks() && now.is_none_or(|now| !now.blocks());
            if is_unblocked || event.is_deletion {
                affected
                    .collect
                    .extend(self.foreground.get(&owner.uid).cloned());
            }
        }
        // Only new references are looked up: if a known owner goes, its deletion is an event of its
        // own.
        let mut may_be_garbage = false;
        for owner in after {
            if before.iter().any(|before| before.uid == owner.uid) {
                continue;
            }
            let dependents = self.dependents.entry(owner.uid.clone()).or_default();
            dependents.insert(id.uid.clone(), id.clone());
            may_be_garbage |= !exists(owner);
        }
        if may_be_garbage {
            affected.collect.push(id.clone());
        }
        if event.is_deletion {
            self.foreground.remove(&id.uid);
            affected.collect.extend(self.dependents(&id.uid));
        } else if event.begins_orphaning() {
            affected.orphan = Some(id);
        } else if event.begins_foreground() {
            self.foreground.insert(id.uid.clone(), id.clone());
            affected.collect.extend(self.dependents(&id.uid));
            affected.collect.push(id);
        }
        affected
    }

    fn remove_edge(&mut self, owner: &str, dependent: &str) {
        if let Some(dependents) = self.dependents.get_mut(owner) {
            dependents.remove(dependent);
            if dependents.is_empty() {
                self.dependents.remove(owner);
            }
        }
    }
}
