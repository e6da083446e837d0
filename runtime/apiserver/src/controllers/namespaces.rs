//! Namespace controller: deletes the contents of a terminating namespace, and then the namespace
//! (pkg/controller/namespace in Kubernetes' sources).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::requests::{CONTROLLER_MANAGER, ControllerClient, Live};
use super::work_queue::{ControllerTask, TaskOutcome, WorkQueue};
use crate::conditions::{self, Condition};
use crate::controller_queue::ControllerEvent;
use crate::metadata;
use crate::state::ServerState;
use crate::store::{GroupResource, Key};
use crate::stored::Stored;

/// Finalizer in the spec of a namespace, which is removed once the namespace is empty.
const NAMESPACE_FINALIZER: &str = "kubernetes";
/// Estimate of the time until objects with finalizers are deleted (`finalizerEstimateSeconds`).
const FINALIZER_ESTIMATE_SECONDS: i64 = 15;

/// Enqueues the sync of a terminating namespace after a change of it or of an object in it.
pub(super) fn enqueue_tasks(work: &mut WorkQueue, server: &ServerState, event: &ControllerEvent) {
    let namespace = if event.concerns_namespace() {
        &event.new.name
    } else {
        &event.new.namespace
    };
    let live = server
        .store
        .get(&server.namespaces, &Key::new("", namespace));
    if live.is_some_and(|live| live.is_deleting) {
        work.add(ControllerTask::Namespace(namespace.clone()));
    }
}

/// Deletes the contents of a terminating namespace. Once the namespace is empty, its finalizer is
/// removed.
pub(super) async fn sync_namespace(server: &Arc<ServerState>, name: &str) -> TaskOutcome {
    let Some(live) = find_namespace(server, name) else {
        return TaskOutcome::Done;
    };
    if !live.stored.is_deleting {
        return TaskOutcome::Done;
    }
    let mut namespace = live.stored.value();
    let client = ControllerClient::new(server, CONTROLLER_MANAGER);
    if namespace["status"]["phase"] != "Terminating" {
        namespace["status"]["phase"] = "Terminating".into();
        let _ = client.update(&live, "status", &namespace).await;
        return TaskOutcome::After(Duration::ZERO);
    }
    let finalizers = namespace["spec"]["finalizers"].as_array();
    if finalizers.is_none_or(Vec::is_empty) {
        return TaskOutcome::Done;
    }
    let mut deletion = ContentDeletion {
        server,
        client: &client,
        namespace: name,
        remaining: RemainingContents::default(),
    };
    deletion.delete_contents(&namespace).await;
    let remaining = deletion.remaining;
    if remaining.write_conditions(&mut namespace, &server.clock.timestamp()) {
        let _ = client.update(&live, "status", &namespace).await;
    }
    if !remaining.errors.is_empty() {
        return TaskOutcome::Failed;
    }
    if remaining.estimate > 0 {
        // `worker` in namespace_controller.go.
        let seconds = remaining.estimate / 2 + 1;
        return TaskOutcome::After(Duration::from_secs(seconds.unsigned_abs()));
    }
    remove_namespace_finalizer(server, name).await
}

fn find_namespace(server: &ServerState, name: &str) -> Option<Live> {
    let stored = server.store.get(&server.namespaces, &Key::new("", name))?;
    Live::with_kind(server, &server.namespaces, stored)
}

async fn remove_namespace_finalizer(server: &Arc<ServerState>, name: &str) -> TaskOutcome {
    let Some(live) = find_namespace(server, name) else {
        return TaskOutcome::Done;
    };
    let mut namespace = live.stored.value();
    if let Some(finalizers) = namespace["spec"]["finalizers"].as_array_mut() {
        finalizers.retain(|finalizer| finalizer != NAMESPACE_FINALIZER);
    }
    let client = ControllerClient::new(server, CONTROLLER_MANAGER);
    match client.update(&live, "finalize", &namespace).await {
        Err(refusal) if refusal.code != 404 => TaskOutcome::Failed,
        _ => TaskOutcome::Done,
    }
}

/// Deletion of the contents of one namespace.
struct ContentDeletion<'a> {
    server: &'a ServerState,
    client: &'a ControllerClient<'a>,
    namespace: &'a str,
    remaining: RemainingContents,
}

impl ContentDeletion<'_> {
    /// Deletes the Pods of the namespace. If no Pod is left, or the request to delete them failed,
    /// it also deletes all other objects (`deleteAllContent`).
    async fn delete_contents(&mut self, terminating: &Value) {
        let pods = GroupResource::new("", "pods");
        let estimate = estimate_pod_termination(self.server, self.namespace, &pods, terminating);
        self.delete_resource(&pods, estimate).await;
        if !self.remaining.objects.is_empty() {
            // While Pods remain, kube-controller-manager updates the conditions before it processes
            // the totals, so they report no remaining objects.
            self.remaining.objects.clear();
            self.remaining.finalizers.clear();
            return;
        }
        for resource in self.server.store.resources_in(self.namespace) {
            self.delete_resource(&resource, 0).await;
        }
    }

    /// Deletes the objects of one resource, and notes what is left
    /// (`deleteAllContentForGroupVersionResource`). `estimate` is the time in seconds that Pods may
    /// take to terminate.
    async fn delete_resource(&mut self, resource: &GroupResource, estimate: i64) {
        let Self {
            server,
            client,
            namespace,
            remaining,
        } = self;
        let Some(kind) = server.kinds.preferred(resource) else {
            return;
        };
        let prefix = format!("{namespace}/");
        if server.store.list(resource, &prefix).objects.is_empty() {
            return;
        }
        let deleted = client
            .delete_collection(&kind, namespace, Some("Background"))
            .await;
        if let Err(refusal) = deleted {
            remaining.errors.push(refusal.message);
            remaining.estimate = remaining.estimate.max(estimate);
            return;
        }
        let left = server.store.list(resource, &prefix).objects;
        if left.is_empty() {
            return;
        }
        let mut has_finalizers = false;
        for finalizer in left.iter().flat_map(|(_, stored)| &stored.finalizers) {
            *remaining.finalizers.entry(finalizer.clone()).or_default() += 1;
            has_finalizers = true;
        }
        let name = format!("{}.{}", kind.plural(), kind.group());
        remaining.objects.insert(name, left.len());
        let estimate = match (estimate, has_finalizers) {
            (0, true) => FINALIZER_ESTIMATE_SECONDS,
            (0, false) => {
                let kind = format!("{}, Resource={}", group_version(&kind), kind.plural());
                let message = format!(
                    "unexpected items still remain in namespace: {namespace} for gvr: {kind}"
                );
                remaining.errors.push(message);
                0
            }
            (estimate, _) => estimate,
        };
        remaining.estimate = remaining.estimate.max(estimate);
    }
}

/// Formats group and version as Go does, with a slash even for the core group: `/v1`.
fn group_version(kind: &crate::kinds::Kind) -> String {
    format!("{}/{}", kind.group(), kind.version)
}

/// Returns the longest grace period of the unfinished Pods in seconds, or zero once that time has
/// passed since the deletion of the namespace (`estimateGracefulTermination`).
fn estimate_pod_termination(
    server: &ServerState,
    namespace: &str,
    pods: &GroupResource,
    terminating: &Value,
) -> i64 {
    let pods = server.store.list(pods, &format!("{namespace}/")).objects;
    let grace = |stored: &Stored| {
        let pod = stored.value();
        let is_over = matches!(
            pod["status"]["phase"].as_str(),
            Some("Failed" | "Succeeded")
        );
        let grace = pod["spec"]["terminationGracePeriodSeconds"].as_i64();
        grace.filter(|_| !is_over).unwrap_or_default()
    };
    let longest = pods
        .iter()
        .map(|(_, stored)| grace(stored))
        .max()
        .unwrap_or_default();
    let since = metadata::str_field(terminating, "deletionTimestamp").parse();
    let elapsed = since.map(|since| server.clock.now().duration_since(since).as_secs());
    match elapsed {
        Ok(elapsed) if elapsed < longest => longest,
        _ => 0,
    }
}

/// Remaining contents of a namespace.
#[derive(Default)]
struct RemainingContents {
    /// Number of remaining objects by resource.
    objects: BTreeMap<String, usize>,
    /// Number of remaining objects by finalizer.
    finalizers: BTreeMap<String, usize>,
    errors: Vec<String>,
    /// Estimated seconds until the remaining objects are deleted.
    estimate: i64,
}

/// Type, reason and message of each condition in the absence of problems
/// (pkg/controller/namespace/deletion/status_condition_utils.go).
const SUCCESS_CONDITIONS: [(&str, &str, &str); 5] = [
    (
        "NamespaceDeletionDiscoveryFailure",
        "ResourcesDiscovered",
        "All resources successfully discovered",
    ),
    (
        "NamespaceDeletionGroupVersionParsingFailure",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    (
        CONTENT_FAILURE,
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    (
        CONTENT_REMAINING,
        "ContentRemoved",
        "All content successfully removed",
    ),
    (
        FINALIZERS_REMAINING,
        "ContentHasNoFinalizers",
        "All content-preserving finalizers finished",
    ),
];

const CONTENT_FAILURE: &str = "NamespaceDeletionContentFailure";
const CONTENT_REMAINING: &str = "NamespaceContentRemaining";
const FINALIZERS_REMAINING: &str = "NamespaceFinalizersRemaining";

impl RemainingContents {
    /// Writes the conditions into the status of a namespace. Returns whether any has changed.
    fn write_conditions(&self, namespace: &mut Value, now: &str) -> bool {
        let mut has_changed = false;
        for (type_, reason, message) in SUCCESS_CONDITIONS {
            let problem = self.problem(type_);
            let (reason, message) = match &problem {
                Some((reason, message)) => (*reason, &**message),
                None => (reason, message),
            };
            let condition = Condition {
                type_,
                status: problem.is_some(),
                reason,
                message,
            };
            has_changed |= conditions::set_condition(namespace, now, condition);
        }
        has_changed
    }

    /// Returns reason and message of a condition that reports a problem, otherwise `None`.
    fn problem(&self, type_: &str) -> Option<(&'static str, String)> {
        match type_ {
            CONTENT_FAILURE if !self.errors.is_empty() => {
                let (number, errors) = (
                    self.errors.len(),
                    sort_and_join(self.errors.iter().cloned()),
                );
                let message =
                    format!("Failed to delete all resource types, {number} remaining: {errors}");
                Some(("ContentDeletionFailed", message))
            }
            CONTENT_REMAINING if !self.objects.is_empty() => {
                let objects = self
                    .objects
                    .iter()
                    .map(|(name, number)| format!("{name} has {number} resource instances"));
                let message = format!("Some resources are remaining: {}", sort_and_join(objects));
                Some(("SomeResourcesRemain", message))
            }
            FINALIZERS_REMAINING if !self.finalizers.is_empty() => {
                let all = self
                    .finalizers
                    .iter()
                    .map(|(name, number)| format!("{name} in {number} resource instances"));
                let message = format!(
                    "Some content in the namespace has finalizers remaining: {}",
                    sort_and_join(all)
                );
                Some(("SomeFinalizersRemain", message))
            }
            _ => None,
        }
    }
}

fn sort_and_join(texts: impl Iterator<Item = String>) -> String {
    let mut texts: Vec<_> = texts.collect();
    texts.sort();
    texts.join(", ")
}
