//! [`Kubectl`]: calls of kubectl, which apply objects, delete them and wait for their deletion.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use genclient_codegen::Diagnostics;
use serde_json::Value;

use super::children::ChildWaiter;
use super::kubeconfig;
use super::kubectl_error::{self, UserCommand};
use crate::shell::quote;

/// Limits each request of kubectl. The API server itself ends a request after 60 s
/// (`--request-timeout` of kube-apiserver).
const REQUEST_TIMEOUT: &str = "--request-timeout=65s";

/// Time between two reads of objects that are being deleted.
const DELETION_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Maximum time between two reports about objects that are being deleted.
const REPORT_INTERVAL: Duration = Duration::from_secs(15);

/// Time in which objects are usually gone. A wait that is not longer is not reported.
const UNREPORTED_WAIT: Duration = Duration::from_secs(2);

/// kubectl with the flags that select a cluster.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kubectl {
    pub(crate) context: Option<String>,
    pub(crate) kubeconfig: Option<PathBuf>,
    /// Whether to take over fields owned by other field managers.
    pub(crate) force_conflicts: bool,
    /// Whether to omit kubectl's lines about applied objects.
    pub(crate) quiet: bool,
    /// The command that the user typed, for help texts.
    pub(crate) user_command: String,
}

impl Kubectl {
    /// Checks that the kubeconfig selects a cluster, and that its API server answers. Every command
    /// does this first, as the subcommands of kubectl report one failure in different words.
    ///
    /// # Errors
    ///
    /// kubectl is missing, the kubeconfig is not valid, the API server does not answer, or it does
    /// not accept the credentials.
    pub(crate) fn check(&self) -> Result<(), Diagnostics> {
        let view = self.call(&["config", "view", "--minify"], "", Stdio::piped())?;
        if !view.status.success() && !kubeconfig::finds_server_without_context(&view.stderr) {
            return Err(self.diagnose(&view.stderr));
        }
        let version = self.call(&["get", "--raw", "/version"], "", Stdio::piped())?;
        if version.stdout.starts_with("Please enter Username") {
            return Err(kubectl_error::no_credentials(
                &self.user_command(&self.flags()),
            ));
        }
        // An error response proves that the server answers. The user may lack only the permission
        // for `/version`.
        if version.status.success() || kubectl_error::is_api_error(&version.stderr) {
            return Ok(());
        }
        Err(self.diagnose(&version.stderr))
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
        let stdout = if self.quiet {
            Stdio::null()
        } else {
            Stdio::inherit()
        };
        self.run(&arguments, documents, stdout)?;
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
        let output = self.call(&arguments, documents, Stdio::piped())?;
        report(&output.stdout)?;
        self.check_output(output)?;
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
        // The waiter lives as long as the loop, so that no signal between two calls of kubectl is
        // lost.
        let mut waiter = ChildWaiter::new()?;
        let start = Instant::now();
        let mut reported = (start, Vec::new());
        loop {
            let remaining = self.remaining(documents)?;
            if remaining.is_empty() {
                return Ok(());
            }
            if !timeout.is_zero() && start.elapsed() >= timeout {
                return Err(kubectl_error::objects_remain(&remaining, timeout));
            }
            let is_news = remaining != reported.1 || reported.0.elapsed() >= REPORT_INTERVAL;
            if is_news && start.elapsed() >= UNREPORTED_WAIT {
                report(&format!(
                    "waiting until these are gone: {}",
                    remaining.join(", ")
                ));
                reported = (Instant::now(), remaining);
            }
            waiter.sleep(DELETION_POLL_INTERVAL);
        }
    }

    /// The objects of documents that are being deleted, each with what delays its deletion.
    fn remaining(&self, documents: &str) -> Result<Vec<String>, Diagnostics> {
        let arguments = ["get", "--ignore-not-found", "-o", "json", "-f", "-"];
        let json = self.run(&arguments, documents, Stdio::piped())?;
        // kubectl prints a list, except for a single object.
        let printed: Value = serde_json::from_str(&json).unwrap_or_default();
        let objects = match printed["items"].as_array() {
            Some(items) => items.clone(),
            None => vec![printed],
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
        let labelled = self.run(&arguments, "", Stdio::piped())?;
        // Empty: there is no such namespace.
        Ok(!labelled.is_empty() && labelled != format!("{namespace}:{name}"))
    }

    /// The kubectl flags that select the cluster, as shell text.
    pub(crate) fn flags(&self) -> String {
        let flags = self.flag_values();
        flags
            .map(|(flag, value)| format!(" {flag} {}", quote(&value)))
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
    fn run(
        &self,
        arguments: &[&str],
        documents: &str,
        stdout: Stdio,
    ) -> Result<String, Diagnostics> {
        let output = self.call(arguments, documents, stdout)?;
        self.check_output(output)
    }

    fn check_output(&self, output: KubectlOutput) -> Result<String, Diagnostics> {
        if !output.status.success() {
            return Err(self.diagnose(&output.stderr));
        }
        // Forwards warnings of the API server.
        let _ = anstream::stderr().write_all(output.stderr.as_bytes());
        Ok(output.stdout)
    }

    /// Runs kubectl with documents on stdin.
    fn call(
        &self,
        arguments: &[&str],
        documents: &str,
        stdout: Stdio,
    ) -> Result<KubectlOutput, Diagnostics> {
        let mut command = self.command();
        command.arg(REQUEST_TIMEOUT);
        command.args(arguments).stdout(stdout);
        run_with_stdin(command, documents, &mut ChildWaiter::new()?)
            .map_err(|error| kubectl_error::cannot_start(&error))
    }

    /// kubectl with the flags that select the cluster.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new("kubectl");
        for (flag, value) in self.flag_values() {
            command.arg(flag).arg(value);
        }
        command
    }

    fn diagnose(&self, stderr: &str) -> Diagnostics {
        kubectl_error::diagnose_failure(stderr.trim(), &self.user_command(&self.flags()))
    }

    fn user_command<'a>(&'a self, flags: &'a str) -> UserCommand<'a> {
        UserCommand {
            command: &self.user_command,
            cluster_flags: flags,
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
struct KubectlOutput {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

/// Runs a program with a text on stdin.
fn run_with_stdin(
    mut command: Command,
    text: &str,
    waiter: &mut ChildWaiter,
) -> io::Result<KubectlOutput> {
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // Reading and writing are concurrent. Otherwise the program would block if its output filled
    // the pipe's buffer before it had read all input.
    thread::scope(|scope| {
        // An error means that the program stopped reading. The program's own message says why, so
        // the error is ignored.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(text.as_bytes())));
        let stdout = scope.spawn(move || stdout.map(read_to_end_lossy).unwrap_or_default());
        let stderr = scope.spawn(move || stderr.map(read_to_end_lossy).unwrap_or_default());
        Ok(KubectlOutput {
            status: waiter.wait_for(&mut child)?,
            stdout: stdout.join().unwrap_or_default(),
            stderr: stderr.join().unwrap_or_default(),
        })
    })
}

/// Reads to the end, or to the first error.
fn read_to_end_lossy(mut from: impl io::Read) -> String {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
