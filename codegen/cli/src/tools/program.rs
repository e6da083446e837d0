//! Running the program of a package with cargo.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

use genclient_codegen::{Diagnostic, Diagnostics};

use super::cargo::{cannot_run_cargo, cargo};
use super::children::{ChildWaiter, FirstExit, spawn_in_own_group, terminate};
use super::local_server::LocalServer;

/// The program of a package, for one run on this machine.
pub(crate) struct Program<'a> {
    package: &'a str,
    manifest: &'a Path,
    pub(crate) flags: Vec<OsString>,
    waiter: ChildWaiter,
}

impl<'a> Program<'a> {
    /// The program of the package with this name and manifest. Installs the signal handlers. A
    /// signal takes effect at the next wait for a child.
    ///
    /// # Errors
    ///
    /// No signal handler can be installed.
    pub(crate) fn new(package: &'a str, manifest: &'a Path) -> Result<Self, Diagnostics> {
        Ok(Self {
            package,
            manifest,
            flags: Vec::new(),
            waiter: ChildWaiter::new()?,
        })
    }

    /// Builds the program.
    ///
    /// # Errors
    ///
    /// The program does not compile, or cargo is missing.
    pub(crate) fn build(&mut self) -> Result<(), Diagnostics> {
        let status = spawn_in_own_group(&mut self.cargo("build"))
            .and_then(|mut cargo| self.waiter.wait_for(&mut cargo))
            .map_err(|error| cannot_run_cargo(&error))?;
        if !status.success() {
            let finding = Diagnostic::error(format!("the program was not built: {status}"));
            return Err(finding.help("see the output of cargo above").into());
        }
        Ok(())
    }

    /// Starts an API server for the program, with `objects` in YAML.
    ///
    /// # Errors
    ///
    /// As [`LocalServer::start`].
    pub(crate) fn start_server(&mut self, objects: &str) -> Result<LocalServer, Diagnostics> {
        LocalServer::start(objects, &mut self.waiter)
    }

    /// Runs the program until it exits. SIGINT, SIGTERM and SIGHUP end the program, then the API
    /// server, then this process.
    ///
    /// # Errors
    ///
    /// The program fails, cargo is missing, or the API server exits first.
    pub(crate) fn run(mut self, mut server: Option<LocalServer>) -> Result<(), Diagnostics> {
        let first = self.run_to_first_exit(server.as_mut());
        match first.map_err(|error| cannot_run_cargo(&error))? {
            FirstExit::Exited(0, status) if status.success() => Ok(()),
            FirstExit::Exited(0, status) => {
                let finding = Diagnostic::error(format!("the program failed: {status}"));
                let help = match server {
                    Some(_) => "see its output above",
                    None => "see its output above; `genclient run --in-process` needs no cluster",
                };
                Err(finding.help(help).into())
            }
            FirstExit::Exited(_, status) => {
                let finding = Diagnostic::error(format!("the API server failed: {status}"));
                Err(finding.help("see its output above").into())
            }
            FirstExit::Interrupted(code) => {
                drop(server);
                std::process::exit(code)
            }
        }
    }

    fn cargo(&self, subcommand: &str) -> Command {
        let mut command = cargo();
        command.arg(subcommand);
        command.arg("--manifest-path").arg(self.manifest);
        command.args(["--package", self.package]);
        command
    }

    fn run_to_first_exit(&mut self, server: Option<&mut LocalServer>) -> io::Result<FirstExit> {
        let mut command = self.cargo("run");
        let mut program = spawn_in_own_group(command.arg("--").args(&self.flags))?;
        let mut children = vec![&mut program];
        children.extend(server.map(LocalServer::process));
        let first = self.waiter.wait_for_first(&mut children)?;
        // The API server exited first, and the program does not exit without it.
        if matches!(first, FirstExit::Exited(index, _) if index > 0) {
            terminate(&mut program);
        }
        Ok(first)
    }
}
