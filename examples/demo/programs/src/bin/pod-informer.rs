//! Informer, indexer and work queue: the three parts of every controller.
//!
//! The informer caches Pods and calls a handler after each change. The handler enqueues the Pod's
//! name. A worker dequeues the name, looks up the current Pod, and prints it. After a failure, the
//! name is retried a few times.

use clap::Parser;
use genclient::cache::{Indexer, ObjectName};
use genclient::informer::{Enqueue, SharedInformerFactory};
use genclient::workqueue::Queue;
use genclient::{client, signals};
use k8s_openapi::api::core::v1::Pod;

/// Number of retries before a Pod is dropped.
const MAX_RETRIES: usize = 5;

/// Prints the node of every Pod whenever it changes
#[derive(Debug, Parser)]
struct Flags {
    #[command(flatten)]
    connection: demo::Connection,

    #[command(flatten)]
    logging: demo::Logging,

    /// The namespace to watch; empty for all
    #[arg(long, default_value = "default")]
    namespace: String,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    flags.logging.start();
    let stop = signals::shutdown()?;
    let client = client::connect(flags.connection.config().await?)?;

    let factory = SharedInformerFactory::builder(client)
        .namespace(&flags.namespace)
        .build();
    let pods = factory.informer_for::<Pod>();
    let queue = Queue::new();
    let _registration = pods.add_handler(Enqueue::keys(&queue))?;

    factory.start();
    if let Some(synced) = stop
        .run_until_cancelled(factory.wait_for_cache_sync())
        .await
    {
        synced?;
        let worker = tokio::spawn(work(queue.clone(), pods.indexer()));
        stop.cancelled().await;
        queue.shutdown_with_drain().await;
        worker.await?;
    }
    factory.shutdown().await;
    Ok(())
}

async fn work(queue: Queue<ObjectName>, pods: Indexer<Pod>) {
    while let Some(name) = queue.get().await {
        match sync(&name, &pods) {
            Ok(line) => {
                println!("{line}");
                queue.forget(&name);
            }
            Err(error) if queue.num_requeues(&name) < MAX_RETRIES => {
                tracing::info!(%error, "to be tried again");
                queue.add_rate_limited(name.clone());
            }
            Err(error) => {
                tracing::error!(%error, "dropped after {MAX_RETRIES} retries");
                queue.forget(&name);
            }
        }
    }
}

/// Returns a line with the node of the Pod. A Pod without a node is an error.
fn sync(name: &ObjectName, pods: &Indexer<Pod>) -> anyhow::Result<String> {
    let Some(pod) = pods.get(name) else {
        return Ok(format!("{name} is gone"));
    };
    let spec = pod.spec.as_ref();
    match spec.and_then(|spec| spec.node_name.as_ref()) {
        Some(node) => Ok(format!("{name} is on {node}")),
        None => anyhow::bail!("{name} is on no node"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::*;

    fn pod(name: &str, node: Option<&str>) -> Pod {
        let mut pod = Pod::default();
        pod.metadata.name = Some(name.to_owned());
        pod.metadata.namespace = Some("default".to_owned());
        pod.spec.get_or_insert_default().node_name = node.map(str::to_owned);
        pod
    }

    #[test]
    fn pods_are_reported_with_their_node() {
        let pods = Indexer::from_iter([pod("web", Some("worker-1")), pod("lost", None)]);
        for (name, outcome) in [
            ("web", Ok("default/web is on worker-1")),
            ("gone", Ok("default/gone is gone")),
            ("lost", Err("default/lost is on no node")),
        ] {
            let found = sync(&ObjectName::namespaced("default", name), &pods)
                .map_err(|error| error.to_string());
            assert_eq!(found.as_deref().map_err(String::as_str), outcome);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn pod_is_dropped_after_five_retries() {
        let queue = Queue::new();
        let name = ObjectName::namespaced("default", "lost");
        let start = Instant::now();
        let worker = tokio::spawn(work(queue.clone(), Indexer::from_iter([pod("lost", None)])));
        queue.add(name.clone());
        // Retries are 5, 10, 20, 40 and 80 ms apart.
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(queue.num_requeues(&name), MAX_RETRIES);
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(queue.num_requeues(&name), 0, "after {:?}", start.elapsed());
        queue.shutdown_with_drain().await;
        worker.await.unwrap();
    }
}
