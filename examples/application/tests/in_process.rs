//! Tests of the controller against an in-process API server, with the permissions of its own role.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Debug;
use std::time::Duration;

use application::apis::apps::v1beta1::Application;
use application::client::crds;
use application::{controller, webhook};
use genclient::kube::Resource;
use genclient::kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use genclient::sharding::ShardBy;
use genclient_apiserver::{
    ApiServer, ApiServerBuilder, Clock, NotYet, User, eventually, eventually_within,
};
use genclient_controller::{Manager, ManagerBuilder};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Event, Namespace, Service};
use k8s_openapi::api::rbac::v1::ClusterRole;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The role that `genclient update` generates.
const ROLE: &str = "application-manager-role";

const NAMESPACE: &str = "application-system";

/// Returns a server with the role and the service account of the program.
fn server() -> ApiServer {
    builder().build().unwrap()
}

fn builder() -> ApiServerBuilder {
    ApiServer::builder()
        .crds(crds::all())
        .manifests("config/manager/namespace.yaml")
        .manifests("config/rbac")
        .enforce_owner_permissions(true)
}

/// Returns a manager with the rights of the program's service account.
fn manager(server: &ApiServer) -> ManagerBuilder {
    let account = User::service_account(NAMESPACE, "application-controller-manager");
    Manager::builder(controller::NAME).client(server.client_as(account))
}

fn web() -> Application {
    let web = json!({
        "apiVersion": "apps.example.io/v1beta1",
        "kind": "Application",
        "metadata": { "name": "web" },
        "spec": { "name": "web", "replicas": 2, "container": { "image": "nginx", "port": 80 } },
    });
    serde_json::from_value(web).unwrap()
}

/// Writes the status of a Deployment with two ready Pods, as its controller does.
async fn make_ready(deployments: &Api<Deployment>) {
    let ready = Patch::Merge(json!({ "status": { "replicas": 2, "readyReplicas": 2 } }));
    let params = PatchParams::default();
    deployments
        .patch_status("web", &params, &ready)
        .await
        .unwrap();
}

/// Waits until the object `web` satisfies a condition.
async fn until<K>(api: &Api<K>, is_it: impl Fn(&K) -> bool) -> Result<K, NotYet>
where
    K: Resource + Clone + Debug + DeserializeOwned,
{
    let what = std::any::type_name::<K>();
    eventually(what, async || match api.get_opt("web").await.unwrap() {
        Some(found) if is_it(&found) => Ok(found),
        other => Err(format!("{other:?}")),
    })
    .await
}

async fn patch<K>(api: &Api<K>, body: Value) -> K
where
    K: Resource + Clone + Debug + DeserializeOwned,
{
    let (params, patch) = (PatchParams::default(), Patch::Merge(body));
    api.patch("web", &params, &patch).await.unwrap()
}

/// Runs the controller as its service account. Creates, changes and deletes an Application.
async fn story(server: &ApiServer) -> Result<(), NotYet> {
    let mut manager = manager(server).build().await.unwrap();
    controller::add(&mut manager).unwrap();
    let running = manager.start();

    let applications: Api<Application> = Api::default_namespaced(server.client());
    let deployments: Api<Deployment> = Api::default_namespaced(server.client());
    let services: Api<Service> = Api::default_namespaced(server.client());
    let web = applications
        .create(&PostParams::default(), &web())
        .await
        .unwrap();

    // The Deployment and the Service are owned by the Application.
    let deployment = until(&deployments, |_| true).await?;
    let service = until(&services, |_| true).await?;
    for owners in [
        deployment.metadata.owner_references,
        service.metadata.owner_references,
    ] {
        let owners: Vec<_> = owners
            .unwrap_or_default()
            .into_iter()
            .map(|owner| Some(owner.uid))
            .collect();
        assert_eq!(owners, std::slice::from_ref(&web.metadata.uid));
    }
    assert_eq!(deployment.spec.and_then(|spec| spec.replicas), Some(2));

    // The status shows the ready replicas. The Deployment follows the specification, also after a
    // change by another client.
    make_ready(&deployments).await;
    let is_ready = |web: &Application| {
        let status = web.status.clone().unwrap_or_default();
        status.ready_replicas == 2 && status.conditions.iter().any(|it| it.status == "True")
    };
    until(&applications, is_ready).await?;
    let has = |replicas| {
        move |found: &Deployment| {
            found.spec.as_ref().and_then(|spec| spec.replicas) == Some(replicas)
        }
    };
    patch(&applications, json!({ "spec": { "replicas": 3 } })).await;
    until(&deployments, has(3)).await?;
    patch(&deployments, json!({ "spec": { "replicas": 9 } })).await;
    until(&deployments, has(3)).await?;

    // The Application is deleted after its Deployment and Service.
    let deletion = DeleteParams::default();
    applications.delete("web", &deletion).await.unwrap();
    let is_gone = async || applications.get_opt("web").await.unwrap().is_none();
    eventually("no Application", is_gone).await?;
    assert_eq!(services.get_opt("web").await.unwrap(), None);
    assert_eq!(deployments.get_opt("web").await.unwrap(), None);
    let events: Api<Event> = Api::default_namespaced(server.client());
    let is_recorded = async || {
        let events = events.list(&Default::default()).await.unwrap();
        let mut reasons = events.iter().map(|event| event.reason.as_deref());
        reasons.any(|reason| reason == Some("Applied"))
    };
    eventually("an event", is_recorded).await?;
    running.shutdown().await.unwrap();
    Ok(())
}

#[tokio::test]
async fn an_application_is_reconciled_and_cleaned_up() {
    let server = server();
    story(&server).await.unwrap();
    assert_eq!(server.unused_rules(ROLE).unwrap(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn every_rule_of_the_role_is_needed() {
    let server_with_all = server();
    let rules = role(&server_with_all).await.rules.unwrap();
    story(&server_with_all).await.unwrap();
    for left_out in &rules {
        let server = server();
        let mut role = role(&server).await;
        let kept = rules.iter().filter(|rule| *rule != left_out);
        role.rules = Some(kept.cloned().collect());
        let roles: Api<ClusterRole> = Api::all(server.client());
        let params = PostParams::default();
        roles.replace(ROLE, &params, &role).await.unwrap();
        assert!(story(&server).await.is_err(), "{left_out:?}");
    }
}

/// Manager and server have one clock, which moves with tokio's paused time.
#[tokio::test(start_paused = true)]
async fn a_condition_has_the_time_of_its_change() {
    let start = "2031-02-03T04:05:06Z".parse().unwrap();
    let clock = Clock::at(start);
    let server = builder().clock(clock).build().unwrap();
    let mut manager = manager(&server).clock(clock).build().await.unwrap();
    controller::add(&mut manager).unwrap();
    let running = manager.start();

    let applications: Api<Application> = Api::default_namespaced(server.client());
    let deployments: Api<Deployment> = Api::default_namespaced(server.client());
    let params = PostParams::default();
    applications.create(&params, &web()).await.unwrap();
    until(&deployments, |_| true).await.unwrap();
    let mut ages = Vec::new();
    for status in ["False", "True"] {
        let has_status = |web: &Application| {
            let conditions = web.status.iter().flat_map(|it| &it.conditions);
            conditions.map(|it| &*it.status).eq([status])
        };
        let web = until(&applications, has_status).await.unwrap();
        let condition = &web.status.unwrap().conditions[0];
        ages.push(condition.last_transition_time.0.duration_since(start));
        tokio::time::sleep(Duration::from_secs(3600)).await;
        make_ready(&deployments).await;
    }
    let hours: Vec<_> = ages.iter().map(|age| age.as_hours()).collect();
    assert_eq!(hours, [0, 1], "{ages:?}");
    running.shutdown().await.unwrap();
}

/// Three replicas reconcile the Applications of twelve namespaces. One of them shuts down.
#[tokio::test]
async fn replicas_share_the_applications() {
    let server = server();
    let client = server.client();
    let params = PostParams::default();
    let namespaces: Vec<_> = (1..=12).map(|number| format!("team-{number}")).collect();
    for name in &namespaces {
        let mut namespace = Namespace::default();
        namespace.metadata.name = Some(name.clone());
        let all: Api<Namespace> = Api::all(client.clone());
        all.create(&params, &namespace).await.unwrap();
        let applications: Api<Application> = Api::namespaced(client.clone(), name);
        applications.create(&params, &web()).await.unwrap();
    }
    let mut replicas = Vec::new();
    for _ in 0..3 {
        let builder = Manager::builder(controller::NAME)
            .client(client.clone())
            .shard_by(ShardBy::Namespace);
        let mut manager = builder.build().await.unwrap();
        controller::add(&mut manager).unwrap();
        replicas.push(manager.start());
    }
    let have_all_reconciled = async || {
        let mut idle = replicas.iter().map(|it| it.controllers_without_success());
        idle.all(|controllers| controllers.is_empty())
    };
    eventually_within(
        Duration::from_secs(30),
        "each replica reconciles",
        have_all_reconciled,
    )
    .await
    .unwrap();

    replicas.pop().unwrap().shutdown().await.unwrap();
    for name in &namespaces {
        let applications: Api<Application> = Api::namespaced(client.clone(), name);
        let deployments: Api<Deployment> = Api::namespaced(client.clone(), name);
        patch(&applications, json!({ "spec": { "replicas": 5 } })).await;
        let has_five = |it: &Deployment| it.spec.as_ref().and_then(|it| it.replicas) == Some(5);
        until(&deployments, has_five).await.unwrap();
    }
    for replica in replicas {
        replica.shutdown().await.unwrap();
    }
}

async fn role(server: &ApiServer) -> ClusterRole {
    let roles: Api<ClusterRole> = Api::all(server.client());
    roles.get(ROLE).await.unwrap()
}

#[tokio::test]
async fn a_sample_of_another_version_is_converted_by_the_webhook() {
    let webhooks = webhook::webhooks().into_service().unwrap();
    let server = ApiServer::builder()
        .crds(crds::all())
        .webhook_service(NAMESPACE, "application-webhook-service", webhooks)
        .manifests("config/samples")
        .build()
        .unwrap();
    let applications: Api<Application> = Api::default_namespaced(server.client());
    let web = applications.get("web").await.unwrap();
    assert_eq!(web.spec.container.image, "nginx:1.29");
}
