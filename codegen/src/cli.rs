//! The command line: arguments, subcommands and exit status. Data goes to stdout, messages to
//! stderr.

mod create;
mod deploy;
mod diff;
pub(crate) mod explain;
mod generation;
mod import;
mod init;
mod outcome;
mod program;
mod render;
mod selection;
mod talk;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use crate::output::interrupt;
use crate::{Diagnostic, Diagnostics};
use generation::Generation;
use outcome::Outcome;
use selection::Selection;
use talk::{Color, Talk, print};

/// Kubernetes clients, listers, informers and CRDs from Rust API types.
///
/// Types under `pkg/apis` (or `src/apis`) that carry `#[genclient]` are what an API server serves.
/// `update` writes the code and the CRDs for them; `verify` tells whether what is there is up to
/// date.
///
/// Settings are in `[package.metadata.genclient]` of the package's Cargo.toml: `apis`, `client`,
/// `config` (where the types are, where code and CRDs go), `types` (the path to the types),
/// `group-aliases`, `crd-annotations`, `max-desc-len`, `boilerplate`, `schemas` (of types of other
/// crates), `skip` (kinds to leave out), `kinds` (kinds whose types a macro makes), `storage` (the
/// stored version of kube's kinds), `nullable` (whose nulls they have), `server-side-apply`,
/// `diff-allow` (breaking changes that are meant), `deploy` (how the program is deployed).
/// `genclient explain package.metadata.genclient` tells what each does.
#[derive(Debug, Parser)]
#[command(
    name = "genclient",
    version,
    after_help = "Exit status: 0 fine, 1 out of date or breaking, 2 error.",
    after_long_help = "Examples:\n  genclient update                     all API types of this package or workspace\n  \
                       genclient update --only crd -p api   the CRDs of one package\n  \
                       genclient verify --deny-warnings     in CI: a diff, and exit status 1\n  \
                       genclient diff main                  what breaks users since the branch `main`\n  \
                       genclient explain printcolumn        what an attribute does\n\n\
                       Exit status: 0 fine, 1 out of date or breaking, 2 error."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    talk: Talk,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start a project in this folder: an operator without kinds
    ///
    /// Writes Cargo.toml, a program, modules for types, controllers and webhooks, a Dockerfile and
    /// a CI workflow. No file is overwritten.
    #[command(after_long_help = "Example:\n  \
        mkdir guestbook && cd guestbook\n  \
        genclient init --domain example.com")]
    Init(init::InitArguments),
    /// Add a kind or a webhook to a project
    #[command(subcommand)]
    Create(create::Create),
    /// Write what has changed, remove what is stale
    Update {
        #[command(flatten)]
        generation: Generation,

        /// Print what would be written and removed, and write nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Tell whether everything is up to date; write nothing
    ///
    /// Prints a diff on stdout and exits with 1 if `update` would change a file.
    Verify {
        #[command(flatten)]
        generation: Generation,
    },
    /// Print what was understood, as JSON: groups, kinds, verbs, schemas
    Model {
        #[command(flatten)]
        selection: Selection,
    },
    /// Tell what an attribute does; without one, list them all
    Explain {
        /// The attribute, by its name here (`printcolumn`) or in Go (`+kubebuilder:printcolumn`);
        /// or a change that `diff` finds
        attribute: Option<String>,
    },
    /// Tell what breaks users between two sets of CRDs; write nothing
    ///
    /// Prints every change with its reason, by CRD, the breaking ones first, and exits with 1 if
    /// there is one that is not allowed.
    #[command(after_long_help = diff::AFTER_HELP)]
    Diff(diff::Arguments),
    /// Print or write what deploys the program
    #[command(subcommand, after_long_help = render::AFTER_HELP)]
    Render(render::Render),
    /// Install the definitions of kinds in the cluster
    #[command(after_long_help = deploy::AFTER_INSTALL)]
    Install(deploy::ApplyArguments),
    /// Remove the definitions of kinds from the cluster, and with them every object of the kinds
    #[command(after_long_help = deploy::AFTER_UNINSTALL)]
    Uninstall {
        #[command(flatten)]
        target: deploy::ClusterArguments,
    },
    /// Deploy the program to the cluster, with everything that it needs
    #[command(after_long_help = deploy::AFTER_DEPLOY)]
    Deploy {
        #[command(flatten)]
        arguments: deploy::ApplyArguments,

        /// The image of the program [default: controller:latest]
        #[arg(long, value_name = "IMAGE")]
        image: Option<String>,
    },
    /// Remove the program from the cluster, and leave the definitions of kinds
    ///
    /// Its namespace is deleted with everything in it, unless it was there before `deploy`: without
    /// the label `app.kubernetes.io/name` of the deployment.
    #[command(after_long_help = deploy::AFTER_UNDEPLOY)]
    Undeploy {
        #[command(flatten)]
        target: deploy::ClusterArguments,
    },
    /// Build or push the image of the program
    #[command(subcommand, after_long_help = program::AFTER_IMAGE)]
    Image(program::Image),
    /// Run the program on this machine, against the current context or an API server of its own
    #[command(after_long_help = program::AFTER_RUN)]
    Run(program::RunArguments),
    /// Make API types of CRDs in YAML
    ///
    /// Writes Rust types with genclient's attributes, docs, enums and Kubernetes' own types, such
    /// that `update` gives the CRDs back.
    #[command(after_long_help = import::AFTER_HELP)]
    Import(import::ImportArguments),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

impl Cli {
    /// Does what was typed.
    pub fn run(self) -> ExitCode {
        match self.talk.color {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
        if self.command.writes_files() {
            interrupt::wait_for_writers();
        }
        match self.command.run(&self.talk) {
            Ok(outcome) => outcome.into(),
            Err(errors) => {
                self.talk.say_findings(&errors);
                ExitCode::from(interrupt::exit_code().unwrap_or(2))
            }
        }
    }
}

impl Command {
    /// Whether it writes files of the project.
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

    fn run(&self, talk: &Talk) -> Result<Outcome, Diagnostics> {
        match self {
            Self::Update {
                generation,
                dry_run: false,
            } => generation::update(generation, talk),
            Self::Update {
                generation,
                dry_run: true,
            } => generation::dry_run(generation, talk),
            Self::Verify { generation } => generation::verify(generation, talk),
            Self::Init(arguments) => arguments.run(talk).map(|()| Outcome::Fine),
            Self::Create(create) => create.run(talk).map(|()| Outcome::Fine),
            Self::Model { selection } => model(selection, talk),
            Self::Explain { attribute } => {
                print(&explain::explain(attribute.as_deref())?)?;
                Ok(Outcome::Fine)
            }
            Self::Diff(arguments) => arguments.run(talk),
            Self::Render(render) => render.run(talk),
            Self::Install(arguments) => deploy::install(arguments, talk),
            Self::Uninstall { target } => deploy::uninstall(target, talk),
            Self::Deploy { arguments, image } => deploy::deploy(arguments, image.as_deref(), talk),
            Self::Undeploy { target } => deploy::undeploy(target, talk),
            Self::Image(image) => image.run(talk),
            Self::Run(run) => run.run(talk),
            Self::Import(arguments) => arguments.run(talk),
            Self::Completions { shell } => {
                let mut out = Vec::new();
                clap_complete::generate(*shell, &mut Cli::command(), "genclient", &mut out);
                print(&String::from_utf8_lossy(&out))?;
                Ok(Outcome::Fine)
            }
        }
    }
}

fn model(selection: &Selection, talk: &Talk) -> Result<Outcome, Diagnostics> {
    let mut models = serde_json::Map::new();
    let mut errors = Diagnostics::default();
    for project in selection.packages.projects()? {
        match crate::understand(&project, &selection.artefacts()) {
            Ok((model, warnings)) => {
                talk.say_findings(&warnings);
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
    print(&format!("{text}\n"))?;
    Ok(Outcome::Fine)
}
