//! Garbage collector: deletes objects whose owners no longer exist, and finishes foreground and
//! orphan deletions (pkg/controller/garbagecollector of kube-controller-manager).

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::requests::{CONTROLLER_MANAGER, ControllerClient, Live, RefusedRequest};
use super::work_queue::{ControllerTask, TaskOutcome, WorkQueue};
use crate::controller_queue::{ControllerEvent, ObjectId};
use crate::finalizers::{FOREGROUND_FINALIZER, ORPHAN_FINALIZER};
use crate::kinds::Kind;
use crate::state::ServerState;
use crate::store::Key;
use crate::stored::{OwnerReference, Stored};

/// Number of times that a write is tried if it conflicts with another write.
const MAX_TRIES: usize = 5;

/// Enqueues the examination of the objects that a change affects.
pub(super) fn enqueue_tasks(work: &mut WorkQueue, server: &ServerState, event: &ControllerEvent) {
    if event.concerns_definition() {
        // The kind of an owner that was unknown may be served now.
        work.retry_unknown();
    }
    // kube-controller-manager ignores Events (`ignoredResources` in graph_builder.go).
    if event.concerns_event_object() {
        return;
    }
    let namespace = &event.new.namespace;
    let affected = work
        .graph
        .apply(event, |owner| owner_exists(server, owner, namespace));
    for id in affected.collect {
        work.add(ControllerTask::Collect(id));
    }
    if let Some(id) = affected.orphan {
        work.add(ControllerTask::Orphan(id));
    }
}

/// Returns whether the owner exists and has the uid of the reference.
fn owner_exists(server: &ServerState, owner: &OwnerReference, namespace: &str) -> bool {
    let kind = server.kinds.find(&owner.api_version, &owner.kind);
    kind.is_some_and(|kind| {
        matches!(
            find_owner(server, &kind, owner, namespace),
            OwnerLookup::Found(_)
        )
    })
}

/// Result of the lookup of an owner.
enum OwnerLookup {
    Found(Arc<Stored>),
    /// No object with this name exists, or it has another uid.
    Missing,
    /// The owner is namespaced and the object is cluster-scoped. Such an object is never collected.
    OutOfNamespace,
}

fn find_owner(
    server: &ServerState,
    kind: &Kind,
    owner: &OwnerReference,
    namespace: &str,
) -> OwnerLookup {
    if kind.is_namespaced && namespace.is_empty() {
        return OwnerLookup::OutOfNamespace;
    }
    let namespace = if kind.is_namespaced { namespace } else { "" };
    let found = server
        .store
        .get(&kind.resource, &Key::new(namespace, &owner.name));
    match found.filter(|found| found.uid == owner.uid) {
        Some(found) => OwnerLookup::Found(found),
        None => OwnerLookup::Missing,
    }
}

/// State of an object's owners, as `classifyReferences` in garbagecollector.go determines it.
#[derive(Default)]
struct ClassifiedOwners {
    /// Whether an owner keeps the object: it exists and is not in foreground deletion.
    has_solid: bool,
    /// Whether an owner in foreground deletion waits for the deletion of the object.
    has_waiting: bool,
    /// Uids of the owners that do not exist or wait for the deletion of their dependents.
    to_remove: Vec<String>,
}

/// Deletes an object if it has owners and none of them keeps it. If an owner keeps the object,
/// removes the object's references to owners that are missing or in foreground deletion. If the
/// object is itself in foreground deletion, finishes that deletion once no dependent blocks it
/// (`attemptToDeleteItem`).
pub(super) async fn collect(
    server: &Arc<ServerState>,
    work: &Mutex<WorkQueue>,
    id: &ObjectId,
) -> TaskOutcome {
    let Some(live) = Live::find(server, id) else {
        return TaskOutcome::Done;
    };
    if live.stored.is_deleting {
        return if live.stored.waits_for(FOREGROUND_FINALIZER) {
            finish_foreground(server, work, id).await
        } else {
            // Its deletion is already decided; other finalizers are not the collector's.
            TaskOutcome::Done
        };
    }
    if live.stored.owners.is_empty() {
        return TaskOutcome::Done;
    }
    let owners = match classify_owners(server, &live.stored) {
        Ok(owners) => owners,
        Err(outcome) => return outcome,
    };
    let (has_dependents, may_be_cycle) = {
        let graph = &work.lock().graph;
        let dependents = graph.dependents(&id.uid);
        let mut waiting = dependents.iter().map(|it| graph.is_foreground(&it.uid));
        (!dependents.is_empty(), waiting.any(|is_waiting| is_waiting))
    };
    let client = ControllerClient::new(server, CONTROLLER_MANAGER);
    if owners.has_solid {
        if owners.to_remove.is_empty() {
            return TaskOutcome::Done;
        }
        // Without this, an owner in foreground deletion would wait for an object that stays.
        return to_outcome(remove_owner_references(&client, &live, &owners.to_remove).await);
    }
    if owners.has_waiting && has_dependents {
        if may_be_cycle && let Err(refusal) = stop_blocking_owners(&client, &live).await {
            return to_outcome(Err(refusal));
        }
        // If `stop_blocking_owners` has changed the references, those in `live` are outdated. This
        // delete then conflicts, and the task is retried. Until the retry, the waiting owner may be
        // deleted, since this object no longer blocks it. Without an owner that waits, the retry
        // deletes as below.
        return to_outcome(client.delete(&live, "Foreground").await);
    }
    // An earlier delete may have set one of the finalizers, which then decides.
    let propagation = match &live.stored.finalizers {
        finalizers if finalizers.iter().any(|it| it == ORPHAN_FINALIZER) => "Orphan",
        finalizers if finalizers.iter().any(|it| it == FOREGROUND_FINALIZER) => "Foreground",
        _ => "Background",
    };
    to_outcome(client.delete(&live, propagation).await)
}

fn to_outcome(done: Result<(), RefusedRequest>) -> TaskOutcome {
    match done {
        Ok(()) => TaskOutcome::Done,
        Err(refusal) if refusal.code == 404 => TaskOutcome::Done,
        Err(_) => TaskOutcome::Failed,
    }
}

/// Looks up and classifies the owners of an object.
///
/// # Errors
///
/// [`TaskOutcome::UnknownKind`] if an owner's kind is not served with the verb `get`.
/// [`TaskOutcome::Done`] if an owner cannot be in the namespace of the object.
fn classify_owners(server: &ServerState, stored: &Stored) -> Result<ClassifiedOwners, TaskOutcome> {
    let mut owners = ClassifiedOwners::default();
    for owner in &stored.owners {
        let kind = server.kinds.find(&owner.api_version, &owner.kind);
        let kind = kind.filter(|kind| kind.has_verb("get"));
        let Some(kind) = kind else {
            return Err(TaskOutcome::UnknownKind);
        };
        match find_owner(server, &kind, owner, &stored.namespace) {
            OwnerLookup::OutOfNamespace => return Err(TaskOutcome::Done),
            OwnerLookup::Missing => owners.to_remove.push(owner.uid.clone()),
            OwnerLookup::Found(found) if found.waits_for(FOREGROUND_FINALIZER) => {
                owners.has_waiting = true;
                owners.to_remove.push(owner.uid.clone());
            }
            OwnerLookup::Found(_) => owners.has_solid = true,
        }
    }
    Ok(owners)
}

/// Removes the owner references with these uids from an object.
async fn remove_owner_references(
    client: &ControllerClient<'_>,
    live: &Live,
    uids: &[String],
) -> Result<(), RefusedRequest> {
    let object = live.stored.value();
    let references = object["metadata"]["ownerReferences"].as_array();
    let kept: Vec<_> = references
        .into_iter()
        .flatten()
        .filter(|reference| {
            let uid = reference["uid"].as_str().unwrap_or_default();
            !uids.iter().any(|removed| removed == uid)
        })
        .cloned()
        .collect();
    client
        .patch_metadata(live, "ownerReferences", null_if_empty(kept))
        .await
}

/// Sets `blockOwnerDeletion` to false in the owner references of an object. Without this change,
/// owners in a cycle would wait for each other forever.
async fn stop_blocking_owners(
    client: &ControllerClient<'_>,
    live: &Live,
) -> Result<(), RefusedRequest> {
    let mut object = live.stored.value();
    let mut references = object["metadata"]["ownerReferences"].take();
    let is_custom = live.kind.custom().is_some();
    for reference in references.as_array_mut().into_iter().flatten() {
        // kube-controller-manager sends a JSON merge patch for custom resources. The patch sets the
        // field in every reference, even where the field is absent.
        if is_custom || reference["blockOwnerDeletion"] == true {
            reference["blockOwnerDeletion"] = false.into();
        }
    }
    client
        .patch_metadata(live, "ownerReferences", references)
        .await
}

/// Finishes the foreground deletion of an owner, or enqueues the dependents that block it.
async fn finish_foreground(
    server: &Arc<ServerState>,
    work: &Mutex<WorkQueue>,
    owner: &ObjectId,
) -> TaskOutcome {
    let dependents = work.lock().graph.dependents(&owner.uid);
    let blocks = |dependent: &&ObjectId| {
        let live = Live::find(server, dependent);
        live.is_some_and(|live| {
            let mut owners = live.stored.owners.iter();
            owners.any(|reference| reference.uid == owner.uid && reference.blocks())
        })
    };
    let blocking: Vec<_> = dependents.iter().filter(blocks).collect();
    if blocking.is_empty() {
        return remove_finalizer(server, owner, FOREGROUND_FINALIZER).await;
    }
    let mut work = work.lock();
    for dependent in blocking {
        if !work.graph.is_foreground(&dependent.uid) {
            work.add(ControllerTask::Collect(dependent.clone()));
        }
    }
    TaskOutcome::Done
}

/// Removes the references to an owner from its dependents. Then it removes the owner's finalizer
/// `orphan`.
pub(super) async fn orphan(
    server: &Arc<ServerState>,
    work: &Mutex<WorkQueue>,
    owner: &ObjectId,
) -> TaskOutcome {
    let dependents = work.lock().graph.dependents(&owner.uid);
    let client = ControllerClient::new(server, CONTROLLER_MANAGER);
    let uids = [owner.uid.clone()];
    for dependent in &dependents {
        for attempt in 1.. {
            let Some(live) = Live::find(server, dependent) else {
                break;
            };
            match remove_owner_references(&client, &live, &uids).await {
                Ok(()) => break,
                Err(refusal) if refusal.code == 404 => break,
                Err(refusal) if refusal.code == 409 && attempt < MAX_TRIES => {}
                Err(_) => return TaskOutcome::Failed,
            }
        }
    }
    remove_finalizer(server, owner, ORPHAN_FINALIZER).await
}

/// Removes a finalizer of the collector from an object that is being deleted.
async fn remove_finalizer(server: &Arc<ServerState>, id: &ObjectId, name: &str) -> TaskOutcome {
    let client = ControllerClient::new(server, CONTROLLER_MANAGER);
    for _ in 0..MAX_TRIES {
        let Some(live) = Live::find(server, id) else {
            return TaskOutcome::Done;
        };
        let had = &live.stored.finalizers;
        let kept: Vec<Value> = had
            .iter()
            .filter(|finalizer| *finalizer != name)
            .map(|finalizer| json!(finalizer))
            .collect();
        if kept.len() == had.len() {
            return TaskOutcome::Done;
        }
        match client
            .patch_metadata(&live, "finalizers", null_if_empty(kept))
            .await
        {
            Err(refusal) if refusal.code == 409 => {}
            done => return to_outcome(done),
        }
    }
    TaskOutcome::Failed
}

/// Returns a list for a merge patch, which removes the field if the list is empty.
fn null_if_empty(items: Vec<Value>) -> Value {
    if items.is_empty() {
        Value::Null
    } else {
        items.into()
    }
}
