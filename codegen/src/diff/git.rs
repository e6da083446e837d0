//! The files of a git revision, read with `git`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::yaml::{Text, is_yaml};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::project::shown;

/// A commit of a repository.
pub(super) struct Revision {
    /// As it was typed.
    name: String,
    /// A folder of the repository.
    dir: PathBuf,
    /// The commit itself, which does not move while it is read.
    commit: String,
}

impl Revision {
    /// Finds the commit that `name` means in the repository around `dir`; nothing if it means none there.
    pub(super) fn find(name: &str, dir: &Path) -> Result<Option<Self>, Diagnostics> {
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
        let found = run(dir, &arguments)?;
        Ok(found.ok().map(|commit| Self {
            name: name.to_owned(),
            dir: dir.to_owned(),
            commit: commit.trim().to_owned(),
        }))
    }

    /// Every YAML file at or below `path`, which starts at the repository's root.
    pub(super) fn files(&self, path: &str) -> Result<Vec<Text>, Diagnostics> {
        let mut arguments = vec![
            "ls-tree",
            "-r",
            "-z",
            "--name-only",
            "--full-tree",
            &self.commit,
        ];
        if !path.is_empty() {
            arguments.extend(["--", path]);
        }
        let names = self.run(&arguments)?;
        let names = names.split('\0').filter(|name| is_yaml(Path::new(name)));
        names.map(|name| self.file(name)).collect()
    }

    fn file(&self, name: &str) -> Result<Text, Diagnostics> {
        let text = self.run(&["cat-file", "blob", &format!("{}:{name}", self.commit)])?;
        Ok(Text {
            place: format!("{}:{name}", self.name),
            text,
        })
    }

    fn run(&self, arguments: &[&str]) -> Result<String, Diagnostics> {
        run(&self.dir, arguments)?.map_err(|said| {
            Diagnostic::error(format!("cannot read the revision `{}`: {said}", self.name))
                .help(format!("see what this says: git show --stat {}", self.name))
                .into()
        })
    }
}

/// `path` from the root of its repository, whose separator is `/`.
///
/// The folder itself may be gone by now; one above it is there.
pub(super) fn from_root(path: &Path) -> Result<String, Diagnostics> {
    let dir = nearest_folder(path);
    let prefix = run(dir, &["rev-parse", "--show-prefix"])?.map_err(|_| no_repository(dir))?;
    let below = path.strip_prefix(dir).unwrap_or(path);
    let below: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    Ok(format!(
        "{}{}",
        prefix.trim_end_matches('\n'),
        below.join("/")
    ))
}

/// True if `dir` is in a repository.
pub(super) fn is_repository(dir: &Path) -> Result<bool, Diagnostics> {
    Ok(run(nearest_folder(dir), &["rev-parse", "--git-dir"])?.is_ok())
}

pub(super) fn no_repository(dir: &Path) -> Diagnostics {
    Diagnostic::error(format!("{} is not in a git repository", shown(dir)))
        .help("name a folder or file of CRD YAML instead of a revision")
        .into()
}

fn nearest_folder(path: &Path) -> &Path {
    path.ancestors()
        .find(|above| above.is_dir())
        .unwrap_or(path)
}

/// What `git` prints, or what it says when it fails.
fn run(dir: &Path, arguments: &[&str]) -> Result<Result<String, String>, Diagnostics> {
    let output = Command::new("git")
        .arg("-C")
        .arg(dir)
        .args(arguments)
        .output()
        .map_err(|error| {
            Diagnostic::error(format!("cannot run `git`: {error}"))
                .help("install git, or name folders or files of CRD YAML instead of revisions")
        })?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(if output.status.success() {
        Ok(text(output.stdout))
    } else {
        Err(text(output.stderr).trim().to_owned())
    })
}
