//! Trees of files that contain packages: the disk, or a git revision.

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::inputs;
use crate::paths::display_path;

/// A tree of files. Paths are absolute.
pub trait Files: Debug {
    /// Returns whether there is a file at the path.
    fn is_file(&self, path: &Path) -> bool;

    /// Returns whether there is a folder at the path.
    fn is_dir(&self, path: &Path) -> bool;

    /// Reads the text of a file.
    fn read_to_string(&self, path: &Path) -> io::Result<String>;

    /// Returns the Rust files below a folder. Folders that cannot be read are skipped.
    fn rust_files(&self, dir: &Path) -> Vec<PathBuf>;

    /// Returns the paths that match a pattern of the `glob` crate.
    fn matching(&self, pattern: &str) -> Result<Vec<PathBuf>, String>;

    /// Returns a path as messages show it.
    fn shown(&self, path: &Path) -> String;
}

pub(super) fn disk_files(working_dir: PathBuf) -> Rc<dyn Files> {
    Rc::new(Disk { working_dir })
}

#[derive(Debug)]
struct Disk {
    /// The folder that messages show paths relative to.
    working_dir: PathBuf,
}

impl Files for Disk {
    fn is_file(&self, path: &Path) -> bool {
        inputs::is_file(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        inputs::is_dir(path)
    }

    fn read_to_string(&self, path: &Path) -> io::Result<String> {
        inputs::read_text_file(path)
    }

    fn rust_files(&self, dir: &Path) -> Vec<PathBuf> {
        inputs::list_rust_files(dir)
    }

    fn matching(&self, pattern: &str) -> Result<Vec<PathBuf>, String> {
        inputs::matching(pattern)
    }

    fn shown(&self, path: &Path) -> String {
        display_path(path, &self.working_dir)
    }
}
