//! Controller of GPUTasks on client-go's building blocks: one Pod for each GPUTask.
//!
//! [`Controller::new`] watches GPUTasks and Pods, and enqueues their names. A Pod has the name of
//! its task. [`Controller::run`] dequeues names, and reconciles the Pod with the current task.
//!
//! | GPUTask | Pod of that name | action |
//! |---|---|---|
//! | exists | none | create the Pod; event `Synced` |
//! | exists | made for it | nothing |
//! | changed | made for its former state | delete the Pod, and create it again once it is gone |
//! | exists | not made for it | nothing; Warning `ErrResourceExists` |
//! | invalid | any | nothing until it changes; Warning `InvalidQuantity` or `InvalidPod` |
//! | gone | made for it | delete the Pod |
//!
//! The Pod of a changed task is replaced, because most fields of a Pod are immutable.

pub(crate) mod pod;
mod quantity;
mod refused;
mod reschedule;
#[cfg(test)]
mod tests;

use std::time::Duration;

use futures::future::join_all;
use genclient::cache::ObjectName;
use genclient::client::{DeleteParams, PostParams, Result, TypedClient};
use genclient::informer::{
    AlreadyStartedError, Enqueue, Filtered, HandlerOptions, HandlerRegistration, SharedInformer,
    StoppedError,
};
use genclient::kube::api::Preconditions;
use genclient::kube::{Client, Error, Resource, ResourceExt};
use genclient::lister::Lister;
use genclient::record::{EventRecorder, EventType};
use genclient::workqueue::Queue;
use k8s_openapi::api::core::v1::Pod;
use tokio_util::sync::CancellationToken;

use crate::apis::falldio::v1::GPUTask;
use crate::client::clientset::Clientset;
use crate::client::informers::SharedInformerFactory;
use crate::client::listers::falldio::v1::GPUTaskLister;
use pod::Relation;
use refused::Refused;

/// Name of the controller: the source of its events, and its field manager.
pub const NAME: &str = "gputask-controller";

/// The default image of tasks.
pub const DEFAULT_IMAGE: &str = "nvidia/cuda:11.0-base";

/// Controller that keeps a Pod for each GPUTask.
pub struct Controller {
    client: Client,
    tasks: GPUTaskLister,
    pods: Lister<Pod>,
    queue: Queue<ObjectName>,
    recorder: EventRecorder,
    image: String,
    refused: Refused,
    /// Dropping these removes the handlers.
    _registrations: Vec<HandlerRegistration>,
}

/// Error of creating a controller whose informers have started or stopped already.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The informer of Pods has started already, and caches whole Pods.
    #[error(transparent)]
    AlreadyStarted(#[from] AlreadyStartedError),
    /// An informer has stopped.
    #[error(transparent)]
    Stopped(#[from] StoppedError),
}

impl Controller {
    /// Creates a controller whose Pods run `image`. Start the informers of `factory` after this
    /// call, and let them sync before [`run`](Self::run).
    ///
    /// # Errors
    ///
    /// See [`SetupError`].
    pub fn new(
        clientset: &Clientset,
        factory: &SharedInformerFactory,
        recorder: EventRecorder,
        image: String,
    ) -> Result<Self, SetupError> {
        let tasks = factory.falldio().v1().gpu_tasks();
        let pods: SharedInformer<Pod> = factory.informer_for();
        pods.set_transform(pod::slim)?;
        let queue = Queue::new();
        let registrations = vec![
            tasks.add_handler(Enqueue::keys(&queue))?,
            // No resync, because there is nothing to do for a Pod without a change.
            pods.add_handler_with(
                Filtered::new(concerns(tasks.lister()), Enqueue::keys(&queue)),
                HandlerOptions::new().resync(Duration::ZERO),
            )?,
        ];
        Ok(Self {
            client: clientset.client().clone(),
            tasks: tasks.lister(),
            pods: pods.lister(),
            queue,
            recorder,
            image,
            refused: Refused::default(),
            _registrations: registrations,
        })
    }

    /// Reconciles queued names until `stop` is cancelled. Names that are still queued are then
    /// reconciled once more.
    ///
    /// At the interval `reschedule`, unfinished Pods are deleted, so that the scheduler selects a
    /// node again. Zero disables this.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the API server may still execute an open request. The next run
    /// reads its result from the caches.
    pub async fn run(&self, workers: u16, reschedule: Duration, stop: CancellationToken) {
        let workers = join_all((0..workers).map(|_| self.work()));
        let rescheduling = stop.run_until_cancelled(self.reschedule_every(reschedule));
        let stopping = async {
            stop.cancelled().await;
            self.queue.shutdown_with_drain().await;
        };
        tokio::join!(workers, rescheduling, stopping);
    }

    async fn work(&self) {
        while let Some(name) = self.queue.get().await {
            match self.sync(&name).await {
                Ok(()) => self.queue.forget(&name),
                Err(error) => {
                    let retries = self.queue.num_requeues(&name);
                    tracing::warn!(%name, %error, retries, "not synced, to be tried again");
                    self.queue.add_rate_limited(name.clone());
                }
            }
        }
    }

    /// Reconciles one Pod with its task. Reads only the caches, because the name is enqueued again
    /// when they show a later change.
    async fn sync(&self, name: &ObjectName) -> Result<()> {
        let task = self.tasks.get(name);
        let pod = self.pods.indexer().get(name);
        match (task, pod) {
            (Some(task), pod) => self.sync_task(&task, pod.as_deref()).await,
            (None, Some(pod)) if pod::is_made_for(&pod, name.name()) => self.delete(&pod).await,
            (None, _) => {
                self.refused.forget(name);
                Ok(())
            }
        }
    }

    async fn sync_task(&self, task: &GPUTask, pod: Option<&Pod>) -> Result<()> {
        // While the task is being deleted, the deleting client decides whether the Pod is deleted,
        // too.
        if task.metadata.deletion_timestamp.is_some() || self.refused.contains(task) {
            return Ok(());
        }
        let desired = match pod::of(task, &self.image) {
            Ok(desired) => desired,
            Err(invalid) => {
                self.refuse(task, "InvalidQuantity", invalid.to_string());
                return Ok(());
            }
        };
        match pod.map(|pod| (pod, pod::relation(pod, task))) {
            None => self.create(task, &desired).await,
            // Once the Pod is gone, its name is enqueued.
            Some((pod, _)) if pod.metadata.deletion_timestamp.is_some() => Ok(()),
            Some((_, Relation::Current)) => Ok(()),
            Some((pod, Relation::Outdated)) => self.delete(pod).await,
            Some((pod, Relation::Foreign)) => {
                let message = format!("the Pod {} exists and is not ours", pod.name_any());
                self.warn(task, "ErrResourceExists", message);
                Ok(())
            }
        }
    }

    async fn create(&self, task: &GPUTask, pod: &Pod) -> Result<()> {
        let params = PostParams {
            field_manager: Some(NAME.to_owned()),
            ..PostParams::default()
        };
        match self.pods_beside(task).create(pod, &params).await {
            Ok(pod) => {
                let message = format!("created the Pod {}", pod.name_any());
                self.recorder
                    .event(task, EventType::Normal, "Synced", message);
                Ok(())
            }
            Err(Error::Api(status)) if status.code == 422 => {
                self.refuse(task, "InvalidPod", status.message);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Deletes this Pod, and no newer Pod of the same name.
    async fn delete(&self, pod: &Pod) -> Result<()> {
        let params = DeleteParams::default().preconditions(Preconditions {
            uid: pod.uid(),
            ..Preconditions::default()
        });
        match self.pods_beside(pod).delete(&pod.name_any(), &params).await {
            Err(Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(()),
            result => result.map(|_| ()),
        }
    }

    fn pods_beside<K: Resource>(&self, object: &K) -> TypedClient<Pod> {
        let namespace = object.namespace().unwrap_or_default();
        TypedClient::namespaced(self.client.clone(), &namespace)
    }

    /// Records a warning, and ignores the task until it changes.
    fn refuse(&self, task: &GPUTask, reason: &str, message: String) {
        self.refused.insert(task);
        self.warn(task, reason, message);
    }

    fn warn(&self, task: &GPUTask, reason: &str, message: String) {
        self.recorder
            .event(task, EventType::Warning, reason, message);
    }
}

/// Returns a filter of Pods that were made for a task, or have the name of one.
fn concerns(tasks: GPUTaskLister) -> impl Fn(&Pod) -> bool {
    move |pod| {
        pod::is_made_for(pod, &pod.name_any()) || tasks.get(&ObjectName::from_object(pod)).is_some()
    }
}
