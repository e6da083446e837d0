//! Atomic writing of several files: all of them, or none.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::interrupt::{self, Hold};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::file_system::display_path;
use crate::parallel;

/// File name prefix of temporary files.
const TEMPORARY_PREFIX: &str = ".genclient-";

/// Age after which a temporary file counts as left by an interrupted run.
const MAX_RUN_TIME: Duration = Duration::from_secs(60);

/// Written files, each in a temporary file beside its path or already in place. At any time, a path
/// has either the old or the new text, even if the run is interrupted.
///
/// If the value is dropped without a call of [`Self::keep`], the previous state is restored.
pub struct Staged {
    files: Vec<StagedFile>,
    /// Folders created for the files, outer ones first.
    folders: Vec<PathBuf>,
    /// Delays the exit of the process after a signal until the files are kept or restored.
    _hold: Hold,
}

struct StagedFile {
    /// The temporary file with the new text.
    written: PathBuf,
    /// The path of the file, with symbolic links resolved.
    path: PathBuf,
    /// The previous content; `None` if the file did not exist.
    old: Option<Vec<u8>>,
    is_in_place: bool,
}

impl Staged {
    /// Writes texts to temporary files beside their paths.
    pub(super) fn write(texts: &[(&Path, &str)]) -> Result<Self, Diagnostics> {
        let mut staged = Self {
            files: Vec::new(),
            folders: Vec::new(),
            _hold: interrupt::register_writer(),
        };
        let folders: BTreeSet<_> = texts.iter().map(|(path, _)| parent_folder(path)).collect();
        for folder in folders {
            staged.make(folder)?;
        }
        for (path, _) in texts {
            let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
            staged.files.push(StagedFile {
                written: temporary_path(&path),
                old: read_previous(&path)?,
                path,
                is_in_place: false,
            });
        }
        let files: Vec<_> = texts.iter().zip(&staged.files).collect();
        let written = parallel::map(&files, |((path, text), file)| {
            write_like(&file.path, &file.written, text.as_bytes())
                .map_err(|error| io_error("write", path, &error))
        });
        written.into_iter().collect::<Result<(), _>>()?;
        Ok(staged)
    }

    /// Creates a folder and its parents, and records those that did not exist.
    fn make(&mut self, folder: &Path) -> Result<(), Diagnostics> {
        let ancestors = folder.ancestors();
        let new: Vec<_> = ancestors.take_while(|folder| !folder.exists()).collect();
        let outermost_first = new.into_iter().rev();
        self.folders.extend(outermost_first.map(Path::to_owned));
        fs::create_dir_all(folder).map_err(|error| io_error("create", folder, &error))
    }

    /// Renames every temporary file to its path.
    pub(super) fn put_in_place(&mut self) -> Result<(), Diagnostics> {
        for file in &mut self.files {
            fs::rename(&file.written, &file.path)
                .map_err(|error| io_error("write", &file.path, &error))?;
            file.is_in_place = true;
        }
        Ok(())
    }

    /// Adds files that are kept or restored together with these.
    pub(super) fn extend(&mut self, mut other: Self) {
        self.files.append(&mut other.files);
        self.folders.append(&mut other.folders);
    }

    /// Keeps the files that are in place.
    ///
    /// # Errors
    ///
    /// The run was interrupted. The previous state is then restored.
    pub fn keep(mut self) -> Result<(), Diagnostics> {
        interrupt::check_interrupted()?;
        self.folders.clear();
        self.files.clear();
        Ok(())
    }
}

fn read_previous(path: &Path) -> Result<Option<Vec<u8>>, Diagnostics> {
    match fs::read(path) {
        Ok(old) => Ok(Some(old)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_error("read", path, &error)),
    }
}

fn parent_folder(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new("."))
}

/// The path of the temporary file, unique across this process and others. It is in the folder of
/// the file, because a file can be renamed atomically only within its file system.
fn temporary_path(path: &Path) -> PathBuf {
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);
    let (process, count) = (std::process::id(), WRITTEN.fetch_add(1, Ordering::Relaxed));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    parent_folder(path).join(format!("{TEMPORARY_PREFIX}{process}-{count}-{name}"))
}

/// Writes a file with the permissions of `other`, if that exists.
fn write_like(other: &Path, path: &Path, text: &[u8]) -> std::io::Result<()> {
    fs::write(path, text)?;
    match fs::metadata(other) {
        Ok(about) => fs::set_permissions(path, about.permissions()),
        Err(_) => Ok(()),
    }
}

/// True for a temporary file of a run.
pub(super) fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().starts_with(TEMPORARY_PREFIX)
}

/// Removes temporary files that interrupted runs left in these folders. Files younger than
/// [`MAX_RUN_TIME`] are kept, since another run may be about to rename them.
pub(super) fn remove_leftovers(folders: &BTreeSet<&Path>) {
    let entries = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok());
    let files = entries.flatten().flatten().map(|entry| entry.path());
    for file in files.filter(|file| is_temporary(file)) {
        let written = file.metadata().and_then(|about| about.modified());
        let age = written.ok().and_then(|written| written.elapsed().ok());
        if age.is_some_and(|age| age > MAX_RUN_TIME) {
            // An error is harmless, because nothing reads the file and the next run tries again.
            let _ = fs::remove_file(file);
        }
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // Errors of the rollback are ignored, because the error that caused it is reported.
        for file in &self.files {
            let _ = match (file.is_in_place, &file.old) {
                (false, _) => fs::remove_file(&file.written),
                (true, None) => fs::remove_file(&file.path),
                // Renaming is atomic: readers see the new or the old text.
                (true, Some(old)) => write_like(&file.path, &file.written, old)
                    .and_then(|()| fs::rename(&file.written, &file.path)),
            };
        }
        for folder in self.folders.iter().rev() {
            // A folder that is not empty cannot be removed, and must stay.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The error for a file or folder that could not be read, written, created or removed.
pub(super) fn io_error(what: &str, path: &Path, error: &Error) -> Diagnostics {
    if error.kind() == ErrorKind::IsADirectory {
        return blocked_path_error(path, "it is a folder");
    }
    let above = path
        .ancestors()
        .filter(|_| error.kind() == ErrorKind::NotADirectory);
    if let Some(file) = above.into_iter().find(|above| above.is_file()) {
        return blocked_path_error(file, "it is not a folder");
    }
    let folder = display_path(path.parent().unwrap_or(path));
    Diagnostic::error(format!("cannot {what} {}: {error}", display_path(path)))
        .help(format!(
            "make sure that {folder} is a writable folder, and that its files are text"
        ))
        .into()
}

/// The error for a file or folder that blocks the path of a generated one.
pub(super) fn blocked_path_error(path: &Path, why: &str) -> Diagnostics {
    Diagnostic::error(format!("{} is in the way: {why}", display_path(path)))
    .help("move or remove it, or choose another folder: `client` or `config` in `[package.metadata.genclient]`")
    .into()
}
