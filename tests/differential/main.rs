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
use std::time::Duration;

use e2e::ControlPlane;
use e2e::suite::{Outcome, Suite};
use genclient_apiserver::{ApiServer, FeatureGate};
use genclient_envtest::Manifests;
use kube::Client;
use serde_json::Value;

use crate::run::{Comparison, Pair};

/// Definitions of the custom resources in programs.
const DEFINITIONS: &str = include_str!("definitions.yaml");

/// Default number of requests; `REQUESTS` overrides it.
const REQUESTS: u64 = 10_000;

/// Time for each request on a busy machine, added to the limit of the test.
const TIME_PER_REQUEST: Duration = Duration::from_millis(50);

/// Maximum number of printed differences.
const SHOWN: usize = 8;

/// What the environment selects.
#[derive(Clone, Copy)]
struct Options {
    /// Number of requests to send.
    requests: u64,
    /// Seed of the first program; each further one is the next number.
    first: u64,
}

fn main() -> ExitCode {
    let prepared = Suite::new()
        .map_err(|error| format!("no runtime for the tests: {error}"))
        .and_then(|suite| Ok((suite, read_options()?)));
    let (mut suite, options) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let requests = u32::try_from(options.requests).unwrap_or(u32::MAX);
    suite.shared_for(
        TIME_PER_REQUEST * requests,
        "differential::answers_are_those_of_kube_apiserver",
        async move |plane| compare(plane, options).await,
    );
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

async fn compare(plane: &ControlPlane, options: Options) -> Outcome {
    let Options { requests, first } = options;
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

fn read_options() -> Result<Options, String> {
    Ok(Options {
        requests: read_number("REQUESTS")?.unwrap_or(REQUESTS),
        first: read_number("SEED")?.unwrap_or(1),
    })
}

fn read_number(variable: &str) -> Result<Option<u64>, String> {
    let Ok(text) = std::env::var(variable) else {
        return Ok(None);
    };
    let number = text
        .parse()
        .map_err(|error| format!("{variable}: {error}"))?;
    Ok(Some(number))
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
        .feature_gate(FeatureGate::ShardedListAndWatch, true)
        .build()?;
    Ok(Pair {
        real: plane.client(),
        memory: Client::new(memory, "default"),
    })
}
