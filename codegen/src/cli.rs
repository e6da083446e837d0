//! What can be typed, and what is printed. Data goes to stdout, talk to stderr.

mod diff;
pub(crate) mod explain;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::{Artefact, Diagnostic, Diagnostics, Drift, FileSet, Model, Project};

/// Kubernetes clients, listers, informers and CRDs from Rust API types.
///
/// Types under `pkg/apis` (or `src/apis`) that carry `#[genclient]` are what an API server serves. `update` writes the
/// code and the CRDs for them; `verify` tells whether what is there is up to date.
///
/// Settings are in `[package.metadata.genclient]` of the package's Cargo.toml: `apis`, `client`, `config` (where the types are, where
/// code and CRDs go), `types` (the path to the types), `group-aliases`, `crd-annotations`, `max-desc-len`, `boilerplate`,
/// `schemas` (of types of other crates), `server-side-apply`, `diff-allow` (breaking changes that are meant).
/// `genclient explain package.metadata.genclient` tells what each does.
#[derive(Debug, Parser)]
#[command(
    name = "genclient",
    version,
    after_help = "Exit status: 0 fine, 1 out of date or breaking, 2 error.",
    after_long_help = "Examples:\n  genclient update                     all API types of this package or workspace\n  \
                       genclient update --only crd -p api   the CRDs of one package\n  \
                       genclient verify                     in CI: a diff, and exit status 1\n  \
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
    /// Write what has changed, remove what is stale
    Update {
        #[command(flatten)]
        selection: Selection,

        /// Print what would be written and removed, and write nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Tell whether everything is up to date; write nothing
    ///
    /// Prints a diff on stdout and exits with 1 if `update` would change a file.
    Verify {
        #[command(flatten)]
        selection: Selection,
    },
    /// Print what was understood, as JSON: groups, kinds, verbs, schemas
    Model {
        #[command(flatten)]
        selection: Selection,
    },
    /// Tell what an attribute does; without one, list them all
    Explain {
        /// The attribute, by its name here (`printcolumn`) or in Go (`+kubebuilder:printcolumn`)
        attribute: Option<String>,
    },
    /// Tell what breaks users between two sets of CRDs; write nothing
    ///
    /// Prints every change with its reason, by CRD, the breaking ones first, and exits with 1 if there is one that is not allowed.
    #[command(after_long_help = diff::AFTER_HELP)]
    Diff(diff::Arguments),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Which packages a run is about.
#[derive(Debug, clap::Args)]
struct Packages {
    /// The manifest of the package or workspace [default: the nearest Cargo.toml]
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,

    /// A package of the workspace; may be repeated [default: this package, or all that have API types]
    #[arg(short, long, value_name = "NAME")]
    package: Vec<String>,
}

/// What a run is about.
#[derive(Debug, clap::Args)]
struct Selection {
    #[command(flatten)]
    packages: Packages,

    /// What to generate [default: everything]
    #[arg(long, value_name = "ARTEFACT", value_delimiter = ',')]
    only: Vec<Artefact>,
}

/// How a run talks.
#[derive(Debug, clap::Args)]
struct Talk {
    /// How errors and warnings are printed
    #[arg(long, global = true, value_name = "FORMAT", default_value = "human")]
    message_format: MessageFormat,

    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Color,

    /// Print errors only
    #[arg(short, long, global = true)]
    quiet: bool,

    /// Name every file that is written or removed
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MessageFormat {
    /// For people
    Human,
    /// One JSON object a line
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How a run that did not fail ended.
enum Outcome {
    Fine,
    OutOfDate,
    Breaking,
}

impl Cli {
    /// Does what was typed.
    pub fn run(self) -> ExitCode {
        match self.talk.color {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
        match self.command.run(&self.talk) {
            Ok(Outcome::Fine) => ExitCode::SUCCESS,
            Ok(Outcome::OutOfDate | Outcome::Breaking) => ExitCode::from(1),
            Err(errors) => {
                self.talk.say_findings(&errors);
                ExitCode::from(2)
            }
        }
    }
}

impl Command {
    fn run(&self, talk: &Talk) -> Result<Outcome, Diagnostics> {
        match self {
            Self::Update {
                selection,
                dry_run: false,
            } => update(selection, talk),
            Self::Update {
                selection,
                dry_run: true,
            } => dry_run(selection, talk),
            Self::Verify { selection } => verify(selection, talk),
            Self::Model { selection } => model(selection, talk),
            Self::Explain { attribute } => explain::explain(attribute.as_deref()).map(|text| {
                print(&text);
                Outcome::Fine
            }),
            Self::Diff(arguments) => arguments.run(talk),
            Self::Completions { shell } => {
                let mut out = Vec::new();
                clap_complete::generate(*shell, &mut Cli::command(), "genclient", &mut out);
                print(&String::from_utf8_lossy(&out));
                Ok(Outcome::Fine)
            }
        }
    }
}

fn update(selection: &Selection, talk: &Talk) -> Result<Outcome, Diagnostics> {
    let files = selection.generate(talk)?;
    if talk.verbose {
        for drift in files.verify()? {
            talk.say(&change(&drift));
        }
    }
    let summary = files.write()?;
    talk.say(&summary.to_string());
    Ok(Outcome::Fine)
}

fn dry_run(selection: &Selection, talk: &Talk) -> Result<Outcome, Diagnostics> {
    for drift in selection.generate(talk)?.verify()? {
        print(&format!("{}\n", change(&drift)));
    }
    Ok(Outcome::Fine)
}

fn change(drift: &Drift<'_>) -> String {
    let what = match drift.expected {
        Some(_) => "write",
        None => "remove",
    };
    format!("{what} {}", crate::project::shown(&drift.path))
}

fn verify(selection: &Selection, talk: &Talk) -> Result<Outcome, Diagnostics> {
    let files = selection.generate(talk)?;
    let drift = files.verify()?;
    if drift.is_empty() {
        talk.say("up to date");
        return Ok(Outcome::Fine);
    }
    for drift in &drift {
        print(&drift.diff());
    }
    let files = if drift.len() == 1 {
        "1 file is"
    } else {
        &format!("{} files are", drift.len())
    };
    talk.say_error(&format!(
        "{files} out of date; to mend it: genclient update{}",
        selection.flags()
    ));
    Ok(Outcome::OutOfDate)
}

fn model(selection: &Selection, talk: &Talk) -> Result<Outcome, Diagnostics> {
    let mut models: Vec<(String, Model)> = Vec::new();
    for project in selection.projects()? {
        let (model, warnings) = crate::understand(&project, &selection.artefacts())?;
        talk.say_findings(&warnings);
        models.push((project.name, model));
    }
    let models: serde_json::Map<_, _> = models
        .into_iter()
        .map(|(name, model)| (name, serde_json::json!(model)))
        .collect();
    let text = serde_json::to_string_pretty(&models)
        .map_err(|error| Diagnostic::error(format!("cannot write the model: {error}")))?;
    print(&format!("{text}\n"));
    Ok(Outcome::Fine)
}

impl Packages {
    fn projects(&self) -> Result<Vec<Project>, Diagnostics> {
        crate::discover(self.manifest_path.as_deref(), &self.package)
    }

    /// The breaking changes that the packages allow.
    fn allowances(&self) -> Result<Vec<crate::diff::Allowance>, Diagnostics> {
        crate::project::allowances(self.manifest_path.as_deref(), &self.package)
    }

    /// True if somebody said which.
    fn are_named(&self) -> bool {
        self.manifest_path.is_some() || !self.package.is_empty()
    }
}

impl Selection {
    fn projects(&self) -> Result<Vec<Project>, Diagnostics> {
        self.packages.projects()
    }

    fn artefacts(&self) -> BTreeSet<Artefact> {
        if self.only.is_empty() {
            Artefact::ALL.into()
        } else {
            self.only.iter().copied().collect()
        }
    }

    /// The flags that chose what this run is about, to be typed again.
    fn flags(&self) -> String {
        let mut flags = String::new();
        if let Some(path) = &self.packages.manifest_path {
            flags.push_str(&format!(" --manifest-path {}", path.display()));
        }
        for package in &self.packages.package {
            flags.push_str(&format!(" -p {package}"));
        }
        for artefact in &self.only {
            if let Some(value) = artefact.to_possible_value() {
                flags.push_str(&format!(" --only {}", value.get_name()));
            }
        }
        flags
    }

    /// Generates for every chosen package; the mistakes of all of them are reported together.
    fn generate(&self, talk: &Talk) -> Result<FileSet, Diagnostics> {
        let mut files = FileSet::default();
        let mut errors = Diagnostics::default();
        for project in self.projects()? {
            match crate::generate(&project, &self.artefacts()) {
                Ok(generated) => {
                    talk.say_findings(&generated.warnings);
                    files.extend(generated.files);
                }
                Err(found) => errors.extend(found),
            }
        }
        if errors.is_empty() {
            Ok(files)
        } else {
            Err(errors)
        }
    }
}

impl Talk {
    fn say_findings(&self, findings: &Diagnostics) {
        if self.quiet && !findings.has_errors() {
            return;
        }
        let text = match self.message_format {
            MessageFormat::Human => findings.to_human(),
            MessageFormat::Json => findings.to_json_lines(),
        };
        // Nothing is left to tell it to if stderr is closed.
        let _ = anstream::stderr().write_all(text.as_bytes());
    }

    fn say(&self, text: &str) {
        if !self.quiet {
            self.say_error(text);
        }
    }

    fn say_error(&self, text: &str) {
        let _ = writeln!(anstream::stderr(), "{text}");
    }
}

/// Writes data; a reader that has gone away, as `head` does, is no mistake.
fn print(text: &str) {
    let _ = anstream::stdout().write_all(text.as_bytes());
}
