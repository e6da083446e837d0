//! Pending file changes of a project, collected in memory.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use genclient_codegen::paths::normalize;
use genclient_codegen::{Diagnostic, Diagnostics, Sink, file_system, parallel};

use crate::tools::format_rust;

#[derive(Clone, Debug)]
struct FileChange {
    /// The text on disk; `None` if the file does not exist.
    old: Option<String>,
    new: String,
    /// True for a file to create. If it exists with another text, that is an error.
    is_new: bool,
}

/// Pending file changes below the project folder.
#[derive(Debug)]
pub(crate) struct Scaffold {
    root: PathBuf,
    edition: String,
    changes: BTreeMap<PathBuf, FileChange>,
    /// Changes that the user must make by hand.
    by_hand: Vec<String>,
    /// What the command takes the kind for, if a built-in kind has the same name.
    interpretation: Option<String>,
    sink: Sink,
}

impl Scaffold {
    pub(super) fn new(root: &Path, edition: &str) -> Self {
        Self {
            root: root.to_owned(),
            edition: edition.to_owned(),
            changes: BTreeMap::new(),
            by_hand: Vec::new(),
            interpretation: None,
            sink: Sink::new(),
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        normalize(&self.root.join(path))
    }

    pub(super) fn report(&mut self, wrong: Diagnostic) {
        self.sink.push(wrong);
    }

    pub(super) fn is_refused(&self) -> bool {
        self.sink.has_errors()
    }

    /// The sink of findings, for checks that report several.
    pub(super) fn sink(&mut self) -> &mut Sink {
        &mut self.sink
    }

    /// The text of a file including pending changes; `None` if the file does not exist. A file that
    /// cannot be read is reported.
    pub(super) fn read_text(&mut self, path: &str) -> Option<String> {
        let path = self.at(path);
        match self.changes.get(&path) {
            Some(change) => Some(change.new.clone()),
            None => self.on_disk(&path),
        }
    }

    fn on_disk(&mut self, path: &Path) -> Option<String> {
        match file_system::read_text_file(path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                self.sink.push(
                    Diagnostic::error(format!(
                        "cannot read {}: {error}",
                        file_system::display_path(path)
                    ))
                    .help("move it, or make it a readable text file"),
                );
                None
            }
        }
    }

    /// Adds a file. An existing file with another text is reported and not overwritten.
    pub(super) fn create(&mut self, path: &str, text: impl Into<String>) {
        let path = self.at(path);
        if self.changes.contains_key(&path) {
            return self.report(file_exists(&path));
        }
        let change = FileChange {
            old: self.on_disk(&path),
            new: text.into(),
            is_new: true,
        };
        self.changes.insert(path, change);
    }

    /// The text that a new file would have: formatted, if rustfmt applies to it.
    pub(super) fn formatted(&self, path: &str, text: &str) -> String {
        let change = FileChange {
            old: None,
            new: text.to_owned(),
            is_new: true,
        };
        format_change(&self.at(path), &change, &self.edition).unwrap_or(change.new)
    }

    /// True if the file exists on disk with this text, once the text is formatted.
    pub(super) fn is_unchanged(&self, path: &str, text: &str) -> bool {
        file_system::read_text_file(&self.at(path))
            .is_ok_and(|old| old == self.formatted(path, text))
    }

    /// Adds a file, unless it exists.
    pub(super) fn create_or_keep(&mut self, path: &str, text: impl Into<String>) {
        if self.read_text(path).is_none() {
            self.create(path, text);
        }
    }

    /// Changes a file by `insert`. If the file is missing or `insert` returns `None`, `what`
    /// becomes a manual step.
    pub(super) fn insert(
        &mut self,
        path: &str,
        what: &str,
        insert: impl FnOnce(&str) -> Option<String>,
    ) {
        let before = self.read_text(path);
        let Some(after) = before.as_deref().and_then(insert) else {
            return self.add_manual_step_in(path, what);
        };
        if before.as_ref() == Some(&after) {
            return;
        }
        let change = self
            .changes
            .entry(self.at(path))
            .or_insert_with(|| FileChange {
                old: before,
                new: String::new(),
                is_new: false,
            });
        change.new = after;
    }

    /// States what the command takes the kind for: a kind of the project, or of Kubernetes.
    pub(super) fn set_interpretation(&mut self, interpretation: String) {
        self.interpretation = Some(interpretation);
    }

    /// Adds a manual step.
    pub(super) fn add_manual_step(&mut self, what: impl std::fmt::Display) {
        let line = format!("by hand, {what}");
        if !self.by_hand.contains(&line) {
            self.by_hand.push(line);
        }
    }

    /// Adds a manual step in a file.
    pub(super) fn add_manual_step_in(&mut self, path: &str, what: &str) {
        self.add_manual_step(format!("in {}: {what}", self.display_path(path)));
    }

    /// The path of a file as shown in messages.
    pub(super) fn display_path(&self, path: &str) -> String {
        file_system::display_path(&self.at(path))
    }

    /// True if the file exists or is pending.
    pub(super) fn has(&self, path: &str) -> bool {
        let path = self.at(path);
        self.changes.contains_key(&path) || path.is_file()
    }

    /// Ends the collection. Formats new Rust files, and existing files that were formatted before.
    ///
    /// # Errors
    ///
    /// All reported errors, and every new file that exists with another text.
    pub(super) fn finish(mut self) -> Result<Self, Diagnostics> {
        let changes: Vec<_> = std::mem::take(&mut self.changes).into_iter().collect();
        let changes = parallel::map(&changes, |(path, change)| {
            let new = format_change(path, change, &self.edition);
            let new = new.unwrap_or_else(|| change.new.clone());
            (
                path.clone(),
                FileChange {
                    new,
                    ..change.clone()
                },
            )
        });
        for (path, change) in changes {
            match &change.old {
                Some(old) if *old == change.new => {}
                Some(_) if change.is_new => self.sink.push(file_exists(&path)),
                _ => {
                    self.changes.insert(path, change);
                }
            }
        }
        let mut sink = std::mem::replace(&mut self.sink, Sink::new());
        sink.finish(())?;
        Ok(self)
    }

    /// What the command takes the kind for, if a built-in kind has the same name.
    pub(crate) fn interpretation(&self) -> Option<&str> {
        self.interpretation.as_deref()
    }

    /// The manual steps, one line each.
    pub(crate) fn manual_steps(&self) -> &[String] {
        &self.by_hand
    }

    /// One line per created or changed file.
    pub(crate) fn describe(&self) -> Vec<String> {
        let changes = self.changes.iter();
        let lines = changes.map(|(path, change)| {
            let verb = match change.old {
                None => "create",
                Some(_) => "change",
            };
            format!("{verb} {}", file_system::display_path(path))
        });
        lines.collect()
    }

    pub(crate) fn files(&self) -> BTreeMap<PathBuf, String> {
        let changes = self.changes.iter();
        let files = changes.map(|(path, change)| (path.clone(), change.new.clone()));
        files.collect()
    }
}

fn file_exists(path: &Path) -> Diagnostic {
    let path = file_system::display_path(path);
    Diagnostic::error(format!("{path} already exists with another text")).help(format!(
        "move it away, for example with `mv {path} {path}.old`; no file is overwritten"
    ))
}

/// The new text formatted by rustfmt; `None` if rustfmt does not apply or fails.
fn format_change(path: &Path, change: &FileChange, edition: &str) -> Option<String> {
    if path.extension().is_none_or(|extension| extension != "rs") {
        return None;
    }
    let format = |text| format_rust(text, edition, path.parent()?);
    if let Some(old) = change.old.as_deref().filter(|_| !change.is_new)
        && format(old).as_deref() != Some(old)
    {
        return None;
    }
    format(&change.new)
}
