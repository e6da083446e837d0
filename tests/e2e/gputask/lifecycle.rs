//! Tests of the lifecycle of tasks and their Pods: creation, changes, deletion.

use std::time::Duration;

use e2e::ControlPlane;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::scheduling::v1::PriorityClass;
use kube::ResourceExt;
use kube::api::{Api, DeleteParams, ObjectMeta, Patch, PatchParams, PostParams};
use serde_json::json;

use super::{Form, Periods, Running, Stage, both, is_controlled_by};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    both!(
        suite.both,
        pod_matches_its_task,
        empty_priority_sets_no_class,
        changed_task_gets_a_new_pod,
        pod_is_deleted_with_its_task,
        deleted_pod_is_recreated,
        changes_during_downtime_are_reconciled,
        unfinished_pods_are_rescheduled,
    );
}

/// The priority class is created after the task. Until then the API server forbids the Pod, and the
/// controller retries.
async fn pod_matches_its_task(plane: &ControlPlane, form: Form) -> Outcome {
    let stage = Stage::new(plane, form).await?;
    let controller = Running::start(&stage, Periods::default()).await?;
    let class = format!("{}-high", stage.namespace);
    let task = stage
        .create_with("train", |spec| spec.priority.clone_from(&class))
        .await?;
    create_priority_class(plane, &class).await?;

    let pod = stage.pod("train", |_| true).await?;
    let expected = json!({
        "metadata": {
            "name": "train",
            "namespace": stage.namespace,
            "labels": { "app": "gpu-task" },
            "annotations": { "falldio.com/generation": "1" },
            "ownerReferences": [{
                "apiVersion": "falldio.com/v1",
                "kind": "GPUTask",
                "name": "train",
                "uid": task.metadata.uid,
                "controller": true,
                "blockOwnerDeletion": true,
            }],
        },
        "spec": {
            "nodeSelector": { "falldio.com/gpu": "a100" },
            "priorityClassName": class,
            "priority": 1000,
            "containers": [{
                "name": "gpu-task",
                "image": "nvidia/cuda:11.0-base",
                "resources": { "limits": { "cpu": "500m", "memory": "4Gi", "falldio.com/gpu": "1" } },
            }],
        },
    });
    assert_json_diff(&serde_json::to_value(&pod)?, &expected, "");

    let event = stage.event("train", "Synced", 1).await?;
    assert_eq!(event.type_.as_deref(), Some("Normal"));
    assert_eq!(event.message.as_deref(), Some("created the Pod train"));
    assert_eq!(event.involved_object.uid, task.metadata.uid);
    let source = event.source.and_then(|source| source.component);
    assert_eq!(source.as_deref(), Some("gputask-controller"));
    controller.stop().await
}

/// Checks that `found` has everything in `expected`; the API server adds to it.
#[track_caller]
fn assert_json_diff(found: &serde_json::Value, expected: &serde_json::Value, path: &str) {
    use serde_json::Value;
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            for (key, value) in expected {
                let member = found.get(key).unwrap_or(&Value::Null);
                assert_json_diff(member, value, &format!("{path}.{key}"));
            }
        }
        (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => {
            for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
                assert_json_diff(found, expected, &format!("{path}[{index}]"));
            }
        }
        _ => assert_eq!(found, expected, "{path}"),
    }
}

async fn create_priority_class(plane: &ControlPlane, name: &str) -> kube::Result<PriorityClass> {
    let classes: Api<PriorityClass> = Api::all(plane.client());
    let class = PriorityClass {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        value: Some(1000),
        ..PriorityClass::default()
    };
    classes.create(&PostParams::default(), &class).await
}

async fn empty_priority_sets_no_class(plane: &ControlPlane, form: Form) -> Outcome {
    let stage = Stage::new(plane, form).await?;
    let controller = Running::start(&stage, Periods::default()).await?;
    stage.create("train").await?;
    let pod = stage.pod("train", |_| true).await?;
    assert_eq!(pod.spec.and_then(|spec| spec.priority_class_name), None);
    controller.stop().await
}

async fn changed_task_gets_a_new_pod(plane: &ControlPlane, form: Form) -> Outcome {
    let stage = Stage::new(plane, form).await?;
    let controller = Running::start(&stage, Periods::default()).await?;
    stage.create("train").await?;
    let before = stage.pod("train", |_| true).await?;

    // Labels are not part of the specification.
    let label = json!({ "metadata": { "labels": { "team": "vision" } } });
    let merge = PatchParams::default();
    stage
        .tasks
        .patch("train", &Patch::Merge(label), &merge)
        .await?;
    stage
        .change("train", |spec| spec.gpu = "h100".to_owned())
        .await?;

    let after = stage.pod("train", |pod| pod.uid() != before.uid()).await?;
    let selector = after
        .spec
        .and_then(|spec| spec.node_selector)
        .unwrap_or_default();
    assert_eq!(
        selector.get("falldio.com/gpu").map(String::as_str),
        Some("h100")
    );
    stage.event("train", "Synced", 2).await?;
    controller.stop().await?;
    assert_eq!(stage.reasons("train").await?, [("Synced".to_owned(), 2)]);
    Ok(())
}

async fn pod_is_deleted_with_its_task(plane: &ControlPlane, form: Form) -> Outcome {
    let stage = Stage::new(plane, form).await?;
    let controller = Running::start(&stage, Periods::default()).await?;
    for name in ["train", "gone-already"] {
        stage.create(name).await?;
        stage.pod(name, |_| true).await?;
    }

    stage
        .tasks
        .delete("train", &DeleteParams::default())
        .await?;
    stage.no_pod("train").await?;

    // Both at once: whichever the controller sees first, the other is gone.
    let params = DeleteParams::default();
    let (task, pod) = tokio::join!(
        stage.tasks.delete("gone-already", &params),
        stage.pods.delete("gone-already", &params)
    );
    task?;
    pod.map(|_| ()).or_else(ignore_not_found)?;
    stage.no_pod("gone-already").await?;
    controller.stop().await
}

fn ignore_not_found(error: kube::Error) -> kube::Result<()> {
    match error {
        kube::Error::Api(status) if status.code == 404 => Ok(()),
        error => Err(error),
    }
}

async fn deleted_pod_is_recreated(plane: &ControlPlane, form: Form) -> Outcome {
    let stage = Stage::new(plane, form).await?;
    let controller = Running::start(&stage, Periods::default()).await?;
    let task = stage.create("train").await?;
    let before = stage.pod("train", |_| true).await?;
    stage.pods.delete("train", &DeleteParams::default()).await?;
    let after = stage.pod("train", |pod| pod.uid() != before.uid()).await?;
    assert!(is_controlled_by(&after, &task), "{:?}", after.metadata);
    controller.stop().await
}

async fn changes_during_downtime_are_reconciled(plane: &ControlPlane, form: Form) -> Outcome {
    let stage = Stage::new(plane, form).await?;
    let controller = Running::start(&stage, Periods::default()).await?;
    for name in ["deleted", "replaced", "changed", "left"] {
        stage.create(name).await?;
        stage.pod(name, |_| true).await?;
    }
    controller.stop().await?;
    let left = stage.pods.get("left").await?;
    let changed = stage.pods.get("changed").await?;

    stage
        .tasks
        .delete("deleted", &DeleteParams::default())
        .await?;
    stage
        .tasks
        .delete("replaced", &DeleteParams::default())
        .await?;
    let replaced = stage.create("replaced").await?;
    stage
        .change("changed", |spec| spec.cpu = "1".to_owned())
        .await?;
    let created = stage.create("created").await?;

    let controller = Running::start(&stage, Periods::default()).await?;
    stage.no_pod("deleted").await?;
    stage
        .pod("replaced", |pod| is_controlled_by(pod, &replaced))
        .await?;
    stage
        .pod("changed", |pod| pod.uid() != changed.uid())
        .await?;
    stage
        .pod("created", |pod| is_controlled_by(pod, &created))
        .await?;
    controller.stop().await?;
    assert_eq!(stage.pods.get("left").await?, left);
    Ok(())
}

async fn unfinished_pods_are_rescheduled(plane: &ControlPlane, form: Form) -> Outcome {
    let stage = Stage::new(plane, form).await?;
    stage.create("unfinished").await?;
    stage.create("finished").await?;
    let controller = Running::start(&stage, Periods::default()).await?;
    let unfinished = stage.pod("unfinished", |_| true).await?;
    stage.pod("finished", |_| true).await?;
    controller.stop().await?;
    let status = json!({ "status": { "phase": "Succeeded" } });
    let params = PatchParams::default();
    let finished = stage
        .pods
        .patch_status("finished", &params, &Patch::Merge(status))
        .await?;
    let foreign = stage
        .pods
        .create(&PostParams::default(), &labelled_pod("foreign")?)
        .await?;

    let periods = Periods {
        reschedule: Duration::from_secs(1),
        ..Periods::default()
    };
    let controller = Running::start(&stage, periods).await?;
    let once = stage
        .pod("unfinished", |pod| pod.uid() != unfinished.uid())
        .await?;
    stage
        .pod("unfinished", |pod| {
            ![unfinished.uid(), once.uid()].contains(&pod.uid())
        })
        .await?;
    controller.stop().await?;
    assert_eq!(stage.pods.get("finished").await?, finished);
    assert_eq!(stage.pods.get("foreign").await?, foreign);
    Ok(())
}

/// Returns a Pod with the label of this controller and another owner.
pub(super) fn labelled_pod(name: &str) -> serde_json::Result<Pod> {
    serde_json::from_value(json!({
        "metadata": { "name": name, "labels": { "app": "gpu-task" } },
        "spec": { "containers": [{ "name": "main", "image": "example.com/image" }] },
    }))
}
