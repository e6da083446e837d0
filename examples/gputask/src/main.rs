//! Program that runs the GPUTask controller until SIGINT or SIGTERM.

mod election;
#[cfg(feature = "in-process")]
mod in_process;

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use genclient::kube::Config;
use genclient::record::EventBroadcaster;
use genclient::{config, signals};
use gputask::client::clientset::Clientset;
use gputask::client::informers::SharedInformerFactory;
use gputask::controller::{self, Controller};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use election::Election;

/// Maximum time for writing the remaining events.
const LAST_EVENTS: Duration = Duration::from_secs(5);

/// Runs a Pod on a node with the right GPU for each GPUTask
#[derive(Debug, Parser)]
struct Flags {
    /// Path to a kubeconfig; defaults to the Pod's service account, $KUBECONFIG or ~/.kube/config
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// Address of the API server; overrides that of the kubeconfig
    #[arg(long, value_name = "URL")]
    master: Option<String>,

    /// Use an API server in this process instead of a cluster, with the CRD and a sample
    #[cfg(feature = "in-process")]
    #[arg(long, conflicts_with_all = ["kubeconfig", "master"])]
    in_process: bool,

    /// Interval in which unfinished Pods are deleted and created again, such as 10m; 0 disables it
    #[arg(long, value_name = "DURATION", default_value = "0", value_parser = config::duration)]
    reschedule: Duration,

    /// How many tasks are synced at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    workers: u16,

    /// Interval in which every task is reconciled without a change; 0 disables it
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = config::duration)]
    resync: Duration,

    /// Namespace to watch, instead of all
    #[arg(long, default_value = "")]
    namespace: String,

    /// Image that the Pods run
    #[arg(long, default_value = controller::DEFAULT_IMAGE)]
    image: String,

    #[command(flatten)]
    election: Election,

    /// Log the work of informers; -vv logs the details of all libraries; RUST_LOG takes precedence
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,
}

impl Flags {
    /// Returns the configuration of a client.
    async fn config(&self) -> anyhow::Result<Config> {
        let (master, kubeconfig) = (self.master.as_deref(), self.kubeconfig.as_deref());
        Ok(config::from_flags(master, kubeconfig).await?)
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    log(flags.verbose);
    let stop = signals::shutdown()?;

    #[cfg(feature = "in-process")]
    let (_serving, config) = if flags.in_process {
        let (serving, config) = in_process::start().await?;
        (Some(serving), config)
    } else {
        (None, flags.config().await?)
    };
    #[cfg(not(feature = "in-process"))]
    let config = flags.config().await?;
    let clientset = Clientset::new(config.clone())?;
    let events = EventBroadcaster::new(clientset.client().clone());
    let recorder = events.recorder(controller::NAME);
    let elector = flags.election.elector(&config, recorder.clone())?;
    let factory = SharedInformerFactory::builder(clientset.clone())
        .resync(flags.resync)
        .namespace(&flags.namespace)
        .build();
    let controller = Controller::new(&clientset, &factory, recorder, flags.image)?;

    factory.start();
    let mut led = Ok(None);
    if let Some(synced) = stop
        .run_until_cancelled(factory.wait_for_cache_sync())
        .await
    {
        synced?;
        let work = async |stop: CancellationToken| {
            tracing::info!(workers = flags.workers, "started");
            controller.run(flags.workers, flags.reschedule, stop).await;
        };
        // The caches sync before the election, so that a new leader works at once.
        match elector {
            Some(mut elector) => led = elector.run(stop, work).await,
            None => work(stop).await,
        }
    }

    factory.shutdown().await;
    let written = events.shutdown(LAST_EVENTS).await;
    led?;
    written?;
    tracing::info!("stopped");
    Ok(())
}

/// Initializes logging to standard error, filtered by `RUST_LOG`, or else by `-v` and `-vv`.
fn log(verbose: u8) {
    let filter = match verbose {
        0 => "info,kube_client=off",
        1 => "info,genclient=debug,kube_client=off",
        _ => "debug",
    };
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::try_from_default_env().unwrap_or_else(|_| filter.into()))
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .init();
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn flags_are_consistent() {
        Flags::command().debug_assert();
    }
}
