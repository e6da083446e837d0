//! Directory listings that follow symbolic links, and the working directory.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::paths;

/// The working directory; empty if it was removed.
pub(crate) fn working_dir() -> PathBuf {
    env::current_dir().unwrap_or_default()
}

/// A path as shown in messages: relative if it is below the working directory.
pub(crate) fn shown(path: &Path) -> String {
    paths::shown(path, &working_dir())
}

/// The files below a folder, unordered. Unreadable entries are passed to `unreadable` and left out.
pub(crate) fn files(folder: &Path, unreadable: &mut dyn FnMut(&Path, io::Error)) -> Vec<PathBuf> {
    let mut walk = FolderWalk {
        files: Vec::new(),
        open: Vec::new(),
        unreadable,
    };
    walk.enter(folder);
    walk.files
}

/// The Rust files below a folder. Unreadable entries are left out.
pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = files(folder, &mut |_, _| {});
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files
}

struct FolderWalk<'a> {
    files: Vec<PathBuf>,
    /// The canonical paths of the folders being traversed. A link back to one of them is a cycle.
    open: Vec<PathBuf>,
    unreadable: &'a mut dyn FnMut(&Path, io::Error),
}

impl FolderWalk<'_> {
    fn enter(&mut self, folder: &Path) {
        match folder.canonicalize() {
            Ok(real) if self.open.contains(&real) => {}
            Ok(real) => {
                self.open.push(real);
                self.list(folder);
                self.open.pop();
            }
            Err(error) => (self.unreadable)(folder, error),
        }
    }

    fn list(&mut self, folder: &Path) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return (self.unreadable)(folder, error),
        };
        for entry in entries {
            match entry {
                Ok(entry) => self.see(&entry),
                Err(error) => (self.unreadable)(folder, error),
            }
        }
    }

    fn see(&mut self, entry: &fs::DirEntry) {
        let path = entry.path();
        // A regular file needs no second system call.
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file || path.is_file() {
            self.files.push(path);
        } else if path.is_dir() {
            self.enter(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::rust_files;

    #[test]
    fn files_are_found_once_through_symlinks() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["a.rs", "b/c.rs", "b/d/e.rs", "b/f.txt"] {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let found = || {
            let found = rust_files(folder.path()).into_iter();
            let mut found: Vec<_> = found
                .map(|file| {
                    let below = file.strip_prefix(folder.path()).unwrap();
                    below.to_string_lossy().replace('\\', "/")
                })
                .collect();
            found.sort();
            found
        };
        assert_eq!(found(), ["a.rs", "b/c.rs", "b/d/e.rs"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink("b", folder.path().join("linked")).unwrap();
            symlink("a.rs", folder.path().join("g.rs")).unwrap();
            symlink("nowhere", folder.path().join("h.rs")).unwrap();
            // These links lead back to the root folder. Without the check for cycles, each step
            // would multiply the number of paths.
            for name in ["x", "y", "z"] {
                symlink("../..", folder.path().join("b/d").join(name)).unwrap();
            }
            assert_eq!(
                found(),
                [
                    "a.rs",
                    "b/c.rs",
                    "b/d/e.rs",
                    "g.rs",
                    "linked/c.rs",
                    "linked/d/e.rs"
                ]
            );
        }
    }
}
