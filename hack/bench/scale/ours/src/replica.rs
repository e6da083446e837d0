//! One replica: a manager with a controller of Foos that own ConfigMaps.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use genclient::cache::ObjectName;
use genclient::sharding::ShardBy;
use genclient::{config, signals};
use genclient_controller::{Action, Context, Controller, Manager, Reconciler, Result, Watch};
use k8s_openapi::api::core::v1::ConfigMap;

use crate::foo::Foo;
use crate::log::ReconcileLog;

/// Number of concurrent reconciles, the same for every contender.
const WORKERS: usize = 20;

#[derive(Args)]
pub struct Settings {
    /// Share the objects: by `namespace` or by `name`; default: leader election
    #[arg(long)]
    shard_by: Option<ShardBy>,
    /// File to which reconciles are logged
    #[arg(long)]
    log: PathBuf,
    /// Duration of a reconcile
    #[arg(long, default_value_t = 50)]
    wait_ms: u64,
    /// Reconcile every object again and again
    #[arg(long)]
    requeue: bool,
}

struct Reconciling {
    log: ReconcileLog,
    wait: Duration,
    requeue: bool,
}

impl Reconciler for Reconciling {
    type Object = Foo;

    async fn reconcile(&self, object: Arc<Foo>, cx: &Context) -> Result {
        let name = ObjectName::from_object(&*object);
        let map = match cx.client().get::<ConfigMap>(&name).await {
            Ok(map) => map,
            Err(error) => {
                self.log.fail(&name, &error);
                return Err(error.into());
            }
        };
        let read = [
            object.metadata.resource_version.as_deref(),
            map.as_ref()
                .and_then(|map| map.metadata.resource_version.as_deref()),
        ];
        let versions = read.map(|version| version.unwrap_or("-"));
        self.log.begin(&name, versions).work(self.wait).await;
        if self.requeue {
            return Ok(Action::after(Duration::from_millis(1)));
        }
        Ok(Action::done())
    }
}

/// Runs until the program is asked to stop.
pub async fn run(settings: Settings) -> anyhow::Result<()> {
    let stop = signals::shutdown()?;
    let reconciling = Reconciling {
        log: ReconcileLog::open(&settings.log)?,
        wait: Duration::from_millis(settings.wait_ms),
        requeue: settings.requeue,
    };
    let builder = Manager::builder("bench-scale")
        .config(config::from_flags(None, None).await?)
        .leader_election(true)
        .leader_election_namespace("default");
    let builder = match settings.shard_by {
        Some(shard_by) => builder.shard_by(shard_by),
        None => builder,
    };
    let mut manager = builder.build().await?;
    manager.add(
        Controller::new(reconciling)
            .owns(Watch::<ConfigMap>::new())
            .workers(WORKERS),
    )?;
    Ok(manager.run(stop).await?)
}
