//! A manager in a separate process: this test binary, started with a role in its environment.

use std::io::Write as _;
use std::process::{ExitCode, Stdio};

use genclient::config;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::*;

const ROLE: &str = "GENCLIENT_TEST_CONTROLLER_ROLE";
const NAMESPACE: &str = "GENCLIENT_TEST_CONTROLLER_NAMESPACE";
const KUBECONFIG: &str = "GENCLIENT_TEST_CONTROLLER_KUBECONFIG";

/// Behavior of a process on the ConfigMaps of its namespace.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Role {
    /// Does nothing.
    Quick,
    /// Writes the value of each into an annotation, after a while, and only as the leader.
    Elected,
}

/// A running process. It is killed when this is dropped.
pub(super) struct Process {
    child: Child,
    /// The lines that it has printed.
    lines: Arc<parking_lot::Mutex<Vec<String>>>,
}

impl Process {
    pub(super) fn start(
        plane: &ControlPlane,
        namespace: &str,
        role: Role,
    ) -> std::result::Result<Self, Failed> {
        let mut child = Command::new(std::env::current_exe()?)
            .env(
                ROLE,
                if role == Role::Quick {
                    "quick"
                } else {
                    "elected"
                },
            )
            .env(NAMESPACE, namespace)
            .env(KUBECONFIG, plane.kubeconfig())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let output = child.stdout.take().ok_or("no output")?;
        let lines = Arc::default();
        let printed: Arc<parking_lot::Mutex<Vec<String>>> = Arc::clone(&lines);
        // Ends with the process.
        tokio::spawn(async move {
            let mut output = BufReader::new(output).lines();
            while let Ok(Some(line)) = output.next_line().await {
                printed.lock().push(line);
            }
        });
        Ok(Self { child, lines })
    }

    /// Returns the names of the reconciles that have begun.
    pub(super) fn begun(&self) -> Vec<String> {
        self.printed("begin ")
    }

    /// Returns the names of the reconciles that have ended.
    pub(super) fn ended(&self) -> Vec<String> {
        self.printed("end ")
    }

    fn printed(&self, mark: &str) -> Vec<String> {
        let lines = self.lines.lock();
        let names = lines.iter().filter_map(|line| line.strip_prefix(mark));
        names.map(str::to_owned).collect()
    }

    /// Returns the peak memory of the process in KiB, without the pages of its program.
    pub(super) fn peak(&self) -> std::result::Result<u64, Failed> {
        let id = self.child.id().ok_or("it has ended")?;
        let peak = e2e::memory_without_program(id, "VmHWM");
        Ok(peak.ok_or("its memory cannot be read")?)
    }

    /// Sends `kill -9`. Returns when the process is gone.
    pub(super) async fn kill(mut self) -> Outcome {
        Ok(self.child.kill().await?)
    }
}

/// Runs the role that this process was started with, if any.
pub(crate) fn role() -> Option<ExitCode> {
    let role = match &*std::env::var(ROLE).ok()? {
        "quick" => Role::Quick,
        _ => Role::Elected,
    };
    Some(match run(role) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    })
}

fn run(role: Role) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let kubeconfig = std::env::var(KUBECONFIG)?;
        let namespace = std::env::var(NAMESPACE)?;
        let config = config::from_flags(None, Some(kubeconfig.as_ref())).await?;
        let builder = Manager::builder("controllers")
            .config(config)
            .namespaces([&*namespace])
            .leader_election_namespace(&*namespace);
        let builder = match role {
            Role::Quick => builder,
            // Other tests may use most of the CPU.
            Role::Elected => elected(builder)
                .lease_duration(Duration::from_secs(6))
                .renew_deadline(Duration::from_secs(4)),
        };
        let mut manager = builder.build().await?;
        manager.add(Controller::new(role))?;
        Ok(manager.run(CancellationToken::new()).await?)
    })
}

impl Reconciler for Role {
    type Object = ConfigMap;

    async fn reconcile(&self, map: Arc<ConfigMap>, cx: &Context) -> Result {
        let name = map.name_any();
        print("begin", &name);
        if *self == Role::Elected && name.starts_with("map-") {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let annotations = json!({ "example.com/reconciled": value(&map) });
            let patch = json!({ "metadata": { "annotations": annotations } });
            let name = ObjectName::from_object(&*map);
            cx.client()
                .patch::<ConfigMap, _>(&name, &Patch::Merge(patch))
                .await?;
        }
        print("end", &name);
        Ok(Action::done())
    }
}

/// Ignores errors: the output of a process is not read after its test has ended.
fn print(mark: &str, name: &str) {
    let mut output = std::io::stdout();
    let _ = writeln!(output, "{mark} {name}");
    let _ = output.flush();
}
