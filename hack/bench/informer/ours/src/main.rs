//! Benchmark of this project's informer and of its lower bounds, and the load on the API server for
//! all contenders: one measurement a run, printed as JSON.

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
    /// Installs the CRD and creates that many objects in as many namespaces as hold a thousand each
    Seed {
        objects: usize,
        /// How many there are already
        #[arg(long, default_value_t = 0)]
        from: usize,
    },
    /// Changes objects that many times; prints when each answer arrived
    Update {
        updates: usize,
        /// How many objects are changed in turns; another one each time without it
        #[arg(long)]
        among: Option<usize>,
        /// Updates a second; as many as the API server takes without it
        #[arg(long)]
        rate: Option<u32>,
    },
    /// Receives the first state, and decodes nothing
    Raw,
    /// Receives the first state and decodes it into a map
    Bare,
    /// Syncs an informer, then reads from its cache
    Sync {
        /// By a list in pages instead of a stream
        #[arg(long)]
        list: bool,
    },
    /// Syncs an informer, then prints when its handler heard of each of that many updates
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
