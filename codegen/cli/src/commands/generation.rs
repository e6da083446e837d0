//! Generator commands: `update` and `verify`.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use genclient_codegen::project::no_types_error;
use genclient_codegen::{
    Code, Diagnostic, Diagnostics, Drift, FileSet, GroupKind, Location, PartialGeneration, Project,
    SourceText, Summary,
};

use super::console::{CommandOutcome, Console, MessageFormat, print_data};
use super::selection::PackageSelection;

/// Examples of `update`.
pub(super) const AFTER_UPDATE: &str = "Examples:
  genclient update                     all API types of this package or workspace
  genclient update --only crd -p api   the CRDs of one package
  genclient update --dry-run           print which files would change
  genclient update --watch             while you edit: again after each change";

/// The arguments that `update` and `verify` share.
#[derive(Debug, clap::Args)]
pub(super) struct Generation {
    #[command(flatten)]
    selection: PackageSelection,

    /// Treat warnings as errors: write nothing and exit with 2
    #[arg(long)]
    deny_warnings: bool,

    /// Leave out the kinds that have errors, and exit with 2 at the end
    #[arg(long)]
    keep_going: bool,
}

/// Result of the generation for all selected packages.
#[derive(Default)]
pub(super) struct GenerationRun {
    pub(super) files: FileSet,
    pub(super) findings: Diagnostics,
    /// Number of kinds that the packages declare, except skipped kinds. Packages in `failed` do not
    /// count.
    kinds: usize,
    /// The kinds that have errors.
    left_out: Vec<GroupKind>,
    /// The packages with errors that belong to no kind.
    failed: Vec<String>,
    /// What was generated, one line for each package with files.
    generated: Vec<String>,
    /// True if there are warnings and `--deny-warnings` is set.
    denied: bool,
}

/// Writes files that differ and removes stale files.
pub(super) fn update(
    generation: &Generation,
    console: &Console,
) -> Result<CommandOutcome, Diagnostics> {
    generation.write(&generation.run()?, console)
}

/// Prints what `update` would write and remove.
pub(super) fn dry_run(
    generation: &Generation,
    console: &Console,
) -> Result<CommandOutcome, Diagnostics> {
    let run = generation.run()?;
    if generation.refuses(&run, console, "update") {
        return Ok(CommandOutcome::Incomplete);
    }
    for drift in run.files.verify()? {
        print_data(&format!("{}\n", describe_change(&drift)))?;
    }
    Ok(run.outcome(CommandOutcome::Fine, console))
}

fn describe_change(drift: &Drift<'_>) -> String {
    let what = match (&drift.found, drift.expected) {
        (_, None) => "remove",
        (None, Some(_)) => "create",
        (Some(_), Some(_)) => "change",
    };
    format!("{what} {}", drift.name())
}

/// Compares the generated files with the disk.
pub(super) fn verify(
    generation: &Generation,
    console: &Console,
) -> Result<CommandOutcome, Diagnostics> {
    let run = generation.run()?;
    if generation.refuses(&run, console, "verify") {
        return Ok(CommandOutcome::Incomplete);
    }
    let drift = run.files.verify()?;
    if drift.is_empty() {
        console.say("up to date");
        return Ok(run.outcome(CommandOutcome::Fine, console));
    }
    if console.message_format == MessageFormat::Json {
        let command = format!("genclient update{}", generation.flags());
        let findings: Diagnostics = drift
            .iter()
            .map(|drift| out_of_date(drift, &command))
            .collect();
        console.print_findings(&findings);
        return Ok(run.outcome(CommandOutcome::OutOfDate, console));
    }
    for drift in &drift {
        print_data(&unified_diff(drift))?;
    }
    let files = if drift.len() == 1 {
        "1 file is"
    } else {
        &format!("{} files are", drift.len())
    };
    console.print_to_stderr(&format!(
        "{files} out of date; to fix it: genclient update{}",
        generation.flags()
    ));
    Ok(run.outcome(CommandOutcome::OutOfDate, console))
}

impl Generation {
    /// Generates for every selected package, in memory.
    pub(super) fn run(&self) -> Result<GenerationRun, Diagnostics> {
        let mut run = GenerationRun::default();
        let artefacts = self.selection.artefacts();
        let projects = self.selection.packages.projects()?;
        self.selection.check_artefacts(&projects)?;
        let are_guessed = projects.iter().all(|project| project.is_guessed);
        for project in projects {
            match genclient_codegen::generate_partial(&project, &artefacts) {
                Ok(generation) => {
                    run.generated
                        .extend(summarize_package(&project, &generation));
                    run.files.extend(generation.files);
                    run.findings.extend(generation.findings);
                    run.kinds += generation.kinds;
                    let names = generation.left_out.into_iter().map(|kind| kind.name);
                    run.left_out.extend(names);
                }
                Err(findings) => {
                    run.findings.extend(findings);
                    run.failed.push(project.name);
                }
            }
        }
        if are_guessed && run.kinds == 0 && run.failed.is_empty() {
            return Err(no_types_error().into());
        }
        let warnings = run.findings.warnings();
        run.denied = self.deny_warnings && !warnings.is_empty();
        if run.denied {
            run.findings.extend(denied_warnings(&warnings).into());
        }
        Ok(run)
    }

    /// Prints the findings. Unless they prevent it, writes files that differ, removes stale files,
    /// and prints a summary.
    pub(super) fn write(
        &self,
        run: &GenerationRun,
        console: &Console,
    ) -> Result<CommandOutcome, Diagnostics> {
        if self.refuses(run, console, "update") {
            return Ok(CommandOutcome::Incomplete);
        }
        if console.verbose {
            for drift in run.files.verify()? {
                console.say(&describe_change(&drift));
            }
        }
        let summary: Summary = run.files.write()?;
        // Users of a single package know where its files are.
        if run.generated.len() > 1 {
            for package in &run.generated {
                console.say(package);
            }
        }
        console.say(&summary.to_string());
        Ok(run.outcome(CommandOutcome::Fine, console))
    }

    /// Returns whether findings prevent the output.
    pub(super) fn is_refused(&self, run: &GenerationRun) -> bool {
        let is_empty = run.kinds == run.left_out.len();
        run.denied || !run.is_complete() && (!self.keep_going || is_empty)
    }

    /// Prints the findings. If they prevent the command, also prints a summary and returns true.
    fn refuses(&self, run: &GenerationRun, console: &Console, command: &str) -> bool {
        if run.denied {
            console.print_all_findings(&run.findings);
        } else {
            console.print_findings(&run.findings);
        }
        if !self.is_refused(run) {
            return false;
        }
        let fine = run.kinds - run.left_out.len();
        let (done, does) = match command {
            "verify" => ("compared", "compares"),
            _ => ("written", "writes"),
        };
        console.print_summary(&format!("nothing {done}: {}", run.count_errors()));
        let names: Vec<_> = run
            .left_out
            .iter()
            .map(|name| format!("{:?}", name.kind))
            .take(MAX_SKIP_NAMES)
            .collect();
        if fine > 0 && !names.is_empty() {
            let (are, those) = match fine {
                1 => ("is", "it"),
                _ => ("are", "them"),
            };
            console.print_summary(&format!(
                "{fine} of {} kinds {are} valid; `genclient {command}{} --keep-going` {does} {those}",
                run.kinds,
                self.selection.flags()
            ));
            console.print_summary(&format!(
                "to skip a kind: skip = [{}] in [package.metadata.genclient]",
                names.join(", ")
            ));
        }
        true
    }

    /// Returns the flags that generate the same files, for a command that a message suggests.
    fn flags(&self) -> String {
        let keep_going = if self.keep_going { " --keep-going" } else { "" };
        format!("{}{keep_going}", self.selection.flags())
    }
}

/// Maximum number of kinds that a message lists in its example of the setting `skip`.
const MAX_SKIP_NAMES: usize = 5;

impl GenerationRun {
    fn is_complete(&self) -> bool {
        self.left_out.is_empty() && self.failed.is_empty()
    }

    /// Returns the number of errors, and of kinds with errors, as text.
    fn count_errors(&self) -> String {
        let errors = match self.findings.errors().iter().count() {
            1 => "1 error".to_owned(),
            count => format!("{count} errors"),
        };
        match (self.left_out.len(), self.kinds) {
            (0, _) => errors,
            (faulty, 1) => format!("{errors} in {faulty} kind"),
            (faulty, all) => format!("{errors} in {faulty} of {all} kinds"),
        }
    }

    /// Returns `complete` if nothing was left out. Otherwise prints the kinds and packages that
    /// were left out, and returns [`CommandOutcome::Incomplete`].
    fn outcome(&self, complete: CommandOutcome, console: &Console) -> CommandOutcome {
        if self.is_complete() {
            return complete;
        }
        let packages = self.failed.iter().map(|name| format!("the package {name}"));
        let kinds = self.left_out.iter().map(ToString::to_string);
        let left_out: Vec<_> = kinds.chain(packages).collect();
        console.print_summary(&format!("left out: {}", left_out.join(", ")));
        CommandOutcome::Incomplete
    }
}

/// Returns what is generated for a package, and where: `shop: 2 kinds, 31 files in pkg/client and
/// config`. A package without files has no line.
fn summarize_package(project: &Project, generation: &PartialGeneration) -> Option<String> {
    let is_in = |folder: &&PathBuf| {
        generation
            .files
            .iter()
            .any(|(path, _)| path.starts_with(folder))
    };
    let folders: Vec<_> = [&project.client.dir, &project.config]
        .into_iter()
        .filter(is_in)
        .map(|folder| project.shown(folder))
        .collect();
    let kinds = match generation.kinds - generation.left_out.len() {
        1 => "1 kind".to_owned(),
        kinds => format!("{kinds} kinds"),
    };
    let files = match generation.files.iter().count() {
        0 => return None,
        1 => "1 file".to_owned(),
        files => format!("{files} files"),
    };
    Some(format!(
        "{}: {kinds}, {files} in {}",
        project.name,
        folders.join(" and ")
    ))
}

/// Returns the difference as a unified diff.
fn unified_diff(drift: &Drift<'_>) -> String {
    let found = drift.found.as_deref().unwrap_or_default();
    let expected = drift.expected.unwrap_or_default();
    let path = drift.name();
    let (old, new) = (
        drift.found.as_ref().map_or("/dev/null", |_| path.as_str()),
        drift.expected.map_or("/dev/null", |_| path.as_str()),
    );
    similar::TextDiff::from_lines(found, expected)
        .unified_diff()
        .header(old, new)
        .to_string()
}

/// Returns the error that a file differs from what `command` would write, at the first line that
/// differs.
fn out_of_date(drift: &Drift<'_>, command: &str) -> Diagnostic {
    let path = drift.name();
    let message = match (&drift.found, drift.expected) {
        (_, None) => format!("{path} is stale"),
        (None, Some(_)) => format!("{path} is missing"),
        (Some(_), Some(_)) => format!("{path} is out of date"),
    };
    let finding = Diagnostic::error(message)
        .with_code(Code::OutOfDate)
        .help(format!("run `{command}`"));
    match &drift.found {
        Some(found) => finding.at(Location {
            span: first_difference(found, drift.expected.unwrap_or_default()),
            source: Arc::new(SourceText {
                path,
                text: found.clone(),
                offset: 0,
            }),
        }),
        None => finding,
    }
}

/// Returns the first line of `found` that `expected` does not have at the same place, as bytes.
fn first_difference(found: &str, expected: &str) -> Range<usize> {
    let lines = found
        .split_inclusive('\n')
        .zip(expected.split_inclusive('\n'));
    let equal = lines.take_while(|(found, expected)| found == expected);
    let start = equal.map(|(line, _)| line.len()).sum();
    let length = found[start..].lines().next().map_or(0, str::len);
    start..start + length
}

/// Returns the error of `--deny-warnings`.
fn denied_warnings(warnings: &Diagnostics) -> Diagnostic {
    let count = warnings.iter().count();
    let (are, them) = match count {
        1 => (" is", "it"),
        _ => ("s are", "them"),
    };
    let error = Diagnostic::error(format!("{count} warning{are} denied by `--deny-warnings`"));
    let help = format!("fix {them}, or run without `--deny-warnings`");
    error.help(help)
}
