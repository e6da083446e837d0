//! The command line: arguments, subcommands and exit status. Data goes to stdout, messages to
//! stderr.

mod check;
mod console;
mod create;
mod deploy;
mod diff;
mod generation;
mod import;
mod init;
mod kinds;
mod migrate;
mod program;
mod render;
mod selection;
mod watch;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use genclient_codegen::output::interrupt;
use genclient_codegen::{Diagnostic, Diagnostics};

use crate::explain;
use console::{Color, CommandOutcome, Console, print_data};
use generation::Generation;
use selection::PackageSelection;

/// Kubernetes clients, listers, informers and CRDs from Rust API types.
///
/// A struct with `#[genclient]` under `pkg/apis` (or `src/apis`) is a kind that an API server
/// serves. `update` writes the code and the CRDs for all kinds; `verify` checks that the generated
/// files are up to date.
///
/// Settings are in `[package.metadata.genclient]` of the package's Cargo.toml: `apis`, `client`,
/// `config` (folders of the types, the code and the CRDs), `types` (the module path of the types),
/// `apply-configurations`, `group-aliases`, `crd-annotations`, `max-desc-len`, `boilerplate`,
/// `schemas` (of types of other crates), `skip` (kinds to leave out), `kinds` (kinds whose types a
/// macro generates), `storage` (the storage version of kube's kinds), `nullable` (which of their
/// fields are nullable), `server-side-apply`, `diff-allow` (intended breaking changes), `deploy`
/// (the deployment of the program). `genclient explain package.metadata.genclient` describes each.
#[derive(Debug, Parser)]
#[command(
    name = "genclient",
    version,
    after_help = "Exit status: 0 success, 1 out of date or breaking changes, 2 error.",
    after_long_help = "Examples:\n  genclient update                     all API types of this package or workspace\n  \
                       genclient update --only crd -p api   the CRDs of one package\n  \
                       genclient verify --deny-warnings     in CI: print a diff and exit with 1\n  \
                       genclient diff main                  breaking changes since the branch `main`\n  \
                       genclient explain printcolumn        documentation of an attribute\n\n\
                       Exit status: 0 success, 1 out of date or breaking changes, 2 error."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    console: Console,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Initialize a project in the current folder: an operator without kinds
    ///
    /// Writes Cargo.toml, a program, modules for types, controllers and webhooks, a Dockerfile and
    /// a CI workflow. Existing files are not overwritten.
    #[command(after_long_help = "Example:\n  \
        mkdir guestbook && cd guestbook\n  \
        genclient init --domain example.com")]
    Init(init::InitArguments),
    /// Add a kind, a controller or a webhook to a project
    #[command(subcommand)]
    Create(create::Create),
    /// Generate code and manifests: write changed files, remove stale ones
    #[command(after_long_help = generation::AFTER_UPDATE)]
    Update {
        #[command(flatten)]
        generation: Generation,

        /// Print the files that would be written and removed, without changing them
        #[arg(long)]
        dry_run: bool,

        /// Update after each change of the API types or settings, until Ctrl-C
        ///
        /// Watches every file that the update reads or looks for: Cargo.toml, the modules of the
        /// package, and types that it uses from other crates. Errors do not end the command: the
        /// files stay as they are until the next change.
        #[arg(long, conflicts_with = "dry_run")]
        watch: bool,
    },
    /// Check that all generated files are up to date, without writing them
    ///
    /// Prints a diff on stdout and exits with 1 if `update` would change a file.
    Verify {
        #[command(flatten)]
        generation: Generation,
    },
    /// Check the sources: with cargo, and with the generator
    ///
    /// Runs `cargo check`, and adds what `update` would report: mistakes in CEL rules, defaults,
    /// patterns, roles and versions, and generated files that are out of date. Writes no files of
    /// the project.
    #[command(after_long_help = check::AFTER_HELP)]
    Check(check::CheckArguments),
    /// Print the model as JSON: groups, kinds, verbs and schemas
    Model {
        #[command(flatten)]
        selection: PackageSelection,
    },
    /// Print the documentation of an attribute, or list all attributes
    Explain {
        /// An attribute (`printcolumn`), a Go marker (`+kubebuilder:printcolumn`), a setting, or a
        /// change that `diff` reports
        attribute: Option<String>,
    },
    /// Report breaking changes between two sets of CRDs
    ///
    /// Prints every change with its reason, by CRD, breaking changes first. Exits with 1 if there
    /// is a breaking change that is not allowed. Writes no files.
    #[command(after_long_help = diff::AFTER_HELP)]
    Diff(diff::Arguments),
    /// Print or write the manifests that deploy the program
    #[command(subcommand, after_long_help = render::AFTER_HELP)]
    Render(render::Render),
    /// Install the CRDs in the cluster
    #[command(after_long_help = deploy::AFTER_INSTALL)]
    Install(deploy::ApplyArguments),
    /// Remove the CRDs from the cluster, and with them every object of their kinds
    #[command(after_long_help = deploy::AFTER_UNINSTALL)]
    Uninstall(deploy::DeleteArguments),
    /// Rewrite the objects of kinds in their storage version
    ///
    /// Afterwards, `status.storedVersions` of the CRD names only that version, so that the others
    /// can be removed. Objects keep their content. An interrupted run is continued by the next one.
    #[command(after_long_help = migrate::AFTER_HELP)]
    Migrate(migrate::MigrateArguments),
    /// Deploy the program to the cluster, with everything that it needs, such as CRDs and roles
    #[command(after_long_help = deploy::AFTER_DEPLOY)]
    Deploy {
        #[command(flatten)]
        arguments: deploy::ApplyArguments,

        /// The image of the program [default: controller:latest]
        #[arg(long, value_name = "IMAGE")]
        image: Option<String>,
    },
    /// Remove the program from the cluster, but keep the CRDs
    ///
    /// Deletes the namespace of the deployment with everything in it. A namespace that existed
    /// before `deploy` is kept: it lacks the label `app.kubernetes.io/name` of the deployment.
    #[command(after_long_help = deploy::AFTER_UNDEPLOY)]
    Undeploy(deploy::DeleteArguments),
    /// Build or push the image of the program
    #[command(subcommand, after_long_help = program::AFTER_IMAGE)]
    Image(program::Image),
    /// Run the program on this machine, against the current context or a local API server
    #[command(after_long_help = program::AFTER_RUN)]
    Run(program::RunArguments),
    /// Generate API types from CRDs in YAML
    ///
    /// Writes Rust types with docs, enums, genclient's attributes and Kubernetes' own types.
    /// `update` generates the same CRDs from them.
    #[command(after_long_help = import::AFTER_HELP)]
    Import(import::ImportArguments),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

impl Cli {
    /// Runs the command.
    pub(crate) fn run(mut self) -> ExitCode {
        match self.console.color {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
        if self.command.writes_files() {
            wait_for_writers();
        }
        self.console.findings_are_data = self.command.prints_only_findings();
        match self.command.run(&self.console) {
            Ok(_) if self.console.is_truncated() => CommandOutcome::Incomplete.into(),
            Ok(outcome) => outcome.into(),
            Err(errors) => {
                self.console.print_findings(&errors);
                ExitCode::from(interrupt::exit_code().unwrap_or(2))
            }
        }
    }
}

impl Command {
    /// Returns whether the command writes files of the project.
    fn writes_files(&self) -> bool {
        matches!(
            self,
            Self::Update { .. }
                | Self::Render(_)
                | Self::Init(_)
                | Self::Create(_)
                | Self::Import(_)
        )
    }

    /// Returns whether stdout has only findings if they are printed in the format of cargo.
    fn prints_only_findings(&self) -> bool {
        matches!(
            self,
            Self::Update { dry_run: false, .. } | Self::Verify { .. } | Self::Check(_)
        )
    }

    fn run(&self, console: &Console) -> Result<CommandOutcome, Diagnostics> {
        match self {
            Self::Update {
                generation,
                watch: true,
                ..
            } => watch::update_until_interrupted(generation, console),
            Self::Update {
                generation,
                dry_run: true,
                ..
            } => generation::dry_run(generation, console),
            Self::Update { generation, .. } => generation::update(generation, console),
            Self::Verify { generation } => generation::verify(generation, console),
            Self::Check(arguments) => arguments.run(console),
            Self::Init(arguments) => arguments.run(console).map(|()| CommandOutcome::Fine),
            Self::Create(create) => create.run(console).map(|()| CommandOutcome::Fine),
            Self::Model { selection } => print_model(selection, console),
            Self::Explain { attribute } => {
                print_data(&explain::explain(attribute.as_deref(), &Cli::command())?)?;
                Ok(CommandOutcome::Fine)
            }
            Self::Diff(arguments) => arguments.run(console),
            Self::Render(render) => render.run(console),
            Self::Install(arguments) => deploy::install(arguments, console),
            Self::Uninstall(arguments) => deploy::uninstall(arguments, console),
            Self::Migrate(arguments) => arguments.run(console),
            Self::Deploy { arguments, image } => {
                deploy::deploy(arguments, image.as_deref(), console)
            }
            Self::Undeploy(arguments) => deploy::undeploy(arguments, console),
            Self::Image(image) => image.run(console),
            Self::Run(run) => run.run(console),
            Self::Import(arguments) => arguments.run(console),
            Self::Completions { shell } => {
                let mut out = Vec::new();
                clap_complete::generate(*shell, &mut Cli::command(), "genclient", &mut out);
                print_data(&String::from_utf8_lossy(&out))?;
                Ok(CommandOutcome::Fine)
            }
        }
    }
}

fn print_model(
    selection: &PackageSelection,
    console: &Console,
) -> Result<CommandOutcome, Diagnostics> {
    let mut models = serde_json::Map::new();
    let mut errors = Diagnostics::default();
    for project in selection.packages.projects()? {
        match genclient_codegen::understand(&project, &selection.artefacts()) {
            Ok((model, warnings)) => {
                console.print_findings(&warnings);
                models.insert(project.name, serde_json::json!(model));
            }
            Err(found) => errors.extend(found),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let text = serde_json::to_string_pretty(&models)
        .map_err(|error| Diagnostic::error(format!("cannot write the model: {error}")))?;
    print_data(&format!("{text}\n"))?;
    Ok(CommandOutcome::Fine)
}

/// Installs a signal handler that exits the process once there is no writer. Without this handler,
/// signals end the process immediately.
#[cfg(unix)]
fn wait_for_writers() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    /// The offset that shells add to a signal number to form an exit code.
    const SIGNAL_EXIT_BASE: i32 = 128;

    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) else {
        return;
    };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let code = u8::try_from(SIGNAL_EXIT_BASE + signal).unwrap_or(1);
            interrupt::exit_when_written(code);
        }
    });
}

/// Does nothing, because signals are handled only on Unix.
#[cfg(not(unix))]
fn wait_for_writers() {}
