//! Reading of files with limits, directory listings that follow symbolic links, and the working
//! directory.

use std::env;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::paths;

/// The working directory; empty if it was removed.
pub fn working_dir() -> PathBuf {
    env::current_dir().unwrap_or_default()
}

/// A path as shown in messages: relative if it is below the working directory.
pub fn display_path(path: &Path) -> String {
    paths::display_path(path, &working_dir())
}

/// The maximum size of a file in bytes, 256 MiB. The CRDs of the largest clusters take a tenth.
const MAX_FILE_SIZE: u64 = 256 << 20;

/// Reads a file.
///
/// # Errors
///
/// The file cannot be read or is larger than 256 MiB. Or it is none of a regular file, `/dev/null`,
/// and an open descriptor of this process, such as `/dev/fd/63`: `/dev/zero` has no end, and
/// opening a named pipe waits for a writer.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    // Git passes `/dev/null` to a diff program for a file that one side lacks.
    let is_finite = ["/dev/fd", "/dev/null", "/dev/stdin", "/proc/self/fd"]
        .iter()
        .any(|finite| path.starts_with(finite));
    let kind = fs::metadata(path)?.file_type();
    if !kind.is_file() && !kind.is_dir() && !is_finite {
        return Err(io::Error::other("not a regular file"));
    }
    read_limited(File::open(path)?)
}

/// Reads a file in UTF-8.
///
/// # Errors
///
/// Those of [`read_file`], or the file is not UTF-8.
pub fn read_text_file(path: &Path) -> io::Result<String> {
    let text = String::from_utf8(read_file(path)?);
    text.map_err(|_| {
        let message = "stream did not contain valid UTF-8";
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

/// Reads to the end.
///
/// # Errors
///
/// `from` cannot be read, or has more than 256 MiB.
pub fn read_limited(from: impl Read) -> io::Result<Vec<u8>> {
    read_at_most(from, MAX_FILE_SIZE)
}

fn read_at_most(from: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let mebibytes = limit >> 20;
        return Err(io::Error::other(format!(
            "it is larger than {mebibytes} MiB"
        )));
    }
    Ok(bytes)
}

/// The files below a folder, unordered. Unreadable entries are passed to `unreadable` and left out.
pub(crate) fn list_files(
    folder: &Path,
    unreadable: &mut dyn FnMut(&Path, io::Error),
) -> Vec<PathBuf> {
    walk_folder(folder, |_| true, unreadable)
}

/// The files below a folder that are neither hidden nor in a hidden folder, sorted. Unreadable
/// entries are passed to `unreadable` and left out.
pub fn list_visible_files(
    folder: &Path,
    unreadable: &mut dyn FnMut(&Path, io::Error),
) -> Vec<PathBuf> {
    let is_visible = |entry: &fs::DirEntry| !entry.file_name().as_encoded_bytes().starts_with(b".");
    let mut files = walk_folder(folder, is_visible, unreadable);
    files.sort();
    files
}

fn walk_folder(
    folder: &Path,
    includes: fn(&fs::DirEntry) -> bool,
    unreadable: &mut dyn FnMut(&Path, io::Error),
) -> Vec<PathBuf> {
    let mut walk = FolderWalk {
        files: Vec::new(),
        open: Vec::new(),
        includes,
        unreadable,
    };
    walk.enter(folder);
    walk.files
}

/// The Rust files below a folder. Unreadable entries are left out.
pub fn list_rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = list_files(folder, &mut |_, _| {});
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files
}

struct FolderWalk<'a> {
    files: Vec<PathBuf>,
    /// The canonical paths of the folders being traversed. A link back to one of them is a cycle.
    open: Vec<PathBuf>,
    /// False for the entries to leave out.
    includes: fn(&fs::DirEntry) -> bool,
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
                Ok(entry) if (self.includes)(&entry) => self.see(&entry),
                Ok(_) => {}
                Err(error) => (self.unreadable)(folder, error),
            }
        }
    }

    fn see(&mut self, entry: &fs::DirEntry) {
        let path = entry.path();
        // A regular file needs no second system call.
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file {
            return self.files.push(path);
        }
        match fs::metadata(&path) {
            Ok(kind) if kind.is_dir() => self.enter(&path),
            Ok(kind) if !kind.is_file() => {}
            // A link whose target is missing is a file that cannot be read.
            Ok(_) | Err(_) => self.files.push(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{self, Read as _};
    use std::path::Path;

    use super::{list_rust_files, read_at_most, read_file, read_text_file};

    #[test]
    fn files_without_end_are_refused() {
        let message = |error: io::Error| error.to_string();
        let too_large = read_at_most(io::repeat(0), 1 << 20).map_err(message);
        assert_eq!(too_large.unwrap_err(), "it is larger than 1 MiB");
        assert_eq!(
            read_at_most(io::repeat(0).take(1 << 20), 1 << 20)
                .unwrap()
                .len(),
            1 << 20
        );
        #[cfg(unix)]
        {
            let zero = read_file(Path::new("/dev/zero")).map_err(message);
            assert_eq!(zero.unwrap_err(), "not a regular file");
        }
    }

    #[test]
    fn text_is_utf8() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), [0xff]).unwrap();
        let error = read_text_file(file.path()).unwrap_err();
        assert_eq!(error.to_string(), "stream did not contain valid UTF-8");
    }

    #[test]
    fn files_are_found_once_through_symlinks() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["a.rs", "b/c.rs", "b/d/e.rs", "b/f.txt"] {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let found = || {
            let mut found: Vec<_> = list_rust_files(folder.path())
                .into_iter()
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
            // Found, so that reading it names what is missing.
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
                    "h.rs",
                    "linked/c.rs",
                    "linked/d/e.rs"
                ]
            );
        }
    }
}
