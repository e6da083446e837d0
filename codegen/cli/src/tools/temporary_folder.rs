//! [`TemporaryFolder`]: a private folder for the files of one run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use genclient_codegen::{Diagnostic, Diagnostics};

/// A folder that only this user can read. It is deleted when dropped.
pub(super) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Creates the folder `genclient-COMMAND-PID`.
    ///
    /// # Errors
    ///
    /// The folder cannot be created, or exists.
    pub(super) fn new(command: &str) -> Result<Self, Diagnostics> {
        let name = format!("genclient-{command}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut folder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
        // This fails if the path exists: such a folder may belong to another user.
        folder.create(&path).map_err(|error| folder_error(&error))?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, and returns its path.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf, Diagnostics> {
        let path = self.0.join(name);
        fs::write(&path, text).map_err(|error| folder_error(&error))?;
        Ok(path)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn folder_error(error: &io::Error) -> Diagnostics {
    let finding = Diagnostic::error(format!("cannot write to a temporary folder: {error}"));
    let help = "set another one in the environment variable `TMPDIR`";
    finding.help(help).into()
}
