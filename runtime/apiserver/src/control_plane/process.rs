//! A child process that ends when its owner does, with its output in a file.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// How often a process that was asked to end is looked at.
const PAUSE: Duration = Duration::from_millis(10);

/// Where the output of a process goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// Its log.
    Log,
    /// Stdout and stderr of this process.
    Attached,
}

/// Killed when dropped, thus also when a test panics.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts `program`; output to a log is appended.
    pub(super) fn spawn<A: AsRef<OsStr>>(
        program: &Path,
        arguments: impl IntoIterator<Item = A>,
        log: &Path,
        output: Output,
    ) -> io::Result<Self> {
        let mut command = Command::new(program);
        // Both servers take settings, and Go a proxy, from the environment.
        command.args(arguments).env_clear().stdin(Stdio::null());
        if output == Output::Log {
            let file = File::options().create(true).append(true).open(log)?;
            command.stdout(file.try_clone()?).stderr(file);
        }
        Ok(Self {
            child: command.spawn()?,
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

    /// Sends SIGTERM, and SIGKILL if that has not ended it after `timeout`. Returns whether it
    /// ended by itself.
    pub(super) async fn terminate(mut self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        if self.signal("-TERM").is_err() {
            return self.exited().is_some();
        }
        loop {
            if self.exited().is_some() {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            sleep(PAUSE).await;
        }
    }

    /// The last lines that it printed to its log.
    pub(super) fn last_words(&self) -> String {
        let log = std::fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(5)..].join("\n")
    }
}

impl Drop for Process {
    /// Kills without notice: a destructor must not block for the minute that kube-apiserver waits
    /// for open watches, and a test needs nothing of what the servers do before they end.
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
