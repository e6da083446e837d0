//! Container images, built and pushed by docker, podman or another tool of the user's choice.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Command, ExitStatus};

use genclient_codegen::{Diagnostic, Diagnostics};

use super::children::ChildWaiter;

/// Container tools that are tried by default, in this order.
const CONTAINER_TOOLS: [&str; 2] = ["docker", "podman"];

#[derive(Clone, Debug)]
pub(crate) struct ContainerTool(Option<OsString>);

impl ContainerTool {
    /// The container tool `name`. `None` selects docker, or podman if docker is not installed.
    pub(crate) fn new(name: Option<&OsStr>) -> Self {
        Self(name.map(OsStr::to_owned))
    }

    /// Builds the image from the Dockerfile of a package, with the folder `context` as build
    /// context.
    ///
    /// # Errors
    ///
    /// The Dockerfile or the tool is missing, or the tool fails.
    pub(crate) fn build(
        &self,
        image: &str,
        package: &Path,
        context: &Path,
    ) -> Result<(), Diagnostics> {
        let dockerfile = package.join("Dockerfile");
        if !dockerfile.is_file() {
            let finding = Diagnostic::error("no Dockerfile beside Cargo.toml");
            return Err(finding
                .help("write one; `genclient init` writes one for new projects")
                .into());
        }
        let mut arguments = ["build", "--tag", image].map(OsStr::new).to_vec();
        if context != package {
            arguments.extend([OsStr::new("--file"), dockerfile.as_os_str()]);
        }
        arguments.push(context.as_os_str());
        self.run(arguments)
    }

    /// Pushes an image to its registry.
    ///
    /// # Errors
    ///
    /// The tool is missing or fails.
    pub(crate) fn push(&self, image: &str) -> Result<(), Diagnostics> {
        self.run(["push", image].into_iter().map(OsStr::new))
    }

    fn run<'a>(&self, arguments: impl IntoIterator<Item = &'a OsStr>) -> Result<(), Diagnostics> {
        let arguments: Vec<_> = arguments.into_iter().collect();
        let tools = match self.0.as_deref() {
            Some(tool) => vec![tool],
            None => CONTAINER_TOOLS.map(OsStr::new).to_vec(),
        };
        let mut waiter = ChildWaiter::new()?;
        for tool in &tools {
            let name = tool.display();
            match run_to_exit(Command::new(tool).args(&arguments), &mut waiter) {
                Ok(status) if status.success() => return Ok(()),
                Ok(status) => {
                    let finding = Diagnostic::error(format!("{name} failed: {status}"));
                    return Err(finding.help("see its output above").into());
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => {
                    let finding = Diagnostic::error(format!("cannot run {name}: {error}"));
                    let help = format!("run `{name} version` to see why");
                    return Err(finding.help(help).into());
                }
            }
        }
        let names: Vec<_> = tools
            .iter()
            .map(|tool| tool.display().to_string())
            .collect();
        let message = match &names[..] {
            [name] => format!("{name} is not installed"),
            names => format!("neither {} is installed", names.join(" nor ")),
        };
        let finding = Diagnostic::error(message);
        let help = "install it, or choose another tool with `--container-tool`";
        Err(finding.help(help).into())
    }
}

fn run_to_exit(command: &mut Command, waiter: &mut ChildWaiter) -> io::Result<ExitStatus> {
    waiter.wait_for(&mut command.spawn()?)
}
