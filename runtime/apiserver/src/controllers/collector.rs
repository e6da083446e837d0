//! Garbage collector: deletes objects whose owners no longer exist, and finishes foreground and
//! orphan deletions (pkg/controller/garbagecollector of kube-controller-manager).

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::requests::{ControllerClient, Live, MANAGER, RefusedRequest};
use super::work_queue::{ControllerTask, TaskOutcome, WorkQueue};
use crate::controller_queue::{ControllerEvent, ObjectId};
use crate::finalizers::{FOREGROUND, ORPHAN};
use crate::kinds::Kind;
use crate::state::ServerState;
use crate::store::Key;
use crate::stored::{OwnerReference, Stored};

/// Number of times that a write is tried if it conflicts with another write.
const TRIES: usize = 5;

pub(super) fn observe(work: &mut WorkQueue, server: &ServerState, seen: &ControllerEvent) {
    if seen.is_definition() {
        work.retry_unknown();
    }
    if seen.is_event() {
        return;
    }
    let namespace = &seen.new.namespace;
    let affected = work
        .graph
        .apply(seen, |owner| exists(server, owner, namespace));
    for identity in affected.collect {
        work.add(ControllerTask::Collect(identity));
    }
    if let Some(identity) = affected.orphan {
        work.add(ControllerTask::Orphan(identity));
    }
}

/// Returns whether the owner exists and has the uid of the reference.
fn exists(server: &ServerState, owner: &OwnerReference, namespace: &str) -> bool {
    let kind = server.kinds.find(&owner.api_version, &owner.kind);
    kind.is_some_and(|kind| matches!(find(server, &kind, owner, namespace), Owner::Found(_)))
}

/// Result of the lookup of an owner.
enum Owner {
    Found(Arc<Stored>),
    /// No object with this name exists, or it has another uid.
    Missing,
    /// The owner is namespaced and the object is cluster-scoped. Such an object is never collected.
    OutOfReach,
}

fn find(server: &ServerState, kind: &Kind, owner: &OwnerReference, namespace: &str) -> Owner {
    if kind.is_namespaced && namespace.is_empty() {
        return Owner::OutOfReach;
    }
    let namespace = if kind.is_namespaced { namespace } else { "" };
    let found = server
        .store
        .get(&kind.resource, &Key::new(namespace, &owner.name));
    match found.filter(|found| found.uid == owner.uid) {
        Some(found) => Owner::Found(found),
        None => Owner::Missing,
    }
}

/// State of an object's owners, as `classifyReferences` in garbagecollector.go determines it.
#[derive(Default)]
struct Owners {
    /// Whether an owner keeps the object: it exists and is not in foreground deletion.
    has_solid: bool,
    /// Whether an owner in foreground deletion waits for the deletion of the object.
    has_waiting: bool,
    /// Uids of the owners that do not exist or wait for the deletion of their dependents.
    to_remove: Vec<String>,
}

/// Deletes an object if it has owners and none of them keeps it. If an owner keeps the object,
/// removes the object's references to owners that are missing or in foreground deletion. If the
/// object is itself in foreground deletion, finishes that deletion once no dependent blocks it.
pub(super) async fn collect(
    server: &Arc<ServerState>,
    work: &Mutex<WorkQueue>,
    identity: &ObjectId,
) -> TaskOutcome {
    let Some(live) = Live::of(server, identity) else {
        return TaskOutcome::Done;
    };
    if live.stored.is_deleting {
        return if live.stored.waits_for(FOREGROUND) {
            finish_foreground(server, work, identity).await
        } else {
            TaskOutcome::Done
        };
    }
    let owners = match classified(server, &live.stored) {
        Ok(owners) => owners,
        Err(outcome) => return outcome,
    };
    let (has_dependents, may_be_cycle) = {
        let graph = &work.lock().graph;
        let dependents = graph.dependents(&identity.uid);
        let mut waiting = dependents.iter().map(|it| graph.is_foreground(&it.uid));
        (!dependents.is_empty(), waiting.any(|is_waiting| is_waiting))
    };
    let client = ControllerClient::new(server, MANAGER);
    let done = if live.stored.owners.is_empty() {
        Ok(())
    } else if owners.has_solid {
        if owners.to_remove.is_empty() {
            Ok(())
        } else {
            without_owners(&client, &live, &owners.to_remove).await
        }
    } else if owners.has_waiting && has_dependents {
        if may_be_cycle && let Err(refusal) = unblocked(&client, &live).await {
            return outcome(Err(refusal));
        }
        // If `unblocked` has changed the references, those in `live` are outdated. This delete then
        // conflicts, and the task is retried. Until the retry, the waiting owner may be deleted,
        // since this object no longer blocks it. Without an owner that waits, the retry takes the
        // last branch.
        client.delete(&live, "Foreground").await
    } else {
        let propagation = match &live.stored.finalizers {
            finalizers if finalizers.iter().any(|it| it == ORPHAN) => "Orphan",
            finalizers if finalizers.iter().any(|it| it == FOREGROUND) => "Foreground",
            _ => "Background",
        };
        client.delete(&live, propagation).await
    };
    outcome(done)
}

fn outcome(done: Result<(), RefusedRequest>) -> TaskOutcome {
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
/// [`TaskOutcome::Unknown`] if an owner's kind is not served with the verb `get`.
/// [`TaskOutcome::Done`] if an owner is out of reach.
fn classified(server: &ServerState, stored: &Stored) -> Result<Owners, TaskOutcome> {
    let mut owners = Owners::default();
    for owner in &stored.owners {
        let kind = server.kinds.find(&owner.api_version, &owner.kind);
        let kind = kind.filter(|kind| kind.has_verb("get"));
        let Some(kind) = kind else {
            return Err(TaskOutcome::Unknown);
        };
        match find(server, &kind, owner, &stored.namespace) {
            Owner::OutOfReach => return Err(TaskOutcome::Done),
            Owner::Missing => owners.to_remove.push(owner.uid.clone()),
            Owner::Found(found) if found.waits_for(FOREGROUND) => {
                owners.has_waiting = true;
                owners.to_remove.push(owner.uid.clone());
            }
            Owner::Found(_) => owners.has_solid = true,
        }
    }
    Ok(owners)
}

async fn without_owners(
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
    let kept = if kept.is_empty() {
        Value::Null
    } else {
        json!(kept)
    };
    client.patch_metadata(live, "ownerReferences", kept).await
}

/// Sets `blockOwnerDeletion` to false in the owner references of an object. Without this change,
/// owners in a cycle would wait for each other forever.
async fn unblocked(client: &ControllerClient<'_>, live: &Live) -> Result<(), RefusedRequest> {
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
        let live = Live::of(server, dependent);
        live.is_some_and(|live| {
            let mut owners = live.stored.owners.iter();
            owners.any(|reference| reference.uid == owner.uid && reference.blocks())
        })
    };
    let blocking: Vec<_> = dependents.iter().filter(blocks).collect();
    if blocking.is_empty() {
        return without_finalizer(server, owner, FOREGROUND).await;
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
    let client = ControllerClient::new(server, MANAGER);
    let uids = [owner.uid.clone()];
    for dependent in &dependents {
        for attempt in 1.. {
            let Some(live) = Live::of(server, dependent) else {
                break;
            };
            match without_owners(&client, &live, &uids).await {
                Ok(()) => break,
                Err(refusal) if refusal.code == 404 => break,
                Err(refusal) if refusal.code == 409 && attempt < TRIES => {}
                Err(_) => return TaskOutcome::Failed,
            }
        }
    }
    without_finalizer(server, owner, ORPHAN).await
}

async fn without_finalizer(
    server: &Arc<ServerState>,
    identity: &ObjectId,
    name: &str,
) -> TaskOutcome {
    let client = ControllerClient::new(server, MANAGER);
    for _ in 0..TRIES {
        let Some(live) = Live::of(server, identity) else {
            return TaskOutcome::Done;
        };
        let had = &live.stored.finalizers;
        let kept: Vec<_> = had.iter().filter(|finalizer| *finalizer != name).collect();
        if kept.len() == had.len() {
            return TaskOutcome::Done;
        }
        let kept = if kept.is_empty() {
            Value::Null
        } else {
            json!(kept)
        };
        match client.patch_metadata(&live, "finalizers", kept).await {
            Err(refusal) if refusal.code == 409 => {}
            done => return outcome(done),
        }
    }
    TaskOutcome::Failed
}
