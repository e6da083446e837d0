//! Output of a command: data on stdout, diagnostics and progress on stderr, and the exit status.

use std::cell::{Cell, RefCell};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use genclient_codegen::{Diagnostic, Diagnostics, EditFinder, file_system};
use serde_json::json;

use crate::tools::CargoTargets;

/// Options of the output.
#[derive(Debug, clap::Args)]
pub(super) struct Console {
    /// Format of errors, warnings and the changes of `diff`
    #[arg(long, global = true, value_name = "FORMAT", default_value = "human")]
    pub(super) message_format: MessageFormat,

    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(super) color: Color,

    /// Print only errors, and with `diff` only breaking changes
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,

    /// Print the name of every file that is written or removed
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(super) verbose: bool,

    /// True if the command prints nothing but findings on stdout in the format of cargo.
    #[arg(skip)]
    pub(super) findings_are_data: bool,

    #[arg(skip)]
    targets: RefCell<CargoTargets>,

    #[arg(skip)]
    edits: RefCell<EditFinder>,

    /// True once lines of JSON could not be printed on stdout.
    #[arg(skip)]
    is_truncated: Cell<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MessageFormat {
    /// Text for people
    Human,
    /// One JSON object per line, as `cargo check` prints messages: for editors
    Json,
    /// One JSON object per line, with level, message, file, line, column and help
    JsonLines,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// If the output is a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Console {
    pub(super) fn print_findings(&self, findings: &Diagnostics) {
        if self.quiet {
            self.print_all_findings(&findings.errors());
        } else {
            self.print_all_findings(findings);
        }
    }

    /// Prints findings. Warnings are printed even with `--quiet`.
    pub(super) fn print_all_findings(&self, findings: &Diagnostics) {
        let text = match self.message_format {
            MessageFormat::Human => findings.to_human(),
            MessageFormat::Json => return self.print_cargo_messages(findings),
            MessageFormat::JsonLines => findings.to_json_lines(),
        };
        // If stderr cannot be written to, there is nowhere to report that.
        let _ = anstream::stderr().write_all(text.as_bytes());
    }

    /// Prints findings in the format of cargo: on stdout if that is all the command prints there,
    /// else on stderr.
    fn print_cargo_messages(&self, findings: &Diagnostics) {
        let text: String = findings
            .iter()
            .map(|finding| self.cargo_message(finding) + "\n")
            .collect();
        if self.findings_are_data {
            self.print_json(&text);
        } else {
            let _ = anstream::stderr().write_all(text.as_bytes());
        }
    }

    /// Prints lines of JSON on stdout. Only the first failure is reported.
    pub(super) fn print_json(&self, lines: &str) {
        if let Err(error) = print_data(lines)
            && !self.is_truncated.replace(true)
        {
            self.print_to_stderr(&error.to_string());
        }
    }

    /// Prints cargo's last line, by which programs know that the messages are complete.
    pub(super) fn print_build_finished(&self, success: bool) {
        if self.message_format == MessageFormat::Json {
            let result = json!({ "reason": "build-finished", "success": success });
            self.print_json(&format!("{result}\n"));
        }
    }

    /// Returns the root of the workspace of a file or folder. cargo prints names of files relative
    /// to it.
    pub(super) fn workspace_root(&self, path: &Path) -> PathBuf {
        self.targets.borrow_mut().find(path).workspace_root
    }

    /// Returns a finding as cargo would print it, without a line end.
    fn cargo_message(&self, finding: &Diagnostic) -> String {
        let working_dir = file_system::working_dir();
        let path = match &finding.location {
            Some(location) => working_dir.join(&location.source.path),
            None => working_dir.clone(),
        };
        let target = self.targets.borrow_mut().find(&path);
        let edit = self.edits.borrow_mut().edit(finding);
        finding.to_cargo_message(edit, &target, &working_dir)
    }

    /// Returns whether lines of JSON are missing, because stdout cannot be written to.
    pub(super) fn is_truncated(&self) -> bool {
        self.is_truncated.get()
    }

    pub(super) fn say(&self, text: &str) {
        if !self.quiet {
            self.print_to_stderr(text);
        }
    }

    /// Prints the command to type next: `command`, or after a dry run, the user's command without
    /// `--dry-run`.
    pub(super) fn print_next_command(&self, command: &str, dry_run: bool) {
        if dry_run {
            self.print_end_of_dry_run();
        } else {
            self.say(&format!("next: {command}"));
        }
    }

    pub(super) fn print_end_of_dry_run(&self) {
        self.say("next: the same command without --dry-run");
    }

    /// Prints the result of a run, if the output is for people.
    pub(super) fn print_summary(&self, text: &str) {
        if self.message_format == MessageFormat::Human {
            self.print_to_stderr(text);
        }
    }

    pub(super) fn print_to_stderr(&self, text: &str) {
        let _ = writeln!(anstream::stderr(), "{text}");
    }
}

/// Prints data on stdout. A closed pipe, as with `head`, is not an error.
///
/// # Errors
///
/// Stdout cannot be written to, for example because the disk is full.
pub(super) fn print_data(text: &str) -> Result<(), Diagnostics> {
    let mut stdout = anstream::stdout();
    let written = stdout.write_all(text.as_bytes());
    match written.and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let finding = Diagnostic::error(format!("cannot write to stdout: {error}"));
            Err(finding
                .help("redirect stdout to a disk with free space")
                .into())
        }
        _ => Ok(()),
    }
}

/// Result of a command.
pub(super) enum CommandOutcome {
    Fine,
    OutOfDate,
    Breaking,
    /// The command did nothing or only a part of its work. It has printed the reasons.
    Incomplete,
}

impl From<CommandOutcome> for ExitCode {
    fn from(outcome: CommandOutcome) -> Self {
        match outcome {
            CommandOutcome::Fine => Self::SUCCESS,
            CommandOutcome::OutOfDate | CommandOutcome::Breaking => Self::from(1),
            CommandOutcome::Incomplete => Self::from(2),
        }
    }
}
