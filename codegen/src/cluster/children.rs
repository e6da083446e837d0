//! Child processes. A signal that ends a run ends its children first.

use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};

/// Signals to a run, from the start of its first child on.
pub(super) struct Children {
    signals: platform::Signals,
}

/// The first thing that happened to some children.
pub(super) enum First {
    /// The child at this place ended.
    Ended(usize, ExitStatus),
    /// A signal ended the first child; a shell expects this exit code.
    Interrupted(i32),
}

impl Children {
    pub(super) fn new() -> io::Result<Self> {
        let signals = platform::Signals::new()?;
        Ok(Self { signals })
    }

    /// Waits until one of the children ends. Signals go to the first of them.
    pub(super) fn first(&mut self, children: &mut [&mut Child]) -> io::Result<First> {
        let mut interrupted = None;
        loop {
            for (place, child) in children.iter_mut().enumerate() {
                match (child.try_wait()?, interrupted) {
                    (Some(status), None) => return Ok(First::Ended(place, status)),
                    (Some(_), Some(code)) if place == 0 => return Ok(First::Interrupted(code)),
                    _ => {}
                }
            }
            let first = children.first_mut();
            let signal = first.map(|child| self.signals.pass_on(child)).transpose()?;
            interrupted = signal.flatten().or(interrupted);
        }
    }

    /// Waits for the end of a child. A signal ends it, and then this process.
    pub(super) fn end_of(&mut self, child: &mut Child) -> io::Result<ExitStatus> {
        match self.first(&mut [child])? {
            First::Ended(_, status) => Ok(status),
            First::Interrupted(code) => std::process::exit(code),
        }
    }
}

/// Starts a child in a process group of its own. Ctrl-C on the terminal reaches it only through
/// this process: a second signal would end the program at once.
pub(super) fn apart(command: &mut Command) -> io::Result<Child> {
    platform::group(command);
    // A process in the background of a terminal must not read from it.
    command.stdin(Stdio::null()).spawn()
}

/// Asks a child of [`apart`] to end, and waits for it.
pub(super) fn end(child: &mut Child) {
    platform::ask_to_end(child);
    let _ = child.wait();
}

#[cfg(unix)]
mod platform {
    use std::io;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};

    use rustix::process::{Pid, Signal, getpgid, kill_process, kill_process_group};
    use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

    /// The number that shells add to that of a signal.
    const BY_SIGNAL: i32 = 128;

    pub(super) struct Signals(signal_hook::iterator::Signals);

    impl Signals {
        pub(super) fn new() -> io::Result<Self> {
            let signals = [SIGCHLD, SIGHUP, SIGINT, SIGTERM];
            signal_hook::iterator::Signals::new(signals).map(Self)
        }

        /// Waits for signals, and passes those on that end a run. Returns the exit code for them.
        pub(super) fn pass_on(&mut self, child: &Child) -> io::Result<Option<i32>> {
            let mut code = None;
            for signal in self.0.wait() {
                let passed = match signal {
                    SIGINT => Signal::INT,
                    // A terminal that is closed tells no other process group.
                    SIGHUP | SIGTERM => Signal::TERM,
                    _ => continue,
                };
                send(child, passed);
                code = Some(BY_SIGNAL + signal);
            }
            Ok(code)
        }
    }

    /// Sends a signal to a child, and to its process group if it leads one.
    fn send(child: &Child, signal: Signal) {
        let Some(pid) = Pid::from_raw(child.id().cast_signed()) else {
            return;
        };
        // One that has ended needs no signal any more.
        let _ = match getpgid(Some(pid)) {
            Ok(group) if group == pid => kill_process_group(pid, signal),
            _ => kill_process(pid, signal),
        };
    }

    pub(super) fn group(command: &mut Command) {
        command.process_group(0);
    }

    pub(super) fn ask_to_end(child: &Child) {
        send(child, Signal::TERM);
    }
}

/// Ctrl-C reaches every process of a console by itself.
#[cfg(not(unix))]
mod platform {
    use std::io;
    use std::process::{Child, Command};

    pub(super) struct Signals;

    impl Signals {
        pub(super) fn new() -> io::Result<Self> {
            Ok(Self)
        }

        pub(super) fn pass_on(&mut self, child: &mut Child) -> io::Result<Option<i32>> {
            child.wait().map(|_| None)
        }
    }

    pub(super) fn group(_: &mut Command) {}

    pub(super) fn ask_to_end(child: &mut Child) {
        let _ = child.kill();
    }
}
