//! Test runner that gives each test a control plane, and stops all of them at the end.

use std::env;
use std::error::Error;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use genclient_apiserver::{ApiServer, FeatureGate, Serving};
use libtest_mimic::{Arguments, Failed, Trial};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::OnceCell;
use tokio::time::timeout;

use genclient_envtest::{ControlPlane, StartError};

/// The result of a test; `?` turns every error into a failure.
pub type Outcome = Result<(), Failed>;

/// A test that takes longer hangs. The first of the tests that run programs waits minutes for their
/// build.
const TIME_LIMIT: Duration = Duration::from_secs(600);
/// Generous, since the host may be compiling at the same time.
const START_TIMEOUT: Duration = Duration::from_secs(120);
/// The tests mostly wait, so this need not match the number of cores.
const THREADS: usize = 8;

/// The tests of this binary.
pub struct Suite {
    shared: Arc<Shared>,
    trials: Vec<Trial>,
}

struct Shared {
    runtime: Runtime,
    /// Started by the first test that needs it. A failed start is not retried.
    plane: OnceCell<Result<ControlPlane, String>>,
    /// An in-process API server in the role of a cluster.
    in_process: OnceCell<Result<(ControlPlane, Serving), String>>,
    /// The runtime of that server, so that it and the tests do not block each other.
    serving: Runtime,
}

impl Suite {
    /// An empty suite.
    ///
    /// # Errors
    ///
    /// No runtime could be started.
    pub fn new() -> io::Result<Self> {
        let shared = Shared {
            runtime: Runtime::new()?,
            plane: OnceCell::new(),
            in_process: OnceCell::new(),
            serving: Builder::new_multi_thread()
                .worker_threads(THREADS)
                .enable_all()
                .build()?,
        };
        Ok(Self {
            shared: Arc::new(shared),
            trials: Vec::new(),
        })
    }

    /// Adds a test that needs no control plane.
    pub fn plain(&mut self, name: &str, test: impl FnOnce() -> Outcome + Send + 'static) {
        self.trials.push(Trial::test(name, test));
    }

    /// Adds a test that runs twice: on the shared control plane, and, as `NAME::in_process`, on an
    /// in-process API server.
    pub fn both(
        &mut self,
        name: &str,
        test: impl AsyncFnOnce(&ControlPlane) -> Outcome + Clone + Send + 'static,
    ) {
        self.in_process(name, test.clone());
        self.shared(name, test);
    }

    fn in_process(
        &mut self,
        name: &str,
        test: impl AsyncFnOnce(&ControlPlane) -> Outcome + Send + 'static,
    ) {
        let trial = self.trial(
            &format!("{name}::in_process"),
            TIME_LIMIT,
            async move |shared| test(shared.in_process().await?).await,
        );
        self.trials.push(trial);
    }

    /// Adds a test that runs on the shared control plane, concurrently with others.
    pub fn shared(
        &mut self,
        name: &str,
        test: impl AsyncFnOnce(&ControlPlane) -> Outcome + Send + 'static,
    ) {
        self.shared_for(Duration::ZERO, name, test);
    }

    /// As [`shared`](Self::shared), with a time limit that is longer by `longer`.
    pub fn shared_for(
        &mut self,
        longer: Duration,
        name: &str,
        test: impl AsyncFnOnce(&ControlPlane) -> Outcome + Send + 'static,
    ) {
        self.add_for(TIME_LIMIT + longer, name, async move |shared: &Shared| {
            test(shared.plane().await?).await
        });
    }

    /// Adds a test with its own control plane, which it may stop and restart.
    pub fn own(
        &mut self,
        name: &str,
        test: impl AsyncFnOnce(&ControlPlane) -> Outcome + Send + 'static,
    ) {
        self.own_for(Duration::ZERO, name, test);
    }

    /// As [`own`](Self::own), with a time limit that is longer by `longer`.
    pub fn own_for(
        &mut self,
        longer: Duration,
        name: &str,
        test: impl AsyncFnOnce(&ControlPlane) -> Outcome + Send + 'static,
    ) {
        self.add_for(TIME_LIMIT + longer, name, async move |_: &Shared| {
            let plane = start().await.map_err(|error| error.explain())?;
            test(&plane).await.inspect_err(|_| keep_logs(&plane))
        });
    }

    /// Adds a test that starts its own control planes.
    pub fn alone(&mut self, name: &str, test: impl AsyncFnOnce() -> Outcome + Send + 'static) {
        self.add(name, async move |_: &Shared| test().await);
    }

    fn add(&mut self, name: &str, test: impl AsyncFnOnce(&Shared) -> Outcome + Send + 'static) {
        self.add_for(TIME_LIMIT, name, test);
    }

    fn add_for(
        &mut self,
        limit: Duration,
        name: &str,
        test: impl AsyncFnOnce(&Shared) -> Outcome + Send + 'static,
    ) {
        let trial = self.trial(name, limit, test);
        self.trials.push(trial.with_ignored_flag(!has_assets()));
    }

    fn trial(
        &self,
        name: &str,
        limit: Duration,
        test: impl AsyncFnOnce(&Shared) -> Outcome + Send + 'static,
    ) -> Trial {
        let shared = Arc::clone(&self.shared);
        Trial::test(name, move || {
            shared.runtime.block_on(async {
                timeout(limit, test(&shared))
                    .await
                    .unwrap_or_else(|_| Err(format!("not done after {limit:?}").into()))
            })
        })
    }

    /// Runs the tests selected on the command line.
    pub fn run(self) -> ExitCode {
        let mut arguments = Arguments::from_args();
        arguments.test_threads.get_or_insert(THREADS);
        if !has_assets() {
            eprintln!(
                "ignored: what is asked of a real API server; `in_process` needs none. Type\n  \
                 export KUBEBUILDER_ASSETS=$(hack/control-plane.sh)"
            );
        }
        let conclusion = libtest_mimic::run(&arguments, self.trials);
        if let Some(Ok(plane)) = self.shared.plane.get() {
            if conclusion.has_failed() {
                keep_logs(plane);
            }
            plane.kill();
        }
        conclusion.exit_code()
    }
}

impl Shared {
    async fn in_process(&self) -> Result<&ControlPlane, Failed> {
        let start = async || {
            self.serving
                .spawn(async {
                    let served = serve().await;
                    served.map_err(|error| error.to_string())
                })
                .await
                .unwrap_or_else(|error| Err(error.to_string()))
        };
        let served = self.in_process.get_or_init(start).await;
        served
            .as_ref()
            .map(|(plane, _)| plane)
            .map_err(Failed::from)
    }

    async fn plane(&self) -> Result<&ControlPlane, Failed> {
        let start = async || start().await.map_err(|error| error.explain());
        self.plane
            .get_or_init(start)
            .await
            .as_ref()
            .map_err(Failed::from)
    }
}

/// Starts a new control plane, never an existing cluster: the tests break clusters. Its API server
/// takes shard selectors, which are off by default.
///
/// # Errors
///
/// See [`StartError`].
///
/// # Cancel safety
///
/// A dropped future kills both servers.
pub async fn start() -> Result<ControlPlane, StartError> {
    ControlPlane::builder()
        .existing_cluster(false)
        .api_server_flags(["--feature-gates=ShardedListAndWatch=true"])
        .start_timeout(START_TIMEOUT)
        .start()
        .await
}

/// True if `KUBEBUILDER_ASSETS` is set. The tests require the Kubernetes version of
/// `hack/control-plane.sh`, not any version in a default folder.
pub fn has_assets() -> bool {
    env::var_os("KUBEBUILDER_ASSETS").is_some_and(|folder| !folder.is_empty())
}

fn keep_logs(plane: &ControlPlane) {
    plane.keep_logs();
    eprintln!("logs of the control plane: {}", plane.logs().display());
}

/// Starts an in-process API server, with a [`ControlPlane`] that connects to it.
async fn serve() -> Result<(ControlPlane, Serving), Box<dyn Error>> {
    let server = ApiServer::builder()
        .feature_gate(FeatureGate::ShardedListAndWatch, true)
        .build()?;
    let serving = server.serve(([127, 0, 0, 1], 0)).await?;
    let folder = tempfile::tempdir()?;
    let kubeconfig = folder.path().join("kubeconfig");
    serving.write_kubeconfig(&kubeconfig)?;
    let plane = ControlPlane::builder().existing_kubeconfig(kubeconfig);
    Ok((plane.start().await?, serving))
}

/// Compares the answers of an API server with the recorded ones, or records them if `UPDATE_EXPECT`
/// is set.
///
/// # Errors
///
/// The first line that differs.
pub fn compare_with_recording(path: &str, recorded: &str, said: &str) -> Outcome {
    if env::var_os("UPDATE_EXPECT").is_some() {
        return Ok(std::fs::write(path, said)?);
    }
    let mut lines = recorded.lines().zip(said.lines());
    if let Some((recorded, said)) = lines.find(|(recorded, said)| recorded != said) {
        return Err(format!("recorded: {recorded}\nthe API server says: {said}").into());
    }
    assert_eq!(recorded, said);
    Ok(())
}
