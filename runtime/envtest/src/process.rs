//! [`Process`]: a child process, which is killed when it is dropped.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Interval between checks of whether a process has exited.
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Destination of a process's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// The log file of the process.
    Log,
    /// Stdout and stderr of the test.
    Attached,
}

/// Child process that is killed when it is dropped, and therefore also when a test panics.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts a program. Its output is appended to `log`, or goes to stdout and stderr of the test.
    pub(crate) fn spawn<A: AsRef<OsStr>>(
        program: &Path,
        arguments: impl IntoIterator<Item = A>,
        log: &Path,
        output: Output,
    ) -> io::Result<Self> {
        let mut command = Command::new(program);
        // The environment is cleared, since variables could set a proxy or options of the servers.
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

    /// Returns the exit status, or `None` while the process runs.
    pub(crate) fn exit_status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Sends a signal, given as an option of the command `kill`, such as `-STOP`.
    pub(crate) fn signal(&self, signal: &str) -> io::Result<()> {
        let process = self.child.id().to_string();
        let status = Command::new("kill").args([signal, &process]).status()?;
        if status.success() {
            Ok(())
        } else {
            Err(io::Error::other(format!("kill {signal} failed: {status}")))
        }
    }

    /// Sends SIGTERM, and SIGKILL if the process still runs after `timeout`. Returns whether
    /// SIGTERM was enough.
    pub(crate) async fn terminate(mut self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        if self.signal("-TERM").is_err() {
            return self.exit_status().is_some();
        }
        loop {
            if self.exit_status().is_some() {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            sleep(EXIT_POLL_INTERVAL).await;
        }
    }

    /// Returns the last lines of the process's log.
    pub(crate) fn last_log_lines(&self) -> String {
        let log = std::fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(5)..].join("\n")
    }
}

impl Drop for Process {
    /// Kills the process without SIGTERM. After SIGTERM kube-apiserver waits up to a minute for
    /// open watches, which would delay the test.
    fn drop(&mut self) {
        // Both calls fail only if the process has already exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
