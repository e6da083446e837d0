//! Running the program of a package with cargo.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

use super::children::{ChildWaiter, First, apart, end};
use super::local_server::LocalServer;
use crate::diagnostic::{Diagnostic, Diagnostics};

/// The program of a package.
pub(crate) struct Program<'a> {
    pub(crate) package: &'a str,
    pub(crate) manifest: &'a Path,
    pub(crate) flags: Vec<OsString>,
}

impl Program<'_> {
    /// Builds the program.
    ///
    /// # Errors
    ///
    /// The program does not compile, or cargo is missing.
    pub(crate) fn build(&self) -> Result<(), Diagnostics> {
        let build = || {
            let mut waiter = ChildWaiter::new()?;
            waiter.end_of(&mut apart(&mut self.cargo("build"))?)
        };
        let status = build().map_err(|error| no_cargo(&error))?;
        match status.success() {
            true => Ok(()),
            false => {
                let finding = Diagnostic::error(format!("the program was not built: {status}"));
                Err(finding.help("see the output of cargo above").into())
            }
        }
    }

    /// Runs the program until it exits. SIGINT, SIGTERM and SIGHUP end the program, then the API
    /// server, then this process.
    ///
    /// # Errors
    ///
    /// The program fails, cargo is missing, or the API server exits first.
    pub(crate) fn run(&self, mut server: Option<LocalServer>) -> Result<(), Diagnostics> {
        let mut command = self.cargo("run");
        command.arg("--").args(&self.flags);
        let first = self.first(&mut command, server.as_mut());
        match first.map_err(|error| no_cargo(&error))? {
            First::Ended(0, status) if status.success() => Ok(()),
            First::Ended(0, status) => {
                let finding = Diagnostic::error(format!("the program failed: {status}"));
                let help = match server {
                    Some(_) => "see its output above",
                    None => "see its output above; `genclient run --in-process` needs no cluster",
                };
                Err(finding.help(help).into())
            }
            First::Ended(_, status) => {
                let finding = Diagnostic::error(format!("the API server failed: {status}"));
                Err(finding.help("see its output above").into())
            }
            First::Interrupted(code) => {
                drop(server);
                std::process::exit(code)
            }
        }
    }

    fn cargo(&self, subcommand: &str) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.arg(subcommand);
        command.arg("--manifest-path").arg(self.manifest);
        command.args(["--package", self.package]);
        command
    }

    fn first(&self, command: &mut Command, server: Option<&mut LocalServer>) -> io::Result<First> {
        let Some(server) = server else {
            return ChildWaiter::new()?.first(&mut [&mut apart(command)?]);
        };
        let (waiter, process) = server.running();
        let mut program = apart(command)?;
        let first = waiter.first(&mut [&mut program, process])?;
        if matches!(first, First::Ended(place, _) if place > 0) {
            end(&mut program);
        }
        Ok(first)
    }
}

fn no_cargo(error: &io::Error) -> Diagnostics {
    let finding = Diagnostic::error(format!("cannot run cargo: {error}"));
    let help = "install it (https://rustup.rs), or add its folder to PATH";
    finding.help(help).into()
}
