//! The controller against an API server in this process.

use std::time::Duration;

use genclient::kube::api::{Api, DeleteParams, ObjectMeta, PostParams};
use genclient::signals::CancellationToken;
use genclient_apiserver::ApiServer;
use genclient_controller::Manager;
use gputask::apis::falldio::v1::{GPUTask, GPUTaskSpec};
use gputask::client::crds;
use gputask::reconciler;
use k8s_openapi::api::core::v1::Pod;

#[tokio::test]
async fn a_task_gets_a_pod_and_takes_it_along() {
    let server = ApiServer::builder().crds(crds::all()).build().unwrap();
    let manager = Manager::builder("gputask").client(server.client());
    let mut manager = manager.build().await.unwrap();
    reconciler::add(&mut manager, "image".to_owned(), Duration::ZERO).unwrap();
    let stop = CancellationToken::new();
    let running = tokio::spawn(manager.run(stop.clone()));

    let tasks: Api<GPUTask> = Api::default_namespaced(server.client());
    let task = task("train");
    tasks.create(&PostParams::default(), &task).await.unwrap();
    let pods: Api<Pod> = Api::default_namespaced(server.client());
    let pod = loop {
        if let Some(pod) = pods.get_opt("train").await.unwrap() {
            break pod;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    };
    assert_eq!(
        pod.spec.unwrap().containers[0].image.as_deref(),
        Some("image")
    );

    let deletion = DeleteParams::default();
    tasks.delete("train", &deletion).await.unwrap();
    while pods.get_opt("train").await.unwrap().is_some() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    stop.cancel();
    running.await.unwrap().unwrap();
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
