//! Tests of the controller and the webhooks of `examples/application`, run in this process against
//! the real API server. There are no Kubernetes controllers: the tests write the status of
//! Deployments.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use application::apis::apps::{v1alpha1, v1beta1};
use application::{controller, webhook};
use e2e::{ControlPlane, eventually, eventually_within};
use futures::{StreamExt, TryStreamExt, stream};
use genclient_controller::webhook::{Certificates, WebhookServer};
use genclient_controller::{Manager, RunError};
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Event, Service};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Client, Error, Resource, ResourceExt};
use libtest_mimic::Failed;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::suite::{Outcome, Suite};

const DEFINITION: &str =
    include_str!("../../examples/application/config/crd/apps.example.io_applications.yaml");
const WEBHOOKS: &str = include_str!("../../examples/application/config/webhook/manifests.yaml");

pub(crate) fn tests(suite: &mut Suite) {
    suite.own("application::full_lifecycle", full_lifecycle);
    suite.own(
        "application::remaining_replica_takes_over_the_lease",
        remaining_replica_takes_over_the_lease,
    );
    suite.own(
        "application::objects_stored_in_an_old_version_are_converted",
        objects_stored_in_an_old_version_are_converted,
    );
}

/// A running replica of the program.
struct Replica {
    stop: CancellationToken,
    run: JoinHandle<Result<(), RunError>>,
}

impl Replica {
    async fn start(plane: &ControlPlane, listener: TcpListener, url: &str) -> Result<Self, Failed> {
        let mut manager = Manager::builder(controller::NAME)
            .client(plane.client())
            .leader_election(true)
            .leader_election_namespace("default")
            .lease_duration(Duration::from_secs(3))
            .renew_deadline(Duration::from_secs(2))
            .retry_period(Duration::from_millis(300))
            .build()
            .await?;
        let certificates = Certificates::own("webhook-server-cert")
            .namespace("default")
            .url(url);
        let server = WebhookServer::new(webhook::webhooks(), certificates);
        manager.add(server.listener(listener))?;
        controller::add(&mut manager)?;
        let stop = CancellationToken::new();
        let run = tokio::spawn(manager.run(stop.clone()));
        Ok(Self { stop, run })
    }

    async fn stop(self) -> Outcome {
        self.stop.cancel();
        Ok(self.run.await??)
    }
}

/// Installs the output of `genclient update`, with a URL in place of the Service.
async fn install(client: &Client, url: &str) -> Outcome {
    let at = |path: &Value| json!({ "url": format!("{url}{}", path.as_str().unwrap_or("")) });
    let mut definition: Value = serde_saphyr::from_str(DEFINITION)?;
    let config = &mut definition["spec"]["conversion"]["webhook"]["clientConfig"];
    *config = at(&config["service"]["path"]);
    apply::<CustomResourceDefinition>(client, definition).await?;
    for mut manifest in serde_saphyr::from_multiple::<Value>(WEBHOOKS)? {
        let config = &mut manifest["webhooks"][0]["clientConfig"];
        *config = at(&config["service"]["path"]);
        match manifest["kind"].as_str() {
            Some("MutatingWebhookConfiguration") => {
                apply::<MutatingWebhookConfiguration>(client, manifest).await?;
            }
            _ => apply::<ValidatingWebhookConfiguration>(client, manifest).await?,
        }
    }
    Ok(())
}

async fn apply<K>(client: &Client, object: Value) -> Outcome
where
    K: Resource<DynamicType = ()> + Clone + std::fmt::Debug + DeserializeOwned,
{
    let api: Api<K> = Api::all(client.clone());
    let name = object["metadata"]["name"].as_str().ok_or("no name")?;
    let params = PatchParams::apply("tests").force();
    api.patch(name, &params, &Patch::Apply(&object)).await?;
    Ok(())
}

fn listen() -> Result<(TcpListener, String), Failed> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("https://{}", listener.local_addr()?);
    Ok((listener, url))
}

fn web() -> Result<v1alpha1::Application, Failed> {
    let sample = include_str!("../../examples/application/config/samples/web.yaml");
    Ok(serde_saphyr::from_str(sample)?)
}

/// Creates an Application once its webhooks can be called.
async fn create(
    applications: &Api<v1alpha1::Application>,
) -> Result<v1alpha1::Application, Failed> {
    let created = eventually("the webhooks are called", async || {
        let web = web().map_err(|error| format!("{error:?}"))?;
        let created = applications.create(&PostParams::default(), &web).await;
        created.map_err(|error| error.to_string())
    });
    Ok(created.await?)
}

async fn full_lifecycle(plane: &ControlPlane) -> Outcome {
    let (listener, url) = listen()?;
    install(&plane.client(), &url).await?;
    let replica = Replica::start(plane, listener, &url).await?;
    let objects = Objects::new(plane.client());
    objects.are_defaulted_and_converted().await?;
    objects.own_a_deployment_and_a_service().await?;
    objects.report_ready_replicas().await?;
    objects.scale().await?;
    objects.are_validated().await?;
    protected(&objects.old).await?;
    objects.are_cleaned_up().await?;
    replica.stop().await
}

/// The Application `web` in both versions, with its Deployment and Service.
struct Objects {
    old: Api<v1alpha1::Application>,
    new: Api<v1beta1::Application>,
    deployments: Api<Deployment>,
    services: Api<Service>,
    events: Api<Event>,
}

impl Objects {
    fn new(client: Client) -> Self {
        Self {
            old: Api::namespaced(client.clone(), "default"),
            new: Api::namespaced(client.clone(), "default"),
            deployments: Api::namespaced(client.clone(), "default"),
            services: Api::namespaced(client.clone(), "default"),
            events: Api::namespaced(client, "default"),
        }
    }

    async fn are_defaulted_and_converted(&self) -> Outcome {
        let created = create(&self.old).await?;
        let spec = &created.spec;
        assert_eq!(
            (spec.replicas, spec.name.as_deref()),
            (Some(1), Some("web"))
        );
        let stored = self.new.get("web").await?;
        assert_eq!(stored.spec.container.image, "nginx:1.29");
        assert_eq!(stored.spec.container.env[0].name, "TZ");
        Ok(())
    }

    async fn own_a_deployment_and_a_service(&self) -> Outcome {
        let uid = self.new.get("web").await?.uid();
        let deployment = eventually("Deployment", async || self.deployments.get("web").await);
        let service = eventually("Service", async || self.services.get("web").await);
        let (deployment, service) = (deployment.await?, service.await?);
        for references in [deployment.owner_references(), service.owner_references()] {
            let found: Vec<_> = references
                .iter()
                .map(|it| (&*it.kind, Some(it.uid.clone()), it.controller))
                .collect();
            assert_eq!(found, [("Application", uid.clone(), Some(true))]);
        }
        Ok(())
    }

    async fn report_ready_replicas(&self) -> Outcome {
        let ready = Patch::Merge(json!({ "status": { "replicas": 1, "readyReplicas": 1 } }));
        let params = PatchParams::default();
        self.deployments
            .patch_status("web", &params, &ready)
            .await?;
        let shown = eventually("one Pod is ready", async || {
            let status = self.new.get("web").await?.status.unwrap_or_default();
            let condition = status.conditions.first().map(|it| &*it.status);
            let found = (status.ready_replicas, condition, &*status.url);
            let expected = (1, Some("True"), "http://web.default.svc:80");
            so(found == expected, format!("{found:?}"))
        });
        Ok(shown.await?)
    }

    async fn scale(&self) -> Outcome {
        let scale = Patch::Merge(json!({ "spec": { "replicas": 3 } }));
        let scaled = self
            .new
            .patch_scale("web", &PatchParams::default(), &scale)
            .await?;
        let selector = scaled.status.and_then(|it| it.selector);
        assert_eq!(selector.as_deref(), Some("apps.example.io/application=web"));
        has_replicas(&self.deployments, 3).await
    }

    async fn are_validated(&self) -> Outcome {
        let patches = [
            (
                json!({ "spec": { "replicas": 101 } }),
                "spec.replicas: Invalid value: 101: must be less than or equal to 100",
            ),
            (
                json!({ "spec": { "name": "other" } }),
                "spec.name: Invalid value: \"other\": field is immutable",
            ),
        ];
        for (patch, cause) in patches {
            let params = PatchParams::default();
            let denied = self.old.patch("web", &params, &Patch::Merge(&patch)).await;
            let expected = format!(
                "admission webhook \"validation.application.apps.example.io\" denied the request: \
                 Application.apps.example.io \"web\" is invalid: {cause}"
            );
            assert_eq!(message(denied), (422, expected));
        }
        Ok(())
    }

    async fn are_cleaned_up(&self) -> Outcome {
        self.old.delete("web", &DeleteParams::default()).await?;
        eventually("everything is gone", async || {
            let application = self.new.get_opt("web").await?.is_some();
            let deployment = self.deployments.get_opt("web").await?.is_some();
            let service = self.services.get_opt("web").await?.is_some();
            let left = [application, deployment, service];
            so(left == [false; 3], format!("{left:?}"))
        })
        .await?;
        let written = eventually("events", async || {
            let events = self.events.list(&ListParams::default()).await?;
            let applied = events
                .iter()
                .filter(|it| it.reason.as_deref() == Some("Applied"));
            let count = applied.count();
            so(count >= 3, count.to_string())
        });
        Ok(written.await?)
    }
}

async fn has_replicas(deployments: &Api<Deployment>, expected: i32) -> Outcome {
    let scaled = eventually("the Deployment is scaled", async || {
        let spec = deployments.get("web").await?.spec.unwrap_or_default();
        so(
            spec.replicas == Some(expected),
            format!("{:?}", spec.replicas),
        )
    });
    Ok(scaled.await?)
}

/// A protected Application cannot be deleted.
async fn protected(applications: &Api<v1alpha1::Application>) -> Outcome {
    let mark =
        |value: Value| json!({ "metadata": { "annotations": { webhook::PROTECTED: value } } });
    let params = PatchParams::default();
    applications
        .patch("web", &params, &Patch::Merge(mark(json!("true"))))
        .await?;
    let denied = applications.delete("web", &DeleteParams::default()).await;
    let expected = "admission webhook \"validation.application.apps.example.io\" denied the request: \
                    remove the annotation apps.example.io/protected before the Application";
    assert_eq!(message(denied), (403, expected.to_owned()));
    applications
        .patch("web", &params, &Patch::Merge(mark(Value::Null)))
        .await?;
    Ok(())
}

/// Returns an error with the observed value unless a condition holds.
fn so(is_so: bool, seen: impl Into<String>) -> Result<(), Box<dyn std::error::Error>> {
    if is_so {
        Ok(())
    } else {
        Err(seen.into().into())
    }
}

fn message<T>(result: kube::Result<T>) -> (u16, String) {
    match result {
        Err(Error::Api(status)) => (status.code, status.message.clone()),
        Err(error) => (0, error.to_string()),
        Ok(_) => (200, String::new()),
    }
}

/// Every replica serves webhooks, and the remaining one takes over the lease.
async fn remaining_replica_takes_over_the_lease(plane: &ControlPlane) -> Outcome {
    let client = plane.client();
    let (listener, url) = listen()?;
    install(&client, &url).await?;
    let first = Replica::start(plane, listen()?.0, &url).await?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let called = Replica::start(plane, listener, &url).await?;
    let old: Api<v1alpha1::Application> = Api::namespaced(client.clone(), "default");
    let deployments: Api<Deployment> = Api::namespaced(client, "default");
    create(&old).await?;
    eventually("the first replica leads", async || {
        deployments.get("web").await
    })
    .await?;
    first.stop().await?;
    let scale = Patch::Merge(json!({ "spec": { "replicas": 2 } }));
    old.patch("web", &PatchParams::default(), &scale).await?;
    has_replicas(&deployments, 2).await?;
    called.stop().await
}

/// Time for the API server to convert all objects for its watch cache. If that fails, for example
/// by a timeout, it pauses for up to 30 s.
const CACHING: Duration = Duration::from_secs(120);

/// 5,000 objects were stored in `v1alpha1` before the webhook was installed.
async fn objects_stored_in_an_old_version_are_converted(plane: &ControlPlane) -> Outcome {
    const OBJECTS: usize = 5000;
    let client = plane.client();
    let mut definition: Value = serde_saphyr::from_str(DEFINITION)?;
    definition["spec"]["conversion"] = json!({ "strategy": "None" });
    let versions = definition["spec"]["versions"].as_array_mut();
    for version in versions.ok_or("no versions")? {
        let is_old = version["name"] == "v1alpha1";
        version["storage"] = is_old.into();
        version["served"] = is_old.into();
    }
    apply::<CustomResourceDefinition>(&client, definition).await?;
    let old: Api<v1alpha1::Application> = Api::namespaced(client.clone(), "default");
    eventually("served", async || old.list(&ListParams::default()).await).await?;
    let created = stream::iter(0..OBJECTS).map(|number| {
        let old = old.clone();
        async move {
            let mut application = web().map_err(|error| format!("{error:?}"))?;
            application.metadata.name = Some(format!("web-{number}"));
            let created = old.create(&PostParams::default(), &application).await;
            created.map(drop).map_err(|error| error.to_string())
        }
    });
    created
        .buffer_unordered(16)
        .try_collect::<Vec<()>>()
        .await?;

    let (listener, url) = listen()?;
    install(&client, &url).await?;
    // Not the whole program, which would create 5,000 Deployments.
    let mut manager = Manager::builder(controller::NAME)
        .client(client.clone())
        .build()
        .await?;
    let certificates = Certificates::own("webhook-server-cert")
        .namespace("default")
        .url(&url);
    manager.add(WebhookServer::new(webhook::webhooks(), certificates).listener(listener))?;
    let stop = CancellationToken::new();
    let run = tokio::spawn(manager.run(stop.clone()));
    let new: Api<v1beta1::Application> = Api::namespaced(client, "default");
    eventually("converted", async || new.get("web-0").await).await?;
    let (begun, listed) = eventually_within(CACHING, "listed", async || {
        let begun = Instant::now();
        let listed = new.list(&ListParams::default()).await;
        listed.map(|listed| (begun, listed))
    })
    .await?;
    println!(
        "{OBJECTS} objects listed and converted in {:?}",
        begun.elapsed()
    );
    assert_eq!(listed.items.len(), OBJECTS);
    assert!(
        listed
            .iter()
            .all(|it| it.spec.container.image == "nginx:1.29")
    );
    stop.cancel();
    Ok(run.await??)
}
