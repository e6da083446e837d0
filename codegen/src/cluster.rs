//! The cluster and the containers of a deployment: kubectl, docker or podman, and cargo, each run
//! as a program.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use crate::diagnostic::{Diagnostic, Diagnostics};

/// The programs that build images, the preferred one first.
const CONTAINER_TOOLS: [&str; 2] = ["docker", "podman"];

/// What kubectl says if it reaches no API server.
const UNREACHABLE: [&str; 9] = [
    "connection refused",
    "was refused",
    "Unable to connect to the server",
    "no such host",
    "i/o timeout",
    "context deadline exceeded",
    "does not exist",
    "no configuration has been provided",
    "no route to host",
];

/// A cluster, as kubectl knows it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cluster {
    /// The context of the kubeconfig.
    pub(crate) context: Option<String>,
    /// The kubeconfig.
    pub(crate) kubeconfig: Option<PathBuf>,
}

impl Cluster {
    /// Applies documents by server-side apply.
    ///
    /// # Errors
    ///
    /// There is no kubectl, it reaches no cluster, or that refuses an object.
    pub(crate) fn apply(&self, documents: &str) -> Result<(), Diagnostics> {
        let arguments = [
            "apply",
            "--server-side",
            "--field-manager=genclient",
            "-f",
            "-",
        ];
        self.pipe(&arguments, documents)
    }

    /// Deletes the objects of documents that are there, and waits for their end.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply).
    pub(crate) fn delete(&self, documents: &str) -> Result<(), Diagnostics> {
        self.pipe(&["delete", "--ignore-not-found", "-f", "-"], documents)
    }

    fn pipe(&self, arguments: &[&str], documents: &str) -> Result<(), Diagnostics> {
        let mut command = Command::new("kubectl");
        if let Some(context) = &self.context {
            command.arg("--context").arg(context);
        }
        if let Some(kubeconfig) = &self.kubeconfig {
            command.arg("--kubeconfig").arg(kubeconfig);
        }
        command.args(arguments);
        let (is_well, said) = fed(command, documents).map_err(|error| no_kubectl(&error))?;
        if is_well {
            // Warnings of the API server.
            let _ = anstream::stderr().write_all(said.as_bytes());
            return Ok(());
        }
        Err(self.refused(said.trim()))
    }

    /// Why kubectl failed, and what to type.
    fn refused(&self, said: &str) -> Diagnostics {
        let flags = match (&self.context, &self.kubeconfig) {
            (None, None) => "choose one by `--context` or `--kubeconfig`",
            _ => "choose another by `--context` or `--kubeconfig`",
        };
        let (what, help) = if UNREACHABLE.iter().any(|part| said.contains(part)) {
            let help =
                format!("start a cluster, or {flags}: `kubectl config get-contexts` lists them");
            ("no cluster is reachable", help)
        } else if said.contains("orbidden") || said.contains("nauthorized") {
            let help =
                format!("{flags} whose user may do this; `kubectl auth whoami` says who you are");
            ("the cluster refuses it", help)
        } else if said.contains("conflict") {
            let help = "take the fields over by `genclient render plain | kubectl apply --server-side \
                        --force-conflicts -f -`";
            ("another manager owns fields of an object", help.to_owned())
        } else {
            let help = "`--dry-run` prints what kubectl is given";
            ("kubectl failed", help.to_owned())
        };
        Diagnostic::error(format!("{what}: {said}"))
            .help(help)
            .into()
    }
}

fn no_kubectl(error: &io::Error) -> Diagnostics {
    let (what, help) = match error.kind() {
        ErrorKind::NotFound => (
            "kubectl is not installed".to_owned(),
            "install it (https://kubernetes.io/docs/tasks/tools), or add its folder to PATH",
        ),
        _ => (
            format!("kubectl cannot be run: {error}"),
            "run `kubectl version` to see why",
        ),
    };
    Diagnostic::error(what).help(help).into()
}

/// Runs a program that reads a text. Returns whether it succeeded, and what it said of errors.
fn fed(mut command: Command, text: &str) -> io::Result<(bool, String)> {
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let stdin = child.stdin.take();
    // It may say more than a pipe holds before it has read everything.
    let output = thread::scope(|scope| {
        // If it does not read to the end, it says itself why.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(text.as_bytes())));
        child.wait_with_output()
    })?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((output.status.success(), said))
}

/// What builds images.
#[derive(Clone, Debug)]
pub(crate) struct ContainerTool(Option<OsString>);

impl ContainerTool {
    /// The program of that name; by default the first that is there of docker and podman.
    pub(crate) fn new(name: Option<&OsStr>) -> Self {
        Self(name.map(OsStr::to_owned))
    }

    /// Builds the image of the Dockerfile in a folder.
    ///
    /// # Errors
    ///
    /// There is no Dockerfile, or no program, or it fails.
    pub(crate) fn build(&self, image: &str, folder: &Path) -> Result<(), Diagnostics> {
        let dockerfile = folder.join("Dockerfile");
        if !dockerfile.is_file() {
            let finding = Diagnostic::error("there is no Dockerfile beside Cargo.toml");
            return Err(finding
                .help("write one; `genclient init` does for new projects")
                .into());
        }
        let tag = ["--tag", image].map(OsStr::new);
        let arguments = [OsStr::new("build")].into_iter().chain(tag);
        self.run(arguments.chain([folder.as_os_str()]))
    }

    /// Pushes an image to its registry.
    ///
    /// # Errors
    ///
    /// There is no program, or it fails.
    pub(crate) fn push(&self, image: &str) -> Result<(), Diagnostics> {
        self.run(["push", image].into_iter().map(OsStr::new))
    }

    fn run<'a>(&self, arguments: impl IntoIterator<Item = &'a OsStr>) -> Result<(), Diagnostics> {
        let arguments: Vec<_> = arguments.into_iter().collect();
        let named = self.0.as_deref();
        let tools = match named {
            Some(tool) => vec![tool],
            None => CONTAINER_TOOLS.map(OsStr::new).to_vec(),
        };
        for tool in &tools {
            match Command::new(tool).args(&arguments).status() {
                Ok(status) if status.success() => return Ok(()),
                Ok(status) => {
                    let finding = format!("{} failed: {status}", tool.display());
                    let help = "what it printed above says why";
                    return Err(Diagnostic::error(finding).help(help).into());
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => {
                    let finding = format!("{} cannot be run: {error}", tool.display());
                    return Err(Diagnostic::error(finding).into());
                }
            }
        }
        let names: Vec<_> = tools
            .iter()
            .map(|tool| tool.display().to_string())
            .collect();
        let finding = Diagnostic::error(format!("{} is not installed", names.join(" or ")));
        let help = "install it, or name another program by `--container-tool`";
        Err(finding.help(help).into())
    }
}

/// Runs the program of a package by cargo, until it ends.
///
/// # Errors
///
/// It fails, or there is no cargo.
pub(crate) fn run(
    package: &str,
    manifest: &Path,
    arguments: &[OsString],
) -> Result<(), Diagnostics> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.arg("run").arg("--manifest-path").arg(manifest);
    command.args(["--package", package, "--"]).args(arguments);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Diagnostic::error(format!("the program failed: {status}")).into()),
        Err(error) => Err(Diagnostic::error(format!("cargo cannot be run: {error}")).into()),
    }
}
