//! `genclient update --watch`: an update after each change of its inputs.
//!
//! Changes are found by polling, which also works on network file systems and in containers, where
//! notifications of changes are missing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use genclient_codegen::file_system::display_path;
use genclient_codegen::output::interrupt;
use genclient_codegen::{Diagnostics, FileSet, Inputs};

use super::console::{CommandOutcome, Console};
use super::generation::{Generation, GenerationRun};

/// Updates, and does so again after each change of the inputs. Errors are printed, and the next
/// change may fix them.
///
/// With `--message-format json`, each run ends with cargo's `build-finished`, by which programs
/// know that the findings are complete.
///
/// # Errors
///
/// A signal has interrupted a run while it wrote files, or stdout cannot be written to.
pub(super) fn update_until_interrupted(
    generation: &Generation,
    console: &Console,
) -> Result<CommandOutcome, Diagnostics> {
    let mut changed = BTreeSet::new();
    let mut is_first = true;
    loop {
        let (run, mut inputs) = genclient_codegen::observe(|| generation.run());
        if has_errors(&run) && is_still_being_written(&mut inputs, &mut changed) {
            continue;
        }
        if !changed.is_empty() {
            console.say(&format!("{} changed", list_paths(&changed)));
        }
        let is_refused = matches!(&run, Ok(run) if generation.is_refused(run));
        let (output, success) = match write(generation, run, &mut inputs, console) {
            Err(errors) if interrupt::exit_code().is_some() => return Err(errors),
            Err(errors) => {
                console.print_findings(&errors);
                (FileSet::default(), false)
            }
            Ok((output, outcome)) => (output, matches!(outcome, CommandOutcome::Fine)),
        };
        console.print_build_finished(success);
        if console.is_truncated() {
            return Ok(CommandOutcome::Incomplete);
        }
        if is_first {
            console.say("watching for changes; Ctrl-C ends it");
            is_first = false;
        }
        changed = wait_for_change(&mut inputs, &output, !is_refused);
    }
}

/// Writes the files of a run, and returns them with the outcome.
fn write(
    generation: &Generation,
    run: Result<GenerationRun, Diagnostics>,
    inputs: &mut Inputs,
    console: &Console,
) -> Result<(FileSet, CommandOutcome), Diagnostics> {
    let done = run?;
    match generation.write(&done, console) {
        Ok(outcome) => Ok((done.files, outcome)),
        Err(errors) => {
            // A file of the user may be in the way of a generated one.
            inputs.add_output(&done.files);
            Err(errors)
        }
    }
}

fn has_errors(run: &Result<GenerationRun, Diagnostics>) -> bool {
    match run {
        Ok(run) => run.findings.has_errors(),
        Err(_) => true,
    }
}

/// Time after which a file with an error counts as written completely.
const WRITE_TIME: Duration = Duration::from_millis(100);

/// Returns whether the inputs change within [`WRITE_TIME`], and adds what changes to `changed`.
fn is_still_being_written(inputs: &mut Inputs, changed: &mut BTreeSet<PathBuf>) -> bool {
    thread::sleep(WRITE_TIME);
    let mut more = inputs.changes(&FileSet::default());
    let is_written = !more.is_empty();
    changed.append(&mut more);
    is_written
}

/// Waits for a change of the inputs, or if the output is written, for a deletion of a generated
/// file, followed by none for [`SETTLE_TIME`]. Returns the changed paths.
fn wait_for_change(inputs: &mut Inputs, output: &FileSet, is_written: bool) -> BTreeSet<PathBuf> {
    /// Time between the write of a file and the next step of a program that writes several files,
    /// or that empties a file before it writes the text.
    const SETTLE_TIME: Duration = Duration::from_millis(20);

    let start = Instant::now();
    let mut all = BTreeSet::new();
    loop {
        let poll = Instant::now();
        let mut changed = inputs.changes(output);
        if is_written {
            changed.extend(missing_files(output).filter(|file| !all.contains(file)));
        }
        if changed.is_empty() && !all.is_empty() {
            return all;
        }
        all.append(&mut changed);
        thread::sleep(if all.is_empty() {
            interval(start.elapsed(), poll.elapsed())
        } else {
            SETTLE_TIME
        });
    }
}

/// Generated files that were deleted.
fn missing_files(output: &FileSet) -> impl Iterator<Item = PathBuf> {
    let files = output.iter().map(|(file, _)| file);
    files.filter(|file| !file.exists()).map(Path::to_owned)
}

/// Returns the time to the next poll: short after a change, since more are likely, and longer while
/// nobody edits. Polls take at most a twentieth of the time.
fn interval(since_change: Duration, poll: Duration) -> Duration {
    const EDITING: Duration = Duration::from_secs(10);
    const IDLE: Duration = Duration::from_secs(600);

    let by_activity = if since_change < EDITING {
        Duration::from_millis(50)
    } else if since_change < IDLE {
        Duration::from_millis(100)
    } else {
        Duration::from_millis(500)
    };
    by_activity.max(poll * 19)
}

/// Returns the paths as messages show them: the first one, and the number of others.
fn list_paths(paths: &BTreeSet<PathBuf>) -> String {
    let Some(first) = paths.first().map(|path| display_path(path)) else {
        return String::new();
    };
    match paths.len() - 1 {
        0 => first,
        1 => format!("{first} and another file"),
        others => format!("{first} and {others} other files"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{interval, list_paths};

    #[test]
    fn polls_are_rare_while_nothing_changes_and_cheap() {
        for (since_change, poll, expected) in [
            (0, 1, 50),
            (9_999, 1, 50),
            (10_000, 1, 100),
            (599_999, 1, 100),
            (600_000, 1, 500),
            (0, 40, 760),
            (600_000, 40, 760),
        ] {
            assert_eq!(
                interval(
                    Duration::from_millis(since_change),
                    Duration::from_millis(poll)
                ),
                Duration::from_millis(expected),
                "{since_change} {poll}"
            );
        }
    }

    #[test]
    fn changed_paths_are_listed_briefly() {
        for (paths, expected) in [
            (vec!["/a/x.rs"], "/a/x.rs"),
            (vec!["/a/y.rs", "/a/x.rs"], "/a/x.rs and another file"),
            (
                vec!["/a/x.rs", "/a/y.rs", "/a/z.rs"],
                "/a/x.rs and 2 other files",
            ),
        ] {
            assert_eq!(
                list_paths(&paths.into_iter().map(Into::into).collect()),
                expected
            );
        }
    }
}
