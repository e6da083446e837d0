//! Differential tests: the same requests to a real kube-apiserver and to the in-process one, with a
//! comparison of their answers.
//!
//! ```console
//! $ export KUBEBUILDER_ASSETS=$(hack/control-plane.sh)
//! $ cargo test -p e2e --test differential
//! $ REQUESTS=1000000 SEED=7 cargo test -p e2e --test differential
//! ```
//!
//! A difference is printed with the shortest program of requests that still shows it.

mod answers;
mod changes;
mod hook;
mod kinds;
mod objects;
mod programs;
mod run;

use std::error::Error;
use std::process::ExitCode;

use e2e::ControlPlane;
use e2e::suite::{Outcome, Suite};
use genclient_apiserver::ApiServer;
use genclient_envtest::Manifests;
use kube::Client;
use serde_json::Value;

use crate::run::{Comparison, Pair};

/// Definitions of the custom resources in programs.
const DEFINITIONS: &str = include_str!("definitions.yaml");

/// Default number of requests; `REQUESTS` overrides it.
const REQUESTS: u64 = 10_000;

/// Maximum number of printed differences.
const SHOWN: usize = 8;

fn main() -> ExitCode {
    let mut suite = match Suite::new() {
        Ok(suite) => suite,
        Err(error) => {
            eprintln!("no runtime for the tests: {error}");
            return ExitCode::FAILURE;
        }
    };
    suite.shared("differential::answers_are_those_of_kube_apiserver", compare);
    suite.shared(
        "differential::definitions_change_as_in_kube_apiserver",
        changes,
    );
    suite.run()
}

async fn changes(plane: &ControlPlane) -> Outcome {
    let webhooks = plane.local_webhooks()?;
    hook::serve(&webhooks)?;
    let memory = ApiServer::builder().controllers(false).build()?;
    let pair = Pair {
        real: plane.client(),
        memory: Client::new(memory, "default"),
    };
    match changes::compare(&pair, &webhooks).await? {
        Some(difference) => Err(difference.into()),
        None => Ok(()),
    }
}

async fn compare(plane: &ControlPlane) -> Outcome {
    let requests = number("REQUESTS")?.unwrap_or(REQUESTS);
    let first = number("SEED")?.unwrap_or(1);
    let pair = pair(plane).await?;
    let (mut sent, mut seen) = (0, 0);
    let (mut differences, mut undecided) = (Vec::new(), Vec::new());
    let mut seed = first;
    while sent < requests && differences.len() < SHOWN {
        let program = programs::program(seed);
        match run::compare(&pair, &program, seed).await? {
            Comparison::Same { requests, events } => {
                sent += requests;
                seen += events;
            }
            Comparison::Different(difference)
                if run::is_nondeterministic(&pair, &program, &difference, seed).await? =>
            {
                undecided.push(seed);
            }
            Comparison::Different(difference) => {
                let shortest = run::shortest(&pair, program, difference, seed).await?;
                differences.push(format!("seed {seed}:\n{shortest}"));
                sent += 1;
            }
        }
        seed += 1;
    }
    if !differences.is_empty() {
        return Err(differences.join("\n").into());
    }
    println!(
        "{sent} requests and {seen} events of the seeds {first} to {}: no difference",
        seed - 1
    );
    if !undecided.is_empty() {
        println!("kube-apiserver answers the seeds {undecided:?} in several ways, ours being one");
    }
    Ok(())
}

fn number(name: &str) -> Result<Option<u64>, Box<dyn Error>> {
    match std::env::var(name) {
        Ok(text) => Ok(Some(
            text.parse().map_err(|error| format!("{name}: {error}"))?,
        )),
        Err(_) => Ok(None),
    }
}

/// Returns both servers with the same definitions.
async fn pair(plane: &ControlPlane) -> Result<Pair, Box<dyn Error + Send + Sync>> {
    let mut definitions = Vec::new();
    let webhooks = plane.local_webhooks()?;
    hook::serve(&webhooks)?;
    for text in DEFINITIONS
        .split("---\n")
        .filter(|text| !text.trim().is_empty())
    {
        let definition: Value = serde_saphyr::from_str(text)?;
        let manifests = Manifests::new([definition])?.redirect_to(&webhooks);
        for definition in manifests.objects() {
            plane.apply_crd(&definition.to_string()).await?;
            definitions.push(definition.clone());
        }
    }
    let memory = ApiServer::builder()
        .objects(definitions)
        .controllers(false)
        .build()?;
    Ok(Pair {
        real: plane.client(),
        memory: Client::new(memory, "default"),
    })
}
