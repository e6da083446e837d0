//! Inputs of a run: the files and folders that it looked at, and whether they have changed since.
//!
//! `project` and `load` access the disk through the functions of this module. Within [`observe`],
//! each access is recorded together with its result.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use crate::file_set::FileSet;
use crate::file_system;
use crate::paths::normalize;

/// What a run has seen of the disk.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Files that were read.
    texts: BTreeMap<PathBuf, SeenText>,
    /// Paths that were looked for, such as the candidate files of a module.
    looked_up: BTreeMap<PathBuf, PathKind>,
    /// Folders that were searched, with the Rust files below them.
    folders: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// Patterns that were expanded, such as members of a workspace, with the paths that match.
    patterns: BTreeMap<String, BTreeSet<PathBuf>>,
}

impl Inputs {
    /// Returns the paths that have changed since the previous call, or since the run read them.
    /// Paths of `output` are ignored.
    ///
    /// A file has changed if its text differs. Hidden files count only if they were read.
    pub fn changes(&mut self, output: &FileSet) -> BTreeSet<PathBuf> {
        let mut changed = BTreeSet::new();
        for (path, seen) in &mut self.texts {
            if !output.owns(path) && seen.refresh(path) {
                changed.insert(path.clone());
            }
        }
        for (path, seen) in &mut self.looked_up {
            let kind = PathKind::of(path);
            if mem::replace(seen, kind) != kind {
                changed.insert(path.clone());
            }
        }
        for (folder, seen) in &mut self.folders {
            let found = list_visible_rust_files(folder);
            changed.extend(seen.symmetric_difference(&found).cloned());
            *seen = found;
        }
        for (pattern, seen) in &mut self.patterns {
            let found = BTreeSet::from_iter(expand_pattern(pattern).unwrap_or_default());
            changed.extend(seen.symmetric_difference(&found).cloned());
            *seen = found;
        }
        changed.retain(|path| !output.owns(path));
        changed
    }

    /// Adds the files of `output` in their current state, for a run that could not write them.
    pub fn add_output(&mut self, output: &FileSet) {
        for (path, _) in output.iter() {
            self.texts.insert(path.to_owned(), SeenText::read(path));
        }
    }

    /// Removes folders that are below another one, whose files are listed anyway.
    fn without_nested_folders(mut self) -> Self {
        let all = BTreeSet::from_iter(self.folders.keys().cloned());
        self.folders.retain(|folder, _| {
            let mut above = folder.ancestors().skip(1);
            !above.any(|folder| all.contains(folder))
        });
        self
    }
}

/// Text of a file as it was read.
#[derive(Clone, Copy, Debug)]
struct SeenText {
    stamp: Option<Stamp>,
    /// Hash of the text; `None` if the file is missing or cannot be read.
    hash: Option<u64>,
    /// False if a later write of the file may leave the stamp unchanged.
    is_settled: bool,
}

/// Size and modification time of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
}

/// Age from which a modification time is reliable: FAT stores it in units of two seconds.
const TIME_GRANULARITY: Duration = Duration::from_secs(2);

impl SeenText {
    fn new(stamp: Option<Stamp>, text: Option<&str>) -> Self {
        let hash = text.map(|text| {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            hasher.finish()
        });
        Self {
            stamp,
            hash,
            is_settled: stamp.is_none_or(Stamp::is_old),
        }
    }

    fn read(path: &Path) -> Self {
        let stamp = Stamp::of(path);
        Self::new(stamp, file_system::read_text_file(path).ok().as_deref())
    }

    /// Reads the file again, unless its stamp says that it is unchanged. Returns whether its text
    /// has changed.
    fn refresh(&mut self, path: &Path) -> bool {
        if self.is_settled && Stamp::of(path) == self.stamp {
            return false;
        }
        let now = Self::read(path);
        mem::replace(self, now).hash != now.hash
    }
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self {
            len: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }

    fn is_old(self) -> bool {
        let age = self.modified.and_then(|time| time.elapsed().ok());
        age.is_some_and(|age| age > TIME_GRANULARITY)
    }
}

/// Kind of a path, with symbolic links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathKind {
    Missing,
    File,
    Folder,
    /// For example, a named pipe.
    Other,
}

impl PathKind {
    fn of(path: &Path) -> Self {
        match fs::metadata(path) {
            Err(_) => Self::Missing,
            Ok(metadata) if metadata.is_file() => Self::File,
            Ok(metadata) if metadata.is_dir() => Self::Folder,
            Ok(_) => Self::Other,
        }
    }
}

fn list_visible_rust_files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut files = file_system::list_rust_files(folder);
    files.retain(|file| !is_hidden(file));
    files.into_iter().collect()
}

/// Returns whether a file is hidden: a lock of an editor, or a temporary file.
fn is_hidden(file: &Path) -> bool {
    file.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

thread_local! {
    static OBSERVER: RefCell<Option<Observer>> = const { RefCell::new(None) };
}

/// Inputs of the run in progress.
#[derive(Clone, Default)]
struct Observer(Arc<Mutex<Inputs>>);

impl Observer {
    fn lock(&self) -> MutexGuard<'_, Inputs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` with this observer on the current thread.
    fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        let previous = OBSERVER.replace(Some(self.clone()));
        let done = work();
        OBSERVER.set(previous);
        done
    }
}

/// Runs `work`, and returns its result with the inputs that the generator read meanwhile for this
/// thread.
///
/// ```no_run
/// use genclient_codegen::{Artefact, FileSet, Inputs};
///
/// # fn main() -> Result<(), genclient_codegen::Diagnostics> {
/// # let project = genclient_codegen::discover(None, &[])?.remove(0);
/// let (generated, mut inputs) = genclient_codegen::observe(|| {
///     genclient_codegen::generate(&project, &Artefact::ALL.into())
/// });
/// let files = generated.map(|it| it.files).unwrap_or_default();
/// while inputs.changes(&files).is_empty() {
///     std::thread::sleep(std::time::Duration::from_millis(100));
/// }
/// # Ok(())
/// # }
/// ```
pub fn observe<T>(work: impl FnOnce() -> T) -> (T, Inputs) {
    let observer = Observer::default();
    let done = observer.run(work);
    let inputs = mem::take(&mut *observer.lock());
    (done, inputs.without_nested_folders())
}

/// Returns `work` for another thread, whose inputs are then observed with those of this thread.
pub(crate) fn observed_elsewhere<T>(work: impl Fn() -> T + Sync) -> impl Fn() -> T + Sync {
    let observer = OBSERVER.with_borrow(Clone::clone);
    move || match &observer {
        Some(observer) => observer.run(&work),
        None => work(),
    }
}

/// Records an input, if the run is observed.
fn record(seen: impl FnOnce(&mut Inputs)) {
    OBSERVER.with_borrow(|observer| {
        if let Some(observer) = observer {
            seen(&mut observer.lock());
        }
    });
}

/// Reads a file in UTF-8.
///
/// # Errors
///
/// Those of [`file_system::read_text_file`].
pub(crate) fn read_text_file(path: &Path) -> io::Result<String> {
    let mut stamp = None;
    // Taken before the file is read, so that a write in between is a change.
    record(|_| stamp = Stamp::of(path));
    let text = file_system::read_text_file(path);
    record(|inputs| {
        let seen = SeenText::new(stamp, text.as_deref().ok());
        inputs.texts.entry(normalize(path)).or_insert(seen);
    });
    text
}

/// Returns whether there is a file at the path.
pub(crate) fn is_file(path: &Path) -> bool {
    look_up(path) == PathKind::File
}

/// Returns whether there is a folder at the path.
pub(crate) fn is_dir(path: &Path) -> bool {
    look_up(path) == PathKind::Folder
}

/// Returns whether there is anything at the path.
pub(crate) fn exists(path: &Path) -> bool {
    look_up(path) != PathKind::Missing
}

fn look_up(path: &Path) -> PathKind {
    let kind = PathKind::of(path);
    record(|inputs| {
        inputs.looked_up.entry(normalize(path)).or_insert(kind);
    });
    kind
}

/// Returns the Rust files below a folder. Unreadable entries are left out.
pub(crate) fn list_rust_files(folder: &Path) -> Vec<PathBuf> {
    let files = file_system::list_rust_files(folder);
    record(|inputs| {
        let visible = files.iter().filter(|file| !is_hidden(file));
        let seen = inputs.folders.entry(normalize(folder));
        seen.or_insert_with(|| visible.cloned().collect());
    });
    files
}

/// Returns the paths that match a pattern of the `glob` crate.
///
/// # Errors
///
/// The pattern is invalid, or a folder cannot be read.
pub(crate) fn matching(pattern: &str) -> Result<Vec<PathBuf>, String> {
    let found = expand_pattern(pattern);
    record(|inputs| {
        let paths = found.iter().flatten().cloned().collect();
        inputs.patterns.entry(pattern.to_owned()).or_insert(paths);
    });
    found
}

fn expand_pattern(pattern: &str) -> Result<Vec<PathBuf>, String> {
    let paths = glob::glob(pattern).map_err(|error| error.to_string())?;
    paths
        .map(|path| path.map_err(|error| error.to_string()))
        .collect()
}

#[cfg(test)]
mod tests;
