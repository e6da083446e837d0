//! Port of Kubernetes' sample-controller: keeps a Deployment for each Demo, and reports its
//! available replicas in the Demo's status.
//!
//! The Deployment has the name that the Demo specifies, and the Demo owns it. If the Demo specifies
//! replicas, a change by another client is undone. A Deployment of another owner is left alone.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use clap::Parser;
use demo_api::apis::democontroller::v1alpha1::{Demo, DemoStatus};
use demo_client::clientset::Clientset;
use demo_client::informers::SharedInformerFactory;
use demo_client::listers::democontroller::v1alpha1::DemoLister;
use futures::future::join_all;
use genclient::cache::ObjectName;
use genclient::client::{PostParams, TypedClient};
use genclient::informer::{Enqueue, Handlers, SharedInformer};
use genclient::kube::{Resource, ResourceExt};
use genclient::lister::Lister;
use genclient::record::{EventBroadcaster, EventRecorder, EventType};
use genclient::signals::{self, CancellationToken};
use genclient::workqueue::Queue;
use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{Container, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta, OwnerReference};

const NAME: &str = "demo-controller";

/// Keeps a Deployment for each Demo
#[derive(Debug, Parser)]
struct Flags {
    #[command(flatten)]
    connection: demo::Connection,

    #[command(flatten)]
    logging: demo::Logging,

    /// How many Demos are synced at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    workers: u16,
}

struct Controller {
    clientset: Clientset,
    demos: DemoLister,
    deployments: Lister<Deployment>,
    queue: Queue<ObjectName>,
    recorder: EventRecorder,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    flags.logging.start();
    let stop = signals::shutdown()?;
    let clientset = Clientset::new(flags.connection.config().await?)?;
    run(clientset, flags.workers, &stop).await
}

/// Runs the controller until `stop` is cancelled.
async fn run(clientset: Clientset, workers: u16, stop: &CancellationToken) -> anyhow::Result<()> {
    let events = EventBroadcaster::new(clientset.client().clone());
    let factory = SharedInformerFactory::builder(clientset.clone())
        .resync(Duration::from_secs(30))
        .build();
    let demos = factory.democontroller().v1alpha1().demos();
    let deployments: SharedInformer<Deployment> = factory.informer_for();
    let controller = Controller {
        clientset,
        demos: demos.lister(),
        deployments: deployments.lister(),
        queue: Queue::new(),
        recorder: events.recorder(NAME),
    };
    let _registrations = [
        demos.add_handler(Enqueue::keys(&controller.queue))?,
        deployments.add_handler(on_deployment(&controller.queue))?,
    ];

    factory.start();
    if let Some(synced) = stop
        .run_until_cancelled(factory.wait_for_cache_sync())
        .await
    {
        synced?;
        let workers = join_all((0..workers).map(|_| controller.work()));
        let stopping = async {
            stop.cancelled().await;
            controller.queue.shutdown_with_drain().await;
        };
        tokio::join!(workers, stopping);
    }
    factory.shutdown().await;
    events.shutdown(Duration::from_secs(5)).await?;
    Ok(())
}

/// Returns handlers that enqueue the Demo that owns a Deployment.
fn on_deployment(queue: &Queue<ObjectName>) -> Handlers<Deployment> {
    let (added, updated, deleted) = (queue.clone(), queue.clone(), queue.clone());
    Handlers::new()
        .on_add(move |deployment, _is_initial| add_owner(&added, &deployment))
        .on_update(move |old: Arc<Deployment>, new| {
            // Equal versions mean a resync without a change.
            if old.resource_version() != new.resource_version() {
                add_owner(&updated, &new);
            }
        })
        .on_delete(move |gone| {
            if let Some(deployment) = gone.object() {
                add_owner(&deleted, deployment);
            }
        })
}

fn add_owner(queue: &Queue<ObjectName>, deployment: &Deployment) {
    if let Some(owner) = controller_of(deployment)
        && owner.kind == Demo::kind(&())
        && owner.api_version == Demo::api_version(&())
    {
        let namespace = deployment.namespace().unwrap_or_default();
        queue.add(ObjectName::namespaced(&namespace, &owner.name));
    }
}

impl Controller {
    async fn work(&self) {
        while let Some(name) = self.queue.get().await {
            match self.sync(&name).await {
                Ok(()) => self.queue.forget(&name),
                Err(error) => {
                    tracing::warn!(%name, %error, "to be tried again");
                    self.queue.add_rate_limited(name.clone());
                }
            }
        }
    }

    /// Reconciles the Deployment with the Demo, and the Demo's status with the Deployment.
    async fn sync(&self, name: &ObjectName) -> anyhow::Result<()> {
        let Some(demo) = self.demos.get(name) else {
            // The Demo was deleted, so the garbage collector deletes its Deployment.
            return Ok(());
        };
        if demo.spec.deployment_name.is_empty() {
            tracing::error!(%name, "the Demo names no Deployment");
            return Ok(());
        }
        let deployment = self.ensure_deployment(&demo).await?;
        self.write_status(&demo, &deployment).await?;
        self.recorder.event(
            &*demo,
            EventType::Normal,
            "Synced",
            "Demo synced successfully",
        );
        Ok(())
    }

    async fn ensure_deployment(&self, demo: &Demo) -> anyhow::Result<Arc<Deployment>> {
        let namespace = demo.namespace().unwrap_or_default();
        let client = self.clientset.client().clone();
        let deployments = TypedClient::namespaced(client, &namespace);
        let lister = self.deployments.namespace(&namespace);
        let Some(found) = lister.get(&demo.spec.deployment_name) else {
            let created = deployments.create(&deployment_of(demo), &params()).await?;
            return Ok(Arc::new(created));
        };
        if !is_controlled_by(&found, demo) {
            let message = format!(
                "the Deployment {} exists and is not managed by this Demo",
                found.name_any()
            );
            self.recorder.event(
                demo,
                EventType::Warning,
                "ErrResourceExists",
                message.clone(),
            );
            bail!(message);
        }
        let wanted = demo.spec.replicas;
        let replicas = found.spec.as_ref().and_then(|spec| spec.replicas);
        if wanted.is_none() || wanted == replicas {
            return Ok(found);
        }
        let mut changed = Deployment::clone(&found);
        changed.spec.get_or_insert_default().replicas = wanted;
        Ok(Arc::new(deployments.update(&changed, &params()).await?))
    }

    async fn write_status(&self, demo: &Demo, deployment: &Deployment) -> anyhow::Result<()> {
        let available = deployment
            .status
            .as_ref()
            .and_then(|status| status.available_replicas);
        let status = Some(DemoStatus {
            available_replicas: available.unwrap_or_default(),
        });
        if demo.status == status {
            return Ok(());
        }
        // Cached objects are shared, so a copy is changed.
        let demo = Demo {
            status,
            ..demo.clone()
        };
        let demos = self
            .clientset
            .democontroller_v1alpha1()
            .demos(&demo.namespace().unwrap_or_default());
        demos.update_status(&demo, &params()).await?;
        Ok(())
    }
}

/// Returns the desired Deployment of a Demo.
fn deployment_of(demo: &Demo) -> Deployment {
    let labels = BTreeMap::from([
        ("app".to_owned(), "nginx".to_owned()),
        ("controller".to_owned(), demo.name_any()),
    ]);
    let owner = demo.controller_owner_ref(&());
    Deployment {
        metadata: ObjectMeta {
            name: Some(demo.spec.deployment_name.clone()),
            namespace: demo.namespace(),
            owner_references: owner.map(|owner| vec![owner]),
            ..ObjectMeta::default()
        },
        spec: Some(DeploymentSpec {
            replicas: demo.spec.replicas,
            selector: LabelSelector {
                match_labels: Some(labels.clone()),
                ..LabelSelector::default()
            },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta {
                    labels: Some(labels),
                    ..ObjectMeta::default()
                }),
                spec: Some(PodSpec {
                    containers: vec![Container {
                        name: "nginx".to_owned(),
                        image: Some("nginx:latest".to_owned()),
                        ..Container::default()
                    }],
                    ..PodSpec::default()
                }),
            },
            ..DeploymentSpec::default()
        }),
        status: None,
    }
}

fn controller_of(deployment: &Deployment) -> Option<&OwnerReference> {
    let mut owners = deployment.owner_references().iter();
    owners.find(|owner| owner.controller == Some(true))
}

fn is_controlled_by(deployment: &Deployment, demo: &Demo) -> bool {
    controller_of(deployment).is_some_and(|owner| demo.uid().is_some_and(|uid| uid == owner.uid))
}

fn params() -> PostParams {
    PostParams {
        field_manager: Some(NAME.to_owned()),
        ..PostParams::default()
    }
}

#[cfg(test)]
mod tests {
    use demo_client::crds;
    use genclient::client::{DeleteParams, GetParams, Patch, PatchParams};
    use genclient_apiserver::{ApiServer, eventually};
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn a_demo_has_its_deployment() {
        let server = ApiServer::builder().crds(crds::all()).build().unwrap();
        let clientset = Clientset::from(server.client());
        let stop = CancellationToken::new();
        let running = tokio::spawn({
            let (clientset, stop) = (clientset.clone(), stop.clone());
            async move { run(clientset, 2, &stop).await }
        });

        let demos = clientset.democontroller_v1alpha1().demos("default");
        let demo = json!({
            "apiVersion": "democontroller.example.com/v1alpha1",
            "kind": "Demo",
            "metadata": { "name": "web" },
            "spec": { "deploymentName": "web", "replicas": 2 },
        });
        let demo: Demo = serde_json::from_value(demo).unwrap();
        demos.create(&demo, &params()).await.unwrap();
        let deployments: TypedClient<Deployment> =
            TypedClient::namespaced(server.client(), "default");
        let found = async || deployments.get("web", &GetParams::default()).await;
        let two_replicas = async || match found().await.map(|found| found.spec) {
            Ok(Some(spec)) if spec.replicas == Some(2) => Ok(()),
            other => Err(format!("{other:?}")),
        };
        eventually("2 replicas", two_replicas).await.unwrap();

        // A change by another client is undone, and the available replicas are reported.
        let patch = |body| Patch::Merge(body);
        let more = patch(json!({ "spec": { "replicas": 9 } }));
        deployments
            .patch("web", &more, &PatchParams::default())
            .await
            .unwrap();
        eventually("2 replicas again", two_replicas).await.unwrap();
        let available =
            json!({ "status": { "replicas": 2, "readyReplicas": 2, "availableReplicas": 2 } });
        let params = PatchParams::default();
        deployments
            .patch_status("web", &patch(available), &params)
            .await
            .unwrap();
        eventually("the status", async || {
            let status = demos.get("web", &GetParams::default()).await.ok()?.status?;
            (status.available_replicas == 2).then_some(())
        })
        .await
        .unwrap();

        // Deleting the Demo deletes its Deployment.
        demos.delete("web", &DeleteParams::default()).await.unwrap();
        let is_gone = async || found().await.is_err();
        eventually("no Deployment", is_gone).await.unwrap();
        stop.cancel();
        running.await.unwrap().unwrap();
    }
}
