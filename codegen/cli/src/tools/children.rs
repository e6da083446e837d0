//! Waiting for child processes. A signal ends a child first, and then this process.

use std::io::{self, BufRead as _, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use genclient_codegen::{Diagnostic, Diagnostics};

/// Time that a child has to exit after SIGTERM. A manager exits before, since its own shutdown
/// timeout is 30 s by default.
const TERMINATION_TIMEOUT: Duration = Duration::from_secs(60);

/// Time between two looks at a process or for a signal.
const CHILD_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Waits for children and forwards signals. Must be created before the first child starts and live
/// until the last one ends, so that no signal is lost.
pub(super) struct ChildWaiter {
    signals: platform::Signals,
}

/// The event that ends the wait for the `children` of [`ChildWaiter::wait_for_first`].
pub(super) enum FirstExit {
    /// The child with this index exited.
    Exited(usize, ExitStatus),
    /// `children[0]` exited after a forwarded signal. The number is the exit code for this process.
    Interrupted(i32),
}

/// The end of the wait for the first line that a child prints.
pub(super) enum FirstLine {
    Printed(String),
    /// The child exited, or printed nothing in time.
    Missing,
    /// A signal came first. The number is the exit code for this process.
    Interrupted(i32),
}

impl ChildWaiter {
    /// Installs the signal handlers.
    ///
    /// # Errors
    ///
    /// The system refuses, for example because too many files are open.
    pub(super) fn new() -> Result<Self, Diagnostics> {
        let signals = platform::Signals::new().map_err(|error| {
            Diagnostic::error(format!("cannot install signal handlers: {error}"))
                .help("raise the limit of open files: `ulimit -n 1024`")
        })?;
        Ok(Self { signals })
    }

    /// Waits until one of the children exits. Signals are forwarded to `children[0]`; after a
    /// signal, waits until that child exits.
    pub(super) fn wait_for_first(&mut self, children: &mut [&mut Child]) -> io::Result<FirstExit> {
        let mut interrupted = None;
        loop {
            for (index, child) in children.iter_mut().enumerate() {
                match (child.try_wait()?, interrupted) {
                    (Some(status), None) => return Ok(FirstExit::Exited(index, status)),
                    (Some(_), Some(code)) if index == 0 => return Ok(FirstExit::Interrupted(code)),
                    _ => {}
                }
            }
            let first = children.first_mut();
            let signal = first.map(|child| self.signals.forward(child)).transpose()?;
            interrupted = signal.flatten().or(interrupted);
        }
    }

    /// Waits for the first line of a child's stdout, by which a server says that it is ready.
    pub(super) fn wait_for_line(&mut self, child: &mut Child, timeout: Duration) -> FirstLine {
        let (sender, receiver) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || {
                let mut stdout = BufReader::new(stdout);
                let mut line = String::new();
                let _ = stdout.read_line(&mut line);
                // The receiver is gone after the timeout.
                let _ = sender.send(line);
                // A closed pipe would end a child that prints more.
                let _ = io::copy(&mut stdout, &mut io::sink());
            });
        }
        let start = Instant::now();
        while start.elapsed() < timeout {
            if let Some(code) = self.interrupted() {
                return FirstLine::Interrupted(code);
            }
            match receiver.recv_timeout(CHILD_POLL_INTERVAL) {
                Ok(line) if !line.is_empty() => return FirstLine::Printed(line),
                Err(RecvTimeoutError::Timeout) => {}
                Ok(_) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        FirstLine::Missing
    }

    /// Passes each line that a child prints on stdout to `on_line`, until it closes stdout. A
    /// signal ends the child, then this process.
    pub(super) fn read_lines(&mut self, child: &mut Child, mut on_line: impl FnMut(String)) {
        let (sender, receiver) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || {
                let lines = BufReader::new(stdout).lines().map_while(Result::ok);
                for line in lines {
                    // This process ends before it has read all lines only after a signal.
                    let _ = sender.send(line);
                }
            });
        }
        loop {
            if let Some(code) = self.interrupted() {
                terminate(child);
                std::process::exit(code);
            }
            match receiver.recv_timeout(CHILD_POLL_INTERVAL) {
                Ok(line) => on_line(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// The exit code for this process, if a signal has asked it to end.
    pub(super) fn interrupted(&mut self) -> Option<i32> {
        self.signals.received()
    }

    /// Pauses. A signal ends this process.
    pub(super) fn sleep(&mut self, duration: Duration) {
        let start = Instant::now();
        while start.elapsed() < duration {
            if let Some(code) = self.interrupted() {
                std::process::exit(code);
            }
            thread::sleep(CHILD_POLL_INTERVAL);
        }
    }

    /// Waits for a child. A signal ends the child, then this process.
    pub(super) fn wait_for(&mut self, child: &mut Child) -> io::Result<ExitStatus> {
        match self.wait_for_first(&mut [child])? {
            FirstExit::Exited(_, status) => Ok(status),
            FirstExit::Interrupted(code) => std::process::exit(code),
        }
    }
}

/// Starts a child in its own process group. Otherwise the child would receive Ctrl-C twice, from
/// the terminal and from this process. Many programs exit at once on the second signal.
pub(super) fn spawn_in_own_group(command: &mut Command) -> io::Result<Child> {
    platform::set_process_group(command);
    // A process outside the terminal's foreground group is suspended if it reads from the terminal.
    command.stdin(Stdio::null()).spawn()
}

/// Terminates a child that [`spawn_in_own_group`] started, and waits for it. A child that does not
/// exit is killed.
pub(super) fn terminate(child: &mut Child) {
    platform::request_termination(child);
    let start = Instant::now();
    while matches!(child.try_wait(), Ok(None)) && start.elapsed() < TERMINATION_TIMEOUT {
        thread::sleep(CHILD_POLL_INTERVAL);
    }
    kill_and_wait(child);
}

/// Kills a child, and waits for it. Has no effect on a child that has exited.
pub(super) fn kill_and_wait(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(unix)]
mod platform {
    use std::io;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};

    use rustix::process::{Pid, Signal, getpgid, kill_process, kill_process_group};
    use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

    /// The offset that shells add to a signal number to form an exit code.
    const SIGNAL_EXIT_BASE: i32 = 128;

    pub(super) struct Signals(signal_hook::iterator::Signals);

    impl Signals {
        pub(super) fn new() -> io::Result<Self> {
            let signals = [SIGCHLD, SIGHUP, SIGINT, SIGTERM];
            signal_hook::iterator::Signals::new(signals).map(Self)
        }

        /// The exit code for this process, if it has received SIGINT, SIGTERM or SIGHUP.
        pub(super) fn received(&mut self) -> Option<i32> {
            let mut received = self.0.pending().filter(|signal| *signal != SIGCHLD);
            received.next().map(|signal| SIGNAL_EXIT_BASE + signal)
        }

        /// Waits for signals, and forwards SIGINT, SIGTERM and SIGHUP to the child. Returns the
        /// exit code for this process, or `None` after SIGCHLD alone.
        pub(super) fn forward(&mut self, child: &Child) -> io::Result<Option<i32>> {
            let mut code = None;
            for signal in self.0.wait() {
                let forwarded = match signal {
                    SIGINT => Signal::INT,
                    // A closing terminal sends SIGHUP to this process, but not to a child in its
                    // own process group. The child gets SIGTERM instead.
                    SIGHUP | SIGTERM => Signal::TERM,
                    _ => continue,
                };
                send_signal(child, forwarded);
                code = Some(SIGNAL_EXIT_BASE + signal);
            }
            Ok(code)
        }
    }

    /// Sends a signal to a child, or to its process group if the child leads one.
    fn send_signal(child: &Child, signal: Signal) {
        let Some(pid) = Pid::from_raw(child.id().cast_signed()) else {
            return;
        };
        // Errors are ignored: they mean that the child has exited.
        let _ = match getpgid(Some(pid)) {
            Ok(group) if group == pid => kill_process_group(pid, signal),
            _ => kill_process(pid, signal),
        };
    }

    pub(super) fn set_process_group(command: &mut Command) {
        command.process_group(0);
    }

    pub(super) fn request_termination(child: &Child) {
        send_signal(child, Signal::TERM);
    }
}

/// Ctrl-C reaches every process of a Windows console, so no signal is forwarded.
#[cfg(not(unix))]
mod platform {
    use std::io;
    use std::process::{Child, Command};

    pub(super) struct Signals;

    impl Signals {
        pub(super) fn new() -> io::Result<Self> {
            Ok(Self)
        }

        pub(super) fn received(&mut self) -> Option<i32> {
            None
        }

        pub(super) fn forward(&mut self, child: &mut Child) -> io::Result<Option<i32>> {
            child.wait().map(|_| None)
        }
    }

    pub(super) fn set_process_group(_: &mut Command) {}

    pub(super) fn request_termination(child: &mut Child) {
        let _ = child.kill();
    }
}
