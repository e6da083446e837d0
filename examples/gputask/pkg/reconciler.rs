//! GPUTask controller on `genclient-controller`. It follows the table of
//! [`controller`](crate::controller), but needs no queue and workers of its own.

use std::sync::Arc;
use std::time::Duration;

use genclient::cache::ObjectName;
use genclient::kube::{Error, ResourceExt};
use genclient::rbac;
use genclient::record::EventType;
use genclient_controller::{
    Action, BoxError, Client, Context, Controller, Manager, Query, Reconciler, Result, SetupError,
    Task, Watch,
};
use k8s_openapi::api::core::v1::Pod;

use crate::apis::falldio::v1::GPUTask;
use crate::controller::pod::{self, Relation};

/// Reconciler that keeps a Pod for each GPUTask.
#[derive(Clone, Debug)]
pub struct GPUTaskReconciler {
    /// The image that tasks run.
    pub image: String,
}

/// Adds the controller to a manager, and a component that reschedules Pods at the interval
/// `reschedule`. Zero disables the rescheduling.
///
/// # Errors
///
/// See [`SetupError`].
pub fn add(manager: &mut Manager, image: String, reschedule: Duration) -> Result<(), SetupError> {
    let pods = Watch::<Pod>::new().transform(pod::slim);
    manager.add(
        Controller::new(GPUTaskReconciler { image })
            // Not `owns`, because the Pod with the task's name may have another owner. The task is
            // reconciled again once this Pod is gone and its name is free.
            .watches(pods, |pod: &Pod| [ObjectName::from_object(pod)]),
    )?;
    let client = manager.client();
    manager.add(Task::new("reschedule", move |run| async move {
        let rescheduling = reschedule_every(client, reschedule);
        run.stop
            .run_until_cancelled(rescheduling)
            .await
            .unwrap_or(Ok(()))
    }))?;
    Ok(())
}

/// Deletes unfinished Pods of this controller every `period`, so that the scheduler selects a node
/// again.
async fn reschedule_every(client: Client, period: Duration) -> Result<(), BoxError> {
    let ours = Query::new().labels([pod::APP]);
    while !period.is_zero() {
        tokio::time::sleep(period).await;
        for pod in client.list::<Pod>(&ours).await? {
            let task = client
                .get::<GPUTask>(&ObjectName::from_object(&*pod))
                .await?;
            let is_ours = task.is_some_and(|task| pod::relation(&pod, &task) != Relation::Foreign);
            if is_ours && pod::is_unfinished(&pod) && pod.metadata.deletion_timestamp.is_none() {
                // A Pod that could not be deleted is deleted in the next round.
                if let Err(error) = client.delete(&*pod).await {
                    tracing::warn!(pod = pod.name_any(), %error, "not rescheduled");
                }
            }
        }
    }
    Ok(())
}

#[rbac(resource = Pod, verbs = ["create", "delete"])]
#[rbac(group = "falldio.com", resources = ["gputasks/finalizers"], verbs = ["update"])]
impl Reconciler for GPUTaskReconciler {
    type Object = GPUTask;

    async fn reconcile(&self, task: Arc<GPUTask>, cx: &Context) -> Result {
        // While the task is being deleted, the deleting client decides whether the Pod is deleted,
        // too.
        if task.metadata.deletion_timestamp.is_some() {
            return Ok(Action::done());
        }
        let desired = pod::of(&task, &self.image)
            .map_err(|invalid| cx.refuse(&*task, "InvalidQuantity", invalid))?;
        let existing = cx
            .client()
            .get::<Pod>(&ObjectName::from_object(&*task))
            .await?;
        match existing
            .as_deref()
            .map(|pod| (pod, pod::relation(pod, &task)))
        {
            None => match cx.client().create(&desired).await {
                Err(Error::Api(status)) if status.code == 422 => {
                    return Err(cx.refuse(&*task, "InvalidPod", status.message.clone()));
                }
                created => {
                    let message = format!("created the Pod {}", created?.name_any());
                    cx.recorder()
                        .event(&*task, EventType::Normal, "Synced", message);
                }
            },
            // Once the Pod is gone, the task is reconciled again.
            Some((pod, _)) if pod.metadata.deletion_timestamp.is_some() => {}
            Some((_, Relation::Current)) => {}
            Some((pod, Relation::Outdated)) => cx.client().delete(pod).await?,
            Some((pod, Relation::Foreign)) => {
                let message = format!("the Pod {} exists and is not ours", pod.name_any());
                cx.recorder()
                    .event(&*task, EventType::Warning, "ErrResourceExists", message);
            }
        }
        Ok(Action::done())
    }

    async fn absent(&self, name: &ObjectName, cx: &Context) -> Result {
        if let Some(pod) = cx.client().get::<Pod>(name).await?
            && pod::is_made_for(&pod, name.name())
        {
            cx.client().delete(&*pod).await?;
        }
        Ok(Action::done())
    }
}
