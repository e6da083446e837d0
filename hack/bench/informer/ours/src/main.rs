//! Benchmark of this project's informer and of its lower bounds, and load generator for all
//! contenders: one measurement per run, printed as JSON.
//!
//! `bench-informer COMMAND …`; `bench-informer --help` lists the commands.

mod floor;
mod foo;
mod process;
mod seed;
mod stream;
mod sync;
mod update;

use clap::{Parser, Subcommand};
use genclient::{client, config};

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Installs the CRD and creates objects until there are OBJECTS, a thousand in each namespace
    Seed {
        objects: usize,
        /// Number of objects that exist already; installs no CRD if there are any
        #[arg(long, default_value_t = 0)]
        from: usize,
    },
    /// Updates objects UPDATES times, and prints the time at which each response arrived
    Update {
        updates: usize,
        /// Number of objects that are updated in turns; default: UPDATES
        #[arg(long)]
        among: Option<usize>,
        /// Updates per second; default: no limit
        #[arg(long)]
        rate: Option<u32>,
    },
    /// Receives the initial state without decoding it
    Raw,
    /// Receives the initial state and decodes it into a map
    Bare,
    /// Syncs an informer, then reads from its cache
    Sync {
        /// Gets the initial state as a paginated list instead of a stream
        #[arg(long)]
        list: bool,
    },
    /// Syncs an informer, then prints the time at which each of UPDATES updates reached its handler
    Watch { updates: usize },
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let client = client::connect(config::from_flags(None, None).await?)?;
    let printed = match arguments.command {
        Command::Seed { objects, from } => seed::run(client, from..objects).await?,
        Command::Update {
            updates,
            among,
            rate,
        } => update::run(client, updates, among.unwrap_or(updates), rate).await?,
        Command::Raw => floor::raw(client).await?,
        Command::Bare => floor::bare(client).await?,
        Command::Sync { list } => sync::reads(client, !list).await?,
        Command::Watch { updates } => sync::watch(client, updates).await?,
    };
    println!("{printed}");
    Ok(())
}
