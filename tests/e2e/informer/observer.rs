//! Informer in a separate process with measurable memory: this test binary, started with a role in
//! its environment.

mod process;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::process::Stdio;
use std::time::Duration;

use e2e::{ControlPlane, eventually};
use libtest_mimic::Failed;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

pub(crate) use process::observer;

const NAMESPACE: &str = "GENCLIENT_TEST_OBSERVER_NAMESPACE";
const KUBECONFIG: &str = "GENCLIENT_TEST_OBSERVER_KUBECONFIG";
const FIRST_STATE: &str = "GENCLIENT_TEST_OBSERVER_FIRST_STATE";

/// The way in which an informer gets its initial state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum FirstState {
    Streamed,
    Listed,
    /// Listed with a limit, which an API server without a watch cache respects.
    InPages(u32),
}

/// A command to an observer, one line each. It answers each with a line.
#[derive(Debug, Serialize, Deserialize)]
enum ObserverCommand {
    Figures,
    State,
    /// Breaks every connection, and refuses new ones for this time.
    Cut(Duration),
}

/// Memory and counts of an observer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Figures {
    /// In KiB, without the pages of the program; `None` if it cannot be read.
    pub(super) resident: Option<u64>,
    /// The peak of it.
    pub(super) peak: Option<u64>,
    pub(super) objects: usize,
    pub(super) events: usize,
}

/// State of an observer.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct State {
    cached: BTreeMap<String, String>,
    told: BTreeMap<String, String>,
    wrong: Vec<String>,
    /// The last errors of lists and watches, each with the seconds since then.
    failures: VecDeque<String>,
    /// The queries of all answered requests.
    pub(super) queries: Vec<String>,
}

/// A running observer of the ConfigMaps of a namespace. It ends when this is dropped.
pub(super) struct Observer {
    _child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Observer {
    pub(super) fn start(
        plane: &ControlPlane,
        namespace: &str,
        first_state: FirstState,
    ) -> Result<Self, Failed> {
        let mut child = Command::new(std::env::current_exe()?)
            .env(NAMESPACE, namespace)
            .env(KUBECONFIG, plane.kubeconfig())
            .env(FIRST_STATE, serde_json::to_string(&first_state)?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = child.stdout.take().ok_or("no output")?;
        Ok(Self {
            _child: child,
            input,
            output: BufReader::new(output).lines(),
        })
    }

    pub(super) async fn figures(&mut self) -> Result<Figures, Failed> {
        Ok(serde_json::from_str(
            &self.say(&ObserverCommand::Figures).await?,
        )?)
    }

    /// Cuts the connections. Returns when new ones are accepted again.
    pub(super) async fn cut(&mut self, pause: Duration) -> Result<(), Failed> {
        self.say(&ObserverCommand::Cut(pause)).await?;
        Ok(())
    }

    /// Waits until the cache and the handler are as `listed`. After several failures in a row, an
    /// informer pauses for up to a minute. Its version may have expired by then, and it pauses
    /// again.
    pub(super) async fn settled(
        &mut self,
        listed: &BTreeMap<String, String>,
    ) -> Result<State, Failed> {
        for _ in 0..4 {
            if let Ok(state) = self.settled_soon(listed).await {
                return Ok(state);
            }
        }
        self.settled_soon(listed).await
    }

    async fn settled_soon(&mut self, listed: &BTreeMap<String, String>) -> Result<State, Failed> {
        let state = eventually("a cache like the server's list", async || {
            let said = self.say(&ObserverCommand::State).await;
            let state = said.map_err(|failed| failed.message().unwrap_or_default().to_owned())?;
            let state: State = serde_json::from_str(&state).map_err(|error| error.to_string())?;
            if state.cached == *listed && state.told == *listed {
                return Ok(state);
            }
            Err(format!(
                "{} cached and {} told of {}; {} differ; failures: {:#?}",
                state.cached.len(),
                state.told.len(),
                listed.len(),
                difference(&state, listed),
                state.failures
            ))
        })
        .await?;
        assert_eq!(state.wrong, [""; 0]);
        Ok(state)
    }

    async fn say(&mut self, what: &ObserverCommand) -> Result<String, Failed> {
        let line = serde_json::to_string(what)? + "\n";
        self.input.write_all(line.as_bytes()).await?;
        let answer = self.output.next_line().await?;
        Ok(answer.ok_or("the observer has ended")?)
    }
}

/// Returns the first few objects whose observed state differs from the listed one.
fn difference(state: &State, listed: &BTreeMap<String, String>) -> String {
    let differs = |name: &&String| {
        let listed = listed.get(*name);
        state.cached.get(*name) != listed || state.told.get(*name) != listed
    };
    let names: BTreeSet<_> = listed
        .keys()
        .chain(state.cached.keys())
        .chain(state.told.keys())
        .filter(differs)
        .collect();
    format!("{:?}", names.into_iter().take(3).collect::<Vec<_>>())
}
