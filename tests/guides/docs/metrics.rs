//! Context of docs/metrics.md.

use std::sync::Arc;

use genclient::cache::ObjectName;
use genclient::client;
use genclient::kube::Config;
use genclient::leaderelection::{LeaderElector, LeaseLock};
use genclient::workqueue::Queue;
use gputask::client::clientset::Clientset;
use gputask::client::informers::SharedInformerFactory;

fn metrics(config: Config, lock: LeaseLock) -> anyhow::Result<Queue<ObjectName>> {
    // block: Metrics
    Ok(queue)
}
