//! Benchmark of a controller on `genclient-controller`, or of a handwritten loop on informer, queue
//! and lister: one measurement per run, printed as JSON.
//!
//! `bench-controller layer|by-hand MODE …`, with the modes `start OBJECTS NAME`, `create OBJECTS
//! NAME` and `watch OBJECTS UPDATES`.

mod by_hand;
mod foo;
mod layer;
mod seen;

use clap::{Parser, Subcommand, ValueEnum};
use genclient::kube::Client;
use genclient::{client, config};
use serde_json::{Value, json};
use tokio::time::Instant;

use seen::{Reconciles, cost};

/// Number of concurrent reconciles, the same for every contender.
const WORKERS: usize = 4;

#[derive(Parser)]
struct Arguments {
    form: Form,
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    Layer,
    ByHand,
}

#[derive(Subcommand)]
enum Command {
    /// Reconciles OBJECTS objects and does nothing for each; ignores NAME
    Start { objects: usize, name: String },
    /// Creates a ConfigMap `<object>-<NAME>` for each of OBJECTS objects
    Create { objects: usize, name: String },
    /// Reconciles OBJECTS objects, then prints the time of the reconcile of each of UPDATES updates
    Watch { objects: usize, updates: usize },
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let Arguments { form, command } = Arguments::parse();
    let client = client::connect(config::from_flags(None, None).await?)?;
    let printed = match command {
        Command::Start { objects, .. } => start(form, client, objects, None).await?,
        Command::Create { objects, name } => start(form, client, objects, Some(name)).await?,
        Command::Watch { objects, updates } => watch(form, client, objects, updates).await?,
    };
    println!("{printed}");
    Ok(())
}

async fn start(
    form: Form,
    client: Client,
    objects: usize,
    suffix: Option<String>,
) -> anyhow::Result<Value> {
    let begun = Instant::now();
    run(form, client, suffix).next(objects).await;
    let seconds = begun.elapsed().as_secs_f64();
    let (cpu, peak) = cost()?;
    Ok(json!({ "seconds": seconds, "cpu": cpu, "peak": peak }))
}

async fn watch(
    form: Form,
    client: Client,
    objects: usize,
    updates: usize,
) -> anyhow::Result<Value> {
    let reconciles = run(form, client, None);
    reconciles.next(objects).await;
    println!("synced");
    let (before, _) = cost()?;
    let seen = reconciles.next(updates).await;
    let (after, _) = cost()?;
    Ok(json!({ "cpu": after - before, "seen": seen }))
}

/// Runs a controller in the background.
fn run(form: Form, client: Client, suffix: Option<String>) -> Reconciles {
    let reconciles = Reconciles::default();
    let noting = reconciles.clone();
    tokio::spawn(async move {
        let ended = match form {
            Form::Layer => layer::run(client, suffix, noting).await,
            Form::ByHand => by_hand::run(client, suffix, noting).await,
        };
        if let Err(error) = ended {
            eprintln!("{error:#}");
        }
    });
    reconciles
}
