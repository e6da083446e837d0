//! The Pod that runs a GPUTask, and its relation to the task.

use std::collections::BTreeMap;

use genclient::kube::{Resource, ResourceExt};
use k8s_openapi::api::core::v1::{Container, Pod, PodSpec, ResourceRequirements};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use super::quantity::{self, InvalidQuantity};
use crate::apis::falldio::v1::GPUTask;

/// Label of every Pod of a task.
pub(crate) const APP: (&str, &str) = ("app", "gpu-task");

/// Label of nodes with the type of their GPU, and name of the resource that they offer.
const GPU: &str = "falldio.com/gpu";

/// Annotation with the generation of the task that a Pod was made for.
const GENERATION: &str = "falldio.com/generation";

/// Relation of a Pod to the task of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The Pod was made for the current task.
    Current,
    /// The Pod was made for a former state of the task, or for an earlier task of that name.
    Outdated,
    /// The Pod has another owner, or none.
    Foreign,
}

/// Returns the Pod that runs `task`.
///
/// # Errors
///
/// If a quantity of the task cannot be parsed.
pub(crate) fn of(task: &GPUTask, image: &str) -> Result<Pod, InvalidQuantity> {
    let spec = &task.spec;
    let limits = BTreeMap::from([
        ("cpu".to_owned(), quantity::parse("cpu", &spec.cpu)?),
        (
            "memory".to_owned(),
            quantity::parse("memory", &spec.memory)?,
        ),
        (
            GPU.to_owned(),
            quantity::parse("gpu-amount", &spec.gpu_amount)?,
        ),
    ]);
    let container = Container {
        name: "gpu-task".to_owned(),
        image: Some(image.to_owned()),
        resources: Some(ResourceRequirements {
            limits: Some(limits),
            ..ResourceRequirements::default()
        }),
        ..Container::default()
    };
    Ok(Pod {
        metadata: metadata(task),
        spec: Some(PodSpec {
            containers: vec![container],
            node_selector: Some(BTreeMap::from([(GPU.to_owned(), spec.gpu.clone())])),
            priority_class_name: Some(spec.priority.clone()).filter(|class| !class.is_empty()),
            ..PodSpec::default()
        }),
        status: None,
    })
}

fn metadata(task: &GPUTask) -> ObjectMeta {
    let owner = task
        .controller_owner_ref(&())
        .map(|reference| OwnerReference {
            // As in `metav1.NewControllerRef`: foreground deletion of a task waits for its Pod.
            block_owner_deletion: Some(true),
            ..reference
        });
    let (label, value) = APP;
    ObjectMeta {
        name: task.metadata.name.clone(),
        namespace: task.metadata.namespace.clone(),
        labels: Some(BTreeMap::from([(label.to_owned(), value.to_owned())])),
        annotations: Some(BTreeMap::from([(
            GENERATION.to_owned(),
            generation(task).to_string(),
        )])),
        owner_references: owner.map(|owner| vec![owner]),
        ..ObjectMeta::default()
    }
}

/// Returns the relation of `pod` to `task`, which has the same name.
///
/// The API server increments a task's generation with every change of its spec. If the Pod was made
/// for a later generation than the task's, it is current, because the cached task is stale.
pub(crate) fn relation(pod: &Pod, task: &GPUTask) -> Relation {
    let annotation = pod.annotations().get(GENERATION);
    let made_for: i64 = annotation
        .and_then(|text| text.parse().ok())
        .unwrap_or_default();
    match controller_of(pod) {
        Some(owner) if Some(&owner.uid) == task.metadata.uid.as_ref() => {
            if made_for < generation(task) {
                Relation::Outdated
            } else {
                Relation::Current
            }
        }
        Some(owner) if is_task(owner, &task.name_any()) => Relation::Outdated,
        _ => Relation::Foreign,
    }
}

/// Whether `pod` was made for a task called `name`, which may be gone.
pub(crate) fn is_made_for(pod: &Pod, name: &str) -> bool {
    controller_of(pod).is_some_and(|owner| is_task(owner, name))
}

/// Whether the containers of a Pod still run, or will.
pub(crate) fn is_unfinished(pod: &Pod) -> bool {
    let phase = pod
        .status
        .as_ref()
        .and_then(|status| status.phase.as_deref());
    !matches!(phase, Some("Succeeded" | "Failed"))
}

/// Drops fields that this controller never reads. This saves memory, because the controller caches
/// Pods of every owner, to learn when a name becomes free.
pub(crate) fn slim(pod: &mut Pod) {
    pod.spec = None;
    if let Some(status) = pod.status.take() {
        let phase = status.phase;
        pod.status.get_or_insert_default().phase = phase;
    }
}

fn controller_of(pod: &Pod) -> Option<&OwnerReference> {
    let owners = pod.owner_references().iter();
    owners
        .into_iter()
        .find(|owner| owner.controller == Some(true))
}

fn is_task(owner: &OwnerReference, name: &str) -> bool {
    let (api_version, kind) = (GPUTask::api_version(&()), GPUTask::kind(&()));
    owner.api_version == api_version && owner.kind == kind && owner.name == name
}

fn generation(task: &GPUTask) -> i64 {
    task.metadata.generation.unwrap_or_default()
}
