//! Replica in a separate process: this test binary, started with a role in its environment.

use std::io::Write as _;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, SystemTime};

use e2e::ControlPlane;
use genclient::config;
use libtest_mimic::Failed;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use super::elector;
use super::stamps::Stamps;

const NAMESPACE: &str = "GENCLIENT_TEST_REPLICA_NAMESPACE";
const IDENTITY: &str = "GENCLIENT_TEST_REPLICA_IDENTITY";
const KUBECONFIG: &str = "GENCLIENT_TEST_REPLICA_KUBECONFIG";

/// A running replica. It is killed when this is dropped.
pub(super) struct Replica {
    pub(super) identity: String,
    child: Child,
}

impl Replica {
    /// Starts a replica, whose output goes into `stamps`.
    pub(super) fn start(
        plane: &ControlPlane,
        namespace: &str,
        identity: &str,
        stamps: &Stamps,
    ) -> Result<Self, Failed> {
        let mut child = Command::new(std::env::current_exe()?)
            .env(NAMESPACE, namespace)
            .env(IDENTITY, identity)
            .env(KUBECONFIG, plane.kubeconfig())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let output = child.stdout.take().ok_or("no output")?;
        let (stamps, name) = (stamps.clone(), identity.to_owned());
        // Ends with the process.
        tokio::spawn(async move {
            let mut lines = BufReader::new(output).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                if let Ok(nanoseconds) = line.parse() {
                    let since = Duration::from_nanos(nanoseconds);
                    stamps.push(&name, SystemTime::UNIX_EPOCH + since);
                }
            }
        });
        Ok(Self {
            identity: identity.to_owned(),
            child,
        })
    }

    /// Sends `kill -9`. Returns when the process is gone.
    pub(super) async fn kill(mut self) -> Result<(), Failed> {
        self.child.kill().await?;
        Ok(())
    }
}

/// Runs the replica that this process was started as, if any: it works while it leads, and prints
/// stamps to standard output.
pub(crate) fn replica() -> Option<ExitCode> {
    let identity = std::env::var(IDENTITY).ok()?;
    Some(match run(&identity) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{identity}: {error}");
            ExitCode::FAILURE
        }
    })
}

fn run(identity: &str) -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let kubeconfig = std::env::var(KUBECONFIG)?;
        let config = config::from_flags(None, Some(kubeconfig.as_ref())).await?;
        let mut elector = elector(config, &std::env::var(NAMESPACE)?, identity)
            .map_err(|failed| format!("{failed:?}"))?;
        elector.run(CancellationToken::new(), work).await?;
        Ok(())
    })
}

async fn work(leading: CancellationToken) {
    while !leading.is_cancelled() {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let mut output = std::io::stdout();
        // The output of a replica is not read after its test has ended.
        let _ = writeln!(output, "{}", now.unwrap_or_default().as_nanos());
        let _ = output.flush();
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
