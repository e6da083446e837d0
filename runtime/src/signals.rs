//! Shutdown on SIGINT and SIGTERM: the first signal cancels a token, the second ends the process.
//!
//! [`shutdown`] corresponds to `SetupSignalHandler` of sample-controller and controller-runtime.

use std::io;

pub use tokio_util::sync::CancellationToken;

/// The exit code after the second signal.
const EXIT_CODE: i32 = 1;

/// Returns a token that the first signal cancels. The second signal ends the process at once, with
/// exit code 1.
///
/// The signals are SIGINT and SIGTERM on Unix, Ctrl-C and Ctrl-Break on Windows. This call disables
/// their default action for the rest of the process, so a signal that no task waits for would be
/// lost. Therefore a task waits for signals until the runtime ends, even after the token is
/// dropped.
///
/// The function may be called several times: the first signal cancels the tokens of all earlier
/// calls, and the second one ends the process.
///
/// # Errors
///
/// If the operating system rejects the signal handlers.
///
/// # Panics
///
/// Outside of a tokio runtime with I/O enabled.
///
/// # Example
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// # async fn control() {}
/// let stop = genclient::signals::shutdown()?;
///
/// tokio::select! {
///     () = stop.cancelled() => println!("shutting down"),
///     () = control() => {}
/// }
/// # Ok(())
/// # }
/// ```
pub fn shutdown() -> io::Result<CancellationToken> {
    let mut signals = Signals::listen()?;
    let stop = CancellationToken::new();
    let first = stop.clone();
    tokio::spawn(async move {
        signals.next().await;
        tracing::info!("shutting down; a second signal exits immediately");
        first.cancel();
        signals.next().await;
        std::process::exit(EXIT_CODE);
    });
    Ok(stop)
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(windows)]
struct Signals {
    interrupt: tokio::signal::windows::CtrlC,
    terminate: tokio::signal::windows::CtrlBreak,
}

#[cfg(windows)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use tokio::signal::windows::{ctrl_break, ctrl_c};
        Ok(Self {
            interrupt: ctrl_c()?,
            terminate: ctrl_break()?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::{BufRead, BufReader, Lines};
    use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

    /// Environment variable that marks the child process. The child runs this test binary and
    /// receives the signals.
    const CHILD: &str = "GENCLIENT_TEST_SIGNALS";

    /// Program of the child process. In the parent, this test does nothing.
    #[tokio::test]
    async fn child() {
        if std::env::var_os(CHILD).is_none() {
            return;
        }
        let stop = super::shutdown().unwrap();
        let other = super::shutdown().unwrap();
        println!("\nlistening");
        stop.cancelled().await;
        other.cancelled().await;
        println!("cancelled");
        std::future::pending::<()>().await;
    }

    struct Program {
        process: Child,
        lines: Lines<BufReader<ChildStdout>>,
    }

    impl Program {
        fn start() -> Self {
            let mut process = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "signals::tests::child", "--nocapture"])
                .env(CHILD, "1")
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let lines = BufReader::new(process.stdout.take().unwrap()).lines();
            Self { process, lines }
        }

        fn wait_for(&mut self, line: &str) {
            assert!(
                self.lines.by_ref().any(|read| read.unwrap() == line),
                "the program ended before it said {line}"
            );
        }

        fn send(&self, signal: &str) {
            let status = Command::new("kill")
                .args([signal, &self.process.id().to_string()])
                .status()
                .unwrap();
            assert!(status.success());
        }

        fn end(mut self) -> ExitStatus {
            self.process.wait().unwrap()
        }
    }

    #[test]
    fn the_first_signal_cancels_and_the_second_exits() {
        for (first, second) in [("-TERM", "-TERM"), ("-INT", "-INT"), ("-INT", "-TERM")] {
            let mut program = Program::start();
            program.wait_for("listening");
            program.send(first);
            program.wait_for("cancelled");
            program.send(second);
            assert_eq!(
                program.end().code(),
                Some(super::EXIT_CODE),
                "{first}, {second}"
            );
        }
    }
}
