//! Typed list and watch: existing Pods, then their changes, until the API server ends the watch.
//!
//! The API server ends a watch after a few minutes. If the program then watched again, the resource
//! version could have expired. An informer, as in `pod-informer`, handles both cases.

use clap::Parser;
use futures::TryStreamExt;
use genclient::client::{self, ListParams, TypedClient, WatchEvent, WatchParams};
use genclient::kube::ResourceExt;
use genclient::signals;
use k8s_openapi::api::core::v1::Pod;

/// Prints each change of a Pod, with the phase of the Pod
#[derive(Debug, Parser)]
struct Flags {
    #[command(flatten)]
    connection: demo::Connection,

    /// The namespace to watch
    #[arg(long, default_value = "default")]
    namespace: String,

    /// Only Pods with these labels, such as `app=web`
    #[arg(long, value_name = "LABELS", default_value = "")]
    selector: String,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    let stop = signals::shutdown()?;
    let client = client::connect(flags.connection.config().await?)?;
    let pods = TypedClient::<Pod>::namespaced(client, &flags.namespace);

    let list = pods
        .list(&ListParams::default().labels(&flags.selector))
        .await?;
    for pod in &list.items {
        print("LISTED", pod);
    }
    // Watches from the version of the list, so that no change is missed or printed twice.
    let version = list.metadata.resource_version.unwrap_or_default();
    let params = WatchParams::default().labels(&flags.selector);
    let mut events = pods.watch(&params, &version).await?;
    while let Some(Some(event)) = stop
        .run_until_cancelled(events.try_next())
        .await
        .transpose()?
    {
        match event {
            WatchEvent::Added(pod) => print("ADDED", &pod),
            WatchEvent::Modified(pod) => print("MODIFIED", &pod),
            WatchEvent::Deleted(pod) => print("DELETED", &pod),
            WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(status) => anyhow::bail!("{}", status.message),
        }
    }
    Ok(())
}

fn print(change: &str, pod: &Pod) {
    let phase = pod
        .status
        .as_ref()
        .and_then(|status| status.phase.as_deref());
    println!("{change} {} {}", pod.name_any(), phase.unwrap_or("Unknown"));
}
