//! [`LocalServer`]: a local API server for one run of a program, in place of a cluster.

use std::fmt::Display;
use std::fs;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use genclient_codegen::{Diagnostic, Diagnostics};

use super::children::{ChildWaiter, FirstLine, kill_and_wait, spawn_in_own_group, terminate};
use super::temporary_folder::TemporaryFolder;
use crate::shell::quote;

/// Name of the API server's program, and of the crate that installs it.
pub(crate) const SERVER_PROGRAM: &str = "genclient-apiserver";

/// Time in which the API server has to start.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A localhost address with a free port.
///
/// # Errors
///
/// No port is free.
pub(crate) fn free_address() -> Result<SocketAddr, Diagnostics> {
    let found = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|it| it.local_addr());
    found.map_err(|error| {
        let finding = Diagnostic::error(format!("no free port on 127.0.0.1: {error}"));
        finding.help("stop a program that listens there").into()
    })
}

/// Checks that the program of the API server can be run. If it is not installed, the help has the
/// command that installs it, from its sources in the folder `source` or else from the registry.
///
/// # Errors
///
/// The program is not in `PATH`, or fails.
pub(crate) fn check_server(source: Option<&Path>) -> Result<(), Diagnostics> {
    let mut command = Command::new(SERVER_PROGRAM);
    command.arg("--version").stdin(Stdio::null());
    match command.stdout(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(cannot_run(status)),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(not_installed(source)),
        Err(error) => Err(cannot_run(error)),
    }
}

/// A local API server. Dropping it stops the process and deletes its files.
pub(crate) struct LocalServer {
    process: Child,
    folder: TemporaryFolder,
}

impl LocalServer {
    /// Starts `genclient-apiserver` with `objects` in YAML. A signal ends the server, then this
    /// process.
    ///
    /// # Errors
    ///
    /// A temporary file cannot be written, or the server cannot be run or refuses an object.
    pub(super) fn start(objects: &str, waiter: &mut ChildWaiter) -> Result<Self, Diagnostics> {
        let folder = TemporaryFolder::new("run")?;
        let file = folder.write("objects.yaml", objects)?;
        let mut command = Command::new(SERVER_PROGRAM);
        command.arg("--manifests").arg(file);
        command
            .arg("--kubeconfig")
            .arg(folder.path().join("kubeconfig"));
        let process = spawn_in_own_group(command.stdout(Stdio::piped())).map_err(cannot_run)?;
        let mut server = Self { process, folder };
        // The server prints its address once it is ready.
        let started = waiter.wait_for_line(&mut server.process, START_TIMEOUT);
        if !matches!(started, FirstLine::Printed(_)) {
            // Its objects are in memory only, so it has nothing to save.
            kill_and_wait(&mut server.process);
        }
        match started {
            FirstLine::Printed(_) => Ok(server),
            FirstLine::Missing => Err(Diagnostic::error("the API server did not start")
                .help("see its output above")
                .into()),
            FirstLine::Interrupted(code) => {
                drop(server);
                std::process::exit(code)
            }
        }
    }

    /// The path of an administrator's kubeconfig.
    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.folder.path().join("kubeconfig")
    }

    /// Writes a kubeconfig for a service account, with its namespace as the default.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn write_kubeconfig_for(
        &self,
        namespace: &str,
        account: &str,
    ) -> Result<PathBuf, Diagnostics> {
        let of_admin = fs::read_to_string(self.kubeconfig()).unwrap_or_default();
        let mut lines = of_admin.lines().map(str::trim);
        let server = lines.find_map(|line| line.strip_prefix("server: "));
        let url = server.unwrap_or_default();
        let user = format!("system:serviceaccount:{namespace}:{account}");
        let text = format!(
            "apiVersion: v1
kind: Config
clusters:
- name: local
  cluster:
    server: {url}
users:
- name: local
  user:
    as: {user}
contexts:
- name: local
  context:
    cluster: local
    namespace: {namespace}
    user: local
current-context: local
"
        );
        self.folder.write("program.kubeconfig", &text)
    }

    pub(super) fn process(&mut self) -> &mut Child {
        &mut self.process
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        terminate(&mut self.process);
    }
}

fn not_installed(source: Option<&Path>) -> Diagnostics {
    let source = match source {
        Some(folder) => format!("--path {}", quote(&folder.display().to_string())),
        None => format!("{SERVER_PROGRAM} --version {}", env!("CARGO_PKG_VERSION")),
    };
    Diagnostic::error(format!("{SERVER_PROGRAM} is not installed"))
        .help(format!(
            "install it: `cargo install --locked --features cli {source}`"
        ))
        .into()
}

fn cannot_run(why: impl Display) -> Diagnostics {
    Diagnostic::error(format!("cannot run {SERVER_PROGRAM}: {why}"))
        .help(format!("run `{SERVER_PROGRAM} --version` to see why"))
        .into()
}
