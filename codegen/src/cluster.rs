//! The cluster and the containers of a deployment: kubectl, docker or podman, cargo, and the API
//! server of this project, each run as a program.

mod children;
mod container_tool;
mod failure;
mod local_server;
mod program;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use crate::diagnostic::Diagnostics;
use crate::paths::typed;
use children::Children;
pub(crate) use container_tool::ContainerTool;
use failure::TypedCommand;
pub(crate) use local_server::{LocalServer, free_address};
pub(crate) use program::Program;

/// A cluster, as kubectl knows it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cluster {
    /// The context of the kubeconfig.
    pub(crate) context: Option<String>,
    /// The kubeconfig.
    pub(crate) kubeconfig: Option<PathBuf>,
    /// Whether fields are taken over that others own.
    pub(crate) force_conflicts: bool,
    /// The command of this run, to be typed again.
    pub(crate) typed: String,
}

impl Cluster {
    /// Applies documents by server-side apply.
    ///
    /// # Errors
    ///
    /// There is no kubectl, it reaches no cluster, or that refuses an object.
    pub(crate) fn apply(&self, documents: &str) -> Result<(), Diagnostics> {
        let mut arguments = vec!["apply", "--server-side"];
        if self.force_conflicts {
            arguments.push("--force-conflicts");
        }
        arguments.extend(["--field-manager=genclient", "-f", "-"]);
        self.kubectl(&arguments, documents, Stdio::inherit())?;
        Ok(())
    }

    /// Deletes the objects of documents that are there, and waits for their end.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply).
    pub(crate) fn delete(&self, documents: &str) -> Result<(), Diagnostics> {
        let arguments = ["delete", "--ignore-not-found", "-f", "-"];
        self.kubectl(&arguments, documents, Stdio::inherit())?;
        Ok(())
    }

    /// Whether a namespace is there without the label of a deployment: by another hand, and with
    /// objects that may be of others.
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

    /// The flags of kubectl that choose the cluster, to be typed.
    pub(crate) fn flags(&self) -> String {
        let flags = self.flag_values();
        flags
            .map(|(flag, value)| format!(" {flag} {}", typed(&value)))
            .collect()
    }

    fn flag_values(&self) -> impl Iterator<Item = (&'static str, String)> {
        let kubeconfig = self.kubeconfig.as_ref();
        let kubeconfig = kubeconfig.map(|path| path.display().to_string());
        let context = self.context.clone().map(|name| ("--context", name));
        let kubeconfig = kubeconfig.map(|path| ("--kubeconfig", path));
        context.into_iter().chain(kubeconfig)
    }

    /// Runs kubectl on a text. Returns what it printed on a piped stdout.
    fn kubectl(
        &self,
        arguments: &[&str],
        documents: &str,
        stdout: Stdio,
    ) -> Result<String, Diagnostics> {
        let mut command = Command::new("kubectl");
        for (flag, value) in self.flag_values() {
            command.arg(flag).arg(value);
        }
        command.args(arguments).stdout(stdout);
        let printed = fed(command, documents).map_err(|error| failure::to_start(&error))?;
        if !printed.status.success() {
            return Err(self.failure(printed.stderr.trim()));
        }
        // Warnings of the API server.
        let _ = anstream::stderr().write_all(printed.stderr.as_bytes());
        Ok(printed.stdout)
    }

    fn failure(&self, said: &str) -> Diagnostics {
        let typed = TypedCommand {
            command: &self.typed,
            cluster: &self.flags(),
        };
        failure::of(said, &typed)
    }
}

/// The output and the exit status of a program.
struct Printed {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

/// Runs a program that reads a text.
fn fed(mut command: Command, text: &str) -> io::Result<Printed> {
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut children = Children::new()?;
    let mut child = command.spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // It may print more than a pipe holds before it has read everything.
    thread::scope(|scope| {
        // If it does not read to the end, it says itself why.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(text.as_bytes())));
        let stdout = scope.spawn(move || stdout.map(read).unwrap_or_default());
        let stderr = scope.spawn(move || stderr.map(read).unwrap_or_default());
        Ok(Printed {
            status: children.end_of(&mut child)?,
            stdout: stdout.join().unwrap_or_default(),
            stderr: stderr.join().unwrap_or_default(),
        })
    })
}

/// Everything that can be read.
fn read(mut from: impl io::Read) -> String {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
