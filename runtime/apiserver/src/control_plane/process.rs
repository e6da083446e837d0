//! A child process that ends when its owner does, with its output in a file.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

/// Killed when dropped, thus also when a test panics.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts `program`; its output is appended to `log`.
    pub(super) fn spawn<A: AsRef<OsStr>>(
        program: &Path,
        arguments: impl IntoIterator<Item = A>,
        log: &Path,
    ) -> io::Result<Self> {
        let output = File::options().create(true).append(true).open(log)?;
        let child = Command::new(program)
            .args(arguments)
            // Both servers take settings, and Go a proxy, from the environment.
            .env_clear()
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()?;
        Ok(Self {
            child,
            log: log.to_owned(),
        })
    }

    /// How it ended, if it has.
    pub(super) fn exited(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Sends a signal, such as `-STOP`.
    pub(super) fn signal(&self, signal: &str) -> io::Result<()> {
        let process = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &process]).status()?;
        if sent.success() {
            Ok(())
        } else {
            Err(io::Error::other(format!("kill {signal} failed: {sent}")))
        }
    }

    /// The last lines that it printed.
    pub(super) fn last_words(&self) -> String {
        let log = std::fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(5)..].join("\n")
    }
}

impl Drop for Process {
    /// Kills without notice: what these servers would do before they end is of no use to a test, and takes seconds.
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
