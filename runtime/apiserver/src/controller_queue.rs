//! [`ControllerQueue`]: committed changes on their way from the store to the server's controllers,
//! in the order of resource versions. The controllers turn each [`ControllerEvent`] into tasks of
//! their work queue.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::finalizers::{FOREGROUND_FINALIZER, ORPHAN_FINALIZER};
use crate::store::{GroupResource, Key, StoreEvent};
use crate::stored::Stored;

/// Change of an object that the controllers have to process.
#[derive(Clone, Debug)]
pub(crate) struct ControllerEvent {
    pub(crate) resource: GroupResource,
    pub(crate) key: Key,
    /// State before the change; `None` for a new object.
    pub(crate) old: Option<Arc<Stored>>,
    pub(crate) new: Arc<Stored>,
    pub(crate) is_deletion: bool,
    /// Time from which controllers and watches see the change.
    pub(crate) due: Instant,
}

/// Identity of a stored object. The uid distinguishes it from a later object with the same name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ObjectId {
    pub(crate) resource: GroupResource,
    pub(crate) key: Key,
    pub(crate) uid: String,
}

impl ControllerEvent {
    /// Returns the event for a change, or `None` if the change concerns no controller.
    pub(crate) fn from_store_event(resource: &GroupResource, change: &StoreEvent) -> Option<Self> {
        let event = Self {
            resource: resource.clone(),
            key: change.key.clone(),
            old: change.old.clone(),
            new: Arc::clone(&change.new),
            is_deletion: change.is_deletion,
            due: change.due,
        };
        event.concerns_controllers().then_some(event)
    }

    /// Returns the event for an object that exists already, as if it had just been created.
    pub(crate) fn from_existing(resource: &GroupResource, key: &Key, stored: &Arc<Stored>) -> Self {
        Self {
            resource: resource.clone(),
            key: key.clone(),
            old: None,
            new: Arc::clone(stored),
            is_deletion: false,
            due: Instant::now(),
        }
    }

    /// Returns whether any controller handles the change. Other changes, which are most, are not
    /// queued.
    fn concerns_controllers(&self) -> bool {
        let new = &self.new;
        if self.is_deletion || self.concerns_event_object() || self.concerns_definition() {
            return true;
        }
        match &self.old {
            None => !new.owners.is_empty() || new.is_deleting,
            Some(old) => {
                let advances_deletion =
                    new.is_deleting && (!old.is_deleting || old.finalizers != new.finalizers);
                advances_deletion
                    || old.owners != new.owners
                    || self.concerns_namespace() && new.is_deleting
            }
        }
    }

    pub(crate) fn object_id(&self) -> ObjectId {
        ObjectId {
            resource: self.resource.clone(),
            key: self.key.clone(),
            uid: self.new.uid.clone(),
        }
    }

    pub(crate) fn concerns_namespace(&self) -> bool {
        self.resource.group.is_empty() && self.resource.plural == "namespaces"
    }

    pub(crate) fn concerns_definition(&self) -> bool {
        let GroupResource { group, plural } = &self.resource;
        group == "apiextensions.k8s.io" && plural == "customresourcedefinitions"
    }

    pub(crate) fn concerns_event_object(&self) -> bool {
        let GroupResource { group, plural } = &self.resource;
        plural == "events" && group.is_empty()
    }

    /// Returns whether the change makes the object wait until its dependents are orphaned.
    pub(crate) fn begins_orphaning(&self) -> bool {
        self.begins(ORPHAN_FINALIZER)
    }

    /// Returns whether the change makes the object wait until its dependents are deleted.
    pub(crate) fn begins_foreground(&self) -> bool {
        self.begins(FOREGROUND_FINALIZER)
    }

    fn begins(&self, finalizer: &str) -> bool {
        let is_waiting = |stored: &Stored| stored.waits_for(finalizer);
        !self.is_deletion && is_waiting(&self.new) && !self.old.as_deref().is_some_and(is_waiting)
    }
}

/// Queue of the changes that the controllers have not processed, and the time of the controllers'
/// next work.
pub(crate) struct ControllerQueue {
    /// Oldest first.
    events: Mutex<VecDeque<ControllerEvent>>,
    due: watch::Sender<Option<Instant>>,
}

impl Default for ControllerQueue {
    fn default() -> Self {
        Self {
            events: Mutex::default(),
            due: watch::Sender::new(None),
        }
    }
}

impl ControllerQueue {
    /// Enqueues a committed change if it concerns a controller. The store calls this method in the
    /// order of resource versions.
    pub(crate) fn add(&self, resource: &GroupResource, change: &StoreEvent) {
        let Some(event) = ControllerEvent::from_store_event(resource, change) else {
            return;
        };
        let due = event.due;
        let mut events = self.events.lock();
        events.push_back(event);
        self.due.send_if_modified(|at| {
            let is_sooner = at.is_none_or(|at| due < at);
            if is_sooner {
                *at = Some(due);
            }
            is_sooner
        });
    }

    /// Replaces the queue with an event for each object in `objects`. This is for a snapshot
    /// that has replaced all objects of the server.
    pub(crate) fn restart(&self, objects: &[(GroupResource, Key, Arc<Stored>)]) {
        let mut events = self.events.lock();
        events.clear();
        let existing = objects
            .iter()
            .map(|(resource, key, stored)| ControllerEvent::from_existing(resource, key, stored));
        events.extend(existing);
        let due = events.front().map(|event| event.due);
        self.due.send_replace(due);
    }

    /// Dequeues the oldest change if it is due. If `is_everything` is set, every change counts as
    /// due.
    pub(crate) fn take(&self, now: Instant, is_everything: bool) -> Option<ControllerEvent> {
        let mut events = self.events.lock();
        match events.front() {
            Some(oldest) if is_everything || oldest.due <= now => events.pop_front(),
            _ => None,
        }
    }

    pub(crate) fn is_due(&self) -> bool {
        self.due.borrow().is_some_and(|at| at <= Instant::now())
    }

    /// Completes when work of the controllers is due.
    pub(crate) async fn due(&self) {
        let mut due = self.due.subscribe();
        loop {
            let at = *due.borrow_and_update();
            let changed = match at {
                None => due.changed().await,
                Some(at) => tokio::select! {
                    () = sleep_until(at) => return,
                    changed = due.changed() => changed,
                },
            };
            if changed.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// Sets the time of the next work: the earlier of `work` and the due time of the oldest queued
    /// change.
    pub(crate) fn set_next_time(&self, work: Option<Instant>) {
        let events = self.events.lock();
        let oldest = events.front().map(|event| event.due);
        let next = oldest.into_iter().chain(work).min();
        self.due.send_if_modified(|at| {
            let is_new = *at != next;
            *at = next;
            is_new
        });
    }
}
