//! New and changed files of a project, collected in memory and put in place together.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::diagnostic::{Diagnostic, Diagnostics, Sink};
use crate::folder;

/// The folder that files are written to before they are put in place.
const STAGING: &str = ".genclient-new";

/// What happens to one file.
#[derive(Clone, Debug)]
struct FileChange {
    /// The text on the disk; `None` if there is no such file.
    old: Option<String>,
    new: String,
}

/// New and changed files below the folder of a project.
#[derive(Debug)]
pub(crate) struct Scaffold {
    root: PathBuf,
    changes: BTreeMap<PathBuf, FileChange>,
    /// What is left to be done by hand.
    by_hand: Vec<String>,
    sink: Sink,
}

impl Scaffold {
    /// No changes yet below a folder.
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            changes: BTreeMap::new(),
            by_hand: Vec::new(),
            sink: Sink::new(),
        }
    }

    /// Reports a mistake in the request.
    pub(super) fn report(&mut self, wrong: Diagnostic) {
        self.sink.push(wrong);
    }

    /// Whether anything was reported.
    pub(super) fn is_refused(&self) -> bool {
        self.sink.has_errors()
    }

    /// The findings, for checks that report several.
    pub(super) fn sink(&mut self) -> &mut Sink {
        &mut self.sink
    }

    /// The text of a file with the changes so far; `None` if there is no such file.
    pub(super) fn text(&mut self, path: &str) -> Option<String> {
        let path = self.root.join(path);
        match self.changes.get(&path) {
            Some(change) => Some(change.new.clone()),
            None => self.on_disk(&path),
        }
    }

    fn on_disk(&mut self, path: &Path) -> Option<String> {
        match fs::read_to_string(path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                self.sink.push(
                    Diagnostic::error(format!("cannot read {}: {error}", folder::shown(path)))
                        .help("move it, or make it a file of text that you may read"),
                );
                None
            }
        }
    }

    /// Adds a file. One that is there with another text is reported, and stays.
    pub(super) fn create(&mut self, path: &str, text: impl Into<String>) {
        let (path, new) = (self.root.join(path), text.into());
        let new = formatted(&path, &new).unwrap_or(new);
        match self.on_disk(&path) {
            Some(old) if old != new => self.sink.push(
                Diagnostic::error(format!("{} exists already", folder::shown(&path)))
                    .help("move or remove it; no file is overwritten"),
            ),
            Some(_) => {}
            None => {
                self.changes.insert(path, FileChange { old: None, new });
            }
        }
    }

    /// Changes a file by `insert`. If that returns `None`, `what` is left to do by hand.
    pub(super) fn insert(
        &mut self,
        path: &str,
        what: &str,
        insert: impl FnOnce(&str) -> Option<String>,
    ) {
        let Some(before) = self.text(path) else {
            self.by_hand(path, what);
            return;
        };
        match insert(&before) {
            None => self.by_hand(path, what),
            Some(after) if after == before => {}
            Some(after) => {
                let path = self.root.join(path);
                // A file that is formatted stays so; any other keeps the form that it has.
                let is_formatted = formatted(&path, &before).is_some_and(|text| text == before);
                let after = match is_formatted {
                    true => formatted(&path, &after).unwrap_or(after),
                    false => after,
                };
                let old = match self.changes.remove(&path) {
                    Some(change) => change.old,
                    None => Some(before),
                };
                self.changes.insert(path, FileChange { old, new: after });
            }
        }
    }

    fn by_hand(&mut self, path: &str, what: &str) {
        let path = folder::shown(&self.root.join(path));
        self.by_hand.push(format!("by hand, in {path}: {what}"));
    }

    /// Whether a file will be there.
    pub(super) fn has(&self, path: &str) -> bool {
        let path = self.root.join(path);
        self.changes.contains_key(&path) || path.is_file()
    }

    /// Returns the tree if nothing was reported.
    ///
    /// # Errors
    ///
    /// Everything that was reported.
    pub(super) fn finish(mut self) -> Result<Self, Diagnostics> {
        let mut sink = std::mem::replace(&mut self.sink, Sink::new());
        sink.finish(())?;
        Ok(self)
    }

    /// What the user has to do by hand, each with its file.
    pub(crate) fn to_add(&self) -> &[String] {
        &self.by_hand
    }

    /// What [`Self::write`] does, a line for each file.
    pub(crate) fn describe(&self) -> Vec<String> {
        let changes = self.changes.iter();
        let lines = changes.map(|(path, change)| {
            let verb = match change.old {
                None => "create",
                Some(_) => "change",
            };
            format!("{verb} {}", folder::shown(path))
        });
        lines.collect()
    }

    /// Puts every file in place: all of them are written to a folder beside them first. Cargo.toml
    /// comes last, and files that change after new ones, so that a command that was interrupted can
    /// be typed again.
    ///
    /// # Errors
    ///
    /// A file cannot be written. Those in place are taken back.
    pub(crate) fn write(&self) -> Result<(), Diagnostics> {
        let staging = self.root.join(STAGING);
        let written = self
            .stage(&staging)
            .and_then(|staged| self.put_in_place(staged));
        // What is left there is of no use.
        let _ = fs::remove_dir_all(&staging);
        written.map_err(|(path, error)| {
            Diagnostic::error(format!("cannot write {}: {error}", folder::shown(&path)))
                .help("make its folder one that you may write to")
                .into()
        })
    }

    /// Writes all texts below `staging`.
    fn stage(&self, staging: &Path) -> Result<Vec<(PathBuf, &Path)>, Failed> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| (path, error)
        };
        if staging.exists() {
            fs::remove_dir_all(staging).map_err(failed(staging))?;
        }
        let mut staged = Vec::new();
        let mut changes: Vec<_> = self.changes.iter().collect();
        changes.sort_by_key(|(path, change)| (path.ends_with("Cargo.toml"), change.old.is_some()));
        for (number, (path, change)) in changes.into_iter().enumerate() {
            let file = staging.join(number.to_string());
            fs::create_dir_all(staging).map_err(failed(staging))?;
            fs::write(&file, &change.new).map_err(failed(path))?;
            staged.push((file, path.as_path()));
        }
        Ok(staged)
    }

    fn put_in_place(&self, staged: Vec<(PathBuf, &Path)>) -> Result<(), Failed> {
        let mut folders = Vec::new();
        for (number, (file, path)) in staged.iter().enumerate() {
            let placed = make_parent(path, &mut folders).and_then(|()| fs::rename(file, path));
            if let Err(error) = placed {
                let placed = staged.iter().take(number).map(|(_, path)| *path);
                self.take_back(placed, &folders);
                return Err(((*path).to_owned(), error));
            }
        }
        Ok(())
    }

    /// Restores what there was. The error that led here is the one to report.
    fn take_back<'a>(&self, placed: impl Iterator<Item = &'a Path>, folders: &[PathBuf]) {
        for path in placed {
            let _ = match self
                .changes
                .get(path)
                .and_then(|change| change.old.as_ref())
            {
                Some(old) => fs::write(path, old),
                None => fs::remove_file(path),
            };
        }
        for folder in folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// A file, and why it could not be written.
type Failed = (PathBuf, std::io::Error);

/// Makes the folder of a file, and notes which ones there were not, the outer ones first.
fn make_parent(path: &Path, made: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let Some(parent) = path.parent() else {
        return Ok(());
    };
    let missing: Vec<_> = parent
        .ancestors()
        .take_while(|folder| !folder.exists())
        .collect();
    made.extend(missing.into_iter().rev().map(Path::to_owned));
    fs::create_dir_all(parent)
}

/// The text as rustfmt writes it; `None` if the file is not Rust, or there is no rustfmt.
fn formatted(path: &Path, text: &str) -> Option<String> {
    if path.extension().is_none_or(|extension| extension != "rs") {
        return None;
    }
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024", "--quiet"]);
    let folder = path.ancestors().skip(1).find(|folder| folder.is_dir())?;
    let mut run = rustfmt
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    run.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = run.wait_with_output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output
        .status
        .success()
        .then_some(text)
        .filter(|text| !text.is_empty())
}
