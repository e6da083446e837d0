//! Test of the controller against an in-process API server.

use std::time::Duration;

use genclient::kube::api::{
    Api, DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams,
};
use genclient_apiserver::{ApiServer, User, eventually};
use genclient_controller::Manager;
use gputask::apis::falldio::v1::{GPUTask, GPUTaskSpec};
use gputask::client::crds;
use gputask::reconciler;
use k8s_openapi::api::core::v1::{Event, Pod};
use serde_json::json;

/// The role that `genclient update` generates.
const ROLE: &str = "manager-role";

#[tokio::test]
async fn a_task_gets_a_pod_that_is_deleted_with_it() {
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": { "name": "manager" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": ROLE },
        "subjects": [{ "kind": "ServiceAccount", "namespace": "gpu", "name": "manager" }],
    });
    let server = ApiServer::builder()
        .crds(crds::all())
        .manifests("config/rbac")
        .objects([binding])
        .enforce_owner_permissions(true)
        .build()
        .unwrap();
    let client = server.client_as(User::service_account("gpu", "manager"));
    let mut manager = Manager::builder("gputask")
        .client(client)
        .build()
        .await
        .unwrap();
    reconciler::add(&mut manager, "image".to_owned(), Duration::ZERO).unwrap();
    let running = manager.start();

    let tasks: Api<GPUTask> = Api::default_namespaced(server.client());
    let task = task("train");
    tasks.create(&PostParams::default(), &task).await.unwrap();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let pod = eventually("the Pod", async || pods.get("train").await)
        .await
        .unwrap();
    let spec = pod.spec.unwrap();
    assert_eq!(spec.containers[0].image.as_deref(), Some("image"));

    // The controller replaces the Pod. The garbage collector may delete the next one before the
    // controller does.
    let former = pods.get("train").await.unwrap().metadata.uid;
    let change = Patch::Merge(json!({ "spec": { "cpu": "1" } }));
    let params = PatchParams::default();
    tasks.patch("train", &params, &change).await.unwrap();
    let is_replaced = async || {
        let pod = pods.get_opt("train").await.unwrap();
        pod.is_some_and(|pod| pod.metadata.uid != former)
    };
    eventually("another Pod", is_replaced).await.unwrap();

    let deletion = DeleteParams::default();
    tasks.delete("train", &deletion).await.unwrap();
    let is_gone = async || pods.get_opt("train").await.unwrap().is_none();
    eventually("no Pod", is_gone).await.unwrap();
    let events: Api<Event> = Api::default_namespaced(server.client());
    // The second one of the same text is a patch of the first.
    let are_recorded = async || {
        let events = events.list(&ListParams::default()).await.unwrap();
        events.items.iter().any(|event| event.count == Some(2))
    };
    eventually("two events", are_recorded).await.unwrap();
    running.shutdown().await.unwrap();

    let unused = server.unused_rules(ROLE).unwrap();
    assert!(unused.is_empty(), "{unused:?}");
}

fn task(name: &str) -> GPUTask {
    GPUTask {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        spec: GPUTaskSpec {
            gpu: "a100".to_owned(),
            gpu_amount: "1".to_owned(),
            cpu: "500m".to_owned(),
            memory: "4Gi".to_owned(),
            priority: String::new(),
        },
    }
}
