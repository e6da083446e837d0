//! Control plane tests, ignored without etcd and kube-apiserver.

mod environment;
mod installs;
mod stops;
mod users;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use genclient_apiserver::User;
use genclient_envtest::ControlPlane;
use libtest_mimic::{Arguments, Failed, Trial};
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;

/// Result of a test; `?` turns every error into a failure.
type Outcome = Result<(), Failed>;

/// Control plane that the first test that needs it starts.
struct Shared {
    runtime: Runtime,
    plane: OnceCell<Result<ControlPlane, String>>,
}

struct Tests {
    shared: Arc<Shared>,
    trials: Vec<Trial>,
    are_ignored: bool,
}

impl Tests {
    /// Adds a test on the shared control plane.
    fn shared(
        &mut self,
        name: &str,
        test: impl AsyncFnOnce(&ControlPlane) -> Outcome + Send + 'static,
    ) {
        let shared = Arc::clone(&self.shared);
        let trial = Trial::test(name, move || {
            shared.runtime.block_on(async {
                let plane = shared.plane.get_or_init(start).await;
                test(plane.as_ref().map_err(Failed::from)?).await
            })
        });
        self.trials.push(trial.with_ignored_flag(self.are_ignored));
    }

    /// Adds a test that starts its own control planes.
    fn alone(&mut self, name: &str, test: impl AsyncFnOnce() -> Outcome + Send + 'static) {
        let shared = Arc::clone(&self.shared);
        let trial = Trial::test(name, move || shared.runtime.block_on(test()));
        self.trials.push(trial.with_ignored_flag(self.are_ignored));
    }
}

/// Returns the error of an operation that must fail.
fn refusal<T, E>(result: Result<T, E>) -> Result<E, Failed> {
    match result {
        Ok(_) => Err("nothing was refused".into()),
        Err(error) => Ok(error),
    }
}

async fn start() -> Result<ControlPlane, String> {
    let robot = User::new("robot, \"the\" one")
        .with_uid("7")
        .group("robots");
    let builder = ControlPlane::builder().existing_cluster(false);
    let plane = builder.token("token-of-the-robot", robot).start().await;
    plane.map_err(|error| error.explain())
}

fn main() -> io::Result<ExitCode> {
    if let Some(outcome) = environment::run_as_child(&Runtime::new()?) {
        return Ok(outcome);
    }
    let missing = ControlPlane::builder().existing_cluster(false).check();
    if let Err(reason) = &missing {
        eprintln!("ignored: no control plane to test: {}", reason.explain());
    }
    let mut tests = Tests {
        shared: Arc::new(Shared {
            runtime: Runtime::new()?,
            plane: OnceCell::new(),
        }),
        trials: Vec::new(),
        are_ignored: missing.is_err(),
    };
    environment::tests(&mut tests);
    installs::tests(&mut tests);
    stops::tests(&mut tests);
    users::tests(&mut tests);
    let conclusion = libtest_mimic::run(&Arguments::from_args(), tests.trials);
    if let Some(Ok(plane)) = tests.shared.plane.get() {
        if conclusion.has_failed() {
            plane.keep_logs();
            eprintln!("logs of the control plane: {}", plane.logs().display());
        }
        plane.kill();
    }
    Ok(conclusion.exit_code())
}
