//! Calls of `git`.

use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use genclient_codegen::{Diagnostic, Diagnostics};

/// The root of the repository around `dir`, with symbolic links resolved; `None` outside of a
/// repository.
pub(super) fn repository_root(dir: &Path) -> Result<Option<PathBuf>, Diagnostics> {
    let Ok(below) = run_git(dir, &["rev-parse", "--show-prefix"])? else {
        return Ok(None);
    };
    let dir = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
    let depth = Path::new(below.trim_end_matches('\n')).iter().count();
    Ok(dir.ancestors().nth(depth).map(Path::to_owned))
}

/// The commit that `name` resolves to in the repository around `dir`; `None` if `name` is not a
/// revision. `A...B` resolves to the merge base of both, or to `None` if a shallow clone lacks it.
pub(super) fn resolve_commit(dir: &Path, name: &str) -> Result<Option<String>, Diagnostics> {
    if let Some((one, other)) = name.split_once("...") {
        return merge_base(dir, one, other);
    }
    if name.is_empty() {
        return Ok(None);
    }
    let commit = format!("{name}^{{commit}}");
    let arguments = [
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &commit,
    ];
    let found = run_git(dir, &arguments)?;
    Ok(found.ok().map(|commit| commit.trim().to_owned()))
}

fn merge_base(dir: &Path, one: &str, other: &str) -> Result<Option<String>, Diagnostics> {
    let (Some(first), Some(second)) = (resolve_commit(dir, one)?, resolve_commit(dir, other)?)
    else {
        return Ok(None);
    };
    let found = run_git(dir, &["merge-base", &first, &second])?;
    if found.is_err() && !is_shallow(dir)? {
        return Err(
            Diagnostic::error(format!("`{one}` and `{other}` have no common ancestor"))
                .help(format!(
                    "compare with the revision itself: genclient diff {one}"
                ))
                .into(),
        );
    }
    Ok(found.ok().map(|commit| commit.trim().to_owned()))
}

/// True if the repository around `dir` is a shallow clone.
pub(super) fn is_shallow(dir: &Path) -> Result<bool, Diagnostics> {
    let said = run_git(dir, &["rev-parse", "--is-shallow-repository"])?;
    Ok(said.is_ok_and(|said| said.trim() == "true"))
}

/// The names of remote repositories.
pub(super) fn list_remotes(dir: &Path) -> Result<Vec<String>, Diagnostics> {
    let names = run_git(dir, &["remote"])?.unwrap_or_default();
    Ok(names.lines().map(str::to_owned).collect())
}

/// The stdout of `git`, or its stderr if it failed.
type GitOutput = Result<String, String>;

/// Runs `git`. The outer error is a diagnostic: `git` could not be started.
pub(super) fn run_git(dir: &Path, arguments: &[&str]) -> Result<GitOutput, Diagnostics> {
    let output = git_command(dir, arguments)
        .output()
        .map_err(|e| cannot_run_git(&e))?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(if output.status.success() {
        Ok(text(output.stdout))
    } else {
        Err(text(output.stderr).trim().to_owned())
    })
}

fn git_command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(dir).args(arguments);
    command
}

fn cannot_run_git(error: &io::Error) -> Diagnostic {
    Diagnostic::error(format!("cannot run `git`: {error}"))
        .help("install git, or name folders or files of CRD YAML instead of revisions")
}

/// A `git cat-file --batch` process, which reads many objects.
#[derive(Debug)]
pub(super) struct ObjectReader {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl ObjectReader {
    pub(super) fn open(dir: &Path) -> Result<Self, Diagnostics> {
        let mut command = git_command(dir, &["cat-file", "--batch"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| cannot_run_git(&e))?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (requests, answers) =
            pipes.ok_or_else(|| cannot_run_git(&ErrorKind::BrokenPipe.into()))?;
        Ok(Self {
            process,
            requests,
            answers: BufReader::new(answers),
        })
    }

    /// The content of the object `id`.
    pub(super) fn read_object(&mut self, id: &str) -> io::Result<String> {
        writeln!(self.requests, "{id}")?;
        self.requests.flush()?;
        // The header line is `<id> blob <size>`, or `<id> missing`.
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        let size: u64 = head
            .trim_end()
            .rsplit(' ')
            .next()
            .unwrap_or_default()
            .parse()
            .map_err(|_| ErrorKind::NotFound)?;
        let mut content = Vec::new();
        self.answers
            .by_ref()
            .take(size + 1)
            .read_to_end(&mut content)?;
        // git ends each object with a newline that does not belong to it.
        content.pop();
        Ok(String::from_utf8_lossy(&content).into_owned())
    }
}

impl Drop for ObjectReader {
    fn drop(&mut self) {
        // If the process is blocked in the middle of a response, `wait` alone never returns.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
