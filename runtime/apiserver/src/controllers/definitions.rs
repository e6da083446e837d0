//! Cleanup of custom resources: when a CustomResourceDefinition is deleted, the controller deletes
//! its custom resources first (k8s.io/apiextensions-apiserver/pkg/controller/finalizer). In a
//! cluster, this controller runs in kube-apiserver, so its requests have the API server's user.

use std::sync::Arc;

use genclient_apimachinery::errors::aggregate;
use serde_json::{Value, json};

use crate::conditions;
use crate::conditions::Condition;
use crate::controller_queue::ControllerEvent;
use crate::controllers::requests::{API_SERVER, ControllerClient, Live};
use crate::controllers::work_queue::{ControllerTask, TaskOutcome, WorkQueue};
use crate::finalizers::CLEANUP_FINALIZER;
use crate::kinds::{Kind, custom};
use crate::state::ServerState;
use crate::store::Key;

/// Enqueues the cleanup of a terminating definition after a change that may let it proceed.
pub(super) fn enqueue_tasks(work: &mut WorkQueue, server: &ServerState, event: &ControllerEvent) {
    if event.concerns_definition() && event.is_deletion {
        // The watches of the custom resources have to wake up in order to end.
        server.store.wake(&custom::resource(&event.new.value()));
    }
    let name = if event.concerns_definition() {
        event.new.name.clone()
    } else if event.is_deletion {
        // The deleted object may be the last custom resource of a terminating definition.
        format!("{}.{}", event.resource.plural, event.resource.group)
    } else {
        return;
    };
    let live = server.store.get(&server.definitions, &Key::new("", &name));
    if live.is_some_and(|live| live.waits_for(CLEANUP_FINALIZER)) {
        work.add(ControllerTask::Definition(name));
    }
}

/// Deletes the custom resources of a terminating definition. If none is left, or the definition was
/// never established, removes the definition's cleanup finalizer (`CRDFinalizer.sync`).
pub(super) async fn sync_definition(server: &Arc<ServerState>, name: &str) -> TaskOutcome {
    let Some(live) = find_terminating(server, name) else {
        return TaskOutcome::Done;
    };
    let client = ControllerClient::new(server, API_SERVER);
    let mut definition = live.stored.value();
    let in_progress = Condition {
        type_: "Terminating",
        status: true,
        reason: "InstanceDeletionInProgress",
        message: "CustomResource deletion is in progress",
    };
    if conditions::set_condition(&mut definition, &server.clock.timestamp(), in_progress)
        && client.update(&live, "status", &definition).await.is_err()
    {
        return TaskOutcome::Failed;
    }
    // `settle` in `crate::definitions` has set the condition after the first write.
    if !conditions::is_condition_true(&definition, "Established") {
        let reason = ("NeverEstablished", "resource was never established");
        return finish_cleanup(server, name, reason).await;
    }
    if let Err(message) = delete_objects(server, &client, &definition).await {
        return report_failure(server, name, &message).await;
    }
    let resource = custom::resource(&definition);
    if !server.store.list(&resource, "").objects.is_empty() {
        return TaskOutcome::Done;
    }
    finish_cleanup(
        server,
        name,
        ("InstanceDeletionCompleted", "removed all instances"),
    )
    .await
}

fn find_terminating(server: &ServerState, name: &str) -> Option<Live> {
    let stored = server.store.get(&server.definitions, &Key::new("", name))?;
    let live = Live::with_kind(server, &server.definitions, stored)?;
    live.stored.waits_for(CLEANUP_FINALIZER).then_some(live)
}

/// Returns a definition's kind in the storage version, or in another version if the storage version
/// is not served.
fn kind_in_storage_version(server: &ServerState, definition: &Value) -> Option<Arc<Kind>> {
    let resource = custom::resource(definition);
    let mut versions = definition["spec"]["versions"]
        .as_array()
        .into_iter()
        .flatten();
    let stored = versions
        .find(|version| version["storage"] == true)
        .and_then(|version| version["name"].as_str())
        .unwrap_or_default();
    let kind = server.kinds.get(&resource.group, stored, &resource.plural);
    kind.or_else(|| server.kinds.preferred(&resource))
}

/// Deletes the custom resources of a definition, one namespace after the other.
async fn delete_objects(
    server: &Arc<ServerState>,
    client: &ControllerClient<'_>,
    definition: &Value,
) -> Result<(), String> {
    let resource = custom::resource(definition);
    let Some(kind) = kind_in_storage_version(server, definition) else {
        return Ok(());
    };
    let objects = server.store.list(&resource, "").objects;
    let mut namespaces: Vec<_> = objects
        .iter()
        .map(|(_, stored)| &stored.namespace)
        .collect();
    namespaces.dedup();
    let mut errors = Vec::new();
    for namespace in namespaces {
        let deleted = client.delete_collection(&kind, namespace, None).await;
        errors.extend(deleted.err().map(|refusal| refusal.message));
    }
    aggregate(errors).map_or(Ok(()), Err)
}

/// Removes the cleanup finalizer of a definition. The definition is then deleted, unless it has
/// other finalizers.
async fn finish_cleanup(
    server: &Arc<ServerState>,
    name: &str,
    (reason, message): (&str, &str),
) -> TaskOutcome {
    let condition = Condition {
        type_: "Terminating",
        status: false,
        reason,
        message,
    };
    write_condition(server, name, condition, true).await
}

async fn report_failure(server: &Arc<ServerState>, name: &str, message: &str) -> TaskOutcome {
    let condition = Condition {
        type_: "Terminating",
        status: true,
        reason: "InstanceDeletionFailed",
        message: &format!("could not issue all deletes: {message}"),
    };
    let _ = write_condition(server, name, condition, false).await;
    TaskOutcome::Failed
}

async fn write_condition(
    server: &Arc<ServerState>,
    name: &str,
    condition: Condition<'_>,
    is_over: bool,
) -> TaskOutcome {
    let Some(live) = find_terminating(server, name) else {
        return TaskOutcome::Done;
    };
    let mut definition = live.stored.value();
    conditions::set_condition(&mut definition, &server.clock.timestamp(), condition);
    if is_over {
        let kept = live
            .stored
            .finalizers
            .iter()
            .filter(|finalizer| *finalizer != CLEANUP_FINALIZER);
        definition["metadata"]["finalizers"] = json!(kept.collect::<Vec<_>>());
    }
    let client = ControllerClient::new(server, API_SERVER);
    match client.update(&live, "status", &definition).await {
        Err(refusal) if refusal.code != 404 => TaskOutcome::Failed,
        _ => TaskOutcome::Done,
    }
}
