//! Tests of invalid tasks: the controller records the reason once, and waits for a change.

use std::time::Duration;

use e2e::ControlPlane;
use kube::ResourceExt;
use kube::api::{DeleteParams, PostParams};

use super::lifecycle::labelled_pod;
use super::{Form, Periods, Running, Stage, both, is_controlled_by};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    both!(
        suite.both,
        foreign_pod_is_left_alone,
        bad_quantity_waits_for_a_change,
        invalid_pod_waits_for_a_change,
    );
}

async fn foreign_pod_is_left_alone(plane: &ControlPlane, form: Form) -> Outcome {
    let stage = Stage::new(plane, form).await?;
    let foreign = stage
        .pods
        .create(&PostParams::default(), &labelled_pod("train")?)
        .await?;
    let controller = Running::start(&stage, Periods::default()).await?;
    let task = stage.create("train").await?;

    let event = stage.event("train", "ErrResourceExists", 1).await?;
    assert_eq!(event.type_.as_deref(), Some("Warning"));
    assert_eq!(stage.pods.get("train").await?, foreign);
    stage
        .tasks
        .delete("train", &DeleteParams::default())
        .await?;
    let task_again = stage.create("train").await?;
    stage.event("train", "ErrResourceExists", 1).await?;
    assert_eq!(stage.pods.get("train").await?, foreign);
    assert_ne!(task.metadata.uid, task_again.metadata.uid);

    // Once the name is free, the task gets its Pod.
    stage.pods.delete("train", &DeleteParams::default()).await?;
    let pod = stage.pod("train", |pod| pod.uid() != foreign.uid()).await?;
    assert!(is_controlled_by(&pod, &task_again), "{:?}", pod.metadata);
    controller.stop().await
}

async fn bad_quantity_waits_for_a_change(plane: &ControlPlane, form: Form) -> Outcome {
    let stage = Stage::new(plane, form).await?;
    stage
        .create_with("train", |spec| spec.memory = "4GB".to_owned())
        .await?;
    let event = waits_for_a_change(&stage, "InvalidQuantity").await?;
    assert_eq!(
        event,
        r#"spec.memory: "4GB" is not a quantity, such as `2`, `500m`, `4Gi`"#
    );
    Ok(())
}

/// A fraction of a GPU is a quantity, but the API server requires an integer.
async fn invalid_pod_waits_for_a_change(plane: &ControlPlane, form: Form) -> Outcome {
    let stage = Stage::new(plane, form).await?;
    stage
        .create_with("train", |spec| spec.gpu_amount = "0.5".to_owned())
        .await?;
    let event = waits_for_a_change(&stage, "InvalidPod").await?;
    assert!(event.contains("must be an integer"), "{event}");
    Ok(())
}

/// Checks that the task `train` is refused once, with any number of syncs, and gets its Pod when it
/// is fixed. Returns the message of the refusal.
async fn waits_for_a_change(stage: &Stage, reason: &str) -> Result<String, libtest_mimic::Failed> {
    // A task with a counted event for each sync: another owner's Pod has its name.
    stage
        .pods
        .create(&PostParams::default(), &labelled_pod("clock")?)
        .await?;
    stage.create("clock").await?;
    let periods = Periods {
        resync: Duration::from_secs(1),
        ..Periods::default()
    };
    let controller = Running::start(stage, periods).await?;
    let event = stage.event("train", reason, 1).await?;
    assert_eq!(event.type_.as_deref(), Some("Warning"));
    stage.event("clock", "ErrResourceExists", 3).await?;
    assert_eq!(stage.reasons("train").await?, [(reason.to_owned(), 1)]);
    assert!(stage.pods.get_opt("train").await?.is_none());

    stage
        .change("train", |spec| {
            spec.memory = "4Gi".to_owned();
            spec.gpu_amount = "1".to_owned();
        })
        .await?;
    stage.pod("train", |_| true).await?;
    controller.stop().await?;
    let reasons = [(reason.to_owned(), 1), ("Synced".to_owned(), 1)];
    assert_eq!(stage.reasons("train").await?, reasons);
    Ok(event.message.unwrap_or_default())
}
