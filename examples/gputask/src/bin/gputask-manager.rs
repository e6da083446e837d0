//! Program that runs the GPUTask controller on `genclient-controller` until SIGINT or SIGTERM.

use std::time::Duration;

use clap::Parser;
use genclient::signals;
use genclient_controller::{Manager, ManagerFlags};
use gputask::controller::{DEFAULT_IMAGE, NAME};
use gputask::reconciler;

/// Runs a Pod on a node with the right GPU for each GPUTask
#[derive(Debug, Parser)]
struct Flags {
    #[command(flatten)]
    manager: ManagerFlags,

    /// Seconds between recreations of unfinished Pods; 0 disables them
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    reschedule: u64,

    /// How many tasks are reconciled at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 2)]
    workers: usize,

    /// Image that the Pods run
    #[arg(long, default_value = DEFAULT_IMAGE)]
    image: String,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    flags.manager.init_logging();
    let mut manager = Manager::builder(NAME)
        .workers(flags.workers)
        .flags(&flags.manager)
        .build()
        .await?;
    reconciler::add(
        &mut manager,
        flags.image,
        Duration::from_secs(flags.reschedule),
    )?;
    Ok(manager.run(signals::shutdown()?).await?)
}
