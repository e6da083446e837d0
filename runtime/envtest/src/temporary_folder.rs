//! [`TemporaryFolder`]: a new folder that is removed when the value is dropped.
//!
//! The crate `tempfile` is not used: it changes the features of bitflags, and a project would
//! compile kube once more for its test on a real API server.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(crate) struct TemporaryFolder {
    path: PathBuf,
    is_kept: bool,
}

impl TemporaryFolder {
    /// Creates a folder in `parent` that only this user can read, since it will contain keys. Its
    /// path is absolute.
    pub(crate) fn create(parent: &Path) -> io::Result<Self> {
        let name = format!("control-plane-{:016x}", fastrand::u64(..));
        let path = std::path::absolute(parent)?.join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self {
            path,
            is_kept: false,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Sets whether the folder is kept after the value is dropped.
    pub(crate) fn keep(&mut self, is_kept: bool) {
        self.is_kept = is_kept;
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if !self.is_kept {
            // A folder that cannot be removed is no reason to panic in a drop.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_removed_unless_they_are_kept() {
        let parent = TemporaryFolder::create(&std::env::temp_dir()).unwrap();
        for is_kept in [false, true] {
            let mut folder = TemporaryFolder::create(parent.path()).unwrap();
            let path = folder.path().to_owned();
            fs::write(path.join("key"), "").unwrap();
            folder.keep(is_kept);
            drop(folder);
            assert_eq!(path.exists(), is_kept);
        }
        let path = parent.path().to_owned();
        drop(parent);
        assert!(!path.exists());
    }
}
