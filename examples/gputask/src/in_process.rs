//! In-process API server that replaces a cluster. It has the CRD and a sample.

use std::net::Ipv4Addr;

use futures::TryStreamExt;
use genclient::kube::api::{Api, WatchEvent, WatchParams};
use genclient::kube::{Client, Config, ResourceExt};
use genclient_apiserver::{ApiServer, Serving};
use gputask::client::crds;
use k8s_openapi::api::core::v1::Pod;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/samples");

/// Starts the server, and prints Pods that are created or deleted.
pub(crate) async fn start() -> anyhow::Result<(Serving, Config)> {
    let server = ApiServer::builder()
        .crds(crds::all())
        .manifests(SAMPLES)
        .build()?;
    let serving = server.serve((Ipv4Addr::LOCALHOST, 0)).await?;
    let url = serving.url();
    println!("API server at {url}; beside it:");
    println!("  kubectl --server {url} get gputasks,pods --watch");
    tokio::spawn(show(server.client()));
    let config = Config::new(url.parse()?);
    Ok((serving, config))
}

/// Prints a line for each Pod that is created or deleted.
async fn show(client: Client) {
    let pods: Api<Pod> = Api::all(client);
    let shown = async {
        let mut events = Box::pin(pods.watch(&WatchParams::default(), "0").await?);
        while let Some(event) = events.try_next().await? {
            match event {
                WatchEvent::Added(pod) => println!("{} created", name(&pod)),
                WatchEvent::Deleted(pod) => println!("{} deleted", name(&pod)),
                _ => {}
            }
        }
        Ok::<_, genclient::kube::Error>(())
    };
    if let Err(error) = shown.await {
        tracing::warn!(%error, "Pods are not shown any more");
    }
}

fn name(pod: &Pod) -> String {
    let namespace = pod.namespace().unwrap_or_default();
    format!("pod {namespace}/{}", pod.name_any())
}
