//! `genclient check`: `cargo check`, and what the generator finds in the same sources.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use genclient_codegen::project::no_types_error;
use genclient_codegen::{
    Artefact, Diagnostic, Diagnostics, Location, Project, SourceText, file_system,
};

use super::console::{CommandOutcome, Console, MessageFormat};
use super::selection::Packages;
use crate::check::{Comparison, Drifted, Inspection, Line, Message, Verdict};
use crate::tools::CargoCheck;

pub(super) const AFTER_HELP: &str = "\
Examples:
  genclient check                                     this package or workspace
  genclient check --message-format json               as rust-analyzer runs it on save
  genclient check --cargo-command clippy              with the lints of clippy
  genclient check -- --workspace --features extra     with other arguments of cargo

An editor that runs `cargo check` on save can run this command instead. In the settings of rust-analyzer:
  \"rust-analyzer.check.overrideCommand\": [\"genclient\", \"check\", \"--message-format\", \"json\"]

Exit status: 0 no errors, 2 errors of the generator, of rustc, or of cargo.";

/// The arguments of `genclient check`.
#[derive(Debug, clap::Args)]
pub(super) struct CheckArguments {
    #[command(flatten)]
    packages: Packages,

    /// The command of cargo
    #[arg(long, value_name = "COMMAND", default_value = "check")]
    cargo_command: CargoCommand,

    /// Arguments for cargo [default: --workspace --all-targets, or the packages of -p]
    #[arg(last = true, value_name = "CARGO_ARGS")]
    cargo_arguments: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CargoCommand {
    /// Errors and warnings of rustc
    Check,
    /// The lints of clippy, too
    Clippy,
}

impl CheckArguments {
    pub(super) fn run(&self, console: &Console) -> Result<CommandOutcome, Diagnostics> {
        if console.message_format == MessageFormat::JsonLines {
            let error = Diagnostic::error("`check` cannot print `json-lines`");
            return Err(error.help("write `--message-format json`").into());
        }
        let cargo = CargoCheck::start(&self.cargo_command_line(console))?;
        // The generator runs at the same time as cargo, whose output waits in a pipe.
        let inspection = self.inspect(console.message_format);
        let working_dir = file_system::working_dir();
        let mut run = CheckRun {
            comparison: Comparison::new(&inspection, &working_dir),
            workspace_root: console.workspace_root(&working_dir.join(self.packages.manifest())),
            console,
            printed: BTreeSet::new(),
            deferred: Vec::new(),
            has_errors: false,
        };
        let first = run.comparison.first_findings();
        if console.message_format == MessageFormat::Json {
            run.print(&first);
        }
        let status = cargo.read(|line| run.forward(&line))?;
        if console.message_format == MessageFormat::Human {
            run.print(&first);
        }
        Ok(run.finish(status.success()))
    }

    fn cargo_command_line(&self, console: &Console) -> Vec<OsString> {
        let command = match self.cargo_command {
            CargoCommand::Check => "check",
            CargoCommand::Clippy => "clippy",
        };
        let format = match console.message_format {
            MessageFormat::Human => "json-diagnostic-rendered-ansi",
            MessageFormat::Json | MessageFormat::JsonLines => "json",
        };
        let mut line: Vec<OsString> = [command, "--message-format", format].map(Into::into).into();
        if console.quiet {
            line.push("--quiet".into());
        }
        line.extend(self.packages.cargo_flags());
        if self.cargo_arguments.is_empty() {
            if !self.packages.names_packages() {
                line.push("--workspace".into());
            }
            line.push("--all-targets".into());
        }
        line.extend(self.cargo_arguments.iter().cloned());
        line
    }

    /// Runs the generator for the selected packages, in memory. A workspace without API types has
    /// no findings.
    fn inspect(&self, format: MessageFormat) -> Inspection {
        let mut inspection = Inspection::default();
        match self.packages.projects() {
            Ok(projects) => {
                for project in projects {
                    self.inspect_package(&project, format, &mut inspection);
                }
            }
            Err(errors) if errors == no_types_error().into() => {}
            Err(errors) => {
                inspection.add(
                    &errors,
                    place_in(&self.packages.manifest(), format).as_ref(),
                );
            }
        }
        inspection
    }

    fn inspect_package(
        &self,
        project: &Project,
        format: MessageFormat,
        inspection: &mut Inspection,
    ) {
        let place = place_in(&root_of_types(project), format);
        let generation = match genclient_codegen::generate_partial(project, &Artefact::ALL.into()) {
            Ok(generation) => generation,
            Err(errors) => return inspection.add(&errors, place.as_ref()),
        };
        inspection.add(&generation.findings, place.as_ref());
        // The files of a kind with errors are kept as they are.
        if !generation.left_out.is_empty() || project.is_guessed && generation.kinds == 0 {
            return;
        }
        match generation.files.verify() {
            Ok(drift) => inspection.drifted.extend(drift.first().map(|first| {
                let root = project.client.dir.join(&project.client.root_file);
                Drifted {
                    files: drift.iter().map(|drift| drift.path.clone()).collect(),
                    example: first.name(),
                    place: place_in(&root, format).or(place),
                    command: format!("genclient update{}", self.packages.flags()),
                }
            })),
            Err(errors) => inspection.add(&errors, place.as_ref()),
        }
    }
}

/// Returns the first line of a file for findings without a location. Only editors need one: they
/// show no other messages. Returns `None` for another format, or if the file cannot be read.
fn place_in(path: &Path, format: MessageFormat) -> Option<Location> {
    if format != MessageFormat::Json {
        return None;
    }
    let text = file_system::read_text_file(path).ok()?;
    let first_line = text.lines().next().map_or(0, str::len);
    Some(Location {
        span: 0..first_line,
        source: Arc::new(SourceText {
            path: file_system::display_path(path),
            text,
            offset: 0,
        }),
    })
}

/// Returns the file of the API module, or Cargo.toml if there is none.
fn root_of_types(project: &Project) -> PathBuf {
    let candidates = project.root_candidates();
    candidates
        .into_iter()
        .find(|file| file.is_file())
        .unwrap_or_else(|| project.dir.join("Cargo.toml"))
}

/// The output of a run.
struct CheckRun<'a> {
    comparison: Comparison<'a>,
    workspace_root: PathBuf,
    console: &'a Console,
    /// The messages that were printed for people. rustc repeats those of a library for its tests.
    printed: BTreeSet<String>,
    /// Errors in generated files, with their lines.
    deferred: Vec<(Message, String)>,
    has_errors: bool,
}

impl CheckRun<'_> {
    fn print(&mut self, findings: &Diagnostics) {
        self.has_errors |= findings.has_errors();
        self.console.print_findings(findings);
    }

    /// Prints a line of cargo, unless it repeats a finding. The last line is replaced at the end.
    fn forward(&mut self, line: &str) {
        match Line::parse(line, &self.workspace_root) {
            Line::Message(message) => match self.comparison.judge(&message) {
                Verdict::Print => self.print_message(&message, line),
                Verdict::Defer => self.deferred.push((message, line.to_owned())),
                Verdict::Drop => {}
            },
            Line::Finished => {}
            Line::Other => self.print_line(line),
        }
    }

    fn print_message(&mut self, message: &Message, line: &str) {
        self.has_errors |= message.is_error() && !message.is_count();
        if self.console.quiet && !message.is_error() {
            return;
        }
        match self.console.message_format {
            MessageFormat::Human if message.is_count() => {}
            MessageFormat::Human => {
                let rendered = message.rendered().trim_end_matches('\n');
                if self.printed.insert(rendered.to_owned()) {
                    self.console.print_to_stderr(&format!("{rendered}\n"));
                }
            }
            MessageFormat::Json | MessageFormat::JsonLines => self.print_line(line),
        }
    }

    fn print_line(&mut self, line: &str) {
        if self.console.message_format == MessageFormat::Json {
            self.console.print_json(&format!("{line}\n"));
        }
    }

    /// Prints the rest of the findings, and the result.
    fn finish(mut self, cargo_succeeded: bool) -> CommandOutcome {
        let last = self.comparison.last_findings();
        self.print(&last);
        if !self.has_errors {
            for (message, line) in mem::take(&mut self.deferred) {
                self.print_message(&message, &line);
            }
        }
        let success = cargo_succeeded && !self.has_errors;
        self.console.print_build_finished(success);
        if success {
            CommandOutcome::Fine
        } else {
            CommandOutcome::Incomplete
        }
    }
}
