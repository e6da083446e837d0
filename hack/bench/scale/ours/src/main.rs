//! Replicas that share the objects, the objects, and their updates. `bench-scale --help` lists the
//! commands.

mod foo;
mod log;
mod replica;
mod seed;
mod update;

use std::io;
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use genclient::kube::Client;
use genclient::{client, config};
use tracing_subscriber::EnvFilter;

use foo::Objects;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Installs the CRD and creates namespaces, Foos and their ConfigMaps
    Seed {
        #[command(flatten)]
        objects: Objects,
    },
    /// Updates Foos steadily until SIGTERM
    Update {
        #[command(flatten)]
        objects: Objects,
        /// Updates per second
        #[arg(long, default_value_t = 50)]
        rate: u32,
        /// Update ConfigMaps, too, in turns
        #[arg(long)]
        owned: bool,
        /// File with a line `TIME KIND NAMESPACE/NAME VERSION` for each update
        #[arg(long)]
        log: PathBuf,
    },
    /// Runs one replica until SIGTERM
    Replica {
        #[command(flatten)]
        settings: replica::Settings,
    },
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| "info".into());
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(false)
        .init();
    match Arguments::parse().command {
        Command::Seed { objects } => seed::run(connect().await?, objects).await,
        Command::Update {
            objects,
            rate,
            owned,
            log,
        } => update::run(connect().await?, objects, rate, owned, &log).await,
        Command::Replica { settings } => replica::run(settings).await,
    }
}

async fn connect() -> anyhow::Result<Client> {
    Ok(client::connect(config::from_flags(None, None).await?)?)
}
