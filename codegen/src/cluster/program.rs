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
    pub(crate) flags: &'a [OsString],
}

impl Program<'_> {
    /// Builds the program, and runs it until it exits. SIGINT, SIGTERM and SIGHUP end the program,
    /// then the API server, then this process.
    ///
    /// # Errors
    ///
    /// The program fails, cargo is missing, or the API server exits first.
    pub(crate) fn run(&self, mut server: Option<LocalServer>) -> Result<(), Diagnostics> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.arg("run").arg("--manifest-path").arg(self.manifest);
        command.args(["--package", self.package, "--"]);
        command.args(self.flags);
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
