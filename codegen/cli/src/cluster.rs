//! External programs for deployments: kubectl, docker or podman, cargo, and this project's API
//! server.

mod children;
mod container_tool;
mod failure;
mod kubeconfig;
mod local_server;
mod program;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use genclient_codegen::Diagnostics;
use serde_json::Value;

use crate::shell::typed;
use children::ChildWaiter;
pub(crate) use container_tool::ContainerTool;
use failure::TypedCommand;
pub(crate) use kubeconfig::check_kubeconfig;
pub(crate) use local_server::{LocalServer, SERVER, check_server, free_address};
pub(crate) use program::Program;

/// Limits each request of kubectl. The API server itself ends a request after 60 s
/// (`--request-timeout` of kube-apiserver).
const REQUEST_TIMEOUT: &str = "--request-timeout=65s";

/// Time between two looks at objects that are being deleted.
const POLL: Duration = Duration::from_secs(1);

/// Maximum time without a word about objects that are being deleted.
const SILENCE: Duration = Duration::from_secs(15);

/// Time in which objects are usually gone. So short a wait is not reported.
const BRIEF: Duration = Duration::from_secs(2);

/// A cluster, as selected by kubectl flags.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cluster {
    pub(crate) context: Option<String>,
    pub(crate) kubeconfig: Option<PathBuf>,
    /// Whether to take over fields owned by other field managers.
    pub(crate) force_conflicts: bool,
    /// The command that the user typed, for help texts.
    pub(crate) typed: String,
}

impl Cluster {
    /// Checks that the kubeconfig selects a cluster, and that its API server answers. Every command
    /// does this first, as the subcommands of kubectl report one failure in different words.
    ///
    /// # Errors
    ///
    /// kubectl is missing, the kubeconfig is not valid, the API server does not answer, or it does
    /// not accept the credentials.
    pub(crate) fn check(&self) -> Result<(), Diagnostics> {
        let viewed = self.call(&["config", "view", "--minify"], "", Stdio::piped())?;
        if !viewed.status.success() && !kubeconfig::is_needless(&viewed.stderr) {
            return Err(self.failure(&viewed.stderr));
        }
        let asked = self.call(&["get", "--raw", "/version"], "", Stdio::piped())?;
        if asked.stdout.starts_with("Please enter Username") {
            return Err(failure::no_credentials(&self.typed_command(&self.flags())));
        }
        // A user may do more than this request.
        if asked.status.success() || failure::is_answer(&asked.stderr) {
            return Ok(());
        }
        Err(self.failure(&asked.stderr))
    }

    /// Applies YAML documents by server-side apply.
    ///
    /// # Errors
    ///
    /// kubectl is missing, cannot reach a cluster, or the cluster refuses an object.
    pub(crate) fn apply(&self, documents: &str) -> Result<(), Diagnostics> {
        let mut arguments = vec!["apply", "--server-side"];
        if self.force_conflicts {
            arguments.push("--force-conflicts");
        }
        arguments.extend(["--field-manager=genclient", "-f", "-"]);
        self.kubectl(&arguments, documents, Stdio::inherit())?;
        Ok(())
    }

    /// Deletes the objects of documents, if they exist. Objects with finalizers stay until these
    /// are removed. Calls `report` with kubectl's lines about the deleted objects, also if the
    /// deletion of others fails.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply).
    pub(crate) fn delete(
        &self,
        documents: &str,
        report: impl FnOnce(&str) -> Result<(), Diagnostics>,
    ) -> Result<(), Diagnostics> {
        let arguments = ["delete", "--ignore-not-found", "--wait=false", "-f", "-"];
        let printed = self.call(&arguments, documents, Stdio::piped())?;
        report(&printed.stdout)?;
        self.stdout_of(printed)?;
        Ok(())
    }

    /// Waits until the deleted objects of documents are gone. Calls `report` with a line about the
    /// objects that remain: after two seconds, after each later change, and every 15 s. A `timeout`
    /// of zero means no timeout.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply), or objects remain after the timeout.
    pub(crate) fn wait_until_gone(
        &self,
        documents: &str,
        timeout: Duration,
        report: impl Fn(&str),
    ) -> Result<(), Diagnostics> {
        // It lives as long as the loop, so that no signal between two calls of kubectl is lost.
        let mut waiter = ChildWaiter::new()?;
        let start = Instant::now();
        let mut reported = (start, Vec::new());
        loop {
            let left = self.remaining(documents)?;
            if left.is_empty() {
                return Ok(());
            }
            if !timeout.is_zero() && start.elapsed() >= timeout {
                return Err(failure::not_gone(&left, timeout));
            }
            let is_news = left != reported.1 || reported.0.elapsed() >= SILENCE;
            if is_news && start.elapsed() >= BRIEF {
                report(&format!(
                    "waiting until these are gone: {}",
                    left.join(", ")
                ));
                reported = (Instant::now(), left);
            }
            waiter.sleep(POLL);
        }
    }

    /// The objects of documents that are being deleted, each with what delays its deletion.
    fn remaining(&self, documents: &str) -> Result<Vec<String>, Diagnostics> {
        let arguments = ["get", "--ignore-not-found", "-o", "json", "-f", "-"];
        let found = self.kubectl(&arguments, documents, Stdio::piped())?;
        // kubectl prints a list, except for a single object.
        let found: Value = serde_json::from_str(&found).unwrap_or_default();
        let objects = match found["items"].as_array() {
            Some(items) => items.clone(),
            None => vec![found],
        };
        let deleted = objects
            .iter()
            .filter(|object| object["metadata"]["deletionTimestamp"].is_string());
        Ok(deleted.map(describe_deleted).collect())
    }

    /// True if the namespace exists without the label of the deployment `name`. Such a namespace
    /// was created by someone else and may contain unrelated objects.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply).
    pub(crate) fn has_foreign_namespace(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<bool, Diagnostics> {
        let label = "jsonpath={.metadata.name}:{.metadata.labels.app\\.kubernetes\\.io/name}";
        let arguments = [
            "get",
            "namespace",
            namespace,
            "--ignore-not-found",
            "-o",
            label,
        ];
        let found = self.kubectl(&arguments, "", Stdio::piped())?;
        Ok(!found.is_empty() && found != format!("{namespace}:{name}"))
    }

    /// The kubectl flags that select the cluster, as shell text.
    pub(crate) fn flags(&self) -> String {
        let flags = self.flag_values();
        flags
            .map(|(flag, value)| format!(" {flag} {}", typed(&value)))
            .collect()
    }

    fn flag_values(&self) -> impl Iterator<Item = (&'static str, String)> {
        let kubeconfig = self
            .kubeconfig
            .as_ref()
            .map(|path| path.display().to_string());
        let context = self.context.clone().map(|name| ("--context", name));
        let kubeconfig = kubeconfig.map(|path| ("--kubeconfig", path));
        context.into_iter().chain(kubeconfig)
    }

    /// Runs kubectl with documents on stdin. Returns its stdout, if that is piped.
    fn kubectl(
        &self,
        arguments: &[&str],
        documents: &str,
        stdout: Stdio,
    ) -> Result<String, Diagnostics> {
        let printed = self.call(arguments, documents, stdout)?;
        self.stdout_of(printed)
    }

    fn stdout_of(&self, printed: Printed) -> Result<String, Diagnostics> {
        if !printed.status.success() {
            return Err(self.failure(&printed.stderr));
        }
        // Forwards warnings of the API server.
        let _ = anstream::stderr().write_all(printed.stderr.as_bytes());
        Ok(printed.stdout)
    }

    /// Runs kubectl with documents on stdin.
    fn call(
        &self,
        arguments: &[&str],
        documents: &str,
        stdout: Stdio,
    ) -> Result<Printed, Diagnostics> {
        let mut command = Command::new("kubectl");
        for (flag, value) in self.flag_values() {
            command.arg(flag).arg(value);
        }
        command.arg(REQUEST_TIMEOUT);
        command.args(arguments).stdout(stdout);
        run_with_stdin(command, documents, &mut ChildWaiter::new()?)
            .map_err(|error| failure::to_start(&error))
    }

    fn failure(&self, said: &str) -> Diagnostics {
        failure::of(said.trim(), &self.typed_command(&self.flags()))
    }

    fn typed_command<'a>(&'a self, flags: &'a str) -> TypedCommand<'a> {
        TypedCommand {
            command: &self.typed,
            cluster: flags,
            kubeconfig: self.kubeconfig.as_deref(),
        }
    }
}

/// `Namespace guestbook-system (finalizers: kubernetes)`. For a namespace, adds the message about
/// the objects in it that remain.
fn describe_deleted(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &object["metadata"];
    let kind = text(&object["kind"]);
    let mut name = text(&metadata["name"]);
    if let Some(namespace) = metadata["namespace"].as_str() {
        name = format!("{namespace}/{name}");
    }
    let finalizers: Vec<_> = [&metadata["finalizers"], &object["spec"]["finalizers"]]
        .into_iter()
        .filter_map(Value::as_array)
        .flatten()
        .map(text)
        .collect();
    let mut described = format!("{kind} {name}");
    if !finalizers.is_empty() {
        described.push_str(&format!(" (finalizers: {})", finalizers.join(", ")));
    }
    let conditions = object["status"]["conditions"].as_array();
    let remaining = conditions.into_iter().flatten().filter(|condition| {
        // `NamespaceContentRemaining` and `NamespaceFinalizersRemaining`.
        let is_about_content = text(&condition["type"]).ends_with("Remaining");
        kind == "Namespace" && is_about_content && condition["status"] == "True"
    });
    for condition in remaining {
        described.push_str(&format!(": {}", text(&condition["message"])));
    }
    described
}

/// The output and exit status of a program.
struct Printed {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

/// Runs a program with a text on stdin.
fn run_with_stdin(
    mut command: Command,
    text: &str,
    waiter: &mut ChildWaiter,
) -> io::Result<Printed> {
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // Reading and writing are concurrent. Otherwise the program would block if its output filled
    // the pipe's buffer before it had read all input.
    thread::scope(|scope| {
        // An error means that the program stopped reading. The program's own message says why, so
        // the error is ignored.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(text.as_bytes())));
        let stdout = scope.spawn(move || stdout.map(read).unwrap_or_default());
        let stderr = scope.spawn(move || stderr.map(read).unwrap_or_default());
        Ok(Printed {
            status: waiter.end_of(&mut child)?,
            stdout: stdout.join().unwrap_or_default(),
            stderr: stderr.join().unwrap_or_default(),
        })
    })
}

/// Reads to the end, or to the first error.
fn read(mut from: impl io::Read) -> String {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
