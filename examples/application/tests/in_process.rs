//! The controller against an API server in this process.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Debug;

use application::apis::apps::v1beta1::Application;
use application::client::crds;
use application::controller;
use genclient::kube::Resource;
use genclient::kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use genclient_apiserver::{ApiServer, eventually};
use genclient_controller::Manager;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Event, Service};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Waits until the object `web` is as asked for.
async fn until<K>(api: &Api<K>, is_it: impl Fn(&K) -> bool) -> K
where
    K: Resource + Clone + Debug + DeserializeOwned,
{
    let what = std::any::type_name::<K>();
    let found = eventually(what, async || match api.get_opt("web").await.unwrap() {
        Some(found) if is_it(&found) => Ok(found),
        other => Err(format!("{other:?}")),
    });
    found.await.unwrap()
}

async fn patch<K>(api: &Api<K>, body: Value) -> K
where
    K: Resource + Clone + Debug + DeserializeOwned,
{
    let (params, patch) = (PatchParams::default(), Patch::Merge(body));
    api.patch("web", &params, &patch).await.unwrap()
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one story")]
async fn an_application_is_kept_and_cleaned_up() {
    let server = ApiServer::builder().crds(crds::all()).build().unwrap();
    let manager = Manager::builder(controller::NAME).client(server.client());
    let mut manager = manager.build().await.unwrap();
    controller::add(&mut manager).unwrap();
    let running = manager.start();

    let applications: Api<Application> = Api::default_namespaced(server.client());
    let deployments: Api<Deployment> = Api::default_namespaced(server.client());
    let services: Api<Service> = Api::default_namespaced(server.client());
    let web = json!({
        "apiVersion": "apps.example.io/v1beta1",
        "kind": "Application",
        "metadata": { "name": "web" },
        "spec": { "name": "web", "replicas": 2, "container": { "image": "nginx", "port": 80 } },
    });
    let web: Application = serde_json::from_value(web).unwrap();
    let web = applications
        .create(&PostParams::default(), &web)
        .await
        .unwrap();

    // What it consists of is its own.
    let deployment = until(&deployments, |_| true).await;
    let service = until(&services, |_| true).await;
    for owners in [
        deployment.metadata.owner_references,
        service.metadata.owner_references,
    ] {
        let owners = owners.unwrap_or_default();
        let owners: Vec<_> = owners.into_iter().map(|owner| Some(owner.uid)).collect();
        assert_eq!(owners, std::slice::from_ref(&web.metadata.uid));
    }
    assert_eq!(deployment.spec.and_then(|spec| spec.replicas), Some(2));

    // What is ready it shows, and what it asks for it gets, also after somebody else's change.
    let ready = Patch::Merge(json!({ "status": { "replicas": 2, "readyReplicas": 2 } }));
    let params = PatchParams::default();
    deployments
        .patch_status("web", &params, &ready)
        .await
        .unwrap();
    let is_ready = |web: &Application| {
        let status = web.status.clone().unwrap_or_default();
        status.ready_replicas == 2 && status.conditions.iter().any(|it| it.status == "True")
    };
    until(&applications, is_ready).await;
    let has = |replicas| {
        move |found: &Deployment| {
            found.spec.as_ref().and_then(|spec| spec.replicas) == Some(replicas)
        }
    };
    patch(&applications, json!({ "spec": { "replicas": 3 } })).await;
    until(&deployments, has(3)).await;
    patch(&deployments, json!({ "spec": { "replicas": 9 } })).await;
    until(&deployments, has(3)).await;

    // It goes after what it consists of.
    let deletion = DeleteParams::default();
    applications.delete("web", &deletion).await.unwrap();
    let is_gone = async || applications.get_opt("web").await.unwrap().is_none();
    eventually("no Application", is_gone).await.unwrap();
    assert_eq!(services.get_opt("web").await.unwrap(), None);
    assert_eq!(deployments.get_opt("web").await.unwrap(), None);
    running.shutdown().await.unwrap();
    let events: Api<Event> = Api::default_namespaced(server.client());
    let events = events.list(&Default::default()).await.unwrap();
    assert!(
        events
            .iter()
            .any(|it| it.reason.as_deref() == Some("Applied"))
    );
}
