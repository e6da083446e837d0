//! Tests of the controller of `examples/gputask` in both forms, run in this process against the
//! real API server.

mod lifecycle;
mod outage;
mod refusals;

use std::time::Duration;

use e2e::{ControlPlane, NotYet, eventually};
use genclient::record::EventBroadcaster;
use genclient_controller::Manager;
use gputask::apis::falldio::v1::{GPUTask, GPUTaskSpec};
use gputask::client::clientset::Clientset;
use gputask::client::clientset::falldio::v1::GPUTasks;
use gputask::client::informers::SharedInformerFactory;
use gputask::controller::{self, Controller};
use gputask::reconciler;
use k8s_openapi::api::core::v1::{Event, Pod};
use kube::ResourceExt;
use kube::api::{Api, ListParams, ObjectMeta, PostParams};
use libtest_mimic::Failed;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::crds::GPU_TASKS;
use crate::suite::Suite;

pub(crate) fn tests(suite: &mut Suite) {
    lifecycle::tests(suite);
    refusals::tests(suite);
    outage::tests(suite);
}

/// The form of the controller.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// The handwritten loop.
    Loop,
    /// The reconciler in a manager.
    Managed,
}

/// Registers a test once for each form of the controller, on a shared control plane or on a
/// separate one.
macro_rules! both {
    ($suite:ident.$plane:ident, $($test:ident),* $(,)?) => {$(
        $suite.$plane(concat!("gputask::loop_::", stringify!($test)), async |plane: &_| {
            $test(plane, Form::Loop).await
        });
        $suite.$plane(concat!("gputask::managed::", stringify!($test)), async |plane: &_| {
            $test(plane, Form::Managed).await
        });
    )*};
}
use both;

/// A separate namespace with GPUTasks.
struct Stage {
    form: Form,
    clientset: Clientset,
    namespace: String,
    tasks: GPUTasks,
    pods: Api<Pod>,
    events: Api<Event>,
}

impl Stage {
    async fn new(plane: &ControlPlane, form: Form) -> Result<Self, Failed> {
        plane.apply_crd(GPU_TASKS).await?;
        let namespace = plane.create_namespace("gputask").await?;
        let clientset = Clientset::from(plane.client());
        Ok(Self {
            form,
            tasks: clientset.falldio_v1().gpu_tasks(&namespace),
            pods: Api::namespaced(plane.client(), &namespace),
            events: Api::namespaced(plane.client(), &namespace),
            clientset,
            namespace,
        })
    }

    /// Creates a valid task.
    async fn create(&self, name: &str) -> kube::Result<GPUTask> {
        self.create_with(name, |_| {}).await
    }

    async fn create_with(
        &self,
        name: &str,
        change: impl FnOnce(&mut GPUTaskSpec),
    ) -> kube::Result<GPUTask> {
        let mut spec = GPUTaskSpec {
            memory: "4Gi".to_owned(),
            gpu: "a100".to_owned(),
            gpu_amount: "1".to_owned(),
            cpu: "500m".to_owned(),
            priority: String::new(),
        };
        change(&mut spec);
        let metadata = ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        };
        let task = GPUTask { metadata, spec };
        self.tasks.create(&task, &PostParams::default()).await
    }

    async fn change(
        &self,
        name: &str,
        change: impl FnOnce(&mut GPUTaskSpec),
    ) -> kube::Result<GPUTask> {
        let mut task = self.tasks.get(name, &Default::default()).await?;
        change(&mut task.spec);
        self.tasks.update(&task, &PostParams::default()).await
    }

    /// Waits until the Pod of that name is `as_wanted`.
    async fn pod(&self, name: &str, as_wanted: impl Fn(&Pod) -> bool) -> Result<Pod, NotYet> {
        eventually(&format!("the Pod {name}"), async || {
            let pod = self.pods.get(name).await.map_err(|e| e.to_string())?;
            if as_wanted(&pod) {
                Ok(pod)
            } else {
                Err(format!("{:?}", pod.metadata))
            }
        })
        .await
    }

    async fn no_pod(&self, name: &str) -> Result<(), NotYet> {
        eventually(&format!("no Pod {name}"), async || {
            match self.pods.get_opt(name).await {
                Ok(None) => Ok(()),
                Ok(Some(pod)) => Err(format!("{:?}", pod.metadata)),
                Err(error) => Err(error.to_string()),
            }
        })
        .await
    }

    /// Returns the events about a task, sorted by reason.
    async fn events(&self, task: &str) -> kube::Result<Vec<Event>> {
        let about = format!("involvedObject.kind=GPUTask,involvedObject.name={task}");
        let mut events = self
            .events
            .list(&ListParams::default().fields(&about))
            .await?
            .items;
        events.sort_by_cached_key(|event| event.reason.clone());
        Ok(events)
    }

    /// Waits for an event about a task that was counted at least `count` times.
    async fn event(&self, task: &str, reason: &str, count: i32) -> Result<Event, NotYet> {
        eventually(&format!("the event {reason} of {task}"), async || {
            let events = self.events(task).await.map_err(|e| e.to_string())?;
            let found = events.iter().find(|event| {
                event.reason.as_deref() == Some(reason) && event.count.unwrap_or_default() >= count
            });
            found.cloned().ok_or_else(|| format!("{events:?}"))
        })
        .await
    }

    /// Returns reason and count of every event about a task.
    async fn reasons(&self, task: &str) -> kube::Result<Vec<(String, i32)>> {
        let events = self.events(task).await?.into_iter();
        Ok(events
            .map(|event| {
                (
                    event.reason.unwrap_or_default(),
                    event.count.unwrap_or_default(),
                )
            })
            .collect())
    }

    /// Returns the count of the event that a task has its Pod. Any other event is an error.
    async fn synced(&self, task: &str) -> Result<i32, Failed> {
        match self.reasons(task).await?.as_slice() {
            [] => Ok(0),
            [(reason, count)] if reason == "Synced" => Ok(*count),
            other => Err(format!("{task}: {other:?}").into()),
        }
    }
}

/// Periods of the controller.
#[derive(Clone, Copy, Debug, Default)]
struct Periods {
    resync: Duration,
    reschedule: Duration,
}

/// The controller in the namespace of a stage. It stops when this is dropped.
struct Running {
    stop: DropGuard,
    run: JoinHandle<Result<(), Failed>>,
}

impl Running {
    /// Starts it as `main` does.
    async fn start(stage: &Stage, periods: Periods) -> Result<Self, Failed> {
        let stop = CancellationToken::new();
        let run = match stage.form {
            Form::Loop => Self::start_loop(stage, periods, stop.clone()).await?,
            Form::Managed => Self::start_managed(stage, periods, stop.clone()).await?,
        };
        Ok(Self {
            stop: stop.drop_guard(),
            run,
        })
    }

    async fn start_managed(
        stage: &Stage,
        periods: Periods,
        stop: CancellationToken,
    ) -> Result<JoinHandle<Result<(), Failed>>, Failed> {
        let mut manager = Manager::builder(controller::NAME)
            .client(stage.clientset.client().clone())
            .namespaces([&stage.namespace])
            .resync(periods.resync)
            .workers(2)
            .build()
            .await?;
        let image = controller::DEFAULT_IMAGE.to_owned();
        reconciler::add(&mut manager, image, periods.reschedule)?;
        Ok(tokio::spawn(async move { Ok(manager.run(stop).await?) }))
    }

    async fn start_loop(
        stage: &Stage,
        periods: Periods,
        stop: CancellationToken,
    ) -> Result<JoinHandle<Result<(), Failed>>, Failed> {
        let events = EventBroadcaster::new(stage.clientset.client().clone());
        let recorder = events.recorder(controller::NAME);
        let factory = SharedInformerFactory::builder(stage.clientset.clone())
            .resync(periods.resync)
            .namespace(&stage.namespace)
            .build();
        let image = controller::DEFAULT_IMAGE.to_owned();
        let controller = Controller::new(&stage.clientset, &factory, recorder, image)?;
        factory.start();
        factory.wait_for_cache_sync().await?;
        Ok(tokio::spawn(async move {
            controller.run(2, periods.reschedule, stop).await;
            factory.shutdown().await;
            Ok(events.shutdown(Duration::from_secs(10)).await?)
        }))
    }

    /// Stops it as a signal does, and waits for its end.
    async fn stop(self) -> Result<(), Failed> {
        self.stop.disarm().cancel();
        self.run.await?
    }
}

fn is_controlled_by(pod: &Pod, task: &GPUTask) -> bool {
    let mut owners = pod.owner_references().iter();
    owners.any(|owner| {
        owner.controller == Some(true) && Some(&owner.uid) == task.metadata.uid.as_ref()
    })
}
