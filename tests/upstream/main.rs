//! Upstream's tests of fake clients, as requests to an API server: the in-process one and a real
//! kube-apiserver, with the same expectations.
//!
//! ```console
//! $ cargo test -p e2e --test upstream                     # in the process
//! $ export KUBEBUILDER_ASSETS=$(hack/control-plane.sh)
//! $ cargo test -p e2e --test upstream                     # on both, whole answers compared
//! $ UPDATE_EXPECT=1 cargo test -p e2e --test upstream     # takes what the real one answers
//! ```
//!
//! `tests.txt` lists upstream's tests; `cases/` contains those about a server. A case expects the
//! behaviour of kube-apiserver. If the upstream test asserts something else, the field `upstream`
//! states it.

#[path = "../differential/answers.rs"]
mod answers;
mod cases;
mod flow;
mod list;
mod matching;
mod session;
mod update;

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use e2e::ControlPlane;
use e2e::suite::{Outcome, Suite};
use genclient_apiserver::ApiServer;
use kube::Client;
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;

use crate::cases::{Case, CaseFile};
use crate::session::Session;
use crate::update::Updates;

type Failure = Box<dyn Error + Send + Sync>;

/// Definitions of the custom resources used by cases.
const DEFINITIONS: &str = include_str!("definitions.yaml");

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode, Failure> {
    let files = cases::read(&folder().join("cases"))?;
    let tests = list::read(&folder().join("tests.txt"))?;
    let mut suite = Suite::new()?;
    let defined = Arc::new(OnceCell::new());
    let updates = Updates::default();
    for file in &files {
        for case in &file.cases {
            let name = format!("upstream::{}::{}", file.name, case.name);
            let here = case.clone();
            suite.plain(&format!("{name}::in_process"), move || {
                Runtime::new()?.block_on(in_process(&here))
            });
            let (case, defined) = (case.clone(), Arc::clone(&defined));
            let updates = updates.clone();
            suite.shared(&name, async move |plane: &ControlPlane| {
                defined
                    .get_or_try_init(async || define(plane).await)
                    .await?;
                on_both(plane, &case, &updates).await
            });
        }
    }
    let all: Vec<_> = files.iter().flat_map(|it| it.cases.clone()).collect();
    suite.plain("upstream::list", move || list::check(&tests, &all));
    let code = suite.run();
    if env::var_os("UPDATE_EXPECT").is_some() {
        files
            .iter()
            .try_for_each(|it: &CaseFile| updates.write(it))?;
    }
    Ok(code)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../upstream")
}

async fn define(plane: &ControlPlane) -> Result<(), Failure> {
    for text in definitions() {
        plane.apply_crd(text).await?;
    }
    Ok(())
}

fn definitions() -> impl Iterator<Item = &'static str> {
    DEFINITIONS
        .split("---\n")
        .filter(|text| !text.trim().is_empty())
}

/// The in-process server without controllers, like kube-apiserver on its own.
fn memory() -> Result<Client, Failure> {
    let definitions: Result<Vec<_>, _> = definitions().map(serde_saphyr::from_str).collect();
    let builder = ApiServer::builder().crds(definitions?).controllers(false);
    Ok(Client::new(builder.build()?, "default"))
}

/// Runs a case in the process.
async fn in_process(case: &Case) -> Outcome {
    let mut session = Session::begin(memory()?).await?;
    let mut mismatches = Vec::new();
    for (at, step) in case.steps.iter().enumerate() {
        let found = session.send(step).await?;
        let wrong = found.mismatches(step);
        mismatches.extend(wrong.into_iter().map(|it| format!("step {}: {it}", at + 1)));
    }
    verdict(&mismatches)
}

/// Runs a case on the real server, and compares whole answers with those of the in-process server.
async fn on_both(plane: &ControlPlane, case: &Case, updates: &Updates) -> Outcome {
    let is_update = env::var_os("UPDATE_EXPECT").is_some();
    let mut real = Session::begin(plane.client()).await?;
    let mut memory = Session::begin(memory()?).await?;
    let mut mismatches = Vec::new();
    for (at, step) in case.steps.iter().enumerate() {
        let theirs = real.send(step).await?;
        let ours = memory.send(step).await?;
        if is_update {
            updates.add(case, theirs.recorded(step));
        } else {
            let wrong = theirs.mismatches(step);
            mismatches.extend(wrong.into_iter().map(|it| format!("step {}: {it}", at + 1)));
        }
        if theirs.whole != ours.whole {
            mismatches.push(format!(
                "step {}: whole answers differ\nkube-apiserver: {}\nin the process: {}",
                at + 1,
                session::shown(&theirs.whole),
                session::shown(&ours.whole)
            ));
        }
    }
    verdict(&mismatches)
}

fn verdict(mismatches: &[String]) -> Outcome {
    if mismatches.is_empty() {
        Ok(())
    } else {
        Err(mismatches.join("\n").into())
    }
}
